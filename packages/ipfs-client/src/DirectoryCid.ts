/**
 * The CID that a directory gets when it is added, from what is in it: a plain directory, or a sharded one where its
 * entries are too many for a block. And that of a symlink, which is never more than an entry.
 *
 * Source: boxo, `ipld/unixfs/io` and `ipld/unixfs/hamt`; IPIP-499 for the size.
 */
import * as dagPb from "@ipld/dag-pb"
import * as Result from "effect/Result"

import type { Block } from "./Block.ts"
import * as Cid from "./Cid.ts"
import { LimitExceeded } from "./DagError.ts"
import type { Options as FileOptions, Root } from "./FileCid.ts"
import { DAG_PB } from "./internal/codecs.ts"
import * as Directory from "./internal/directory.ts"
import * as Multihash from "./Multihash.ts"
import * as UnixFsData from "./UnixFsData.ts"

/** What is in a directory: of two entries of one name the later counts. Sizes are those of all blocks under an entry. */
export type Entries = Iterable<readonly [name: string, entry: Pick<Root, "cid" | "totalSize">]>

/** How its blocks are named. */
export type Options = Pick<FileOptions, "cidVersion" | "hash">

/** A directory's root. */
export interface Made {
  readonly cid: Cid.Cid
  /** Bytes of all blocks of it and below, repeated ones each time: the `Size` that `add` answers. */
  readonly totalSize: number
  /** Its own blocks, the root last: one, but of a sharded directory. */
  readonly blocks: ReadonlyArray<Block>
}

/** The most bytes of names and CIDs in a plain directory. */
export const SHARDING_SIZE = 256 * 1024

/**
 * The blocks of a directory, whatever order its entries come in.
 *
 * Fails with `LimitExceeded` (`maxDepth`) when names were chosen so that their hashes, which are not cryptographic, are
 * the same: Kubo has no place for them either.
 *
 * ```ts import.meta.vitest
 * import { Cid, DirectoryCid } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const { cid, totalSize } = Result.getOrThrow(DirectoryCid.make([]))
 * Cid.format(cid) // => "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn"
 * totalSize // => 4
 * ```
 */
export const make = (
  entries: Entries,
  options: Options = { cidVersion: 0, hash: "sha2-256" }
): Result.Result<Made, LimitExceeded> => {
  const byName = new Map(entries)
  const links = Array.from(byName, ([name, { cid, totalSize }]) => dagPb.createLink(name, totalSize, cid))
  const encoder = new TextEncoder()
  const size = links.reduce((sum, { Hash, Name = "" }) => sum + encoder.encode(Name).length + Hash.bytes.length, 0)
  const node = nodes(options)
  if (size > SHARDING_SIZE) return shard(links, 0, node)
  const root = node({ kind: "directory", blockSizes: [] }, links)
  return Result.succeed({ cid: root.cid, totalSize: root.totalSize, blocks: [root] })
}

/**
 * The block of a symlink, by what it points to.
 *
 * ```ts import.meta.vitest
 * import { DirectoryCid } from "@plumbline/ipfs-client"
 *
 * const { bytes } = DirectoryCid.symlink("a")
 * bytes // => Uint8Array.of(10, 5, 8, 4, 18, 1, 97)
 * ```
 */
export const symlink = (target: string, options: Options = { cidVersion: 0, hash: "sha2-256" }): Block => {
  const { bytes, cid } = nodes(options)({ kind: "symlink", data: new TextEncoder().encode(target), blockSizes: [] }, [])
  return { cid, bytes }
}

/** Places of a shard, and bytes of the hash that lead to one: with 256 places, eight. */
const FANOUT = 256
const MAX_DEPTH = 8

interface Node extends Block {
  readonly totalSize: number
}

type MakeNode = (message: UnixFsData.UnixFsData, links: ReadonlyArray<dagPb.PBLink>) => Node

const nodes =
  ({ cidVersion, hash }: Options): MakeNode =>
  (message, links) => {
    const bytes = dagPb.encode(dagPb.createNode(UnixFsData.encode(message), [...links]))
    const digest = Multihash.digestOf(hash, bytes)
    const cid =
      cidVersion === 0 && hash === "sha2-256" ? Cid.makeV0(digest) : Cid.make(DAG_PB, Multihash.codes[hash], digest)
    return { cid, bytes, totalSize: links.reduce((sum, { Tsize = 0 }) => sum + Tsize, bytes.length) }
  }

/** A shard of these entries: one alone at its place stands there, several get a shard below. */
const shard = (
  entries: ReadonlyArray<dagPb.PBLink>,
  depth: number,
  node: MakeNode
): Result.Result<Made, LimitExceeded> => {
  if (depth === MAX_DEPTH) {
    const cid = Cid.format(entries[0]!.Hash)
    return Result.fail(new LimitExceeded({ cid, bound: "maxDepth", limit: MAX_DEPTH }))
  }
  const places = Map.groupBy(entries, ({ Name = "" }) => Directory.placeOf(Name, FANOUT, depth)!)
  const blocks: Array<Block> = []
  const links: Array<dagPb.PBLink> = []
  for (const [place, at] of places) {
    const prefix = Directory.prefix(place, FANOUT)
    const [only] = at
    if (at.length === 1) links.push(dagPb.createLink(prefix + only!.Name, only!.Tsize ?? 0, only!.Hash))
    else {
      const below = shard(at, depth + 1, node)
      if (Result.isFailure(below)) return below
      blocks.push(...below.success.blocks)
      links.push(dagPb.createLink(prefix, below.success.totalSize, below.success.cid))
    }
  }
  const data = Directory.bitfield(places.keys(), FANOUT)
  const root = node({ kind: "hamt-shard", data, blockSizes: [], hashType: Directory.HASH_TYPE, fanout: FANOUT }, links)
  blocks.push(root)
  return Result.succeed({ cid: root.cid, totalSize: root.totalSize, blocks })
}
