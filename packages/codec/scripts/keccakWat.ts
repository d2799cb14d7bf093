/**
 * Keccak-256 as WebAssembly text: the permutation unrolled by two rounds, absorbing straight from linear memory.
 *
 * FIPS 202 section 3.2 names the steps. Lane `x + 5y` of the state is A[x, y].
 */

/** The areas of linear memory. The caller places the input areas. */
export const STATE = 0
export const ROUND_CONSTANTS = 256

const LANES = Array.from({ length: 25 }, (_, i) => i)
const COLUMNS = [0, 1, 2, 3, 4]
/** 64-bit lanes of one block: the rate of 1088 bits. */
const BLOCK_LANES = 17
const BLOCK_BYTES = 8 * BLOCK_LANES

/** Rotation of each lane in the step rho (FIPS 202, algorithm 2). */
const ROTATIONS = ((): ReadonlyArray<number> => {
  const rotations = Array.from({ length: 25 }, () => 0)
  let [x, y] = [1, 0]
  for (let t = 0; t < 24; t++) {
    rotations[x + 5 * y] = (((t + 1) * (t + 2)) / 2) % 64
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
  }
  return rotations
})()

/** Constants of the step iota (FIPS 202, algorithms 5 and 6). */
const IOTA = ((): ReadonlyArray<bigint> => {
  let register = 1
  const bit = () => {
    const out = register & 1
    register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1
    return out
  }
  return Array.from({ length: 24 }, () => {
    let constant = 0n
    for (let j = 0; j < 7; j++) if (bit() === 1) constant |= 1n << ((1n << BigInt(j)) - 1n)
    return constant
  })
})()

/** Lanes that are kept complemented ("bebigokimisa"), which removes most of the negations of the step chi. */
const COMPLEMENTED = new Set([1, 2, 8, 12, 17, 20])

/** Instructions for one kind of lane: one 64-bit integer, or two of them in a vector. */
interface Dialect {
  readonly type: "i64" | "v128"
  /** The prefix of each local's name, so that two dialects can share a function. */
  readonly prefix: string
  readonly complemented: ReadonlySet<number>
  readonly xor: (a: string, b: string) => string
  readonly and: (a: string, b: string) => string
  readonly or: (a: string, b: string) => string
  readonly not: (a: string) => string
  /** The instruction for (not a) and b. */
  readonly notAnd: (a: string, b: string) => string
  readonly rotateLeft: (local: string, bits: number) => string
  /** The constant of the round that is `ahead` rounds after the one at `$round`. */
  readonly iota: (ahead: number) => string
  readonly zero: string
  readonly ones: string
}

const scalar: Dialect = {
  type: "i64",
  prefix: "s",
  complemented: COMPLEMENTED,
  xor: (a, b) => `(i64.xor ${a} ${b})`,
  and: (a, b) => `(i64.and ${a} ${b})`,
  or: (a, b) => `(i64.or ${a} ${b})`,
  not: (a) => `(i64.xor ${a} (i64.const -1))`,
  notAnd: (a, b) => `(i64.and (i64.xor ${a} (i64.const -1)) ${b})`,
  rotateLeft: (local, bits) => (bits === 0 ? local : `(i64.rotl ${local} (i64.const ${bits}))`),
  iota: (ahead) => `(i64.load offset=${8 * ahead} (local.get $round))`,
  zero: "(i64.const 0)",
  ones: "(i64.const -1)"
}

const pair: Dialect = {
  type: "v128",
  prefix: "v",
  complemented: new Set(), // vectors have their own and-not instruction
  xor: (a, b) => `(v128.xor ${a} ${b})`,
  and: (a, b) => `(v128.and ${a} ${b})`,
  or: (a, b) => `(v128.or ${a} ${b})`,
  not: (a) => `(v128.not ${a})`,
  notAnd: (a, b) => `(v128.andnot ${b} ${a})`,
  rotateLeft: (local, bits) => {
    if (bits === 0) return local
    if (bits % 8 !== 0) {
      return `(v128.or (i64x2.shl ${local} (i32.const ${bits})) (i64x2.shr_u ${local} (i32.const ${64 - bits})))`
    }
    const order = Array.from({ length: 16 }, (_, i) => (i & 8) | ((i - bits / 8) & 7))
    return `(i8x16.shuffle ${order.join(" ")} ${local} ${local})`
  },
  iota: (ahead) => `(v128.load64_splat offset=${8 * ahead} (local.get $round))`,
  zero: "(v128.const i64x2 0 0)",
  ones: "(v128.const i64x2 -1 -1)"
}

const get = (d: Dialect, name: string) => `(local.get $${d.prefix}${name})`
const set = (d: Dialect, name: string, value: string) => `(local.set $${d.prefix}${name} ${value})`

const locals = (d: Dialect): string =>
  [...LANES.flatMap((i) => [`a${i}`, `e${i}`]), ...COLUMNS.flatMap((x) => [`b${x}`, `c${x}`, `d${x}`]), "t"]
    .map((name) => `(local $${d.prefix}${name} ${d.type})`)
    .join(" ")

const initialLane = (d: Dialect, lane: number): string => (d.complemented.has(lane) ? d.ones : d.zero)

const outputLane = (d: Dialect, lane: number): string =>
  d.complemented.has(lane) ? d.not(get(d, `a${lane}`)) : get(d, `a${lane}`)

/** One round from the lanes `from0` to `from24` to the lanes `to0` to `to24`, one statement per entry. */
const round = (d: Dialect, from: string, to: string, ahead: number): Array<string> => {
  const out: Array<string> = []
  for (const x of COLUMNS) {
    const column = [1, 2, 3, 4].reduce((sum, y) => d.xor(sum, get(d, `${from}${x + 5 * y}`)), get(d, `${from}${x}`))
    out.push(set(d, `c${x}`, column))
  }
  for (const x of COLUMNS) {
    out.push(set(d, `d${x}`, d.xor(get(d, `c${(x + 4) % 5}`), d.rotateLeft(get(d, `c${(x + 1) % 5}`), 1))))
  }
  for (const row of COLUMNS) {
    for (const column of COLUMNS) {
      // rho and pi: B[y, 2x + 3y] is lane A[x, y] rotated
      const y = column
      const x = COLUMNS.find((x) => (2 * x + 3 * y) % 5 === row)!
      out.push(set(d, "t", d.xor(get(d, `${from}${x + 5 * y}`), get(d, `d${x}`))))
      out.push(set(d, `b${column}`, d.rotateLeft(get(d, "t"), ROTATIONS[x + 5 * y]!)))
    }
    chi(d, row, out).forEach((lane, x) => {
      out.push(set(d, `${to}${x + 5 * row}`, x === 0 && row === 0 ? d.xor(lane, d.iota(ahead)) : lane))
    })
  }
  return out
}

/** The step chi of one row of B; statements that must come first are pushed to `before`. */
const chi = (d: Dialect, row: number, before: Array<string>): Array<string> => {
  const b = COLUMNS.map((x) => get(d, `b${x}`))
  if (d.complemented.size === 0) {
    return COLUMNS.map((x) => d.xor(b[x]!, d.notAnd(b[(x + 1) % 5]!, b[(x + 2) % 5]!)))
  }
  const [b0, b1, b2, b3, b4] = b as [string, string, string, string, string]
  const negate = (value: string) => {
    before.push(set(d, "t", d.not(value)))
    return get(d, "t")
  }
  const { and, or, xor } = d
  switch (row) {
    case 0:
      return [
        xor(b0, or(b1, b2)),
        xor(b1, or(d.not(b2), b3)),
        xor(b2, and(b3, b4)),
        xor(b3, or(b4, b0)),
        xor(b4, and(b0, b1))
      ]
    case 1:
      return [
        xor(b0, or(b1, b2)),
        xor(b1, and(b2, b3)),
        xor(b2, or(b3, d.not(b4))),
        xor(b3, or(b4, b0)),
        xor(b4, and(b0, b1))
      ]
    case 2: {
      const n3 = negate(b3)
      return [
        xor(b0, or(b1, b2)),
        xor(b1, and(b2, b3)),
        xor(b2, and(n3, b4)),
        xor(n3, or(b4, b0)),
        xor(b4, and(b0, b1))
      ]
    }
    case 3: {
      const n3 = negate(b3)
      return [xor(b0, and(b1, b2)), xor(b1, or(b2, b3)), xor(b2, or(n3, b4)), xor(n3, and(b4, b0)), xor(b4, or(b0, b1))]
    }
    default: {
      const n1 = negate(b1)
      return [
        xor(b0, and(n1, b2)),
        xor(n1, or(b2, b3)),
        xor(b2, and(b3, b4)),
        xor(b3, or(b4, b0)),
        xor(b4, and(b0, b1))
      ]
    }
  }
}

/**
 * The 24 rounds, two in each iteration of a loop. One round per iteration is slower, and so is a loop unrolled to all
 * 24. Four or six per iteration are hardly faster than two.
 */
const permutation = (twoRounds: ReadonlyArray<string>): string => `
    (local.set $round (i32.const ${ROUND_CONSTANTS}))
    (loop $rounds
      ${twoRounds.join("\n      ")}
      (br_if $rounds (i32.ne
        (local.tee $round (i32.add (local.get $round) (i32.const 16)))
        (i32.const ${ROUND_CONSTANTS + 8 * 24}))))`

const weave = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): Array<string> =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, i) => [a[i], b[i]])
    .flat()
    .filter((line) => line !== undefined)

const bytesOf = (n: bigint): string =>
  Array.from(
    { length: 8 },
    (_, i) =>
      `\\${Number((n >> BigInt(8 * i)) & 0xffn)
        .toString(16)
        .padStart(2, "0")}`
  ).join("")

const memory = `(import "codec" "memory" (memory 1))
  (data (i32.const ${ROUND_CONSTANTS}) "${IOTA.map(bytesOf).join("")}")`

/** Pads the message at `$p` for Keccak (0x01, zeros, 0x80) up to `$end`. It may write up to 15 bytes beyond `$end`. */
const pad = `(func $pad (param $p i32) (param $len i32) (param $end i32)
    (local.set $p (i32.add (local.get $p) (local.get $len)))
    (i64.store (local.get $p) (i64.const 1))
    (loop $zeros
      (local.set $p (i32.add (local.get $p) (i32.const 8)))
      (i64.store (local.get $p) (i64.const 0))
      (br_if $zeros (i32.lt_u (local.get $p) (local.get $end))))
    (local.set $p (i32.sub (local.get $end) (i32.const 1)))
    (i32.store8 (local.get $p) (i32.or (i32.load8_u (local.get $p)) (i32.const 128))))`

/**
 * Returns the module that hashes one message at a time. It needs no SIMD.
 *
 * `absorb(p, len, flags)` takes the message, or a part of it, at `p`. Flag 1: the state in memory is continued;
 * otherwise a new message starts. Flag 2: more parts follow, and `len` is one or more whole blocks; otherwise the
 * message is padded in place and its hash is at the start of memory.
 */
export const scalarModule = (): string => {
  const d = scalar
  return `(module ${memory}
  ${pad}
  (func (export "absorb") (param $p i32) (param $len i32) (param $flags i32) (local $end i32) (local $round i32)
    ${locals(d)}
    (if (i32.and (local.get $flags) (i32.const 1))
      (then ${LANES.map((i) => set(d, `a${i}`, `(i64.load (i32.const ${STATE + 8 * i}))`)).join(" ")})
      (else ${LANES.map((i) => set(d, `a${i}`, initialLane(d, i))).join(" ")}))
    (if (i32.and (local.get $flags) (i32.const 2))
      (then (local.set $end (i32.add (local.get $p) (local.get $len))))
      (else
        (local.set $end (i32.add (local.get $p) (i32.mul (i32.const ${BLOCK_BYTES})
          (i32.add (i32.div_u (local.get $len) (i32.const ${BLOCK_BYTES})) (i32.const 1)))))
        (call $pad (local.get $p) (local.get $len) (local.get $end))))
    (loop $blocks
      ${LANES.slice(0, BLOCK_LANES)
        .map((i) => set(d, `a${i}`, d.xor(get(d, `a${i}`), `(i64.load offset=${8 * i} (local.get $p))`)))
        .join("\n      ")}
      ${permutation([...round(d, "a", "e", 0), ...round(d, "e", "a", 1)])}
      (br_if $blocks (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const ${BLOCK_BYTES}))) (local.get $end))))
    (if (i32.and (local.get $flags) (i32.const 2))
      (then ${LANES.map((i) => `(i64.store (i32.const ${STATE + 8 * i}) ${get(d, `a${i}`)})`).join(" ")})
      (else ${[0, 1, 2, 3].map((i) => `(i64.store (i32.const ${STATE + 8 * i}) ${outputLane(d, i)})`).join(" ")}))))`
}

/** Bytes of a job: the position of a message, its size, and the position of its hash, each of 4 bytes. */
export const JOB = 12

/**
 * Returns the module that hashes a list of messages, three at a time. Two are in the halves of vectors and one in
 * integers. Their statements alternate, so that the vector units and the integer units of the processor both have work.
 *
 * `hashList(list, count)` takes the jobs at `list`. Each message is padded in place, which may write 15 bytes beyond
 * its last block. The hash is written when the last block of the message is absorbed. The next message takes the free
 * lane at once, so messages of different sizes leave no lane idle before the end of the list. A hash may be written
 * over its own message.
 */
export const threeLaneModule = (): string => {
  const lanes = [0, 1, 2] as const
  const lane = (d: Dialect, half: number) => ({
    put: (offset: number, value: string, to: string) =>
      d === pair
        ? `(v128.store64_lane offset=${offset} ${half} ${to} ${value})`
        : `(i64.store offset=${offset} ${to} ${value})`,
    clear: (i: number) =>
      set(d, `a${i}`, d === pair ? `(i64x2.replace_lane ${half} ${get(d, `a${i}`)} (i64.const 0))` : initialLane(d, i))
  })
  const all = [
    [pair, lane(pair, 0)],
    [pair, lane(pair, 1)],
    [scalar, lane(scalar, 0)]
  ] as const
  /**
   * Ends the message of a lane if the message has no more blocks, and starts the next message there. A lane without a
   * message reads arbitrary bytes, which are ignored.
   */
  const refill = (j: 0 | 1 | 2): string => {
    const [d, { clear, put }] = all[j]
    return `(if (i32.eqz (local.get $left${j})) (then
      (if (local.get $busy${j}) (then
        ${[0, 1, 2, 3].map((i) => put(8 * i, outputLane(d, i), `(local.get $to${j})`)).join("\n        ")}))
      (if (i32.lt_u (local.get $list) (local.get $end))
        (then
          (local.set $p${j} (i32.load (local.get $list)))
          (local.set $to${j} (i32.load offset=8 (local.get $list)))
          (local.set $left${j} (i32.add (i32.const 1)
            (i32.div_u (i32.load offset=4 (local.get $list)) (i32.const ${BLOCK_BYTES}))))
          (call $pad (local.get $p${j}) (i32.load offset=4 (local.get $list))
            (i32.add (local.get $p${j}) (i32.mul (local.get $left${j}) (i32.const ${BLOCK_BYTES}))))
          (local.set $busy${j} (i32.const 1))
          (local.set $list (i32.add (local.get $list) (i32.const ${JOB})))
          ${LANES.map(clear).join(" ")})
        (else
          (local.set $p${j} (i32.const 0))
          (local.set $left${j} (i32.const -1))
          (local.set $busy${j} (i32.const 0))))))`
  }
  const absorbed = LANES.slice(0, BLOCK_LANES).flatMap((i) => [
    set(
      pair,
      `a${i}`,
      pair.xor(
        get(pair, `a${i}`),
        `(v128.load64_lane offset=${8 * i} 1 (local.get $p1) (v128.load64_zero offset=${8 * i} (local.get $p0)))`
      )
    ),
    set(scalar, `a${i}`, scalar.xor(get(scalar, `a${i}`), `(i64.load offset=${8 * i} (local.get $p2))`))
  ])
  const rounds = [
    ...weave(round(pair, "a", "e", 0), round(scalar, "a", "e", 0)),
    ...weave(round(pair, "e", "a", 1), round(scalar, "e", "a", 1))
  ]
  return `(module ${memory}
  ${pad}
  (func (export "hashList") (param $list i32) (param $count i32)
    (local $end i32) (local $round i32)
    ${lanes.map((j) => `(local $p${j} i32) (local $to${j} i32) (local $left${j} i32) (local $busy${j} i32)`).join(" ")}
    ${locals(pair)}
    ${locals(scalar)}
    (local.set $end (i32.add (local.get $list) (i32.mul (local.get $count) (i32.const ${JOB}))))
    (block $done (loop $more
      ${lanes.map(refill).join("\n      ")}
      (br_if $done (i32.eqz
        (i32.or (local.get $busy0) (i32.or (local.get $busy1) (local.get $busy2)))))
      ${absorbed.join("\n      ")}
      ${permutation(rounds)}
      ${lanes
        .map(
          (j) => `(local.set $p${j} (i32.add (local.get $p${j}) (i32.const ${BLOCK_BYTES})))
      (local.set $left${j} (i32.sub (local.get $left${j}) (i32.const 1)))`
        )
        .join("\n      ")}
      (br $more)))))`
}
