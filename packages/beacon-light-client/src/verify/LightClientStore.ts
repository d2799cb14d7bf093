/**
 * The state of a light client, and all functions that change it. They are pure and synchronous.
 *
 * A store begins with a bootstrap that a checkpoint names. Updates that pass every check move it forward, never back.
 *
 * Source: consensus-specs `specs/altair/light-client/sync-protocol.md`, `LightClientStore`.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Result from "effect/Result"

import type * as Bls from "../bls/Bls.ts"
import type * as BeaconHeader from "../container/BeaconHeader.ts"
import type * as Bootstrap from "../container/Bootstrap.ts"
import * as HashTreeRoot from "../container/HashTreeRoot.ts"
import * as SyncCommittee from "../container/SyncCommittee.ts"
import type * as Update from "../container/Update.ts"
import * as Clock from "../network/Clock.ts"
import * as GeneralizedIndex from "../network/GeneralizedIndex.ts"
import type * as Network from "../network/Network.ts"
import { refuse } from "../refusal/LightClientCheck.ts"
import * as headerCheck from "./headerCheck.ts"
import * as MerkleBranch from "./merkleBranch.ts"
import * as updateCheck from "./updateCheck.ts"
import * as UpdateParts from "./updateParts.ts"
import { isBetter } from "./updateRanking.ts"

/** The reason why a header is in the store. */
export type HeaderSupport =
  /** The reader named the header, and no update has named it as finalized yet. */
  | { readonly _tag: "Checkpoint" }
  /** Members signed a block whose state names the header as finalized. */
  | SignedSupport<"Finalized">
  /** Members signed the header. It can be reorganised. */
  | SignedSupport<"Optimistic">
  /** Fewer members than finality requires signed the header, and it was forced after a period without finality. */
  | SignedSupport<"Forced">

/** Support by signatures: `signed` of the committee's `of` members signed the block at `attestedSlot`. */
export interface SignedSupport<Tag extends string> {
  readonly _tag: Tag
  readonly signed: number
  readonly of: number
  readonly attestedSlot: bigint
  /**
   * The seats that signed, as `SyncCommittee.seats` reads them. Undefined for a head from a record of form 2, which
   * kept only their number, until an update replaces that head.
   */
  readonly bits: Hex.Hex | undefined
}

/** A header of the store, and its support. */
export interface SupportedHeader {
  readonly header: BeaconHeader.LightClientHeader
  readonly support: HeaderSupport
}

/** The state of a light client. It is never changed in place: every change makes a new store. */
export interface LightClientStore {
  readonly finalized: SupportedHeader
  /** The optimistic head, which is never older than the finalized header. */
  readonly optimistic: SupportedHeader
  /** The committee of the finalized header's period. Its root is proven. */
  readonly currentSyncCommittee: SyncCommittee.SyncCommittee
  /** The committee of the next period, as soon as it is known. Its root is proven. */
  readonly nextSyncCommittee: SyncCommittee.SyncCommittee | undefined
  /** The best update since the finalized header moved, which `force` may use. */
  readonly bestUpdate: Update.AnyUpdate | undefined
  /** Maximum number of signers of a valid update in the previous period. */
  readonly previousMaxParticipants: number
  /** Maximum number of signers of a valid update in this period. */
  readonly currentMaxParticipants: number
}

/** The network, the time and the rules by which an update is checked. */
export interface LightClientStoreOptions {
  readonly network: Network.Network
  /** The current slot. The caller adds a tolerance; the protocol allows 500 ms. */
  readonly currentSlot: bigint
  readonly bls: Bls.BlsEngine
  /**
   * Minimum number of signers that move the finalized header. If it is lower than the protocol's two thirds, two thirds
   * are required. Default: two thirds, 342 of 512.
   */
  readonly finalityQuorum?: number | undefined
  /**
   * Minimum number of signers that move the optimistic header. If it is lower than the protocol's rule requires, that
   * rule holds: more than half of the larger of `previousMaxParticipants` and `currentMaxParticipants`. Default: that
   * rule.
   *
   * By that rule, one signer moves the header right after the bootstrap. So `LightClientTrust` does not name a block
   * under a header that fewer than two thirds signed.
   */
  readonly optimisticQuorum?: number | undefined
}

/**
 * Begins a store from a bootstrap. `checkpoint` is the root of a beacon block that the reader trusts.
 *
 * Fails with `RefutedError`, check `checkpoint-root`, `network`, `execution-branch` or `committee-branch`.
 */
export const fromBootstrap = (
  bootstrap: Bootstrap.Bootstrap,
  checkpoint: Hash32.Hash32,
  network: Network.Network
): Result.Result<LightClientStore, RefutedError> => {
  const { currentSyncCommittee, currentSyncCommitteeBranch, header } = bootstrap
  const root = HashTreeRoot.beaconBlock(header.beacon)
  if (!Hash32.equals(root, checkpoint)) {
    return Result.fail(refuse("checkpoint-root", checkpoint, root, "Bootstrap.header"))
  }
  const refusal = headerCheck.refusalOf(network, header, "Bootstrap.header")
  if (refusal !== undefined) return Result.fail(refusal)
  const index = GeneralizedIndex.at("currentSyncCommittee", Clock.forkAt(network, header.beacon.slot)!)!
  const got = MerkleBranch.rootOf(HashTreeRoot.syncCommittee(currentSyncCommittee), currentSyncCommitteeBranch, index)
  if (got !== header.beacon.stateRoot) {
    return Result.fail(refuse("committee-branch", header.beacon.stateRoot, got, "Bootstrap.currentSyncCommittee"))
  }
  const head: SupportedHeader = { header, support: { _tag: "Checkpoint" } }
  return Result.succeed({
    finalized: head,
    optimistic: head,
    currentSyncCommittee,
    nextSyncCommittee: undefined,
    bestUpdate: undefined,
    previousMaxParticipants: 0,
    currentMaxParticipants: 0
  })
}

/**
 * Checks an update, and returns the store that it makes. A head that did not move is the same object as before.
 *
 * Fails with `RefutedError`, whose `check` is one of `Check`. The checks run in this order: `participation`, `future-slot`,
 * `slot-order`, `period`, `relevance`, `execution-branch`, `finality-branch`, `next-committee-changed`,
 * `next-committee-branch`, `signature`.
 */
export const process = (
  store: LightClientStore,
  update: Update.AnyUpdate,
  options: LightClientStoreOptions
): Result.Result<LightClientStore, RefutedError> => {
  const refusal = updateCheck.refusalOf(store, update, options)
  if (refusal !== undefined) return Result.fail(refusal)
  const { network } = options
  const size = network.syncCommitteeSize
  const signed = SyncCommittee.signers(update.syncAggregate).length
  const attested = update.attestedHeader
  const noted: LightClientStore = {
    ...store,
    bestUpdate:
      store.bestUpdate === undefined || isBetter(update, store.bestUpdate, network) ? update : store.bestUpdate,
    currentMaxParticipants: Math.max(store.currentMaxParticipants, signed)
  }
  const half = Math.floor(Math.max(noted.previousMaxParticipants, noted.currentMaxParticipants) / 2)
  const isHead =
    signed > half &&
    signed >= (options.optimisticQuorum ?? 0) &&
    attested.beacon.slot > noted.optimistic.header.beacon.slot
  const seen: LightClientStore = isHead
    ? { ...noted, optimistic: { header: attested, support: supportOf("Optimistic", update, network) } }
    : noted
  const { finalized, next } = UpdateParts.of(update)
  const bringsCommittee =
    store.nextSyncCommittee === undefined &&
    next !== undefined &&
    finalized !== undefined &&
    Clock.periodOf(network, finalized.beacon.slot) === Clock.periodOf(network, attested.beacon.slot)
  const hasQuorum = 3 * signed >= 2 * size && signed >= (options.finalityQuorum ?? 0)
  if (!hasQuorum || finalized === undefined) return Result.succeed(seen)
  const support = supportOf("Finalized", update, network)
  const known = isSigned(store.finalized, finalized) ? { ...seen, finalized: { ...store.finalized, support } } : seen
  const isFinal = finalized.beacon.slot > store.finalized.header.beacon.slot || bringsCommittee
  if (!isFinal) return Result.succeed(known)
  return Result.succeed({ ...apply(known, { header: finalized, support }, next, network), bestUpdate: undefined })
}

/**
 * Returns the refusal of an update that brings nothing new, or undefined if it is valid.
 *
 * An update of a period whose committee the store has forgotten has the refusal `period`, and may still be true.
 */
export const refusalOf = (
  store: LightClientStore,
  update: Update.AnyUpdate,
  options: LightClientStoreOptions
): RefutedError | undefined => updateCheck.refusalOf(store, update, options, { isOld: true })

/** True if the head is the reader's checkpoint, and members have now signed it as finalized. */
const isSigned = ({ header, support }: SupportedHeader, finalized: BeaconHeader.LightClientHeader): boolean =>
  support._tag === "Checkpoint" &&
  HashTreeRoot.beaconBlock(finalized.beacon) === HashTreeRoot.beaconBlock(header.beacon)

/**
 * Accepts the best update as finalized after a period without finality, as the protocol allows. Returns the same store
 * if that time has not passed, or if there is no update.
 *
 * This gives up finality. The support of the new finalized header is `Forced`, because fewer than two thirds signed, or
 * the update proves no finalized header.
 */
export const force = (store: LightClientStore, currentSlot: bigint, network: Network.Network): LightClientStore => {
  const { bestUpdate } = store
  const finalizedSlot = store.finalized.header.beacon.slot
  if (bestUpdate === undefined || currentSlot <= finalizedSlot + Clock.slotsPerPeriod(network)) return store
  const { finalized, next } = UpdateParts.of(bestUpdate)
  const header =
    finalized !== undefined && finalized.beacon.slot > finalizedSlot ? finalized : bestUpdate.attestedHeader
  const head: SupportedHeader = { header, support: supportOf("Forced", bestUpdate, network) }
  return { ...apply(store, head, next, network), bestUpdate: undefined }
}

/** Returns the support that the signers of an update give. */
const supportOf = <Tag extends string>(
  tag: Tag,
  { attestedHeader, syncAggregate }: Update.AnyUpdate,
  network: Network.Network
): SignedSupport<Tag> => ({
  _tag: tag,
  signed: SyncCommittee.signers(syncAggregate).length,
  of: network.syncCommitteeSize,
  attestedSlot: attestedHeader.beacon.slot,
  bits: syncAggregate.syncCommitteeBits
})

/**
 * Moves the finalized header and the committees.
 *
 * While the next committee is unknown, a valid update is signed in the store's period, and so its headers are of that
 * period: no committee is ever skipped.
 */
const apply = (
  store: LightClientStore,
  head: SupportedHeader,
  next: SyncCommittee.SyncCommittee | undefined,
  network: Network.Network
): LightClientStore => {
  const storeSlot = store.finalized.header.beacon.slot
  const { slot } = head.header.beacon
  const heads = slot > storeSlot ? moved(store, head) : store
  if (store.nextSyncCommittee === undefined) return { ...heads, nextSyncCommittee: next }
  if (Clock.periodOf(network, slot) === Clock.periodOf(network, storeSlot)) return heads
  return {
    ...heads,
    currentSyncCommittee: store.nextSyncCommittee,
    nextSyncCommittee: next,
    previousMaxParticipants: store.currentMaxParticipants,
    currentMaxParticipants: 0
  }
}

const moved = (store: LightClientStore, finalized: SupportedHeader): LightClientStore => ({
  ...store,
  finalized,
  optimistic: finalized.header.beacon.slot > store.optimistic.header.beacon.slot ? finalized : store.optimistic
})
