/** Tests other forms of CIDs. The expected texts are those of `ipfs cid` of Kubo 0.43.0. */
import { assert, it } from "@effect/vitest"
import { CidForms } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"

const V0 = "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"
const V1 = "bafybeif7ztnhq65lumvvtr4ekcwd2ifwgm3awq4zfr3srh462rwyinlb4y"

const formatted = (options: CidForms.CidFormatOptions, text = V0): string =>
  Result.match(CidForms.formatter(options), {
    onFailure: (sentence) => `refused: ${sentence}`,
    onSuccess: (format) => {
      const { error, formatted } = format(text)
      return error === "" ? formatted : `error: ${error}`
    }
  })

it("CIDs are written in another version, codec, base and form", () => {
  assert.strictEqual(formatted({}), V0)
  assert.strictEqual(formatted({ v: "1", b: "base32" }), V1)
  assert.strictEqual(formatted({ v: "0" }, V1), V0)
  assert.strictEqual(
    formatted({ f: "%v %V %c %C %h %H %L %% %P" }),
    "cidv0 0 dag-pb 112 sha2-256 18 32 % cidv0-dag-pb-sha2-256-32"
  )
  assert.strictEqual(formatted({ f: "%b %B" }, V1), "base32 b")
  assert.strictEqual(formatted({ v: "0" }, "bafkqaaqha4"), "error: can't convert non-dag-pb nodes to cidv0")
  assert.strictEqual(formatted({}, "nothing"), "error: invalid cid: selected encoding not supported")
  assert.match(formatted({ f: "x" }), /^refused: invalid format string/)
  assert.strictEqual(formatted({ f: "%x" }), "refused: unrecognized specifier in format string: %x")
  assert.strictEqual(formatted({ f: "%" }), "refused: premature end of format string")
  assert.match(formatted({ v: "2" }), /^refused: invalid cid version/)
  assert.match(formatted({ v: "0", b: "base32" }), /^refused: cannot convert to CIDv0/)
  assert.match(formatted({ b: "base9" }), /^refused: unsupported multibase encoding/)
})

it("no form and no text makes it throw", () => {
  const random = Random.make(3)
  const alphabet = "%bBvVcChHLmMdDsSPx% Qmbafkz0\u{1f680}"
  const text = () =>
    Array.from({ length: Random.int(random, 20) }, () => alphabet[Random.int(random, alphabet.length)]).join("")
  for (let run = 0; run < Random.runs(1000); run++) {
    assert.isString(formatted({ f: text() }, Random.pick(random, [V0, V1, text()])))
    assert.isString(CidForms.inspect(Random.pick(random, [V0, V1, text()])).cid)
  }
})
