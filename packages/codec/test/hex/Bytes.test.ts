import { assert, describe, it } from "@effect/vitest"
import { Bytes } from "@plumbline/codec"
import * as Result from "effect/Result"

import { asView, Random } from "../support/generators.ts"

describe("Bytes", () => {
  it("joins parts in order, none of them changed", () => {
    const random = new Random(3)
    const parts = [0, 1, 56, 300].map((size) => random.bytes(size))
    assert.deepStrictEqual(
      Array.from(Bytes.concat(...parts.map(asView))),
      parts.flatMap((part) => [...part])
    )
    assert.deepStrictEqual(Bytes.concat(), new Uint8Array(0))
    assert.deepStrictEqual(Bytes.join([]), new Uint8Array(0))
  })

  it("tells bytes apart by length and by each position", () => {
    const bytes = new Random(4).bytes(40)
    assert.isTrue(Bytes.equals(bytes, asView(bytes)))
    assert.isFalse(Bytes.equals(bytes, bytes.subarray(1)))
    for (let i = 0; i < bytes.length; i++) {
      const other = bytes.slice()
      other[i]! ^= 1
      assert.isFalse(Bytes.equals(bytes, other))
    }
  })

  it("pads on the left into new bytes and never cuts", () => {
    const bytes = new Uint8Array([1, 2])
    const padded = Bytes.padLeftUnsafe(bytes, 2)
    padded[0] = 9
    assert.deepStrictEqual(bytes, new Uint8Array([1, 2]))
    assert.deepStrictEqual(Bytes.padLeftUnsafe(bytes, 5), new Uint8Array([0, 0, 0, 1, 2]))
    const error = Result.getOrThrow(Result.flip(Bytes.padLeft(bytes, 1)))
    assert.deepInclude(error, { reason: "TooLong", size: 2, start: 0, end: 1 })
    assert.strictEqual(error.message, "2 bytes do not fit into 1")
    assert.throws(() => Bytes.padLeftUnsafe(bytes, 1), "2 bytes do not fit into 1")
  })

  it("cuts views within the bytes and nothing else", () => {
    const bytes = new Uint8Array([1, 2, 3])
    assert.deepStrictEqual(Bytes.sliceUnsafe(bytes, 1), new Uint8Array([2, 3]))
    assert.strictEqual(Bytes.sliceUnsafe(bytes, 1).buffer, bytes.buffer)
    assert.deepStrictEqual(Bytes.sliceUnsafe(bytes, 3), new Uint8Array(0))
    for (const [start, end] of [
      [0, 4],
      [2, 1],
      [-1, 2],
      [0.5, 2],
      [NaN, 2],
      [0, Infinity]
    ] as const) {
      const error = Result.getOrThrow(Result.flip(Bytes.slice(bytes, start, end)))
      assert.strictEqual(error.reason, "OutOfRange")
      assert.throws(() => Bytes.sliceUnsafe(bytes, start, end), "is not within 3 bytes")
    }
  })
})
