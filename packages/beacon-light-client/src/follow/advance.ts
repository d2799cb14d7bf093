/** One step of a follower: checks an update, and returns the changes. Pure and synchronous. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Result from "effect/Result"

import * as HashTreeRoot from "../container/HashTreeRoot.ts"
import * as SyncCommittee from "../container/SyncCommittee.ts"
import type * as Update from "../container/Update.ts"
import * as Clock from "../network/Clock.ts"
import { refuse } from "../refusal/LightClientCheck.ts"
import * as LightClientStore from "../verify/LightClientStore.ts"
import type * as Conflict from "./Conflict.ts"
import type * as LightClientHeads from "./LightClientHeads.ts"

/** The state of a follower. Every change makes a new object. */
export interface FollowerState {
  readonly checkpoint: LightClientHeads.Checkpoint
  readonly store: LightClientStore.LightClientStore
  /** The names of the nodes that sent the finalized head and the optimistic head. */
  readonly finalizedBy: string
  readonly optimisticBy: string
  /** The time at which the finalized head last moved, in milliseconds since 1970. */
  readonly advancedAt: number
  /** The finalized headers of the last valid updates, by their slots. */
  readonly seen: ReadonlyMap<bigint, Conflict.ConflictSide>
  /** The update that brought the next committee; undefined if no update has brought it since the start. */
  readonly committeeBy: Conflict.ConflictSide | undefined
}

/** The outcome of an update. */
export type UpdateOutcome =
  /** The update is true and brings nothing new, or its period is over and its committee is forgotten. */
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Moved"; readonly followed: FollowerState }
  | { readonly _tag: "Refused"; readonly refuted: RefutedError }
  | { readonly _tag: "Conflict"; readonly conflict: Conflict.Conflict }

/** The number of finalized headers to remember, which is enough for 16 epochs or more. */
const REMEMBERED = 16

/** Processes an update from a node. `nowMillis` is the current time, in milliseconds since 1970. */
export const advance = (
  followed: FollowerState,
  update: Update.AnyUpdate,
  by: string,
  nowMillis: number,
  options: LightClientStore.LightClientStoreOptions
): UpdateOutcome => {
  const { store } = followed
  const finalized = finalizedOf(update)
  const isFinal = finalized !== undefined && hasQuorum(update, options)
  const known = isFinal ? followed.seen.get(finalized.slot) : undefined
  const contradicts = known !== undefined && known.root !== finalized?.root
  if (!contradicts && bringsNothing(store, update, options)) {
    // a lie counts even if it could not change anything
    const refuted = LightClientStore.refusalOf(store, update, options)
    return refuted === undefined || refuted.check === "period" ? { _tag: "Nothing" } : { _tag: "Refused", refuted }
  }
  const side = (root: Hash32.Hash32): Conflict.ConflictSide => ({ root, by, update: signedPart(update) })
  const next = LightClientStore.process(store, update, options)
  if (Result.isFailure(next)) {
    const refuted = next.failure
    return refuted.check === "next-committee-changed"
      ? changedCommittee(followed, update, side, refuted, options)
      : { _tag: "Refused", refuted }
  }
  if (known !== undefined && finalized !== undefined && contradicts) {
    return { _tag: "Conflict", conflict: conflictOf("finalized", finalized.slot, known, side(finalized.root)) }
  }
  const after = next.success
  const hasMoved = after.finalized !== store.finalized
  const brought = after.nextSyncCommittee !== store.nextSyncCommittee ? after.nextSyncCommittee : undefined
  return {
    _tag: "Moved",
    followed: {
      ...followed,
      store: after,
      finalizedBy: hasMoved ? by : followed.finalizedBy,
      optimisticBy: after.optimistic === store.optimistic ? followed.optimisticBy : by,
      advancedAt: hasMoved ? nowMillis : followed.advancedAt,
      seen: !isFinal ? followed.seen : remember(followed.seen, finalized.slot, side(finalized.root)),
      committeeBy: brought === undefined ? followed.committeeBy : side(HashTreeRoot.syncCommittee(brought))
    }
  }
}

/** Returns the remembered headers of a follower that starts from a store: only the store's finalized header. */
export const seenOf = ({ finalized }: LightClientStore.LightClientStore, by: string): FollowerState["seen"] =>
  new Map([
    [finalized.header.beacon.slot, { root: HashTreeRoot.beaconBlock(finalized.header.beacon), by, update: undefined }]
  ])

/** Returns the finalized header that an update proves. An update with a zero header and an empty branch proves none. */
const finalizedOf = ({ finalizedHeader }: Update.AnyUpdate) =>
  finalizedHeader === undefined || finalizedHeader.beacon.slot === 0n
    ? undefined
    : { slot: finalizedHeader.beacon.slot, root: HashTreeRoot.beaconBlock(finalizedHeader.beacon) }

/**
 * True if two thirds of the committee signed. An update with fewer signatures finalizes nothing, so it raises no alarm.
 */
const hasQuorum = (
  { syncAggregate }: Update.AnyUpdate,
  { network }: LightClientStore.LightClientStoreOptions
): boolean => 3 * SyncCommittee.signers(syncAggregate).length >= 2 * network.syncCommitteeSize

/** True if neither a head nor a committee would change. */
const bringsNothing = (
  { finalized, nextSyncCommittee, optimistic }: LightClientStore.LightClientStore,
  update: Update.AnyUpdate,
  { network }: LightClientStore.LightClientStoreOptions
): boolean => {
  const finalizedSlot = finalized.header.beacon.slot
  const attestedSlot = update.attestedHeader.beacon.slot
  const isOlder = attestedSlot <= optimistic.header.beacon.slot
  const isFinalOlder = (update.finalizedHeader?.beacon.slot ?? 0n) <= finalizedSlot
  const bringsCommittee =
    nextSyncCommittee === undefined &&
    update.nextSyncCommittee !== undefined &&
    Clock.periodOf(network, attestedSlot) === Clock.periodOf(network, finalizedSlot)
  // a committee that differs from the known one must be checked, because it may be an alarm
  const changesCommittee =
    nextSyncCommittee !== undefined &&
    update.nextSyncCommittee !== undefined &&
    Clock.periodOf(network, attestedSlot) === Clock.periodOf(network, finalizedSlot) &&
    HashTreeRoot.syncCommittee(update.nextSyncCommittee) !== HashTreeRoot.syncCommittee(nextSyncCommittee)
  return isOlder && isFinalOlder && !bringsCommittee && !changesCommittee
}

/** Judges a changed committee: an alarm if two thirds of the current committee signed it, otherwise a lie. */
const changedCommittee = (
  { committeeBy, store }: FollowerState,
  update: Update.AnyUpdate,
  side: (root: Hash32.Hash32) => Conflict.ConflictSide,
  refuted: RefutedError,
  options: LightClientStore.LightClientStoreOptions
): UpdateOutcome => {
  if (!hasQuorum(update, options)) return { _tag: "Refused", refuted }
  const without = LightClientStore.process({ ...store, nextSyncCommittee: undefined }, update, options)
  if (Result.isFailure(without)) return { _tag: "Refused", refuted }
  const root = HashTreeRoot.syncCommittee(store.nextSyncCommittee!)
  const known = committeeBy ?? { root, by: "store", update: undefined }
  const other = side(HashTreeRoot.syncCommittee(update.nextSyncCommittee!))
  return { _tag: "Conflict", conflict: conflictOf("next-committee", update.attestedHeader.beacon.slot, known, other) }
}

const conflictOf = (
  about: Conflict.Conflict["about"],
  slot: bigint,
  known: Conflict.ConflictSide,
  other: Conflict.ConflictSide
): Conflict.Conflict => {
  const subject = `${about} at slot ${slot}: ${known.by} and ${other.by}`
  return { about, slot, known, other, refuted: refuse("conflict", known.root, other.root, subject) }
}

const remember = (seen: FollowerState["seen"], slot: bigint, side: Conflict.ConflictSide): FollowerState["seen"] => {
  if (seen.has(slot)) return seen
  return new Map([...seen, [slot, side] as const].slice(-REMEMBERED))
}

/** Returns the part of an update that its signers signed, without the 25 kB of a committee. */
const signedPart = (update: Update.AnyUpdate): Update.AnyUpdate => {
  const { attestedHeader, finalityBranch, finalizedHeader, signatureSlot, syncAggregate } = update
  const signed = { attestedHeader, syncAggregate, signatureSlot }
  return finalizedHeader === undefined || finalityBranch === undefined
    ? signed
    : { ...signed, finalizedHeader, finalityBranch }
}
