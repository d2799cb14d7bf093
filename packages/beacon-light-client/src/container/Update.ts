/**
 * The containers that move a light client forward: the optimistic update, the finality update, and the update of a
 * period. A committee signs each.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"

import type * as BeaconHeader from "./BeaconHeader.ts"
import type * as SyncCommittee from "./SyncCommittee.ts"

/** A header that a committee signed. */
export interface OptimisticUpdate {
  readonly attestedHeader: BeaconHeader.LightClientHeader
  readonly syncAggregate: SyncCommittee.SyncAggregate
  /** Slot of the block with the signature. It is not signed: it selects the committee and the fork version. */
  readonly signatureSlot: bigint
}

/** A header that a committee signed, with the finalized header of its state. */
export interface FinalityUpdate extends OptimisticUpdate {
  readonly finalizedHeader: BeaconHeader.LightClientHeader
  readonly finalityBranch: ReadonlyArray<Hash32.Hash32>
}

/** A header that a committee signed, with the finalized header and the next committee of its state. */
export interface Update extends FinalityUpdate {
  readonly nextSyncCommittee: SyncCommittee.SyncCommittee
  readonly nextSyncCommitteeBranch: ReadonlyArray<Hash32.Hash32>
}

/** An update of any of the three kinds. */
export type AnyUpdate = OptimisticUpdate & Partial<FinalityUpdate> & Partial<Update>
