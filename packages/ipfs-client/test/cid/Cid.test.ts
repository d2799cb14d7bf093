import { assert, describe, it } from "@effect/vitest"
import { Cid } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Result, Schema } from "effect"
import { CID } from "multiformats/cid"

const V0 = "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"
const V1 = "bafybeif7ztnhq65lumvvtr4ekcwd2ifwgm3awq4zfr3srh462rwyinlb4y"

const reasonOf = (text: string): string | undefined => {
  const parsed = Cid.fromText(text)
  return Result.isFailure(parsed) ? parsed.failure.reason : undefined
}

describe("Cid", () => {
  it("reads what multiformats writes, in every base, and writes it again", () => {
    const random = Random.make(1)
    for (let i = 0; i < Random.runs(200); i++) {
      const digest = Random.bytes(random, Random.pick(random, [20, 32, 64, 128]))
      const cid = Cid.make(Random.pick(random, [0x55, 0x70, 0x0129, 0x90]), Random.pick(random, [0x12, 0xb220]), digest)
      for (const base of ["base32", "base36", "base58btc"] as const) {
        const text = Cid.toText(cid, base)
        assert.isTrue(Cid.equals(Cid.fromTextUnsafe(text), cid), text)
      }
      assert.isTrue(Cid.equals(Result.getOrThrow(Cid.fromBytes(cid.bytes)), cid))
    }
  })

  it("keeps the versions apart, and the content together", () => {
    assert.isFalse(Cid.equals(Cid.fromTextUnsafe(V0), Cid.fromTextUnsafe(V1)))
    assert.isTrue(Cid.equals(Cid.toV1(Cid.fromTextUnsafe(V0)), Cid.fromTextUnsafe(V1)))
    assert.strictEqual(Cid.key(Cid.fromTextUnsafe(V0)), Cid.key(Cid.fromTextUnsafe(V1)))
    assert.strictEqual(Cid.toText(Cid.fromTextUnsafe(V0), "base36"), V0)
  })

  it("refuses what is not a CID, and says why", () => {
    assert.strictEqual(reasonOf(""), "UnknownBase")
    assert.strictEqual(reasonOf("hello"), "UnknownBase")
    assert.strictEqual(reasonOf(`/ipfs/${V0}`), "UnknownBase")
    assert.strictEqual(reasonOf(` ${V0}`), "UnknownBase")
    assert.strictEqual(reasonOf(V0.slice(0, -1)), "Malformed")
    assert.strictEqual(reasonOf(`${V0}1`), "Malformed")
    assert.strictEqual(reasonOf(V0.replace("b", "0")), "Malformed")
    assert.strictEqual(reasonOf(V1.toUpperCase()), "UnknownBase")
    assert.strictEqual(reasonOf(V1.slice(0, -2)), "Malformed")
    assert.strictEqual(reasonOf(`z${V0}`), "Malformed", "version 0 has no base's letter")
    assert.strictEqual(reasonOf(`b${"a".repeat(Cid.MAX_LENGTH)}`), "TooLong")
  })

  it("never throws, and agrees with multiformats on what it takes", () => {
    const random = Random.make(2)
    const alphabet = "Qbkz0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHJKLMNPRSTUVWXY=-_ /é"
    for (let i = 0; i < Random.runs(500); i++) {
      const text =
        i % 2 === 0
          ? Random.pick(random, ["Q", "b", "k", "z"]) +
            Array.from({ length: Random.int(random, 70) }, () =>
              alphabet.charAt(Random.int(random, alphabet.length))
            ).join("")
          : change(random, Random.pick(random, [V0, V1]))
      const parsed = Cid.fromText(text)
      assert.isTrue(Result.isFailure(parsed) || parsed.success.equals(CID.parse(text)), text)
    }
  })

  it("is known by its text as it is by its bytes, at the ends of the range and near them", () => {
    const random = Random.make(17)
    const digests = [
      new Uint8Array(32),
      new Uint8Array(32).fill(255),
      ...Array.from({ length: 40 }, () => Random.bytes(random, 32))
    ]
    for (const digest of digests) {
      for (const text of [
        Cid.toText(Cid.makeV0(digest)),
        ...[0x55, 0x70, 0x71].map((code) => Cid.toText(Cid.make(code, 0x12, digest)))
      ]) {
        assert.isTrue(Cid.isCidText(text), text)
        for (let run = 0; run < 200; run++) {
          const at = Random.int(random, text.length)
          const near = text.slice(0, at) + LETTERS.charAt(Random.int(random, LETTERS.length)) + text.slice(at + 1)
          assert.strictEqual(Cid.isCidText(near), Result.isSuccess(Cid.fromText(near)), near)
        }
      }
    }
    // one more than the highest digest; a digit that base58 does not have; one less than the lowest digest
    for (const text of [
      "QmfZy5bvk7a3DQAjCbGNtmrPXWkyVvPrdnZMyBZ5q5ieKH",
      "QmNLei78zWmzUdbeRB3CiUfAizWUrbeeZh5K1rhAQKCh50",
      "QmNLei78zWmzUdbeRB3CiUfAizWUrbeeZh5K1rhAQKCh4z"
    ]) {
      assert.isFalse(Cid.isCidText(text), text)
      assert.isTrue(Result.isFailure(Cid.fromText(text)), text)
    }
  })

  it("has a Schema that keeps the text as it was sent", () => {
    const decode = Schema.decodeUnknownSync(Cid.CidText)
    for (const text of [V0, V1, Cid.toText(Cid.fromTextUnsafe(V1), "base36")])
      assert.strictEqual<string>(decode(text), text)
    assert.throws(() => decode("hello"))
    assert.throws(() => decode(7))
  })
})

const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const change = (random: Random.Random, text: string): string => {
  const at = Random.int(random, text.length)
  return text.slice(0, at) + "abcXYZ017".charAt(Random.int(random, 9)) + text.slice(at + 1)
}
