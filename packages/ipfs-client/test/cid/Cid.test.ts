import { assert, describe, it } from "@effect/vitest"
import { Cid } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Result, Schema } from "effect"
import { bases } from "multiformats/basics"
import { CID } from "multiformats/cid"

const V0 = "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"
const V1 = "bafybeif7ztnhq65lumvvtr4ekcwd2ifwgm3awq4zfr3srh462rwyinlb4y"

/** The same CID in every base, as `ipfs cid format -v 1 -b <base>` of Kubo 0.43.0 writes it. */
const IN_BASES = {
  base2:
    "0000000010111000000010010001000001011111111001100110110100111100001111011101010111010001100101011010110011100011110000100010100001010110000111101001000001011011000110011001101100000101101000011100110010010110001110111001010001001111110011110110101000110110110000100001101010110000111100110",
  base32: "bafybeif7ztnhq65lumvvtr4ekcwd2ifwgm3awq4zfr3srh462rwyinlb4y",
  base32upper: "BAFYBEIF7ZTNHQ65LUMVVTR4EKCWD2IFWGM3AWQ4ZFR3SRH462RWYINLB4Y",
  base32pad: "cafybeif7ztnhq65lumvvtr4ekcwd2ifwgm3awq4zfr3srh462rwyinlb4y======",
  base32padupper: "CAFYBEIF7ZTNHQ65LUMVVTR4EKCWD2IFWGM3AWQ4ZFR3SRH462RWYINLB4Y======",
  base16: "f01701220bfccda787baba32b59c78450ac3d20b633360b43992c77289f9ed46d843561e6",
  base16upper: "F01701220BFCCDA787BABA32B59C78450AC3D20B633360B43992C77289F9ED46D843561E6",
  base36: "k2jmtxw57e8q3wevq1yz5usxqabvtnck9ehnqx5hk29iz6otpovk09uu",
  base36upper: "K2JMTXW57E8Q3WEVQ1YZ5USXQABVTNCK9EHNQX5HK29IZ6OTPOVK09UU",
  base64: "mAXASIL/M2nh7q6MrWceEUKw9ILYzNgtDmSx3KJ+e1G2ENWHm",
  base64pad: "MAXASIL/M2nh7q6MrWceEUKw9ILYzNgtDmSx3KJ+e1G2ENWHm",
  base32hexpad: "t05o1485vpjd7gutbkclljhs4a2m3q85m6cr0mgsp5hrih7suqhmo8db1so======",
  base32hexpadupper: "T05O1485VPJD7GUTBKCLLJHS4A2M3Q85M6CR0MGSP5HRIH7SUQHMO8DB1SO======",
  base64url: "uAXASIL_M2nh7q6MrWceEUKw9ILYzNgtDmSx3KJ-e1G2ENWHm",
  base64urlpad: "UAXASIL_M2nh7q6MrWceEUKw9ILYzNgtDmSx3KJ-e1G2ENWHm",
  base32hex: "v05o1485vpjd7gutbkclljhs4a2m3q85m6cr0mgsp5hrih7suqhmo8db1so",
  base32hexupper: "V05O1485VPJD7GUTBKCLLJHS4A2M3Q85M6CR0MGSP5HRIH7SUQHMO8DB1SO",
  base58btc: "zdj7WiLc855B1KPRgV7Fh8ivjuAhePE1tuJafmxH5HmmSjqaD",
  base58flickr: "ZCJ7vHkB855b1joqFu7fG8HVJUaGDoe1TUizELXh5hLLrJQzd",
  base256emoji: "🚀🪐⭐💻😅👶⚠😗😣☹🤨🎁🙄🙋😨😐😒😶😌😅🤬😎🤦🌗😏👈💪✔😢💁🐶📌🌷😐🌹🤤🍑"
} as const

const BASES = Object.keys(IN_BASES) as ReadonlyArray<keyof typeof IN_BASES>

/** Reads a CID with the decoders of multiformats, which know letters of one case only. */
const byMultiformats = (text: string): CID => {
  const plain = /^[FBCVTK]/.test(text) || /^[fbcvtk]/.test(text) ? text.toLowerCase() : text
  if (plain.startsWith("Q")) return CID.parse(plain)
  return CID.parse(
    plain,
    Object.values(bases).find(({ prefix }) => plain.startsWith(prefix))
  )
}

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
      for (const base of BASES) {
        const text = Cid.toText(cid, base)
        assert.isTrue(Cid.equals(Cid.fromTextUnsafe(text), cid), text)
        assert.isTrue(byMultiformats(text).equals(cid), text)
      }
      assert.isTrue(Cid.equals(Result.getOrThrow(Cid.fromBytes(cid.bytes)), cid))
    }
  })

  it("reads and writes every base as Kubo does", () => {
    for (const base of BASES) {
      assert.strictEqual<string>(Cid.toText(Cid.fromTextUnsafe(V1), base), IN_BASES[base], base)
      assert.strictEqual<string>(String(Cid.toText(Cid.fromTextUnsafe(IN_BASES[base]))), V1, base)
      assert.strictEqual(Cid.baseOf(base), base)
      assert.strictEqual(Cid.baseOf(String.fromCodePoint(IN_BASES[base].codePointAt(0)!)), base)
    }
    for (const none of ["", "base8", "base9", "9", "constructor", "__proto__"]) {
      assert.strictEqual(Cid.baseOf(none), undefined)
    }
    const mixed = V1.toUpperCase().replace("B", "b")
    assert.strictEqual<string>(Cid.toText(Cid.fromTextUnsafe(mixed)), V1, "either case")
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
    assert.strictEqual(reasonOf("9123"), "UnknownBase", "base10, which Kubo does not read")
    assert.strictEqual(reasonOf(`/ipfs/${V0}`), "UnknownBase")
    assert.strictEqual(reasonOf(` ${V0}`), "UnknownBase")
    assert.strictEqual(reasonOf(V0.slice(0, -1)), "Malformed")
    assert.strictEqual(reasonOf(`${V0}1`), "Malformed")
    assert.strictEqual(reasonOf(V0.replace("b", "0")), "Malformed")
    assert.strictEqual(reasonOf(`m${"A".repeat(100)}`), "Malformed")
    assert.strictEqual(reasonOf(V1.slice(0, -2)), "Malformed")
    assert.strictEqual(reasonOf(`z${V0}`), "Malformed", "version 0 has no base's letter")
    assert.strictEqual(reasonOf(`b${"a".repeat(Cid.MAX_LENGTH)}`), "TooLong")
    for (const base of BASES) {
      const prefix = String.fromCodePoint(IN_BASES[base].codePointAt(0)!)
      assert.strictEqual(reasonOf(prefix + "0".repeat(base === "base2" ? 1290 : 400)), "TooLong", base)
    }
  })

  it("never throws, and agrees with multiformats on what it takes", () => {
    const random = Random.make(2)
    const alphabet = "Qbkz0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHJKLMNPRSTUVWXY=-_ /é"
    for (let i = 0; i < Random.runs(500); i++) {
      const text =
        i % 2 === 0
          ? Random.pick(random, ["Q", "b", "k", "z", "f", "u", "M", "0", "Z", "\u{1f680}"]) +
            Array.from({ length: Random.int(random, 70) }, () =>
              alphabet.charAt(Random.int(random, alphabet.length))
            ).join("")
          : change(random, Random.pick(random, [V0, V1]))
      const parsed = Cid.fromText(text)
      assert.isTrue(Result.isFailure(parsed) || parsed.success.equals(byMultiformats(text)), text)
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
