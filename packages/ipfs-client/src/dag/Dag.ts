/**
 * Reads values in blocks of any codec, follows paths through them, as dag/get and dag/resolve do, and walks whole DAGs.
 * Each block is checked.
 *
 * A path goes through maps by key, through lists by index, through links to the block behind them, and through the
 * directories of UnixFS by name.
 */
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

import type * as BlockSource from "../block/BlockSource.ts"
import type { LimitExceeded, MalformedBlock, NoSuchEntry } from "../block/DagError.ts"
import type * as Cid from "../cid/Cid.ts"
import * as IpldValue from "../codec/ipldValue.ts"
import type * as UnixFs from "../unixfs/UnixFs.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"
import * as DagPath from "./dagPath.ts"
import * as DagWalk from "./dagWalk.ts"

export type { ResolvedValue } from "./dagPath.ts"
export type { WalkLink, WalkOptions, WalkStep } from "./dagWalk.ts"

/**
 * Returns the value at the end of a path. A link at the end of a path is followed, as Kubo does; a block that consists
 * only of a link is returned as that link.
 *
 * Fails with `NoSuchEntry` if a checked block lacks the next name of the path, with `LimitExceeded` if the path follows
 * more than `maxDepth` links, and with `UnixFs.UnixFsReadError`.
 *
 * ```ts import.meta.vitest
 * import { Block, BlockSource, Dag } from "@plumbline/ipfs-client"
 * import { Effect, Result } from "effect"
 *
 * // {"a": [7]} in dag-cbor
 * const bytes = Uint8Array.of(0xa1, 0x61, 0x61, 0x81, 7)
 * const cid = Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, bytes))
 * const source = BlockSource.fromBlocks([{ cid, bytes }])
 * const { rest, value } = await Effect.runPromise(Dag.resolve(source, cid, ["a", "0"]))
 * value // => 7
 * rest // => ["a", "0"]
 * ```
 */
export const resolve = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  path: ReadonlyArray<string>,
  options: UnixFs.UnixFsOptions = {}
): Effect.Effect<DagPath.ResolvedValue, E | UnixFs.UnixFsReadError | NoSuchEntry, R> =>
  Effect.flatMap(DagPath.resolve(source, cid, path, options), ({ value, ...place }) =>
    Effect.map(
      WorkScheduler.run(() => IpldValue.plainSteps(value)),
      (value) => ({ ...place, value })
    )
  )

/**
 * Streams the blocks of a DAG from the root down, depth first, each with its links, and with the place of each link in
 * the bytes of the block.
 *
 * **When to use**: to draw a DAG, or to find the block that breaks it. To read content, use `UnixFs`.
 *
 * Each block is emitted once, even if several blocks link to it. The walk loads blocks only as its reader takes them,
 * so `Stream.take` limits it without an error. A block with a codec that `Block.codecs` lacks is a leaf. At the first
 * block that does not match its CID, the walk emits the steps before that block, and then fails with `RefutedError` or
 * `UnprovenError`. The walk also fails with `MalformedBlock`, and with `LimitExceeded` beyond `maxDepth` (32) or
 * `maxBlocks`.
 *
 * ```ts import.meta.vitest
 * import { Block, BlockSource, Cid, Dag, DagCodec } from "@plumbline/ipfs-client"
 * import { Effect, Result, Stream } from "effect"
 *
 * const block = (code: number, bytes: Uint8Array) => ({ cid: Result.getOrThrow(Block.cidOf(code, bytes)), bytes })
 * const leaf = block(Block.RAW, Uint8Array.of(1, 2))
 * const root = block(Block.DAG_CBOR, Result.getOrThrow(DagCodec.encode("dag-cbor", { leaf: leaf.cid })))
 * const walk = Dag.walk(BlockSource.fromBlocks([leaf, root]), root.cid)
 * const [first, second] = await Effect.runPromise(Stream.runCollect(walk))
 * first.codec // => "dag-cbor"
 * first.links[0].inBlock // => { offset: 15, length: 32 }
 * second.parent.link // => 0
 * ```
 */
export const walk = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  options: DagWalk.WalkOptions = {}
): Stream.Stream<DagWalk.WalkStep, E | RefutedError | UnprovenError | MalformedBlock | LimitExceeded, R> =>
  DagWalk.walk(source, cid, options)
