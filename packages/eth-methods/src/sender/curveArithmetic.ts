/**
 * Recovers public keys on the curve secp256k1 with the points of the WebAssembly module.
 *
 * The key is the sum of a multiple of the base point and one of the nonce's point. Both scalars are split in halves by the
 * endomorphism, so four lists of digits share 129 doublings.
 *
 * Source: SEC 1, section 4.1.6; Straus (1964).
 */
import { type CurveModule, P, SIZE } from "./curveModule.ts"
import { digits, N, POSITIONS, split } from "./scalarDigits.ts"

const GX = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n
const GY = 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n

/** A third root of one: `beta` times `x` is the `x` of `lambda` times the point. */
const BETA = 0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501een

/** The accumulator, and numbers that keep their places. The module uses the first eight numbers. */
const X = 0
const Y = SIZE
const Z = 2 * SIZE
const ONE = 8 * SIZE
const BETA_AT = 9 * SIZE
const SCRATCH = 10 * SIZE
/** Twice the point whose table is made. */
const TWICE = 28 * SIZE

/** An entry of a table has `x`, `beta * x`, `y`, `-y`, and for points that are not affine `Z`, `Z^2`, `Z^3`. */
const ENTRY = 7 * SIZE
const NONCE_TABLE = 40 * SIZE
const NONCE_WIDTH = 5
const BASE_WIDTH = 6
const BASE_TABLE = NONCE_TABLE + ENTRY * 2 ** (NONCE_WIDTH - 2)

/** Returns the 64 bytes of the key; undefined if there is none, and "unknown" if other arithmetic has to tell. */
export type Recover = (digest: bigint, r: bigint, s: bigint, parity: 0 | 1) => Uint8Array | undefined | "unknown"

/** Makes the function that recovers keys, with the table of the base point. */
export const make = (module: CurveModule): Recover => {
  module.write(ONE, 1n)
  module.write(BETA_AT, BETA)
  setAccumulator(module, GX, GY)
  writeTable(module, BASE_TABLE, BASE_WIDTH)
  makeAffine(module, BASE_TABLE, BASE_WIDTH)
  const lists = [BASE_WIDTH, BASE_WIDTH, NONCE_WIDTH, NONCE_WIDTH].map(() => new Int16Array(POSITIONS))

  return (digest, r, s, parity) => {
    if (!isScalar(r) || !isScalar(s)) return undefined
    const y = ordinate(module, r, parity)
    if (y === undefined) return undefined
    setAccumulator(module, r, y)
    writeTable(module, NONCE_TABLE, NONCE_WIDTH)
    const inverse = invert(r)
    const parts = [...split(modulo(-digest * inverse)), ...split((s * inverse) % N)]
    const end = Math.max(...parts.map((part, i) => digits(lists[i]!, part, i < 2 ? BASE_WIDTH : NONCE_WIDTH)))
    sumUp(module, lists, end)
    return keyOf(module)
  }
}

/** True if `r` or `s` can be of a signature. With `s` zero, a digest of zero would leave nothing to sum up. */
const isScalar = (value: bigint): boolean => value > 0n && value < N

const modulo = (value: bigint): bigint => ((value % N) + N) % N

/** Returns the inverse modulo the order, by Euclid's algorithm. */
const invert = (value: bigint): bigint => {
  let [a, b, u, v] = [value, N, 1n, 0n]
  while (a !== 0n) {
    const quotient = b / a
    ;[a, b, u, v] = [b - quotient * a, a, v - quotient * u, u]
  }
  return modulo(v)
}

const setAccumulator = (module: CurveModule, x: bigint, y: bigint): void => {
  module.write(X, x)
  module.write(Y, y)
  module.copy(Z, ONE, 1)
}

/** Returns the `y` of this parity; undefined if no point has this `x`. */
const ordinate = (module: CurveModule, x: bigint, parity: 0 | 1): bigint | undefined => {
  const square = (((x * x) % P) * x + 7n) % P
  module.write(SCRATCH, square)
  const t = onesOf223(module, SCRATCH)
  // the prime leaves 3 divided by 4, so a root is the power of (p + 1) / 4
  power(module, t, 23, place(X22))
  power(module, t, 6, place(X2))
  power(module, t, 2)
  const y = module.read(t)
  if ((y * y) % P !== square) return undefined
  return (y & 1n) === BigInt(parity) ? y : P - y
}

const X2 = 1
const X22 = 6

const place = (i: number): number => SCRATCH + i * SIZE

/** Squares a number `times` times, then multiplies it. */
const power = (module: CurveModule, at: number, times: number, by?: number): void => {
  for (let i = 0; i < times; i++) module.square(at, at)
  if (by !== undefined) module.multiply(at, at, by)
}

/**
 * Computes the powers whose exponents in binary are 2, 3, 6, 9, 11, 22, 44, 88, 176, 220 and 223 ones, each from an
 * earlier one, and returns the place of the last. Powers by `p` need it, because `p` begins with 223 ones.
 */
const onesOf223 = (module: CurveModule, one: number): number => {
  for (const [to, from, times, by] of ONES) {
    module.copy(place(to), from === 0 ? one : place(from), 1)
    power(module, place(to), times, by === 0 ? one : place(by))
  }
  return place(11)
}

/** The steps, each with its place, the place that it starts from, the squares, and the factor. */
const ONES: ReadonlyArray<readonly [to: number, from: number, times: number, by: number]> = [
  [X2, 0, 1, 0],
  [2, X2, 1, 0],
  [3, 2, 3, 2],
  [4, 3, 3, 2],
  [5, 4, 2, X2],
  [X22, 5, 11, 5],
  [7, X22, 22, X22],
  [8, 7, 44, 7],
  [9, 8, 88, 8],
  [10, 9, 44, 7],
  [11, 10, 3, 2]
]

/** Writes the odd multiples of the point in the accumulator, up to 2^(width - 1). None of them is at infinity. */
const writeTable = (module: CurveModule, table: number, width: number): void => {
  writeEntry(module, table)
  module.double()
  module.copy(TWICE, X, 3)
  module.square(TWICE + 3 * SIZE, TWICE + 2 * SIZE)
  module.multiply(TWICE + 4 * SIZE, TWICE + 3 * SIZE, TWICE + 2 * SIZE)
  module.copy(X, table, 1)
  module.copy(Y, table + 2 * SIZE, 1)
  module.copy(Z, table + 4 * SIZE, 1)
  for (let i = 1; i < 2 ** (width - 2); i++) {
    module.add(TWICE, TWICE + SIZE, TWICE + 2 * SIZE)
    writeEntry(module, table + ENTRY * i)
  }
}

const writeEntry = (module: CurveModule, at: number): void => {
  module.copy(at, X, 1)
  module.multiply(at + SIZE, X, BETA_AT)
  module.copy(at + 2 * SIZE, Y, 1)
  module.combine(at + 3 * SIZE, Y, 0, Y, 1)
  module.copy(at + 4 * SIZE, Z, 1)
  module.square(at + 5 * SIZE, Z)
  module.multiply(at + 6 * SIZE, at + 5 * SIZE, Z)
}

/** Divides the points of a table by their denominators, with one inversion for each. */
const makeAffine = (module: CurveModule, table: number, width: number): void => {
  for (let i = 0; i < 2 ** (width - 2); i++) {
    const at = table + ENTRY * i
    module.copy(X, at, 1)
    module.copy(Y, at + 2 * SIZE, 1)
    module.copy(Z, at + 4 * SIZE, 1)
    divide(module)
    module.copy(Z, ONE, 1)
    writeEntry(module, at)
  }
}

/** Replaces `X` and `Y` of the accumulator by `x` and `y` of its point. */
const divide = (module: CurveModule): void => {
  const inverse = onesOf223(module, Z)
  // the power of p - 2
  power(module, inverse, 23, place(X22))
  power(module, inverse, 5, Z)
  power(module, inverse, 3, place(X2))
  power(module, inverse, 2, Z)
  module.square(SCRATCH, inverse)
  module.multiply(X, X, SCRATCH)
  module.multiply(SCRATCH, SCRATCH, inverse)
  module.multiply(Y, Y, SCRATCH)
}

/** Sums up the multiples of the base point and of the nonce's point, from the highest digit down. */
const sumUp = (module: CurveModule, lists: ReadonlyArray<Int16Array>, end: number): void => {
  let isEmpty = true
  for (let at = end - 1; at >= 0; at--) {
    if (!isEmpty) module.double()
    for (let list = 0; list < 4; list++) {
      const digit = lists[list]![at]!
      if (digit === 0) continue
      const entry = (list < 2 ? BASE_TABLE : NONCE_TABLE) + ENTRY * ((Math.abs(digit) - 1) / 2)
      const x = entry + SIZE * (list % 2)
      const y = entry + (digit > 0 ? 2 : 3) * SIZE
      if (isEmpty) {
        module.copy(X, x, 1)
        module.copy(Y, y, 1)
        module.copy(Z, entry + 4 * SIZE, 1)
        isEmpty = false
      } else if (list < 2) module.addAffine(x, y)
      else module.add(x, y, entry + 4 * SIZE)
    }
  }
}

/**
 * Returns the key in the accumulator. "unknown" if `Z` is zero: two points on the way were the same or each other's
 * negative, which the module's formulas do not add.
 */
const keyOf = (module: CurveModule): Uint8Array | "unknown" => {
  if (module.read(Z) === 0n) return "unknown"
  divide(module)
  const key = new Uint8Array(64)
  writeWord(key, 0, module.read(X))
  writeWord(key, 32, module.read(Y))
  return key
}

const writeWord = (out: Uint8Array, at: number, value: bigint): void => {
  const view = new DataView(out.buffer)
  for (let i = 3, left = value; i >= 0; i--, left >>= 64n) view.setBigUint64(at + 8 * i, left & 0xffffffffffffffffn)
}
