/**
 * The parts that `HeadWatch` and `LogWatch` share: the cursor, the standing of an item, and the options.
 *
 * A watch reads a chain from a block on, tells each thing once and in order, and takes back what a reorganisation removes.
 * Its cursor is a plain JSON value, from which a program goes on after a restart.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as Anchor from "@plumbline/verdict/Anchor"
import type { Reason } from "@plumbline/verdict/Reason"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

import type * as BlockParameter from "../model/BlockParameter.ts"
import * as Input from "../model/Input.ts"

/** Maximum number of blocks in a cursor. */
export const MAX_BLOCKS = 1024

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const CursorBlock = Schema.Struct({
  number: Count,
  hash: Input.Hash32,
  /** The number of things of this block that were told: its logs, or 1 for the block itself. */
  told: Count,
  /** False if more things of this block may follow. */
  whole: Schema.Boolean
})

/**
 * The place of a watch: what was told, and of which blocks. A cursor in JSON is itself; decode a stored one with this
 * Schema.
 *
 * ```ts import.meta.vitest
 * import { LogWatch } from "@plumbline/eth-methods"
 * import { Schema } from "effect"
 *
 * const stored = JSON.stringify(LogWatch.start(19_000_000n))
 * Schema.decodeUnknownSync(LogWatch.Cursor)(JSON.parse(stored)) // => LogWatch.start(19_000_000n)
 * ```
 */
export const Cursor = Schema.Struct({
  /** The first block of the watch, or the first one that a reorganisation can still replace. */
  from: Count,
  /** The hash of the block before it; null if the watch begins there. */
  parent: Schema.NullOr(Input.Hash32),
  /** Blocks of which something was told, oldest first. The last one is the newest block that was read. */
  blocks: Schema.Array(CursorBlock).check(Schema.isMaxLength(MAX_BLOCKS))
})
  .check(
    Schema.makeFilter(
      ({ blocks, from }) =>
        blocks.every(
          ({ number, whole }, at) =>
            number >= (blocks[at - 1]?.number ?? from - 1) + 1 && (whole || at === blocks.length - 1)
        ),
      { expected: "blocks in their order, from the first one on, of which only the last may be told in part" }
    )
  )
  .annotate({ identifier: "WatchCursor" })
/** See the Schema of the same name. */
export type Cursor = typeof Cursor.Type

/** Returns the cursor of a watch that begins with this block. */
export const start = (from: bigint): Cursor => ({ from: Number(from), parent: null, blocks: [] })

/** A block by its number and hash. */
export interface WatchedBlock {
  readonly number: bigint
  readonly hash: Hash32.Hash32
}

/**
 * The proof behind an item: VERIFIED from the anchor, or CLAIMED if the anchor is the word of nodes that the reader accepts
 * by name. The anchor of a light client says if the block that proves the item is finalized or optimistic.
 */
export interface WatchStanding {
  readonly verdict: Verdict<unknown>["_tag"]
  readonly anchor: Anchor.Anchor | Anchor.WeakAnchor
}

/** The chain was reorganised below all blocks of the cursor, which are `depth` or more blocks old, or finalized. */
export class DeepReorgError extends Data.TaggedError("DeepReorgError")<{
  /** The number of the block that is another one now. */
  readonly number: bigint
}> {
  override get message(): string {
    return `block ${this.number} is another one now, and the cursor does not reach below it. Begin again at a block that you know`
  }
}

/** The errors of a watch. */
export type ChainWatchError = JsonRpcError | RefutedError | UnprovenError | DeepReorgError

/** The place to begin, the head to follow, and the pace. */
export interface ChainWatchOptions {
  /** Begins behind an item of an earlier watch, or at a block (`start`). */
  readonly cursor: Cursor
  /** The newest block to read. Default: `latest`. With `finalized`, nothing is ever removed. */
  readonly head?: Extract<BlockParameter.Tag, "latest" | "safe" | "finalized"> | undefined
  /** The wait for a new block, and before a failed read is tried again. Default: 4 seconds. */
  readonly pollInterval?: Duration.Input | undefined
  /**
   * Number of blocks that a reorganisation can replace, a whole number from 1 to 1024. Default: 128. A cursor has at most
   * this many blocks, and only the newest one if a light client's anchor says that it is finalized.
   */
  readonly depth?: number | undefined
  /** Maximum number of times in a row that a read is tried again because the node lacks a block. Default: 16. */
  readonly maxLacks?: number | undefined
  /**
   * True for a reason that time changes, such as a head that is too old by the clock. A read that such a reason leaves
   * unproven is tried again without end. Default: none.
   */
  readonly isPassing?: ((reason: Reason) => boolean) | undefined
  /** True for an error of a node that time may remove. Such a read is tried again. Default: a `retryable` one. */
  readonly isPassingError?: ((error: JsonRpcError) => boolean) | undefined
  /** Runs before a failed read is tried again. */
  readonly onRetry?: ((error: ChainWatchError) => Effect.Effect<void>) | undefined
  /** Runs after each read that succeeded, even without news, and before its items are told. */
  readonly onRead?: Effect.Effect<void> | undefined
}

/** The defaults of the options. */
export const defaults: {
  readonly head: "latest"
  readonly pollInterval: Duration.Input
  readonly depth: number
  readonly maxLacks: number
} = { head: "latest", pollInterval: "4 seconds", depth: 128, maxLacks: 16 }
