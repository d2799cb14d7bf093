/**
 * Follows the logs that a filter selects, from a block on: each log once, in order, across reorganisations and restarts.
 *
 * **When to use**
 *
 * For a program that acts on events, such as a bridge or an indexer. A page proves that no log is missing, so an event
 * can neither be forged nor withheld. To read a range that has an end, use `LogRange`.
 *
 * **Details**
 *
 * Each item has a cursor, a plain JSON value. Store it together with the effect of the item: a watch that begins with it
 * goes on behind this item, if its filter is the same. After a reorganisation the watch first tells the blocks that are no longer on the chain,
 * newest first, then the logs in their place.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { Evidence } from "@plumbline/verdict/Evidence"
import type { Reason } from "@plumbline/verdict/Reason"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import * as Input from "../model/Input.ts"
import type * as Log from "../model/Log.ts"
import type * as LogFilter from "../model/LogFilter.ts"
import * as EthReason from "../proof/EthReason.ts"
import * as LogRange from "./LogRange.ts"
import * as OnlyProven from "./OnlyProven.ts"
import * as PageSize from "./pageSize.ts"
import type * as VerdictEthClient from "./VerdictEthClient.ts"

/** Maximum number of blocks in a cursor. */
export const MAX_BLOCKS = 1024

/** Number of blocks without logs that a cursor keeps. */
const SPACES = 8

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const CursorBlock = Schema.Struct({
  number: Count,
  hash: Input.Hash32,
  /** The number of logs of this block that were told. */
  told: Count,
  /** False if further logs of this block may follow. */
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
  /** Blocks whose logs were told, oldest first. The last one is the newest block that was read. */
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
  .annotate({ identifier: "LogCursor" })
/** See the Schema of the same name. */
export type Cursor = typeof Cursor.Type

/** Returns the cursor of a watch that begins with this block. */
export const start = (from: bigint): Cursor => ({ from: Number(from), parent: null, blocks: [] })

/** A block by its number and hash. */
export interface WatchedBlock {
  readonly number: bigint
  readonly hash: Hash32.Hash32
}

/** An item of a watch, with the cursor behind it. */
export type LogItem =
  /** A log on the chain. */
  | { readonly _tag: "Log"; readonly log: Log.Log; readonly cursor: Cursor }
  /** A block that is no longer on the chain. The logs of it that were told, `logs` in number, are void. */
  | { readonly _tag: "Removed"; readonly block: WatchedBlock; readonly logs: number; readonly cursor: Cursor }
  /**
   * All logs up to this block were told. `proven` is the evidence of those since the last item of this kind: it has
   * `LogsRepaired` if the node's own logs were wrong.
   */
  | {
      readonly _tag: "Reached"
      readonly block: WatchedBlock
      readonly proven: ReadonlyArray<Evidence>
      readonly cursor: Cursor
    }

/** The items of one read, and the cursor behind them. */
interface Part {
  readonly items: Iterable<LogItem>
  readonly next: Cursor
}

/** Number of times in a row that a read is tried again because the node lacks a block. */
const LACKS = 16

/** Number of items that are made at a time: each has a cursor of its own. */
const CHUNK = 64

/** The chain was reorganised below all blocks of the cursor, which are `depth` or more blocks old. */
export class DeepReorgError extends Data.TaggedError("DeepReorgError")<{
  /** The number of the block that is another one now. */
  readonly number: bigint
}> {
  override get message(): string {
    return `block ${this.number} is another one now, and the cursor does not reach below it. Begin again at a block that you know`
  }
}

/** The reads that a watch needs. */
export type WatchClient = Pick<VerdictEthClient.Client, "getLogs" | "getBlockByNumber">

/** The place to begin, the head to follow, and the pace. */
export interface LogWatchOptions {
  /** Begins behind an item of an earlier watch, or at a block (`start`). */
  readonly cursor: Cursor
  /** The newest block to read. Default: `latest`. With `finalized`, nothing is ever removed. */
  readonly head?: Extract<BlockParameter.Tag, "latest" | "safe" | "finalized"> | undefined
  /** The wait for a new block, and before a failed read is tried again. Default: 4 seconds. */
  readonly pollInterval?: Duration.Input | undefined
  /** Maximum number of blocks of one read, at least 1. Default: 1024. */
  readonly pageBlocks?: number | undefined
  /** Number of blocks that a reorganisation can replace, at most 1024. A cursor has at most this many blocks. Default: 128. */
  readonly depth?: number | undefined
}

/** The defaults of the options. */
export const defaults: {
  readonly head: "latest"
  readonly pollInterval: Duration.Input
  readonly pageBlocks: number
  readonly depth: number
} = {
  head: "latest",
  pollInterval: "4 seconds",
  pageBlocks: LogRange.defaults.pageBlocks,
  depth: 128
}

/** The errors of a watch. */
export type LogWatchError = LogRange.LogRangeError | DeepReorgError

/**
 * Follows the logs that a filter selects. Does not end by itself.
 *
 * Reads that fail with a `retryable` error are tried again. So are those for which the node lacks a block or its
 * receipts, 16 times in a row: it may be behind, or move to another branch. Fails with `RefutedError` if the node lies,
 * with `UnprovenError` if no proof leads to the head or to a page, with `JsonRpcError` if a read fails otherwise, and
 * with `DeepReorgError`.
 *
 * ```ts import.meta.vitest
 * import { LogWatch, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, { call: () => Effect.succeed(null), callAll: () => Effect.succeed([]) })
 * const client = VerdictEthClient.layer().pipe(Layer.provide([node, TrustedBlock.layerNone()]))
 * const program = VerdictEthClient.VerdictEthClient.use((eth) =>
 *   Stream.runDrain(LogWatch.watch(eth, {}, { cursor: LogWatch.start(1n), pollInterval: "1 millis" }))
 * )
 * // the node knows no block, so there is no head to follow
 * const failure = await Effect.runPromise(Effect.flip(Effect.provide(program, client)))
 * failure._tag // => "UnprovenError"
 * ```
 */
export const watch = (
  client: WatchClient,
  selection: LogFilter.Selection,
  options: LogWatchOptions
): Stream.Stream<LogItem, LogWatchError> => {
  const { depth = defaults.depth, head: tag = defaults.head, pageBlocks = defaults.pageBlocks } = options
  const interval = options.pollInterval ?? defaults.pollInterval
  const kept = Math.min(Math.max(depth, 1), MAX_BLOCKS)
  const size = PageSize.sizeOf(pageBlocks)

  const blockAt = (block: BlockParameter.NumberOrTag): Effect.Effect<WatchedBlock, LogWatchError> =>
    Effect.flatMap(client.getBlockByNumber(block), (verdict) => {
      const found = headerOf(verdict)
      return found === undefined
        ? Effect.fail(new UnprovenError({ subject: "eth_getBlockByNumber", claims: verdict.claimed }))
        : Effect.succeed(found)
    })

  /** Reads the next part. Without news, waits. */
  const step = Effect.fnUntraced(function* (cursor: Cursor): Effect.fn.Return<Part, LogWatchError> {
    const last = cursor.blocks.at(-1)
    const head = yield* blockAt(tag)
    // the last block is read again if some of its logs were not told
    const isPartial = last?.whole === false
    const from = BigInt(last === undefined ? cursor.from : isPartial ? last.number : last.number + 1)
    if (head.number < from) {
      if (last !== undefined && head.number === BigInt(last.number) && !Hex.equals(head.hash, last.hash)) {
        return removed(cursor)
      }
      yield* Effect.sleep(interval)
      return { items: [], next: cursor }
    }
    const end = from + (isPartial ? 1n : size) - 1n
    const { linked, logs, to } = yield* LogRange.page(client, selection, from, end < head.number ? end : head.number)
    const outcome = OnlyProven.from(logs)
    if (outcome._tag === "Unproven" || linked === undefined) {
      return yield* new UnprovenError({ subject: "eth_getLogs", claims: logs.claimed })
    }
    if (isPartial && !Hex.equals(linked.hash, last.hash)) return removed(cursor)
    const before = isPartial ? undefined : (last?.hash ?? cursor.parent ?? undefined)
    if (before !== undefined && !Hex.equals(linked.parent, before)) {
      if (last !== undefined) return removed(cursor)
      return yield* new DeepReorgError({ number: from - 1n })
    }
    const told = isPartial ? outcome.value.slice(last.told) : outcome.value
    const reached = { number: to, hash: linked.hash }
    let next = cursor
    for (const [log, count] of countsOf(told)) next = behind(next, placeOf(log), count, false)
    next = behind(next, reached, 0, true)
    return {
      items: itemsOf(cursor, told, { _tag: "Reached", block: reached, proven: logs.proven, cursor: next }),
      next
    }
  })

  /** Tells logs one after the other, and then the last item. A cursor is made when its item is taken. */
  function* itemsOf(cursor: Cursor, logs: ReadonlyArray<Log.Log>, end: LogItem): Generator<LogItem> {
    let at = cursor
    for (const log of logs) {
      at = behind(at, placeOf(log), 1, false)
      yield { _tag: "Log", log, cursor: at }
    }
    yield end
  }

  /** Returns the cursor behind more logs of a block. */
  const behind = (cursor: Cursor, block: WatchedBlock, more: number, whole: boolean): Cursor => {
    const number = Number(block.number)
    const last = cursor.blocks.at(-1)
    const isSame = last?.number === number
    const told = (isSame ? last.told : 0) + more
    const older = cursor.blocks.slice(0, isSame ? -1 : undefined)
    const left = older.at(-1)
    if (left !== undefined) {
      // of blocks without logs some are kept, so that not all is read again after a reorganisation
      const isNear = left.number - (older.at(-2)?.number ?? cursor.from - 1) < kept / SPACES
      older.splice(-1, 1, ...(left.told === 0 && isNear ? [] : [{ ...left, whole: true }]))
    }
    const blocks = [...older, { number, hash: block.hash, told, whole }]
    const dropped = blocks.findLastIndex((one) => one.number <= number - kept)
    if (dropped < 0) return { ...cursor, blocks }
    const { hash, number: final } = blocks[dropped]!
    return { from: final + 1, parent: hash, blocks: blocks.slice(dropped + 1) }
  }

  const trying = (cursor: Cursor) =>
    Effect.suspend(() => {
      let lacks = 0
      return Effect.retry(step(cursor), {
        while: (error) =>
          error._tag === "JsonRpcError"
            ? error.retryable
            : error._tag === "UnprovenError" && isLack(error) && lacks++ < LACKS,
        schedule: Schedule.spaced(interval)
      })
    })

  return Stream.paginate(options.cursor, (cursor) =>
    Effect.map(trying(cursor), ({ items, next }) => [[items], Option.some(next)] as const)
  ).pipe(
    Stream.flatMap((items) => Stream.fromIterable(items, { chunkSize: CHUNK })),
    Stream.filter((item) => item._tag !== "Removed" || item.logs > 0)
  )
}

/** True if the node lacks a block or its receipts: it may be behind, or may have moved to another branch. */
const isLack = ({ claims }: UnprovenError): boolean => claims.some(({ reason }) => isOfLack(reason))

const isOfLack = (reason: Reason): boolean =>
  EthReason.LogsOfBlock.is(reason) || EthReason.NotOnChain.is(reason)
    ? isOfLack(reason.cause)
    : EthReason.LogsMayBe.is(reason)
      ? reason.cause === undefined
      : LACKING.some((kind) => kind.is(reason))

const LACKING = [
  EthReason.BlockUnknown,
  EthReason.TrustedBlockUnknown,
  EthReason.AncestorUnknown,
  EthReason.ParentUnknown
] as const

/** Removes the last block of a cursor, which is no longer on the chain. */
const removed = ({ blocks, ...cursor }: Cursor): Part => {
  const { hash, number, told } = blocks.at(-1)!
  const next = { ...cursor, blocks: blocks.slice(0, -1) }
  const block = { number: BigInt(number), hash: Hash32.fromHexUnsafe(hash) }
  return { items: [{ _tag: "Removed", block, logs: told, cursor: next }], next }
}

const headerOf = (verdict: Verdict<Block.WithHashes | null>): WatchedBlock | undefined => {
  const isSure = verdict._tag === "VERIFIED" || verdict.anchor?.accepted === true
  const { hash = null, number = null } = verdict.value ?? {}
  return isSure && hash !== null && number !== null ? { number, hash } : undefined
}

/** Returns the place of a proven log. */
const placeOf = ({ blockHash, blockNumber }: Log.Log): WatchedBlock => ({ number: blockNumber!, hash: blockHash! })

/** Returns the first log of each block, with the number of its logs. The logs of a block stand together. */
const countsOf = (logs: ReadonlyArray<Log.Log>): ReadonlyArray<readonly [Log.Log, number]> =>
  [...Map.groupBy(logs, ({ blockNumber }) => blockNumber).values()].map((some) => [some[0]!, some.length] as const)
