/**
 * The checks of an update against a store, the cheap ones first.
 *
 * Source: consensus-specs `specs/altair/light-client/sync-protocol.md`, `validate_light_client_update`.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as PlainHex from "@plumbline/codec/hex/PlainHex"
import type { RefutedError } from "@plumbline/verdict/RefutedError"

import type * as Bls from "../bls/Bls.ts"
import type * as BeaconHeader from "../container/BeaconHeader.ts"
import * as HashTreeRoot from "../container/HashTreeRoot.ts"
import * as SyncCommittee from "../container/SyncCommittee.ts"
import type * as Update from "../container/Update.ts"
import * as Clock from "../network/Clock.ts"
import * as GeneralizedIndex from "../network/GeneralizedIndex.ts"
import type * as Network from "../network/Network.ts"
import * as SigningDomain from "../network/SigningDomain.ts"
import { refuse } from "../refusal/LightClientCheck.ts"
import * as headerCheck from "./headerCheck.ts"
import * as MerkleBranch from "./merkleBranch.ts"
import * as UpdateParts from "./updateParts.ts"

/** The parts of a store that the checks of an update need. */
interface Store {
  readonly finalized: { readonly header: BeaconHeader.LightClientHeader }
  readonly currentSyncCommittee: SyncCommittee.SyncCommittee
  readonly nextSyncCommittee: SyncCommittee.SyncCommittee | undefined
}

interface Options {
  readonly network: Network.Network
  readonly currentSlot: bigint
  readonly bls: Bls.BlsEngine
}

type Step = (store: Store, update: Update.AnyUpdate, options: Options) => RefutedError | undefined

/**
 * Returns the first refusal of an update, or undefined if it is valid. With `isOld`, the update need not bring anything
 * new.
 */
export const refusalOf = (
  store: Store,
  update: Update.AnyUpdate,
  options: Options,
  { isOld = false }: { readonly isOld?: boolean } = {}
): RefutedError | undefined => {
  for (const step of STEPS) {
    const refusal = isOld && step === relevance ? undefined : step(store, update, options)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

const slots: Step = (_, update, { currentSlot }) => {
  const { attestedHeader, finalizedHeader, signatureSlot, syncAggregate } = update
  const { slot } = attestedHeader.beacon
  const finalizedSlot = finalizedHeader?.beacon.slot ?? 0n
  if (SyncCommittee.signers(syncAggregate).length === 0) {
    return refuse("participation", "at least 1 signer", "none", "Update.syncAggregate")
  }
  if (signatureSlot > currentSlot) {
    return refuse("future-slot", `at most slot ${currentSlot}`, `slot ${signatureSlot}`, "Update.signatureSlot")
  }
  if (signatureSlot <= slot) {
    return refuse("slot-order", `after slot ${slot}`, `slot ${signatureSlot}`, "Update.signatureSlot")
  }
  return slot < finalizedSlot
    ? refuse("slot-order", `from slot ${finalizedSlot} on`, `slot ${slot}`, "Update.attestedHeader")
    : undefined
}

const period: Step = (store, { signatureSlot }, { network }) => {
  const known = Clock.periodOf(network, store.finalized.header.beacon.slot)
  const got = Clock.periodOf(network, signatureSlot)
  const hasNext = store.nextSyncCommittee !== undefined
  if (got === known || (hasNext && got === known + 1n)) return undefined
  const expected = hasNext ? `period ${known} or ${known + 1n}` : `period ${known}`
  return refuse("period", expected, `period ${got}`, "Update.signatureSlot")
}

const relevance: Step = (store, update, { network }) => {
  const { slot } = update.attestedHeader.beacon
  const finalizedSlot = store.finalized.header.beacon.slot
  if (slot > finalizedSlot) return undefined
  const bringsCommittee =
    store.nextSyncCommittee === undefined &&
    UpdateParts.of(update).next !== undefined &&
    Clock.periodOf(network, slot) === Clock.periodOf(network, finalizedSlot)
  return bringsCommittee
    ? undefined
    : refuse("relevance", `after slot ${finalizedSlot}`, `slot ${slot}`, "Update.attestedHeader")
}

const attested: Step = (_, { attestedHeader }, { network }) =>
  headerCheck.refusalOf(network, attestedHeader, "Update.attestedHeader")

const finality: Step = (_, update, { network }) => {
  const { finalizedHeader } = update
  if (finalizedHeader === undefined) return undefined
  const subject = "Update.finalizedHeader"
  const isEmpty = headerCheck.isEmpty(finalizedHeader)
  if (UpdateParts.of(update).finalized === undefined) {
    return isEmpty
      ? undefined
      : refuse("finality-branch", "no header, because the branch is empty", "a header", subject)
  }
  // a chain that has not finalized a block yet has a zero root in its state
  const isGenesis = finalizedHeader.beacon.slot === 0n
  if (isGenesis && !isEmpty) return refuse("finality-branch", "no header at genesis", "a header", subject)
  const refusal = isGenesis ? undefined : headerCheck.refusalOf(network, finalizedHeader, subject)
  if (refusal !== undefined) return refusal
  const leaf = isGenesis ? Hash32.ZERO : HashTreeRoot.beaconBlock(finalizedHeader.beacon)
  return underState(update, network, "finalizedRoot", leaf, update.finalityBranch, subject)
}

const nextCommittee: Step = (store, update, { network }) => {
  const { nextSyncCommittee, nextSyncCommitteeBranch } = update
  if (nextSyncCommittee === undefined) return undefined
  const subject = "Update.nextSyncCommittee"
  if (UpdateParts.of(update).next === undefined) {
    const isEmpty = [nextSyncCommittee.pubkeys, nextSyncCommittee.aggregatePubkey].every((bytes) =>
      bytes.every((byte) => byte === 0)
    )
    return isEmpty
      ? undefined
      : refuse("next-committee-branch", "no committee, because the branch is empty", "a committee", subject)
  }
  const root = HashTreeRoot.syncCommittee(nextSyncCommittee)
  const isKnown =
    store.nextSyncCommittee !== undefined &&
    Clock.periodOf(network, update.attestedHeader.beacon.slot) ===
      Clock.periodOf(network, store.finalized.header.beacon.slot)
  const known = isKnown ? HashTreeRoot.syncCommittee(store.nextSyncCommittee) : root
  if (known !== root) return refuse("next-committee-changed", known, root, subject)
  return underState(update, network, "nextSyncCommittee", root, nextSyncCommitteeBranch, subject)
}

/** Returns the refusal of a leaf that is not under the attested state root. */
const underState = (
  { attestedHeader: { beacon } }: Update.AnyUpdate,
  network: Network.Network,
  leaf: "finalizedRoot" | "nextSyncCommittee",
  node: Hash32.Hash32,
  branch: ReadonlyArray<Hash32.Hash32> = [],
  subject: string
): RefutedError | undefined => {
  const index = GeneralizedIndex.at(leaf, Clock.forkAt(network, beacon.slot)!)!
  const got = MerkleBranch.rootOf(node, branch, index)
  const check = leaf === "finalizedRoot" ? "finality-branch" : "next-committee-branch"
  return got === beacon.stateRoot ? undefined : refuse(check, beacon.stateRoot, got, subject)
}

const signature: Step = (store, update, { bls, network }) => {
  const { attestedHeader, signatureSlot, syncAggregate } = update
  const isCurrent =
    Clock.periodOf(network, signatureSlot) === Clock.periodOf(network, store.finalized.header.beacon.slot)
  const committee = isCurrent ? store.currentSyncCommittee : store.nextSyncCommittee!
  const message = SigningDomain.signingRoot(network, HashTreeRoot.beaconBlock(attestedHeader.beacon), signatureSlot)!
  const signers = SyncCommittee.signers(syncAggregate)
  const bytes = PlainHex.toBytesUnsafe(syncAggregate.syncCommitteeSignature)
  if (bls.verify({ committee, signers, message, signature: bytes })) return undefined
  const expected = `a signature of ${PlainHex.fromBytes(message)} by ${signers.length} members`
  return refuse("signature", expected, syncAggregate.syncCommitteeSignature, "Update.syncAggregate")
}

const STEPS: ReadonlyArray<Step> = [slots, period, relevance, attested, finality, nextCommittee, signature]
