import { readFile } from "node:fs/promises"

import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"

import * as Bounded from "../../scripts/boundedWords.ts"
import { curveModule } from "../../scripts/curveWat.ts"
import { generate, target } from "../../scripts/wasm.ts"
import { type CurveModule, P, SIZE, start } from "../../src/sender/curveModule.ts"
import { CURVE } from "../../src/sender/curveWasm.ts"

const binary = Uint8Array.from(atob(CURVE), (character) => character.charCodeAt(0))

describe("the generated module", () => {
  it("is, byte for byte, what its script makes", async () => {
    assert.strictEqual(await readFile(target, "utf8"), await generate())
  })

  it("may be compiled at once on the main thread of every browser, and asks for nothing", () => {
    assert.isAtMost(binary.length, 4096)
    assert.deepStrictEqual(WebAssembly.Module.imports(new WebAssembly.Module(binary)), [])
  })
})

describe("words with bounds", () => {
  const most = Bounded.constant(2n ** 64n - 1n)
  const one = Bounded.constant(1n)

  it("refuse what may leave 64 bits or go below zero, and nothing less", () => {
    assert.throws(() => Bounded.add(most, one), RangeError)
    assert.throws(() => Bounded.multiply(Bounded.constant(2n ** 32n), Bounded.constant(2n ** 32n)), RangeError)
    assert.throws(() => Bounded.less(6n, Bounded.constant(7n)), RangeError)
    assert.strictEqual(Bounded.add(Bounded.less(2n ** 64n - 2n, one), one).most, 2n ** 64n - 1n)
    assert.strictEqual(Bounded.low(most, 26n).most, 2n ** 26n - 1n)
    assert.strictEqual(Bounded.high(most, 26n).most, 2n ** 38n - 1n)
  })
})

type Node = string | ReadonlyArray<Node>
type Range = readonly [least: bigint, most: bigint]

/** Reads WebAssembly text as nested lists. */
const parse = (text: string): Node => {
  const tokens = text.match(/[()]|"[^"]*"|[^\s()]+/g)!
  let at = 0
  const next = (): Node => {
    const token = tokens[at++]!
    if (token !== "(") return token
    const list: Array<Node> = []
    while (tokens[at] !== ")") list.push(next())
    at++
    return list
  }
  return next()
}

/** The greatest value of the limb at an `offset=...`. */
const limbAt = (offset: Node): bigint => (offset === "offset=36" ? 2n ** 22n : 2n ** 26n - 1n)

/** Returns the range of an expression, from those of the locals at this place of the text. */
const rangeOf = (node: Node, locals: ReadonlyMap<Node, Range>): Range => {
  const [code, ...parts] = node as ReadonlyArray<Node>
  if (code === "i64.const") return [BigInt(parts[0] as string), BigInt(parts[0] as string)]
  if (code === "local.get") return locals.get(parts[0]!) ?? assert.fail(`${String(parts[0])} is not set`)
  if (code === "i64.load32_u") return [0n, limbAt(parts[0]!)]
  // the factors of `combine`
  if (code === "i64.extend_i32_u") return [0n, 8n]
  const [a, b] = parts.map((part) => rangeOf(part, locals)) as [Range, Range]
  switch (code) {
    case "i64.add":
      return [a[0] + b[0], a[1] + b[1]]
    case "i64.mul":
      return [a[0] * b[0], a[1] * b[1]]
    case "i64.sub":
      return [a[0] - b[1], a[1] - b[0]]
    case "i64.and":
      return [0n, a[1] < b[0] ? a[1] : b[0]]
    case "i64.shr_u":
      return [a[0] >> b[1], a[1] >> b[0]]
    default:
      return assert.fail(`${String(code)} is not known`)
  }
}

describe("the text of the module", () => {
  it("never leaves 64 bits or the limbs, by ranges that are computed statement by statement", () => {
    // unlike the words with bounds, this sees a local that is set again before its last use
    const within = (range: Range, most: bigint): Range => {
      assert.isTrue(range[0] >= 0n && range[1] <= most, `${range.join(" to ")} within ${most}`)
      return range
    }
    const check = (node: Node, locals: ReadonlyMap<Node, Range>): void => {
      if (typeof node === "string" || node[0] === "i64.extend_i32_u") return
      if (/^(?:i64|local)\.(?!load|store)/.test(String(node[0]))) within(rangeOf(node, locals), 2n ** 64n - 1n)
      if (node[0] !== "i64.load32_u") for (const part of node.slice(1)) check(part, locals)
    }
    for (const [, name, ...statements] of (parse(curveModule()) as ReadonlyArray<ReadonlyArray<Node>>).slice(2, 5)) {
      const locals = new Map<Node, Range>()
      const stored: Array<Node> = []
      for (const [kind, target, ...values] of statements as ReadonlyArray<ReadonlyArray<Node>>) {
        if (kind === "local.set") {
          check(values[0]!, locals)
          locals.set(target!, rangeOf(values[0]!, locals))
        } else if (kind === "i64.store32") {
          check(values[1]!, locals)
          within(rangeOf(values[1]!, locals), limbAt(target!))
          stored.push(target!)
        } else assert.include(["export", "param", "local"], kind)
      }
      assert.deepStrictEqual(
        stored,
        Array.from({ length: 10 }, (_, i) => `offset=${4 * i}`),
        String(name)
      )
    }
  })
})

const NUMBERS = { a: 8 * SIZE, b: 9 * SIZE, out: 10 * SIZE }

/** Numbers at the edges of the field and of its limbs. */
const edges = [
  0n,
  1n,
  2n,
  P - 1n,
  P,
  P + 1n,
  2n ** 256n - 1n,
  2n ** 255n,
  2n ** 26n - 1n,
  2n ** 234n,
  977n,
  2n ** 32n + 977n
]

const numberOf = (random: Random.Random): bigint => {
  if (Random.int(random, 3) === 0) return Random.pick(random, edges)
  let value = 0n
  // words of ones and zeros carry the furthest
  for (let i = 0; i < 16; i++) {
    value = (value << 16n) | BigInt(Random.pick(random, [0, 0xffff, Random.int(random, 65_536)]))
  }
  return value
}

const mod = (value: bigint): bigint => ((value % P) + P) % P

describe("the field", () => {
  const asked = (check: (module: CurveModule, a: bigint, b: bigint, random: Random.Random) => void): void => {
    const module = start()!
    const random = Random.make(0xf1e1d)
    for (let at = 0; at < Random.sized(20_000); at++) {
      const a = numberOf(random)
      const b = numberOf(random)
      module.write(NUMBERS.a, a)
      module.write(NUMBERS.b, b)
      check(module, a, b, random)
    }
  }

  it("multiplies and squares as whole numbers do modulo the prime", () => {
    asked((module, a, b) => {
      module.multiply(NUMBERS.out, NUMBERS.a, NUMBERS.b)
      assert.strictEqual(module.read(NUMBERS.out), mod(a * b), `${a} * ${b}`)
      module.square(NUMBERS.out, NUMBERS.a)
      assert.strictEqual(module.read(NUMBERS.out), mod(a * a), `${a} squared`)
      // over its own argument, and from a result that is not below the prime
      module.multiply(NUMBERS.out, NUMBERS.out, NUMBERS.out)
      assert.strictEqual(module.read(NUMBERS.out), mod(a ** 4n))
    })
  })

  it("combines with all factors", () => {
    asked((module, a, b, random) => {
      const i = Random.int(random, 9)
      const j = Random.int(random, 9)
      module.combine(NUMBERS.out, NUMBERS.a, i, NUMBERS.b, j)
      assert.strictEqual(module.read(NUMBERS.out), mod(BigInt(i) * a - BigInt(j) * b), `${i} * ${a} - ${j} * ${b}`)
      module.combine(NUMBERS.a, NUMBERS.out, i, NUMBERS.a, j)
      assert.strictEqual(module.read(NUMBERS.a), mod(BigInt(i) * mod(BigInt(i) * a - BigInt(j) * b) - BigInt(j) * a))
    })
  })

  it("keeps every limb of its results within the bounds of its arguments", () => {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(binary)).exports as unknown as CurveModule & {
      readonly memory: WebAssembly.Memory
    }
    const limbs = new Uint32Array(instance.memory.buffer)
    const most = [...Array.from({ length: 9 }, () => 2 ** 26 - 1), 2 ** 22]
    const valueAt = (at: number): bigint =>
      most.reduce((value, _, i) => value + (BigInt(limbs[at / 4 + i]!) << (26n * BigInt(i))), 0n)
    const random = Random.make(0x11b5)
    for (let turn = 0; turn < Random.sized(20_000); turn++) {
      for (const at of [NUMBERS.a, NUMBERS.b]) {
        limbs.set(
          most.map((limit) => Random.pick(random, [0, 1, limit, limit, limit - 1, Random.int(random, limit + 1)])),
          at / 4
        )
      }
      const [a, b] = [valueAt(NUMBERS.a), valueAt(NUMBERS.b)]
      for (const [expected, run] of [
        [a * b, () => instance.multiply(NUMBERS.out, NUMBERS.a, NUMBERS.b)],
        [a * a, () => instance.square(NUMBERS.out, NUMBERS.a)],
        [8n * a - 8n * b, () => instance.combine(NUMBERS.out, NUMBERS.a, 8, NUMBERS.b, 8)]
      ] as const) {
        run()
        most.forEach((limit, i) => assert.isAtMost(limbs[NUMBERS.out / 4 + i]!, limit))
        assert.strictEqual(mod(valueAt(NUMBERS.out)), mod(expected))
      }
    }
  })
})
