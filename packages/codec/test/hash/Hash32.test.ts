import { assert, describe, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import * as Result from "effect/Result"

import { Random } from "../support/generators.ts"

describe("Hash32", () => {
  it("is exactly 32 bytes and keeps its case", () => {
    const text = `0x${"aB".repeat(32)}`
    assert.strictEqual(Hash32.fromHexUnsafe(text), text)
    for (const size of [0, 20, 31, 33]) {
      const error = Result.getOrThrow(Result.flip(Hash32.fromHex(`0x${"ab".repeat(size)}`)))
      assert.deepInclude(error, { reason: "WrongSize", size, expectedSize: 32 })
      assert.throws(() => Hash32.fromHexUnsafe(`0x${"ab".repeat(size)}`), error.message)
      assert.throws(() => Hash32.fromBytesUnsafe(new Uint8Array(size)), error.message)
      assert.isFalse(Hash32.isHash32(`0x${"ab".repeat(size)}`))
    }
  })

  it("goes to bytes and back", () => {
    const bytes = new Random(7).bytes(32)
    assert.deepStrictEqual(Hash32.toBytes(Hash32.fromBytesUnsafe(bytes)), bytes)
    assert.deepStrictEqual(Hash32.toBytes(Hash32.ZERO), new Uint8Array(32))
  })

  it("is equal to itself in either case and to nothing else", () => {
    const hash = Hash32.fromBytesUnsafe(new Random(8).bytes(32))
    assert.isTrue(Hash32.equals(hash, Hash32.fromHexUnsafe(`0x${hash.slice(2).toUpperCase()}`)))
    assert.isFalse(Hash32.equals(hash, Hash32.ZERO))
  })
})
