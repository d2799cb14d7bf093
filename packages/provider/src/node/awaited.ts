/**
 * Answers about a transaction that no trusted block contains yet. A program that sent it asks until a block does, so a
 * refusal would end its wait.
 */
import type * as EthMethod from "@plumbline/eth-methods/methods/EthMethod"
import type * as Transaction from "@plumbline/eth-methods/model/Transaction"
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import type { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import * as OnlyProven from "@plumbline/eth-methods/verified/OnlyProven"
import { claim, type Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import { strictVerdict } from "./strictVerdict.ts"

/** True if the answer names the block of a transaction, once there is one. */
export const isAwaited = ({ params }: EthMethod.AnyEthMethod): boolean => params[0]?.names === "transaction"

/** An answer, and true if it passes although it is not proven. */
export interface Awaited {
  readonly found: Verdict<unknown>
  readonly passes: boolean
}

/**
 * Reads an answer about a transaction, and replaces an unproven one:
 *
 * - A pending transaction passes as it is: its hash and its sender are proven, and that no block contains it cannot be.
 * - The answer is null if the authority does not name a block of this number yet, because a light client is always behind
 *   the node. On the chain that it names, no block contains the transaction.
 *
 * Any other answer is returned as it was found. It is read twice, because the authority may have moved to its block
 * during the read.
 */
export const awaited = <E, R>(
  trust: TrustedBlock["Service"],
  read: Effect.Effect<Verdict<unknown>, E, R>
): Effect.Effect<Awaited, E, R> => {
  const attempt = Effect.flatMap(read, (found) => Effect.map(instead(trust, found), (other) => ({ found, other })))
  const shown = ({ found, other }: Effect.Success<typeof attempt>): Awaited =>
    other === undefined ? { found, passes: false } : { found: other, passes: true }
  return Effect.flatMap(attempt, (first) =>
    first.other === undefined && !isSure(first.found) ? Effect.map(attempt, shown) : Effect.succeed(shown(first))
  )
}

const isSure = (found: Verdict<unknown>): boolean => found.value === null || strictVerdict(found)._tag === "VERIFIED"

/** Returns the answer that passes in place of an unproven one; undefined if there is none. */
const instead = (
  trust: TrustedBlock["Service"],
  found: Verdict<unknown>
): Effect.Effect<Verdict<unknown> | undefined> => {
  if (isSure(found)) return Effect.undefined
  const verdict = strictVerdict(found)
  const { blockHash, blockNumber } = found.value as Pick<Transaction.KnownTransaction, "blockHash" | "blockNumber">
  if (typeof blockHash !== "string" || typeof blockNumber !== "bigint") {
    return Effect.succeed(isProvenButForItsPlace(found) ? verdict : undefined)
  }
  return Effect.match(trust.resolve(blockNumber), {
    // the answer stays unproven if the authority cannot be asked
    onFailure: () => undefined,
    onSuccess: (trusted) =>
      trusted._tag === "Nothing" && trusted.isYet === true ? claim(null, verdict.claimed[0]!.reason) : undefined
  })
}

const isProvenButForItsPlace = (found: Verdict<unknown>): boolean => {
  if (found._tag === "CLAIMED") return false
  const outcome = OnlyProven.from(found)
  return outcome._tag !== "Unproven" || outcome.claims.every(({ reason }) => EthReason.Pending.is(reason))
}
