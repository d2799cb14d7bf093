/** The parts that an update may have in addition to the attested header. */
import type * as Header from "../container/Header.ts"
import type * as SyncCommittee from "../container/SyncCommittee.ts"
import type * as Update from "../container/Update.ts"
import * as Branch from "./branch.ts"

/** The finalized header and the next committee of an update, undefined where it has no branch for them. */
export interface Parts {
  readonly finalized: Header.LightClientHeader | undefined
  readonly next: SyncCommittee.SyncCommittee | undefined
}

/** Returns the parts. An empty branch says that the part is not there. */
export const of = ({
  finalityBranch = [],
  finalizedHeader,
  nextSyncCommittee,
  nextSyncCommitteeBranch = []
}: Update.AnyUpdate): Parts => ({
  finalized: Branch.isEmpty(finalityBranch) ? undefined : finalizedHeader,
  next: Branch.isEmpty(nextSyncCommitteeBranch) ? undefined : nextSyncCommittee
})
