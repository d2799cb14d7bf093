/** Walks a DAG block by block, for programs that show it. */
import type { Refuted } from "@plumbline/verdict/Refuted"
import type { Unproven } from "@plumbline/verdict/Unproven"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Block from "../block/Block.ts"
import * as BlockSource from "../block/BlockSource.ts"
import { LimitExceeded, type MalformedBlock } from "../block/DagError.ts"
import { nodeKey } from "../car/roots.ts"
import * as Cid from "../cid/Cid.ts"
import * as Names from "../codec/names.ts"
import * as DagPb from "../codec/pb.ts"
import * as OrderedWalk from "../unixfs/orderedWalk.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"

/** A link of a block. */
export interface Link {
  readonly cid: Cid.Cid
  /** The name of a link of dag-pb, as text for display; undefined in other codecs, and if the block omits it. */
  readonly name: string | undefined
  /** The size of the linked DAG in bytes, for dag-pb, as the maker of the block wrote it. Nothing proves it. */
  readonly size: number | bigint | undefined
  /**
   * The place of the linked block's digest in the bytes of this block: the first occurrence after the previous link.
   * Null if the codec writes links as text.
   */
  readonly inBlock: { readonly offset: number; readonly length: number } | null
}

/** A block of the DAG, checked against its CID. */
export interface Step {
  readonly cid: Cid.Cid
  /** The name of the block's codec; undefined if this package cannot read the codec, so that the links are unknown. */
  readonly codec: string | undefined
  readonly bytes: Uint8Array
  /** The number of links from the root to this block on the path of the walk. */
  readonly depth: number
  /** The block that linked here, and the index of the link in that block. Null for the root. */
  readonly parent: { readonly cid: Cid.Cid; readonly link: number } | null
  /** All links of the block, in order. */
  readonly links: ReadonlyArray<Link>
}

/** The limits of a walk. */
export type Options = Pick<UnixFs.Options, "concurrency" | "maxBlocks" | "maxBlockSize" | "maxDepth">

interface Place {
  readonly cid: Cid.Cid
  readonly depth: number
  readonly parent: Step["parent"]
}

export const walk = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  options: Options
): Stream.Stream<Step, E | Refuted | Unproven | MalformedBlock | LimitExceeded, R> => {
  const { concurrency = UnixFs.defaults.concurrency } = options
  const { maxBlocks = UnixFs.defaults.maxBlocks, maxDepth = UnixFs.defaults.maxDepth } = options
  return Stream.suspend(() => {
    const seen = new Set([nodeKey(cid)])
    const exceeded = (bound: "maxBlocks" | "maxDepth", limit: number) =>
      Effect.fail(new LimitExceeded({ cid: Cid.toText(cid), bound, limit }))
    const load = Effect.fnUntraced(function* ({ cid, depth, parent }: Place) {
      if (depth >= maxDepth) return yield* exceeded("maxDepth", maxDepth)
      if (seen.size > maxBlocks) return yield* exceeded("maxBlocks", maxBlocks)
      const block = yield* BlockSource.get(source, cid, options)
      const codec = Block.codecs.get(cid.code)
      const links = codec === undefined ? [] : yield* Effect.fromResult(linksOf(block))
      const below = links.flatMap((link, index) => {
        const count = seen.size
        return seen.add(nodeKey(link.cid)).size === count
          ? []
          : [OrderedWalk.below<Place>({ cid: link.cid, depth: depth + 1, parent: { cid, link: index } })]
      })
      const step: Step = { cid, codec, bytes: block.bytes, depth, parent, links }
      return [OrderedWalk.out(step), ...below]
    })
    return OrderedWalk.walk<Place, Step, E | Refuted | Unproven | MalformedBlock | LimitExceeded, R>(
      { cid, depth: 0, parent: null },
      load,
      concurrency
    )
  })
}

/** Returns the links of a block that this package can read. */
const linksOf = (block: Block.Block): Result.Result<ReadonlyArray<Link>, MalformedBlock | Unproven> =>
  Result.map(Block.links(block), (cids) => {
    const node = block.cid.code === Block.DAG_PB ? DagPb.decode(block.bytes) : undefined
    const named = node !== undefined && Result.isSuccess(node) ? node.success.links : []
    let from = 0
    return cids.map((cid, index) => {
      const { name, totalSize: size } = named[index] ?? {}
      const { digest } = cid.multihash
      const offset = find(block.bytes, digest, from)
      if (offset !== -1) from = offset + digest.length
      return {
        cid,
        name: name === undefined ? undefined : Names.shown(name),
        size,
        inBlock: offset === -1 ? null : { offset, length: digest.length }
      }
    })
  })

/** Returns the first position of `wanted` in `bytes` at or after `from`, or -1. */
const find = (bytes: Uint8Array, wanted: Uint8Array, from: number): number => {
  let at = bytes.indexOf(wanted[0]!, from)
  while (at !== -1) {
    if (wanted.every((byte, i) => bytes[at + i] === byte)) return at
    at = bytes.indexOf(wanted[0]!, at + 1)
  }
  return -1
}
