import { assert, describe, it } from "@effect/vitest"
import { keccak_256 as noble } from "@noble/hashes/sha3.js"
import { Keccak256, PlainKeccak } from "@plumbline/codec"
import { keccak_256 } from "js-sha3"

import { asView, Random, runs, toHex } from "../support/generators.ts"

/** The rate of Keccak-256, in bytes. */
const RATE = 136

describe("Keccak-256 in plain JavaScript", () => {
  it("gives the vectors of the authors of Keccak", () => {
    const vectors = [
      ["", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"],
      // ShortMsgKAT_256, Len = 8
      ["cc", "eead6dbfc7340a56caedc044696a168870549a6a7f6f56961e84a54bd9970b8a"],
      ["616263", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"]
    ] as const
    for (const [message, digest] of vectors) {
      assert.strictEqual(PlainKeccak.hashHex(Uint8Array.from(Buffer.from(message, "hex"))), `0x${digest}`)
    }
  })

  it("agrees with two independent implementations at every size up to three blocks, and at edges beyond", () => {
    const random = new Random(41)
    const edges = [7, 8, 255, 256].flatMap((blocks) => [RATE * blocks - 1, RATE * blocks, RATE * blocks + 1])
    for (const size of [...Array.from({ length: 3 * RATE + 2 }, (_, size) => size), ...edges]) {
      const bytes = random.bytes(size)
      const digest = toHex(PlainKeccak.hash(asView(bytes)))
      assert.strictEqual(digest, `0x${keccak_256(bytes)}`, `${size} bytes`)
      assert.strictEqual(digest, toHex(noble(bytes)), `${size} bytes`)
    }
  })

  it("agrees at random sizes, and with Keccak256", () => {
    const random = new Random(42)
    for (let run = 0; run < runs(200); run++) {
      const bytes = random.bytes(random.below(2000))
      assert.strictEqual(PlainKeccak.hashHex(bytes), `0x${keccak_256(bytes)}`)
      assert.strictEqual(PlainKeccak.hashHex(bytes), Keccak256.hashHex(bytes))
    }
  })

  it("leaves its input alone, and returns bytes of its own", () => {
    const bytes = new Uint8Array(300).fill(7)
    const first = PlainKeccak.hash(bytes)
    const copy = first.slice()
    PlainKeccak.hash(new Uint8Array(1))
    assert.deepStrictEqual(first, copy)
    assert.isTrue(bytes.every((byte) => byte === 7))
  })
})
