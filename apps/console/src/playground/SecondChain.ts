/**
 * Asks questions of the second chain. A transaction is proven by its own hash; all other answers are claims of the
 * node.
 */
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Felt from "@plumbline/second-chain-methods/model/Felt"
import * as Transaction from "@plumbline/second-chain-methods/model/Transaction"
import type * as Verify from "@plumbline/second-chain-methods/proof/Verify"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as Proving from "../chain/Proving.ts"

/** Asks a question of the second chain. Each hash covers the chain's id, as the service names it. */
export const ask = Effect.fnUntraced(function* (
  question: Proving.RpcQuestion,
  chainId: string
): Effect.fn.Return<Proving.Answered, never, Transport> {
  const answered = yield* Proving.believe(question, "only the node says this: this page has no proof for it")
  const { outcome } = answered
  if (outcome._tag !== "CLAIMED" || !question.method.endsWith("_getTransactionByHash")) return answered
  const hash = Felt.fromHex(String(question.params[0]))
  const chain = Felt.fromBigInt(/^(?:0x[0-9a-f]+|\d+)$/iu.test(chainId) ? BigInt(chainId) : -1n)
  const transaction = Schema.decodeUnknownResult(Transaction.Transaction)(outcome.result)
  if (Result.isFailure(hash) || Result.isFailure(chain) || Result.isFailure(transaction)) return answered
  // loaded on demand, because the tables of the curve are large and few questions need them
  const { verifyTransaction } = yield* Effect.promise(() => import("@plumbline/second-chain-methods/proof/Verify"))
  const verdict = verifyTransaction(transaction.success, hash.success, { chainId: chain.success })
  return { ...answered, outcome: judged(outcome.result, verdict) }
})

const judged = (result: unknown, verdict: ReturnType<typeof Verify.verifyTransaction>): Proving.ProvingOutcome => {
  if (Result.isSuccess(verdict)) return Proving.passed({ result, verdict: verdict.success })
  const { check, expected, got } = verdict.failure
  return { _tag: "REFUTED", check, expected, got }
}
