/**
 * Ranks valid updates, to choose the one that a store may force.
 *
 * Source: consensus-specs `specs/altair/light-client/sync-protocol.md`, `is_better_update`.
 */
import * as SyncCommittee from "../container/SyncCommittee.ts"
import type * as Update from "../container/Update.ts"
import * as Clock from "../network/Clock.ts"
import type * as Network from "../network/Network.ts"
import * as UpdateParts from "./updateParts.ts"

/** Returns numbers that rank an update, the most important one first. */
const worthOf = (update: Update.AnyUpdate, network: Network.Network): ReadonlyArray<bigint> => {
  const signed = SyncCommittee.signers(update.syncAggregate).length
  const isSupermajority = 3 * signed >= 2 * network.syncCommitteeSize
  const { finalized, next } = UpdateParts.of(update)
  const { slot } = update.attestedHeader.beacon
  const attestedPeriod = Clock.periodOf(network, slot)
  const hasOwnCommittee = next !== undefined && attestedPeriod === Clock.periodOf(network, update.signatureSlot)
  const hasOwnFinality = finalized !== undefined && Clock.periodOf(network, finalized.beacon.slot) === attestedPeriod
  return [
    BigInt(isSupermajority),
    isSupermajority ? 0n : BigInt(signed),
    BigInt(hasOwnCommittee),
    BigInt(finalized !== undefined),
    BigInt(hasOwnFinality),
    BigInt(signed),
    -slot,
    -update.signatureSlot
  ]
}

/** True if the first update is better than the second: it has more signers, more useful parts, or is older. */
export const isBetter = (update: Update.AnyUpdate, than: Update.AnyUpdate, network: Network.Network): boolean => {
  const worth = worthOf(update, network)
  const other = worthOf(than, network)
  const at = worth.findIndex((value, place) => value !== other[place])
  return at >= 0 && worth[at]! > other[at]!
}
