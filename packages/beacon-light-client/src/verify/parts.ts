/** The parts that an update may have in addition to the attested header. */
import type * as Header from "../container/Header.ts"
import type * as SyncCommittee from "../container/SyncCommittee.ts"
import type * as Update from "../container/Update.ts"
import * as Branch from "./branch.ts"

/** The finalized header and the next committee of an update. Each is undefined if the update has no branch for it. */
export interface Parts {
  readonly finalized: Header.LightClientHeader | undefined
  readonly next: SyncCommittee.SyncCommittee | undefined
}

/** Returns the parts of an update. An empty branch means that the part is missing. */
export const of = ({
  finalityBranch = [],
  finalizedHeader,
  nextSyncCommittee,
  nextSyncCommitteeBranch = []
}: Update.AnyUpdate): Parts => ({
  finalized: Branch.isEmpty(finalityBranch) ? undefined : finalizedHeader,
  next: Branch.isEmpty(nextSyncCommitteeBranch) ? undefined : nextSyncCommittee
})
