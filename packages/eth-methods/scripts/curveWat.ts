/**
 * The field and the points of secp256k1 as WebAssembly text.
 *
 * A number of the field has ten limbs, each in 32 bits of memory: nine of 26 bits and the last, of 22 bits and one more
 * value. It is below 2^256 and a little, so it may be the prime or slightly more. Points are in Jacobian coordinates:
 * `x = X / Z^2`, `y = Y / Z^3`.
 *
 * The sum of a point and itself, or of a point and its negative, has `Z` zero. Every sum and double of such a point has
 * it too, so the caller asks once, at the end.
 *
 * Source: the representation and the reduction by 2^260 = 2^4 * (2^32 + 977) are those of libsecp256k1; the formulas are
 * the textbook's, by Cohen, Miyaji and Ono (1998).
 */
import {
  add,
  constant,
  high,
  less,
  local,
  low,
  multiply,
  type Statements,
  statements,
  type Word
} from "./boundedWords.ts"

const LIMBS = Array.from({ length: 10 }, (_, i) => i)
const BITS = 26n
const TOP_BITS = 22n

/** Number of bytes of a number of the field. */
const SIZE = 40

/** The prime is 2^256 - EXCESS. */
const EXCESS = 2n ** 32n + 977n
const PRIME = 2n ** 256n - EXCESS
const limbOf = (value: bigint, i: number): bigint =>
  (value >> (BITS * BigInt(i))) & (i === 9 ? 2n ** TOP_BITS - 1n : 2n ** BITS - 1n)

/** The greatest value of a limb in memory: `finish` keeps it. */
const mostOf = (i: number): bigint => (i === 9 ? 2n ** TOP_BITS : 2n ** BITS - 1n)

const load = (from: string, i: number): Word => ({
  code: `(i64.load32_u offset=${4 * i} (local.get $${from}))`,
  most: mostOf(i)
})

/** Loads a number into locals. */
const loadAll = (to: Statements, from: string): ReadonlyArray<Word> =>
  LIMBS.map((i) => to.set(`${from}${i}`, load(from, i)))

const sum = (parts: ReadonlyArray<Word>): Word => add(...(parts as [Word, ...Array<Word>]))

/**
 * Carries ten columns of any size, then takes off what is above 2^256 and adds it as its rest modulo the prime. `above`
 * is the column of 2^260. Stores the result.
 */
const finish = (to: Statements, columns: ReadonlyArray<Word>, above?: Word): void => {
  const carried: Array<Word> = []
  for (const [i, column] of columns.entries()) {
    const before = carried.at(-1)
    const whole = before === undefined ? column : to.set(`c${i}`, add(column, high(before, BITS)))
    if (before !== undefined) carried[i - 1] = to.set(`c${i - 1}`, low(before, BITS))
    carried.push(whole)
  }
  const top = carried[9]!
  const whole = high(top, TOP_BITS)
  const over = to.set(
    "over",
    above === undefined ? whole : add(whole, multiply(above, constant(2n ** (BITS - TOP_BITS))))
  )
  carried[9] = low(top, TOP_BITS)
  // EXCESS is 977 and 2^6 * 2^26
  const rests = [multiply(over, constant(977n)), multiply(over, constant(64n))]
  let carry: Word | undefined
  for (const i of LIMBS) {
    const parts = sum([carried[i]!, ...rests.slice(i, i + 1), ...(carry === undefined ? [] : [carry])])
    const column = i === 9 ? parts : to.set(`c${i}`, parts)
    const limb = i === 9 ? column : low(column, BITS)
    if (limb.most > mostOf(i)) throw new RangeError(`limb ${i} may be ${limb.most}`)
    to.run(`(i64.store32 offset=${4 * i} (local.get $out) ${limb.code})`)
    carry = high(column, BITS)
  }
}

/** Reduces the 19 columns of a product: 2^260 is 977 * 2^4 and 2^10 * 2^26. */
const reduce = (to: Statements, columns: Array<Word>): void => {
  for (let i = 10; i < 19; i++) {
    const column = columns[i]!
    const carry = high(column, BITS)
    columns[i + 1] = to.set(`c${i + 1}`, i === 18 ? carry : add(columns[i + 1]!, carry))
    columns[i] = to.set(`c${i}`, low(column, BITS))
  }
  const folded = Array.from({ length: 11 }, (_, i) =>
    to.set(
      `f${i}`,
      sum([
        ...columns.slice(i, Math.min(i + 1, 10)),
        ...(i < 10 ? [multiply(columns[i + 10]!, constant(977n * 16n))] : []),
        ...(i > 0 ? [multiply(columns[i + 9]!, constant(1024n))] : [])
      ])
    )
  )
  finish(to, folded.slice(0, 10), folded[10])
}

/** `out = a * b` */
const product = (): string => {
  const body = statements()
  const a = loadAll(body, "a")
  const b = loadAll(body, "b")
  const columns = Array.from({ length: 19 }, (_, k) =>
    body.set(`c${k}`, sum(LIMBS.filter((i) => k - i >= 0 && k - i < 10).map((i) => multiply(a[i]!, b[k - i]!))))
  )
  reduce(body, columns)
  return `(func $multiply (export "multiply") (param $out i32) (param $a i32) (param $b i32)
    ${body.text()})`
}

/** `out = a * a` */
const square = (): string => {
  const body = statements()
  const a = loadAll(body, "a")
  const twice = a.map((limb, i) => (i === 0 ? limb : body.set(`d${i}`, add(limb, limb))))
  const columns = Array.from({ length: 19 }, (_, k) => {
    const pairs = LIMBS.filter((i) => 2 * i < k && k - i < 10).map((i) => multiply(a[i]!, twice[k - i]!))
    return body.set(`c${k}`, sum(k % 2 === 0 ? [...pairs, multiply(a[k / 2]!, a[k / 2]!)] : pairs))
  })
  reduce(body, columns)
  return `(func $square (export "square") (param $out i32) (param $a i32)
    ${body.text()})`
}

/** The greatest factors that `combine` takes. */
const MOST_FACTOR = 8n

/** `out = i * a - j * b`, with factors from 0 to 8. A multiple of the prime keeps the difference above zero. */
const combination = (): string => {
  const body = statements()
  const i = local("wideI", MOST_FACTOR)
  const j = local("wideJ", MOST_FACTOR)
  body.set("wideI", { code: "(i64.extend_i32_u (local.get $i))", most: MOST_FACTOR })
  body.set("wideJ", { code: "(i64.extend_i32_u (local.get $j))", most: MOST_FACTOR })
  const columns = LIMBS.map((limb) =>
    body.set(
      `c${limb}`,
      add(multiply(i, load("a", limb)), less((MOST_FACTOR + 1n) * limbOf(PRIME, limb), multiply(j, load("b", limb))))
    )
  )
  finish(body, columns)
  return `(func $combine (export "combine") (param $out i32) (param $a i32) (param $i i32) (param $b i32) (param $j i32)
    ${body.text()})`
}

/** The accumulator at the beginning of the memory, and the numbers that the formulas need. */
const place = (i: number): string => `(i32.const ${SIZE * i})`
const [X, Y, Z, A, B, C, D, E] = [
  place(0),
  place(1),
  place(2),
  place(3),
  place(4),
  place(5),
  place(6),
  place(7)
] as const

const multiplied = (out: string, a: string, b: string): string => `(call $multiply ${out} ${a} ${b})`
const squared = (out: string, a: string): string => `(call $square ${out} ${a})`
const combined = (out: string, i: number, a: string, j: number, b: string): string =>
  `(call $combine ${out} ${a} (i32.const ${i}) ${b} (i32.const ${j}))`

/** Doubles the accumulator. */
const double = (): string => `(func (export "double")
    ${[
      squared(A, X),
      squared(B, Y),
      squared(C, B),
      multiplied(D, X, B),
      combined(E, 3, A, 0, A),
      multiplied(Z, Y, Z),
      combined(Z, 2, Z, 0, Z),
      squared(X, E),
      combined(X, 1, X, 8, D),
      combined(D, 4, D, 1, X),
      multiplied(E, E, D),
      combined(Y, 1, E, 8, C)
    ].join("\n    ")})`

/** Adds to the accumulator, once both points are at one denominator: `X, Y` in A and B, and the other point in C and D. */
const sumOfSame = (): string => `(func $sum
    ${[
      combined(C, 1, C, 1, A),
      combined(D, 1, D, 1, B),
      multiplied(Z, Z, C),
      squared(E, C),
      multiplied(C, C, E),
      multiplied(A, A, E),
      squared(X, D),
      combined(X, 1, X, 1, C),
      combined(X, 1, X, 2, A),
      combined(A, 1, A, 1, X),
      multiplied(A, A, D),
      multiplied(B, B, C),
      combined(Y, 1, A, 1, B)
    ].join("\n    ")})`

/** Brings the other point to the accumulator's denominator, in C and D. */
const scaled = (): string => `(func $scale (param $x i32) (param $y i32)
    ${[squared(E, Z), multiplied(C, "(local.get $x)", E), multiplied(E, E, Z), multiplied(D, "(local.get $y)", E)].join(
      "\n    "
    )})`

const SCALE = "(call $scale (local.get $x) (local.get $y))"

const after = (numbers: number): string => `(i32.add (local.get $z) (i32.const ${SIZE * numbers}))`

/** Adds a point to the accumulator. Its `Z`, `Z^2` and `Z^3` follow each other from `z`. */
const addJacobian = (): string => `(func (export "add") (param $x i32) (param $y i32) (param $z i32)
    ${[SCALE, multiplied(A, X, after(1)), multiplied(B, Y, after(2)), multiplied(Z, Z, "(local.get $z)"), "(call $sum)"].join("\n    ")})`

/** Adds a point whose `Z` is one to the accumulator. */
const addAffine = (): string => `(func (export "addAffine") (param $x i32) (param $y i32)
    ${[SCALE, combined(A, 1, X, 0, X), combined(B, 1, Y, 0, Y), "(call $sum)"].join("\n    ")})`

export const curveModule = (): string => `(module (memory (export "memory") 1 1)
  ${[product(), square(), combination(), double(), sumOfSame(), scaled(), addJacobian(), addAffine()].join("\n  ")})`
