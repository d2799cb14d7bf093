/** The parts that an update may have in addition to the attested header. */
import type * as BeaconHeader from "../container/BeaconHeader.ts"
import type * as SyncCommittee from "../container/SyncCommittee.ts"
import type * as Update from "../container/Update.ts"
import * as MerkleBranch from "./merkleBranch.ts"

/** The finalized header and the next committee of an update. Each is undefined if the update has no branch for it. */
export interface UpdateParts {
  readonly finalized: BeaconHeader.LightClientHeader | undefined
  readonly next: SyncCommittee.SyncCommittee | undefined
}

/** Returns the parts of an update. An empty branch means that the part is missing. */
export const of = ({
  finalityBranch = [],
  finalizedHeader,
  nextSyncCommittee,
  nextSyncCommitteeBranch = []
}: Update.AnyUpdate): UpdateParts => ({
  finalized: MerkleBranch.isEmpty(finalityBranch) ? undefined : finalizedHeader,
  next: MerkleBranch.isEmpty(nextSyncCommitteeBranch) ? undefined : nextSyncCommittee
})
