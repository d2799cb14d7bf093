/** The container that starts a light client from a checkpoint: a header with the committee of its period. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"

import type * as BeaconHeader from "./BeaconHeader.ts"
import type * as SyncCommittee from "./SyncCommittee.ts"

/** The answer of a beacon node to a checkpoint. Only the checkpoint makes its content trusted. */
export interface Bootstrap {
  readonly header: BeaconHeader.LightClientHeader
  readonly currentSyncCommittee: SyncCommittee.SyncCommittee
  readonly currentSyncCommitteeBranch: ReadonlyArray<Hash32.Hash32>
}
