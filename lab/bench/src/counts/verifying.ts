/** The verifications that are counted. ethereumjs makes their inputs, which are the same on every machine. */
import { AccountProof, Block, Verify } from "@plumbline/eth-methods"
import { Result, Schema } from "effect"

import { blockAnswer, hash, proofAnswer } from "../inputs/ethereumjsAnswers.ts"

const decodeBlock = Schema.decodeUnknownSync(Block.Block)
const decodeProof = Schema.decodeUnknownSync(AccountProof.AccountProof)

const block = Result.getOrThrow(Verify.block(decodeBlock(blockAnswer), hash as never, { senders: false }))
if (block._tag === "CLAIMED") throw new Error("only claimed")
const proof = decodeProof(proofAnswer)
const question = { address: proof.address, storageKeys: proof.storageProof.map(({ key }) => key) }

export const operations: Readonly<Record<string, () => unknown>> = {
  "account proof with a slot": () => Result.getOrThrow(Verify.account(proof, question as never, block)),
  "block of 200 transactions, typed": () => decodeBlock(blockAnswer),
  "block of 200 transactions, verified": () =>
    Result.getOrThrow(Verify.block(decodeBlock(blockAnswer), hash as never, { senders: false }))
}
