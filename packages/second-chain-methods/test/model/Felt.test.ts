import { assert, describe, it } from "@effect/vitest"
import { Felt, FeltError, Uint } from "@plumbline/second-chain-methods"
import * as Random from "@plumbline/seeded/Random"
import { Result, Schema } from "effect"

// 2^251 + 17 * 2^192 + 1, in hex digits from the Starknet documentation.
const PRIME = "800000000000011000000000000000000000000000000000000000000000001"

describe("Felt", () => {
  it("is a number below the prime of the field, in up to 64 digits", () => {
    assert.strictEqual(Felt.PRIME.toString(16), PRIME)
    const largest = `0x${PRIME.slice(0, -1)}0`
    for (const felt of ["0x0", "0x00", "0xF", `0x0${largest.slice(2)}`, largest, `0x7${"f".repeat(62)}`]) {
      assert.isTrue(Felt.isFelt(felt), felt)
      assert.strictEqual(Schema.decodeUnknownSync(Felt.Felt)(felt), felt)
    }
    for (const other of ["", "0x", "0", "ff", "0X1", "0xg", " 0x1", `0x${PRIME}`, `0x${"f".repeat(63)}`, 1, null, 1n]) {
      assert.isFalse(Felt.isFelt(other), String(other))
      assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(Felt.Felt)(other)), String(other))
    }
    assert.isFalse(Felt.isFelt(`0x${"0".repeat(64)}1`), "65 digits")
  })

  it("says why something is none, and holds nothing of it", () => {
    const reason = (result: Result.Result<unknown, FeltError>) => Result.isFailure(result) && result.failure.reason
    assert.strictEqual(reason(Felt.fromHex("secret")), "NotHex")
    assert.strictEqual(reason(Felt.fromHex(`0x${PRIME}`)), "OutOfRange")
    assert.strictEqual(reason(Felt.fromBigInt(-1n)), "OutOfRange")
    assert.strictEqual(reason(Felt.fromBigInt(Felt.PRIME)), "OutOfRange")
    assert.throws(() => Felt.fromHexUnsafe("secret"), FeltError)
    assert.notInclude(JSON.stringify(Result.flip(Felt.fromHex("secret"))), "secret")
  })

  it("is what JavaScript reads as a hex number below the prime, and its JSON Schema takes it", () => {
    const pattern = new RegExp(String(Schema.toJsonSchemaDocument(Felt.Felt).definitions["Felt"]?.["pattern"]), "u")
    const random = Random.make(1)
    for (let run = 0; run < Random.runs(2000); run++) {
      const length = 1 + Random.int(random, 66)
      const alphabet = (Random.int(random, 20) === 0 ? "0123456789abcdefg" : "0123456789abcdefABCDEF").split("")
      const text = `0x${Array.from({ length }, () => Random.pick(random, alphabet)).join("")}`
      const isOne = /^0x[0-9a-fA-F]{1,64}$/u.test(text) && BigInt(text) < BigInt(`0x${PRIME}`)
      assert.strictEqual(Felt.isFelt(text), isOne, text)
      if (Felt.isFelt(text)) {
        assert.isTrue(pattern.test(text), text)
        assert.strictEqual(Felt.toBigInt(text), BigInt(text))
        assert.isTrue(Felt.equals(text, Felt.fromBigIntUnsafe(BigInt(text))), text)
      }
    }
  })
})

describe("Uint", () => {
  it("has a bound, and keeps the spelling", () => {
    for (const [schema, bits] of [
      [Uint.U64, 64],
      [Uint.U128, 128]
    ] as const) {
      const is = Schema.is(schema)
      const bound = 1n << BigInt(bits)
      assert.isTrue(is(`0x${(bound - 1n).toString(16)}`))
      assert.isTrue(is("0x00"))
      assert.isTrue(is(`0x${"0".repeat(63)}F`))
      assert.isFalse(is(`0x${bound.toString(16)}`))
      assert.isFalse(is("0x"))
      assert.isFalse(is(1))
    }
  })
})
