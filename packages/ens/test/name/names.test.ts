/** Names: their normal form, node and encoding. viem and ethers are the oracle. */
import { assert, describe, it } from "@effect/vitest"
import { EnsName } from "@plumbline/ens"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"
import { dnsEncode, ensNormalize, namehash as ethersNamehash } from "ethers"
import { namehash, toHex } from "viem"
import { normalize, packetToBytes } from "viem/ens"

const reasonOf = (text: string) => {
  const read = EnsName.fromText(text)
  return Result.isFailure(read) ? read.failure.reason : undefined
}

const names = [
  "eth",
  "alice.eth",
  "Alice.ETH",
  "vitalik.eth",
  "a.b.c.d.e.f.g",
  "faß.eth",
  "ＡＢＣ.eth",
  "👨‍👩‍👧‍👦.eth",
  "1️⃣2️⃣.eth",
  "日本.eth",
  "_dnslink.example.eth",
  `${"x".repeat(255)}.eth`
]

describe("a name", () => {
  it("has the normal form, node and encoding that viem and ethers give it", () => {
    for (const text of names) {
      const name = Result.getOrThrow(EnsName.fromText(text))
      assert.strictEqual<string>(name, normalize(text), text)
      assert.strictEqual<string>(name, ensNormalize(text), text)
      assert.strictEqual<string>(EnsName.namehash(name), namehash(name), text)
      assert.strictEqual<string>(EnsName.namehash(name), ethersNamehash(name), text)
      assert.strictEqual(EnsName.toDns(name), toHex(packetToBytes(name)), text)
      assert.strictEqual(EnsName.toDns(name), dnsEncode(name, 255), text)
      assert.deepStrictEqual(EnsName.fromText(name), Result.succeed(name))
    }
  })

  it("has the nodes of the specification", () => {
    // ENSIP-1, "namehash algorithm"
    assert.strictEqual(
      EnsName.namehash(EnsName.fromTextUnsafe("foo.eth")),
      "0xde9b09fd7c5f901e23a3f19fecc54828e9c848539801e86591bd9801b019f84f"
    )
  })

  it("is refused, with the reason", () => {
    for (const [text, reason] of [
      ["", "Empty"],
      [".", "Empty"],
      ["a..eth", "Empty"],
      [".eth", "Empty"],
      ["eth.", "Empty"],
      ["a b.eth", "NotNormalizable"],
      ["a_b.eth", "NotNormalizable"],
      // a label of IDNA
      ["xn--fa-hia.eth", "NotNormalizable"],
      // Cyrillic and Latin letters in one label
      ["аlice.eth", "NotNormalizable"],
      [`[${"ab".repeat(32)}].eth`, "NotNormalizable"],
      ["alice.eth\u0000", "NotNormalizable"],
      ["\ud800.eth", "NotNormalizable"],
      [`${"x".repeat(256)}.eth`, "TooLong"],
      [`${"日".repeat(86)}.eth`, "TooLong"],
      ["a.".repeat(600), "TooLong"]
    ] as const) {
      assert.strictEqual(reasonOf(text), reason, text)
    }
    const space = Result.getOrThrow(Result.flip(EnsName.fromText("a b.eth")))
    assert.match(space.message, /disallowed character/u)
    assert.notInclude(space.message, "\u200e")
  })

  it("that must be in its normal form is refused in any other", () => {
    assert.deepStrictEqual(EnsName.fromNormalized("alice.eth"), Result.succeed("alice.eth" as EnsName.EnsName))
    assert.isTrue(Result.isFailure(EnsName.fromNormalized("Alice.eth")))
    assert.isTrue(Result.isFailure(EnsName.fromNormalized("")))
  })

  it("is found again at the bytes where its labels begin", () => {
    const name = EnsName.fromTextUnsafe("a.日本.eth")
    const parts = Array.from({ length: 20 }, (_, at) => EnsName.fromOffset(name, at))
    assert.deepStrictEqual<unknown>(
      parts.map((part, at) => [at, part]).filter(([, part]) => part !== undefined),
      [
        [0, "a.日本.eth"],
        [2, "日本.eth"],
        [9, "eth"]
      ]
    )
  })

  it("of letters, digits, hyphens and dots is read as ethers reads it, each of up to 5 characters", () => {
    const letters = [..."aZ0-."]
    for (
      let texts = letters;
      texts[0]!.length <= 5;
      texts = texts.flatMap((text) => letters.map((one) => text + one))
    ) {
      for (const text of texts) {
        let other: string | undefined
        try {
          other = ensNormalize(text)
        } catch {}
        assert.strictEqual<string | undefined>(Result.getOrUndefined(EnsName.fromText(text)), other, text)
      }
    }
  })

  it("is read or refused, whatever the text is, and always as ethers does", () => {
    const random = Random.make(1)
    const pieces = [
      "a",
      "B",
      ".",
      "_",
      "-",
      "日",
      "ß",
      "\u200d",
      "👩",
      "🚀",
      "️",
      "0",
      "xn--",
      "é",
      "e\u0301",
      " ",
      "'",
      "ا"
    ]
    for (let run = 0; run < Random.runs(2000); run++) {
      const text = Array.from({ length: Random.int(random, 9) }, () => Random.pick(random, pieces)).join("")
      const ours = Result.getOrUndefined(EnsName.fromText(text))
      let other: string | undefined
      try {
        other = ensNormalize(text)
      } catch {}
      // ethers reads the name without labels
      assert.strictEqual<string | undefined>(ours, other === "" ? undefined : other, JSON.stringify(text))
      if (ours !== undefined) assert.strictEqual<string>(EnsName.namehash(ours), ethersNamehash(ours))
    }
  })
})
