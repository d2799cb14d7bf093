/** Tests mainnet blocks with all their transactions, from the answers of nodes. */
import { assert, it } from "@effect/vitest"
import { Block, Verify } from "@plumbline/eth-methods"
import { Result, Schema } from "effect"

import { conformance, files, json } from "./support/fixtures.ts"

const decode = Schema.decodeUnknownSync(Block.Block)
const encode = Schema.encodeSync(Block.Block)

conformance("mainnet blocks", () => {
  for (const file of files("9-bench/block*.json")) {
    it(`${file} decodes, encodes to the same JSON, and verifies with all its senders`, () => {
      const answer = json(file)
      const block = decode(answer)
      assert.strictEqual(JSON.stringify(encode(block)), JSON.stringify(answer))
      const verdict = Result.getOrThrow(Verify.block(block, block.hash!))
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(
        verdict.claimed.map((claim) => claim.field),
        answer.totalDifficulty === undefined ? [] : ["totalDifficulty"]
      )
    })
  }
})
