/** The alarm of a light client: two valid updates that cannot both belong to one honest chain. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { RefutedError } from "@plumbline/verdict/RefutedError"

import type * as Update from "../container/Update.ts"

/** One side of a conflict. */
export interface ConflictSide {
  /** The root of the finalized block or of the next committee, according to this side. */
  readonly root: Hash32.Hash32
  /** The name of the beacon node that sent this side, or `store`. */
  readonly by: string
  /** The signed update, as evidence. It is undefined for a side that came from the store or with a bootstrap. */
  readonly update: Update.AnyUpdate | undefined
}

/**
 * Two valid updates that contradict each other. More than half of a committee lied, or the checkpoint is on an abandoned
 * chain.
 */
export interface Conflict {
  /** The subject of the contradiction: the finalized block of one slot, or the committee of the next period. */
  readonly about: "finalized" | "next-committee"
  /** The slot of the finalized block, or a slot of the period before the committee's period. */
  readonly slot: bigint
  readonly known: ConflictSide
  readonly other: ConflictSide
  /** The error with which every read fails after the conflict; its check is `conflict`. */
  readonly refuted: RefutedError
}
