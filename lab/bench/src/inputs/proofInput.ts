/**
 * The account proof of the rows, with ten slots, and a proven block that has its state root. With the fixtures, the
 * proof has the depth of mainnet's state. Without fixtures, the proof is from a small state that ethereumjs makes.
 */
import { createBlock } from "@ethereumjs/block"
import { Block, Verify } from "@plumbline/eth-methods"
import { Result, Schema } from "effect"

import { hexOf } from "./byteInput.ts"
import { common, headerAnswer, proofAnswer } from "./ethereumjsAnswers.ts"
import { fixture, hasFixtures } from "./fixtures.ts"

interface Answer {
  readonly stateRoot: `0x${string}`
  readonly proof: typeof proofAnswer
}

export const { proof, stateRoot }: Answer = hasFixtures
  ? JSON.parse(fixture("proof.json"))
  : { stateRoot: headerAnswer.stateRoot!, proof: proofAnswer }

const nodes = [proof.accountProof, ...proof.storageProof.map((slot) => slot.proof)].flat().length

export const source = hasFixtures
  ? `proof: mainnet's depth, ${proof.storageProof.length} slots, ${nodes} nodes`
  : `proof: made, ${proof.storageProof.length} slots, ${nodes} nodes, because ../shared/fixtures is absent`

/** Returns the answer with only the first slots. */
export const withSlots = (count: number): typeof proofAnswer => ({
  ...proof,
  storageProof: proof.storageProof.slice(0, count)
})

/** A block without transactions under this state root. */
const rooted = createBlock(
  {
    header: {
      number: 23_000_000n,
      gasLimit: 36_000_000n,
      timestamp: 1_750_000_000n,
      baseFeePerGas: 7n,
      stateRoot,
      blobGasUsed: 0n,
      excessBlobGas: 0n
    },
    transactions: [],
    withdrawals: []
  },
  { common, skipConsensusFormatValidation: true }
)
const { coinbase, receiptTrie, transactionsTrie, uncleHash, ...fields } = JSON.parse(
  JSON.stringify(rooted.header.toJSON())
)
const answer = {
  ...fields,
  hash: hexOf(rooted.hash()),
  miner: coinbase,
  sha3Uncles: uncleHash,
  transactionsRoot: transactionsTrie,
  receiptsRoot: receiptTrie,
  uncles: [],
  transactions: [],
  withdrawals: []
}
const verdict = Result.getOrThrow(Verify.block(Schema.decodeUnknownSync(Block.Block)(answer), answer.hash as never))
if (verdict._tag === "CLAIMED") throw new Error("the block of the proof is only claimed")

/** The proven block whose state the proof is about. */
export const block = verdict
