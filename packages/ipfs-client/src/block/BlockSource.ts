/**
 * A source of blocks, such as a node's block/get, a folder, a CAR or a map in memory.
 *
 * A source is not trusted: the reader checks each block against its CID.
 */
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"

import * as Cid from "../cid/Cid.ts"
import * as Multihash from "../cid/Multihash.ts"
import * as Block from "./Block.ts"
import { MissingBlocks } from "./DagError.ts"

/** Returns the bytes that the source has for a CID. */
export type BlockSource<out E = never, out R = never> = (cid: Cid.Cid) => Effect.Effect<Uint8Array, E, R>

/**
 * Returns a checked block of the source. Fails with `RefutedError`, `UnprovenError` or the source's own errors. If the CID itself
 * contains the data (identity hash), the source is not asked.
 *
 * ```ts import.meta.vitest
 * import { BlockSource, Cid } from "@plumbline/ipfs-client"
 * import { Effect } from "effect"
 *
 * const cid = Cid.fromTextUnsafe("bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq")
 * const liar: BlockSource.BlockSource = () => Effect.succeed(new TextEncoder().encode("bye"))
 * const refused = await Effect.runPromise(Effect.flip(BlockSource.get(liar, cid)))
 * refused._tag // => "RefutedError"
 * ```
 */
export const get = <E, R>(
  source: BlockSource<E, R>,
  cid: Cid.Cid,
  options?: Block.BlockOptions
): Effect.Effect<Block.Block, E | RefutedError | UnprovenError, R> => {
  const inlined = Multihash.inlined(cid)
  if (inlined !== undefined) return Effect.fromResult(Block.check(cid, inlined, options))
  return Effect.flatMap(source(cid), (bytes) => Block.checkEffect(cid, bytes, options))
}

/**
 * Makes a source of these blocks in memory. The source finds blocks by their multihash, so the version of a CID does
 * not matter. It fails with `MissingBlocks` for any other block.
 *
 * ```ts import.meta.vitest
 * import { Block, BlockSource } from "@plumbline/ipfs-client"
 * import { Effect, Result } from "effect"
 *
 * const bytes = new TextEncoder().encode("hello")
 * const cid = Result.getOrThrow(Block.cidOf(Block.RAW, bytes))
 * const source = BlockSource.fromBlocks([{ cid, bytes }])
 * await Effect.runPromise(source(cid)) // => bytes
 * ```
 */
export const fromBlocks = (blocks: Iterable<Block.Block>): BlockSource<MissingBlocks> => {
  const byKey = new Map(Array.from(blocks, ({ bytes, cid }) => [Cid.key(cid), bytes]))
  return (cid) => {
    const bytes = byKey.get(Cid.key(cid))
    if (bytes !== undefined) return Effect.succeed(bytes)
    const text = Cid.toText(cid)
    return Effect.fail(new MissingBlocks({ cid: text, missing: [text], count: 1 }))
  }
}
