/** Tests the Keccak Team's known answers, and that they differ from those of SHA3-256, which pads differently. */
import { assert, it } from "@effect/vitest"
import { Hex, Keccak256 } from "@plumbline/codec"

import { conformance, text } from "./support/fixtures.ts"

interface Answer {
  readonly bits: number
  readonly message: Uint8Array
  readonly digest: string
}

const answers = (file: string): ReadonlyArray<Answer> =>
  [...text(file).matchAll(/^Len = (\d+)\s+Msg = ([0-9A-Fa-f]*)\s+MD = ([0-9A-Fa-f]+)/gm)].map((match) => {
    const bits = Number(match[1])
    return {
      bits,
      message: Hex.toBytesUnsafe(`0x${match[2]}`).subarray(0, bits / 8),
      digest: `0x${match[3]!.toLowerCase()}`
    }
  })

conformance("Keccak-256 vectors", () => {
  it("all known answers come out, one by one and as a batch", () => {
    const known = answers("8-keccak/ShortMsgKAT_256.txt").filter((answer) => answer.bits % 8 === 0)
    assert.isAbove(known.length, 200)
    for (const { digest, message } of known) assert.strictEqual(Keccak256.hashHex(message), digest)
    const batch = Keccak256.hashMany(known.map((answer) => answer.message)).map(Hex.fromBytes)
    assert.deepStrictEqual<ReadonlyArray<string>>(
      batch,
      known.map((answer) => answer.digest)
    )
  })

  it("no answer of SHA3-256 comes out", () => {
    const other = answers("8-keccak/ShortMsgKAT_SHA3-256.txt").filter((answer) => answer.bits % 8 === 0)
    assert.isAbove(other.length, 200)
    for (const { digest, message } of other) assert.notStrictEqual<string>(Keccak256.hashHex(message), digest)
  })
})
