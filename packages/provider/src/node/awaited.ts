/**
 * Answers about a transaction that no trusted block contains yet. A program that sent it asks until a block does, so a
 * refusal would end its wait.
 */
import type * as Transaction from "@plumbline/eth-methods/model/Transaction"
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import type { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import * as OnlyProven from "@plumbline/eth-methods/verified/OnlyProven"
import { claim, type Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

/** The methods whose answers name the block of a transaction, once there is one. */
export const AWAITED: ReadonlySet<string> = new Set(["eth_getTransactionByHash", "eth_getTransactionReceipt"])

/**
 * Returns the answer that passes in place of an unproven one; undefined if the answer stays refused.
 *
 * - A pending transaction passes as it is: its hash and its sender are proven, and that no block contains it cannot be.
 * - The answer is null if the authority does not name a block of this number yet, because a light client is always behind
 *   the node. On the chain that it names, no block contains the transaction.
 *
 * `found` is the verdict of the read, and `verdict` the claim that it became because of its unproven fields.
 */
export const awaited = (
  trust: TrustedBlock["Service"],
  found: Verdict<unknown>,
  verdict: Verdict<unknown>
): Effect.Effect<Verdict<unknown> | undefined> => {
  const { blockHash, blockNumber } = found.value as Pick<Transaction.Known, "blockHash" | "blockNumber">
  if (typeof blockHash !== "string" || typeof blockNumber !== "bigint") {
    return Effect.succeed(isProvenButForItsPlace(found) ? verdict : undefined)
  }
  return Effect.match(trust.resolve(blockNumber), {
    // the refusal stands if the authority cannot be asked
    onFailure: () => undefined,
    onSuccess: (trusted) =>
      trusted._tag === "Nothing" && trusted.isYet === true ? claim(null, verdict.claimed[0]!.reason) : undefined
  })
}

const isProvenButForItsPlace = (found: Verdict<unknown>): boolean => {
  if (found._tag === "CLAIMED") return false
  const outcome = OnlyProven.from(found)
  return outcome._tag === "Proven" || outcome.claims.every(({ reason }) => EthReason.Pending.is(reason))
}
