import { assert, describe, it } from "@effect/vitest"
import { type HexError, PlainHex } from "@plumbline/codec"
import * as Schema from "effect/Schema"

import { edgeSizes, Random, runs, same, toHex } from "../support/generators.ts"

/** Returns the error that a function throws. */
const thrown = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  return assert.fail("nothing was thrown")
}

describe("PlainHex", () => {
  it("writes and reads bytes of every edge size", () => {
    const random = new Random(1)
    for (const size of edgeSizes) {
      const bytes = random.bytes(size)
      assert.isTrue(PlainHex.fromBytes(bytes) === toHex(bytes), `write ${size}`)
      assert.isTrue(same(PlainHex.toBytesUnsafe(toHex(bytes)), bytes), `read ${size}`)
    }
  })

  it("accepts exactly the texts of a regular expression, and nothing that is not text", () => {
    const random = new Random(2)
    const alphabet = "0123456789abcdefABCDEFgGxX \u00b5\u0130\u0661"
    for (let run = 0; run < runs(2000); run++) {
      const digits = Array.from({ length: random.below(8) }, () =>
        random.below(20) === 0 ? alphabet.charAt(random.below(alphabet.length)) : "09afAF".charAt(random.below(6))
      ).join("")
      const text = random.pick(["0x", "0x", "0x", "", "0X"]) + digits
      const size = random.below(4)
      const isWhole = /^0x(?:[0-9a-fA-F]{2})*$/u.test(text)
      assert.strictEqual(PlainHex.isHex(text), isWhole, text)
      assert.strictEqual(Schema.is(PlainHex.schema())(text), isWhole, text)
      const isSized = new RegExp(`^0x(?:[0-9a-fA-F]{2}){${size}}$`, "u").test(text)
      assert.strictEqual(PlainHex.isHex(text, size), isSized, text)
      assert.strictEqual(Schema.is(PlainHex.schema(size))(text), isSized, text)
    }
    for (const value of [undefined, null, 12, ["0x00"], new String("0x00")]) assert.isFalse(PlainHex.isHex(value))
  })

  it("names what is wrong with text and where", () => {
    for (const [text, reason, index] of [
      ["c0ffee", "MissingPrefix", 0],
      ["0x0", "OddDigits", 3],
      ["0x00g0", "BadDigit", 4]
    ] as const) {
      assert.deepInclude(thrown(() => PlainHex.toBytesUnsafe(text)) as HexError.HexError, { reason, index })
      assert.deepInclude(thrown(() => PlainHex.checkUnsafe(text, 2)) as HexError.HexError, { reason, index })
    }
    const wrongSize = { reason: "WrongSize", size: 1, expectedSize: 2 } as const
    assert.deepInclude(thrown(() => PlainHex.checkUnsafe("0x00", 2)) as HexError.HexError, wrongSize)
    assert.throws(() => Schema.decodeUnknownSync(PlainHex.schema(2, "Mark"))(12), /Mark/u)
  })
})
