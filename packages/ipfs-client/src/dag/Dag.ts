/**
 * Reads values in blocks of any codec, and follows paths through them, as dag/get and dag/resolve do. Each block is
 * checked.
 *
 * A path goes through maps by key, through lists by index, through links to the block behind them, and through the
 * directories of UnixFS by name.
 */
import * as Effect from "effect/Effect"

import type * as BlockSource from "../block/BlockSource.ts"
import type { NoSuchEntry } from "../block/DagError.ts"
import type * as Cid from "../cid/Cid.ts"
import * as DagCodec from "../codec/DagCodec.ts"
import type * as UnixFs from "../unixfs/UnixFs.ts"
import * as DagPath from "./path.ts"

export type { Resolved } from "./path.ts"

/**
 * Returns the value at the end of a path. A link at the end of a path is followed, as Kubo does; a block that consists
 * only of a link is returned as that link.
 *
 * Fails with `NoSuchEntry` if the path names nothing in a checked block, with `LimitExceeded` when it leads through
 * more than `maxDepth` links, and with `UnixFs.ReadError`.
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
  options: UnixFs.Options = {}
): Effect.Effect<DagPath.Resolved, E | UnixFs.ReadError | NoSuchEntry, R> =>
  Effect.map(DagPath.resolve(source, cid, path, options), ({ value, ...place }) => ({
    ...place,
    value: DagCodec.plain(value)
  }))
