import { assert, describe, it } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { WordPair } from "@plumbline/codec"
import * as Result from "effect/Result"

import * as pair from "../../src/hash/pairHash.ts"
import * as memoryText from "../../src/hex/memoryText.ts"
import * as WasmMemory from "../../src/wasm/wasmMemory.ts"
import { Random, runs, toHex } from "../support/generators.ts"

const modules = pair.load(WasmMemory.make())
if (modules === undefined) throw new Error("this platform has no WebAssembly with SIMD")
const byBuffer = memoryText.byBuffer(modules.memory)
if (byBuffer === undefined) throw new Error("this platform has no Buffer")

const ways: ReadonlyArray<readonly [string, pair.PairHash]> = [
  ["plain JavaScript", pair.plain],
  ["WebAssembly, text by Buffer", pair.fromWasm(modules, byBuffer)],
  ["WebAssembly, text by TextDecoder and TextEncoder", pair.fromWasm(modules, memoryText.byCoders(modules.memory))]
]

/** A word in each of its forms, and its 32 bytes, made without our code. */
const wordOf = (random: Random): { readonly forms: ReadonlyArray<string | bigint>; readonly bytes: Uint8Array } => {
  const size = random.below(33)
  const content = random.below(4) === 0 ? new Uint8Array(size) : random.bytes(size)
  const hex = toHex(content)
  const number = size === 0 ? 0n : BigInt(hex)
  const bytes = new Uint8Array(32)
  bytes.set(content, 32 - size)
  return {
    forms: [hex, `0x${hex.slice(2).toUpperCase()}`, number, number + 2n ** 256n, number - 2n ** 256n],
    bytes
  }
}

describe.each(ways)("the hash of two words by %s", (_, hash) => {
  it("is Keccak-256 of their 64 bytes, in each form of each", () => {
    const random = new Random(1)
    for (let run = 0; run < runs(200); run++) {
      const first = wordOf(random)
      const second = wordOf(random)
      const expected = toHex(keccak_256(Uint8Array.of(...first.bytes, ...second.bytes)))
      for (const a of first.forms) for (const b of second.forms) assert.strictEqual(hash(a, b), expected)
    }
  })

  it("hashes hashes of its own, in either place and again, as any other word", () => {
    const random = new Random(2)
    let last = hash(0n, 0n)!
    let before = last
    for (let run = 0; run < runs(200); run++) {
      const { bytes, forms } = wordOf(random)
      const other = forms[random.below(forms.length)]!
      const word = random.below(2) === 0 ? last : before
      const joined = [Buffer.from(word.slice(2), "hex"), bytes]
      const isFirst = random.below(2) === 0
      const expected = toHex(keccak_256(Buffer.concat(isFirst ? joined : joined.toReversed())))
      assert.strictEqual(isFirst ? hash(word, other) : hash(other, word), expected)
      assert.strictEqual(hash(word, word), toHex(keccak_256(Buffer.concat([joined[0]!, joined[0]!]))))
      before = last
      last = expected
    }
  })

  it("refuses text that is not 0x and at most 32 whole bytes, in either place", () => {
    const word = `0x${"ab".repeat(32)}`
    for (const bad of [
      "",
      "0",
      "ab",
      "0X00",
      "0x0",
      "0xag",
      "0x\u013000",
      "0x0\uff10",
      `${word}00`,
      `${word}0`,
      `0x${"é".repeat(32)}`
    ]) {
      assert.isUndefined(hash(bad, 3n), bad)
      assert.isUndefined(hash(word, bad), bad)
    }
    // a refused text does not affect the next hash
    assert.strictEqual(
      hash("0x", word),
      toHex(keccak_256(Uint8Array.of(...new Uint8Array(32), ...new Uint8Array(32).fill(0xab))))
    )
  })

  it("refuses every character but the 22 hex digits, anywhere", () => {
    const digits = new Set("0123456789abcdefABCDEF")
    for (let code = 0; code < 384; code++) {
      const at = 2 + (code % 64)
      const base = `0x${"7".repeat(64)}`
      const text = base.slice(0, at) + String.fromCharCode(code) + base.slice(at + 1)
      assert.strictEqual(hash(text, 1n) !== undefined, digits.has(String.fromCharCode(code)), `${code}`)
    }
  })
})

describe("WordPair", () => {
  const failure = (first: WordPair.WordInput, second: WordPair.WordInput) =>
    Result.getOrThrow(Result.flip(WordPair.hash(first, second)))

  it("names what is wrong with the first word that is refused", () => {
    assert.deepInclude(failure("00", 1n), { reason: "MissingPrefix", index: 0 })
    assert.deepInclude(failure("0x0", 1n), { reason: "OddDigits", index: 3 })
    assert.deepInclude(failure("0x00", "0x0g"), { reason: "BadDigit", index: 3 })
    assert.deepInclude(failure(1n, "0x0\u0130"), { reason: "BadDigit", index: 3 })
    assert.deepInclude(failure("0xzz", "0x"), { reason: "BadDigit", index: 2 })
    assert.deepInclude(failure(`0x${"00".repeat(33)}`, "0xzz"), { reason: "WrongSize", size: 33, expectedSize: 32 })
    assert.throws(() => WordPair.hashUnsafe("0xzz", 1n), "character 2 is not a hex digit")
  })

  it("is plain JavaScript without the modules", () => {
    assert.strictEqual(pair.best(undefined), pair.plain)
    assert.isUndefined(pair.load(undefined))
  })
})
