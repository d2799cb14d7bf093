import { assert, describe, it } from "@effect/vitest"
import { Quantity } from "@plumbline/codec"
import * as Result from "effect/Result"

import { asView, Random, runs } from "../support/generators.ts"

const failure = (hex: string) => Result.getOrThrow(Result.flip(Quantity.fromHex(hex)))

/** Big-endian bytes by division. */
const bytesOf = (n: bigint): Array<number> => (n === 0n ? [] : [...bytesOf(n / 256n), Number(n % 256n)])

const edges = [0, 7, 8, 31, 32, 47, 48, 51, 52, 53, 63, 64, 65, 127, 128, 255, 256, 257, 511, 512].flatMap((bits) => {
  const power = 1n << BigInt(bits)
  return [power - 1n, power, power + 1n]
})

describe("Quantity", () => {
  it("turns numbers into text and bytes and back", () => {
    const random = new Random(5)
    const numbers = [...edges, ...Array.from({ length: runs(500) }, () => random.quantity())]
    for (const n of numbers) {
      const hex = Quantity.toHex(n)
      assert.strictEqual(hex, `0x${n.toString(16)}`)
      assert.deepStrictEqual(Quantity.fromHex(hex), Result.succeed(n))
      assert.strictEqual(Quantity.fromHexUnsafe(hex.replace(/[a-f]/g, (letter) => letter.toUpperCase())), n)
      const bytes = Quantity.toBytes(n)
      assert.deepStrictEqual([...bytes], bytesOf(n))
      assert.deepStrictEqual(Quantity.fromBytes(asView(bytes)), Result.succeed(n))
      assert.strictEqual(Quantity.fromBytesUnsafe(bytes), n)
    }
  })

  it("gives bytes that own their memory", () => {
    const bytes = Quantity.toBytes(0xc0ffeen)
    Quantity.toBytes(0x112233n)
    assert.deepStrictEqual(bytes, new Uint8Array([0xc0, 0xff, 0xee]))
    assert.strictEqual(bytes.buffer.byteLength, 3)
  })

  it("names what is wrong with text and where", () => {
    assert.deepInclude(failure(""), { reason: "MissingPrefix", index: 0 })
    assert.deepInclude(failure("41"), { reason: "MissingPrefix", index: 0 })
    assert.deepInclude(failure("0X41"), { reason: "MissingPrefix", index: 0 })
    assert.deepInclude(failure("-0x41"), { reason: "MissingPrefix", index: 0 })
    assert.deepInclude(failure("0x"), { reason: "Empty", index: 2 })
    assert.deepInclude(failure("0x00"), { reason: "LeadingZero", index: 2 })
    assert.deepInclude(failure("0x041"), { reason: "LeadingZero", index: 2 })
    assert.deepInclude(failure("0x4g"), { reason: "BadDigit", index: 3 })
    assert.deepInclude(failure("0x4_1"), { reason: "BadDigit", index: 3 })
    assert.deepInclude(failure(`0x${"1".repeat(64)}\u0130`), { reason: "BadDigit", index: 66 })
    assert.deepInclude(failure("0x\u0130"), { reason: "BadDigit", index: 2 })
    for (const [text, message] of [
      ["41", "a quantity must start with 0x"],
      ["0x", "a quantity must have a digit"],
      ["0x041", "a quantity must not have leading zeros"],
      ["0x4g", "character 3 is not a hex digit"]
    ] as const) {
      assert.throws(() => Quantity.fromHexUnsafe(text), message)
    }
  })

  it("refuses bytes with a leading zero", () => {
    for (const bytes of [new Uint8Array([0]), new Uint8Array([0, 1]), new Uint8Array(33)]) {
      assert.deepInclude(Result.getOrThrow(Result.flip(Quantity.fromBytes(bytes))), { reason: "LeadingZero", index: 0 })
      assert.throws(() => Quantity.fromBytesUnsafe(bytes), "a quantity must not have leading zeros")
    }
  })

  it("refuses to write numbers below zero", () => {
    assert.throws(() => Quantity.toHex(-1n), "a quantity must not be negative")
    assert.throws(() => Quantity.toBytes(-1n), "a quantity must not be negative")
    assert.throws(() => Quantity.toBytes(-(1n << 300n)), "a quantity must not be negative")
  })
})
