import { assert, describe, it } from "@effect/vitest"
import { Address } from "@plumbline/codec"
import * as Result from "effect/Result"

import { Random } from "../support/generators.ts"

// The test cases of EIP-55: all caps, all lower, and normal.
const vectors = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"
].map(Address.fromHexUnsafe)

const lower = (address: string) => Address.fromHexUnsafe(address.toLowerCase())

describe("Address", () => {
  it("has the checksums of the EIP-55 vectors, whatever case it came in", () => {
    for (const vector of vectors) {
      assert.strictEqual(Address.checksum(lower(vector)), vector)
      assert.strictEqual(Address.checksum(vector), vector)
      assert.isTrue(Address.isChecksumValid(vector))
    }
  })

  it("finds every single letter of the wrong case", () => {
    for (const vector of vectors.slice(4)) {
      for (let i = 2; i < vector.length; i++) {
        const letter = vector[i]!
        const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
        if (other === letter) continue
        const wrong = Address.fromHexUnsafe(`${vector.slice(0, i)}${other}${vector.slice(i + 1)}`)
        assert.isFalse(Address.isChecksumValid(wrong), wrong)
        assert.isTrue(Address.equals(wrong, vector))
      }
    }
  })

  // as viem 2 writes them with the chain's id
  const rootstock = [
    [30n, "0x27b1FdB04752BBc536007A920D24ACB045561c26"],
    [30n, "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD"],
    [31n, "0x27B1FdB04752BbC536007a920D24acB045561C26"],
    [31n, "0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd"]
  ] as const

  it("has the checksums of EIP-1191, which are valid too", () => {
    for (const [chainId, text] of rootstock) {
      const address = Address.fromHexUnsafe(text)
      assert.strictEqual(Address.checksum(lower(text), chainId), address)
      assert.isTrue(Address.isChecksumValid(address))
      const other = Address.checksum(lower(text), 61n)
      assert.isFalse(Address.isChecksumValid(other), other)
    }
  })

  it("takes text in one case as text without a checksum", () => {
    for (const vector of vectors) {
      assert.isTrue(Address.isChecksumValid(lower(vector)))
      assert.isTrue(Address.isChecksumValid(Address.fromHexUnsafe(`0x${vector.slice(2).toUpperCase()}`)))
    }
  })

  it("is exactly 20 bytes and keeps its case", () => {
    const [vector] = vectors
    assert.deepStrictEqual(Address.fromHex(vector!), Result.succeed(vector!))
    for (const size of [0, 19, 21, 32]) {
      const text = `0x${"ab".repeat(size)}`
      const error = Result.getOrThrow(Result.flip(Address.fromHex(text)))
      assert.deepInclude(error, { reason: "WrongSize", size, expectedSize: 20 })
      assert.strictEqual(error.message, `expected 20 bytes, got ${size}`)
      assert.throws(() => Address.fromHexUnsafe(text), error.message)
      assert.isTrue(Result.isFailure(Address.fromBytes(new Uint8Array(size))))
      assert.throws(() => Address.fromBytesUnsafe(new Uint8Array(size)), error.message)
      assert.isFalse(Address.isAddress(text))
    }
    assert.strictEqual(Result.getOrThrow(Result.flip(Address.fromHex(`0x${"ab".repeat(19)}ag`))).reason, "BadDigit")
  })

  it("goes to bytes and back", () => {
    const bytes = new Random(6).bytes(20)
    assert.deepStrictEqual(Address.toBytes(Address.fromBytesUnsafe(bytes)), bytes)
  })
})
