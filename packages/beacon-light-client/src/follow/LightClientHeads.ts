/** The heads that a light client follows, and the trust behind the heads. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"

import * as BeaconHeader from "../container/BeaconHeader.ts"
import * as HashTreeRoot from "../container/HashTreeRoot.ts"
import * as Clock from "../network/Clock.ts"
import type * as Network from "../network/Network.ts"
import type * as LightClientStore from "../verify/LightClientStore.ts"

/** A head, with the signatures that support it. */
export interface FollowedHead {
  readonly header: BeaconHeader.LightClientHeader
  /** The signatures behind the header. */
  readonly support: LightClientStore.HeaderSupport
  /** The root of the beacon block. */
  readonly beaconRoot: Hash32.Hash32
  /** The hash of the execution block that the header names; undefined for blocks before Capella. */
  readonly blockHash: Hash32.Hash32 | undefined
  /** The name of the beacon node that sent the head, or `store`. The node is not trusted. */
  readonly by: string
}

/** The checkpoint from which the light client started. */
export interface Checkpoint {
  /** The root of the beacon block that the reader named as the checkpoint. */
  readonly root: Hash32.Hash32
  /** The time at which a light client first started from this checkpoint, in milliseconds since 1970. */
  readonly givenAt: number
}

/** The heads of a light client at one time. */
export interface LightClientHeads {
  readonly checkpoint: Checkpoint
  readonly finalized: FollowedHead
  /** The optimistic head. It is never older than the finalized head, and can be reorganised. */
  readonly optimistic: FollowedHead
  /** The sync committee period of the finalized head. */
  readonly period: bigint
  /** True if the committee of the next period is known. */
  readonly knowsNextCommittee: boolean
}

/**
 * Returns the age of a head's slot, in milliseconds. It is 0 for a slot that has not begun.
 *
 * Use the age of the finalized head to judge the trust: validators that have left since that head can sign another
 * history.
 */
export const ageOf = (network: Network.Network, head: Pick<FollowedHead, "header">, nowMillis: number): number =>
  Math.max(0, nowMillis - 1000 * Number(Clock.timeOf(network, head.header.beacon.slot)))

/** Returns a head of a store. */
export const headOf = ({ header, support }: LightClientStore.SupportedHeader, by: string): FollowedHead => ({
  header,
  support,
  beaconRoot: HashTreeRoot.beaconBlock(header.beacon),
  blockHash: BeaconHeader.blockHash(header),
  by
})
