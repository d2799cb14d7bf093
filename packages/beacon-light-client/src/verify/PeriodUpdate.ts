/**
 * The check of a single period's update against the committee of that period, for programs that keep updates of many
 * periods. A light client processes updates in order, and forgets the committees of periods that are over.
 */
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Result from "effect/Result"

import type * as Bls from "../bls/Bls.ts"
import * as SyncCommittee from "../container/SyncCommittee.ts"
import type * as Update from "../container/Update.ts"
import * as Clock from "../network/Clock.ts"
import type * as Network from "../network/Network.ts"
import * as updateCheck from "./updateCheck.ts"
import * as UpdateParts from "./updateParts.ts"
import * as updateRanking from "./updateRanking.ts"

/** The committees of a period, whose roots are proven, and the time. */
export interface PeriodUpdateOptions {
  readonly network: Network.Network
  /** The current slot. The caller adds a tolerance; the protocol allows 500 ms. */
  readonly currentSlot: bigint
  readonly bls: Bls.BlsEngine
  /** The committee of the period. */
  readonly committee: SyncCommittee.SyncCommittee
  /** The committee of the next period, if it is known. */
  readonly nextCommittee: SyncCommittee.SyncCommittee | undefined
}

/**
 * Returns the period that an update serves, or undefined if no light client can advance by it alone: the update is
 * signed in another period than the one that it attests, it proves no next committee or no finalized header, or fewer
 * than two thirds signed. Honest nodes may serve such an update.
 */
export const periodOf = (update: Update.Update, network: Network.Network): bigint | undefined => {
  const { finalized, next } = UpdateParts.of(update)
  const period = Clock.periodOf(network, update.attestedHeader.beacon.slot)
  const signed = SyncCommittee.signers(update.syncAggregate).length
  return next !== undefined &&
    finalized !== undefined &&
    Clock.periodOf(network, update.signatureSlot) === period &&
    Clock.periodOf(network, finalized.beacon.slot) === period &&
    3 * signed >= 2 * network.syncCommitteeSize
    ? period
    : undefined
}

/**
 * Checks an update of the period of `committee`. Fails with `RefutedError`, whose `check` is one of those of
 * `LightClientStore.process`, except `relevance`.
 *
 * ```ts import.meta.vitest
 * import { Bls, MadeChain, MadeNetwork, PeriodUpdate } from "@plumbline/beacon-light-client"
 * import { Result } from "effect"
 *
 * const chain = MadeChain.make(MadeNetwork.make())
 * const update = chain.update({ attested: 200n, finalized: 195n })
 * const options = { network: chain.network, currentSlot: 201n, bls: Bls.noble, nextCommittee: undefined }
 * PeriodUpdate.periodOf(update, chain.network) // => 3n
 * Result.isSuccess(PeriodUpdate.check(update, { ...options, committee: chain.committee(3n) })) // => true
 * const other = PeriodUpdate.check(update, { ...options, committee: chain.committee(4n) })
 * Result.isFailure(other) && other.failure.check // => "signature"
 * ```
 */
export const check = <A extends Update.Update>(
  update: A,
  { committee, nextCommittee, ...options }: PeriodUpdateOptions
): Result.Result<A, RefutedError> => {
  // the checks read only the period of the store's header, and the caller says that it is that of the update
  const store = {
    finalized: { header: update.attestedHeader },
    currentSyncCommittee: committee,
    nextSyncCommittee: nextCommittee
  }
  const refusal = updateCheck.refusalOf(store, update, options, { isOld: true })
  return refusal === undefined ? Result.succeed(update) : Result.fail(refusal)
}

/**
 * True if the first update is better than the second, as servers of the beacon API choose the update of a period.
 *
 * Source: consensus-specs `specs/altair/light-client/sync-protocol.md`, `is_better_update`.
 */
export const isBetter: (update: Update.Update, than: Update.Update, network: Network.Network) => boolean =
  updateRanking.isBetter
