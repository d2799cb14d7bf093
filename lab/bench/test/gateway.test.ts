/** Tests the chain behind the gateways of the benchmarks, and the questions about that chain. */
import { assert, describe, it } from "@effect/vitest"
import { verifyMerkleProof } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { keccak_256 } from "@noble/hashes/sha3.js"

import * as Questions from "../src/parts/gateway/loadQuestions.ts"
import * as Chain from "../src/parts/gateway/provableChain.ts"

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replace("0x", ""), "hex"))

const valueOf = async (position: string): Promise<bigint> => {
  const { storageHash, storageProof } = JSON.parse(Chain.proofAt([position]))
  const key = keccak_256(bytesOf(position.slice(2).padStart(64, "0")))
  // `verifyMerkleProof` does not hash the key, so the key is hashed here
  const found = await verifyMerkleProof(key, storageProof[0].proof.map(bytesOf), { root: bytesOf(storageHash) })
  return found === null ? 0n : BigInt(`0x${Buffer.from(RLP.decode(found) as Uint8Array).toString("hex")}`)
}

describe("the chain behind the gateways", () => {
  it("proves slots that are set, and slots that are not", async () => {
    for (const position of [...Chain.setSlots.slice(0, 20), 1_000_000, 123_456_789].map((n) => `0x${n.toString(16)}`)) {
      const word = BigInt(JSON.parse(Chain.wordAt(position)))
      assert.strictEqual(await valueOf(position), word)
      assert.strictEqual(word === 0n, BigInt(position) >= 1_000_000n)
    }
  })

  it("is asked questions of one length each, so that a head can be prepared", () => {
    for (const question of Object.values(Questions)) {
      const { length } = question(0)
      for (const n of [1, 999, 1e6, 1e9]) assert.strictEqual(question(n).length, length)
    }
  })

  it("is asked for a new slot each time, or for few slots", () => {
    const asked = (question: Questions.Question) => new Set(Array.from({ length: 1000 }, (_, n) => question(n))).size
    assert.strictEqual(asked(Questions.slot), 1000)
    assert.strictEqual(asked(Questions.newSlot), 1000)
    assert.strictEqual(asked(Questions.knownSlot), 256)
    assert.strictEqual(asked(Questions.block), 1)
  })
})
