/**
 * Computes the CID that a directory gets when it is added, from its entries. The directory is plain, or sharded if it
 * has too many entries for one block. This module also computes the CID of a symlink.
 *
 * Source: boxo, `ipld/unixfs/io` and `ipld/unixfs/hamt`; IPIP-499 for the size.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Result from "effect/Result"

import type { Block } from "../block/Block.ts"
import { LimitExceeded, MalformedBlock } from "../block/DagError.ts"
import * as Cid from "../cid/Cid.ts"
import * as DagPb from "../codec/dagPb.ts"
import * as EntryNames from "../codec/entryNames.ts"
import { DAG_PB } from "../codec/ipldCodecs.ts"
import * as HamtDirectory from "../unixfs/hamtDirectory.ts"
import * as UnixFsData from "../unixfs/UnixFsData.ts"
import * as CidNaming from "./cidNaming.ts"
import type { FileCidOptions as FileOptions, FileRoot } from "./FileCid.ts"
import type * as FileNodes from "./fileNodes.ts"

/**
 * The entries of a directory. If two entries have the same name, the later one is used. A string is encoded as UTF-8;
 * pass a name that is not UTF-8 as bytes. The size of an entry includes all blocks below it.
 */
export type DirectoryEntries = Iterable<
  readonly [name: string | Uint8Array, entry: Pick<FileRoot, "cid" | "totalSize">]
>

/** Options of a directory: its attributes, its sharding, and the way the CIDs of its blocks are made. */
export interface DirectoryCidOptions extends Pick<FileOptions, "cidVersion" | "hash" | "inlineLimit" | "mtime"> {
  /** Permission bits. */
  readonly mode?: number | undefined
  /** The number of places in a shard: a power of two from 8 to 1,024. Default: 256. */
  readonly fanout?: number | undefined
  /**
   * The way to measure a directory's size: the bytes of its names and CIDs (`links`, the default), or the bytes of the
   * plain directory's block (`block`, as in the profile `unixfs-v1-2025`). A directory is sharded if its size exceeds
   * `SHARDING_SIZE` bytes.
   */
  readonly shardBy?: "links" | "block" | undefined
}

/** The defaults of the options that are not in a profile. */
export const defaults: { readonly fanout: number; readonly shardBy: "links" | "block" } = {
  fanout: 256,
  shardBy: "links"
}

/** A directory's root. */
export interface MadeDirectory {
  readonly cid: Cid.Cid
  /**
   * Bytes of the directory's blocks and of all blocks below. A repeated block counts each time. The answer of `add` has
   * this number as `Size`.
   */
  readonly totalSize: number
  /** The directory's own blocks, the root last. Only a sharded directory has more than one. */
  readonly blocks: ReadonlyArray<Block>
}

/** Maximum size of a plain directory in bytes, measured as `shardBy` says. */
export const SHARDING_SIZE = 256 * 1024

/**
 * Returns the blocks of a directory. The order of its entries makes no difference.
 *
 * Fails with `LimitExceeded` (`maxDepth`) if too many names have the same hash. The hash is not cryptographic, so an
 * attacker can choose such names; Kubo cannot store them either. Fails with `MalformedBlock`, with the CID of the
 * entry, if a name cannot be a part of a path: it is empty, `.` or `..`, contains a slash or a zero byte, or is text
 * with half a surrogate pair.
 *
 * ```ts import.meta.vitest
 * import { Cid, DirectoryCid } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const { cid, totalSize } = Result.getOrThrow(DirectoryCid.make([]))
 * Cid.toText(cid) // => "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn"
 * totalSize // => 4
 * ```
 */
export const make = (
  entries: DirectoryEntries,
  options: DirectoryCidOptions = { cidVersion: 0, hash: "sha2-256" }
): Result.Result<MadeDirectory, LimitExceeded | MalformedBlock> => {
  const byName = new Map<string, DagPb.PbLink>()
  for (const [given, { cid, totalSize }] of entries) {
    const name = EntryNames.of(given)
    const bytes = name === undefined ? undefined : EntryNames.toBytes(name)
    if (name === undefined || bytes === undefined || !EntryNames.isSegment(bytes)) {
      const detail = "an entry whose name cannot stand in a path"
      return Result.fail(new MalformedBlock({ cid: Cid.toText(cid), detail }))
    }
    // The key of a name that is not UTF-8 begins with a zero byte, which no name contains. So names that only look
    // alike have different keys.
    byName.set(name.bytes === undefined ? name.text : `\0${name.bytes.join(" ")}`, { cid, name: bytes, totalSize })
  }
  const links = Array.from(byName.values())
  const attributes = { mode: options.mode, mtime: options.mtime }
  const node = nodes(options)
  const plain = (): Node => node({ kind: "directory", blockSizes: [], ...attributes }, links)
  // A block that is too large is not made at all.
  const byBlock = (options.shardBy ?? defaults.shardBy) === "block" ? plain() : undefined
  if ((byBlock?.bytes.length ?? sizeOf(links)) > SHARDING_SIZE) {
    return shard(links, 0, { attributes, fanout: options.fanout ?? defaults.fanout, node })
  }
  const root = byBlock ?? plain()
  return Result.succeed({ cid: root.cid, totalSize: root.totalSize, blocks: [blockOf(root)] })
}

/** Returns the number of bytes of the names and CIDs. */
const sizeOf = (links: ReadonlyArray<DagPb.PbLink>): number =>
  links.reduce((sum, { cid, name }) => sum + (name?.length ?? 0) + cid.bytes.length, 0)

/**
 * Returns the block of a symlink. The target is text, or bytes if it is not UTF-8.
 *
 * ```ts import.meta.vitest
 * import { DirectoryCid } from "@plumbline/ipfs-client"
 *
 * const { bytes } = DirectoryCid.symlink("a")
 * bytes // => Uint8Array.of(10, 5, 8, 4, 18, 1, 97)
 * ```
 */
export const symlink = (
  target: string | Uint8Array,
  options: DirectoryCidOptions = { cidVersion: 0, hash: "sha2-256" }
): Block => {
  const data = typeof target === "string" ? new TextEncoder().encode(target) : target
  const { mode, mtime } = options
  return blockOf(nodes(options)({ kind: "symlink", data, blockSizes: [], mode, mtime }, []))
}

interface Node extends Block {
  readonly totalSize: number
}

const blockOf = ({ bytes, cid }: Node): Block => ({ cid, bytes })

type MakeNode = (message: UnixFsData.UnixFsData, links: ReadonlyArray<DagPb.PbLink>) => Node

const nodes =
  (naming: CidNaming.CidNaming): MakeNode =>
  (message, links) => {
    const bytes = DagPb.encode({ data: UnixFsData.encode(message), links })
    const cid = CidNaming.cidOf(naming, DAG_PB, bytes)
    return { cid, bytes, totalSize: links.reduce((sum, { totalSize = 0 }) => sum + Number(totalSize), bytes.length) }
  }

interface Sharding {
  /** The attributes of the root shard. */
  readonly attributes: FileNodes.FileAttributes
  readonly fanout: number
  readonly node: MakeNode
}

/**
 * Returns a shard of these entries. An entry that is alone at its place is linked there; several entries at one place
 * get a shard below.
 */
const shard = (
  entries: ReadonlyArray<DagPb.PbLink>,
  depth: number,
  { attributes, fanout, node }: Sharding
): Result.Result<MadeDirectory, LimitExceeded> => {
  if (!HamtDirectory.isReachable(fanout, depth)) {
    const cid = Cid.toText(entries[0]!.cid)
    return Result.fail(new LimitExceeded({ cid, bound: "maxDepth", limit: depth }))
  }
  const places = Map.groupBy(entries, ({ name }) => HamtDirectory.placeOf(name!, fanout, depth)!)
  const blocks: Array<Block> = []
  const links: Array<DagPb.PbLink> = []
  for (const [place, at] of places) {
    const prefix = new TextEncoder().encode(HamtDirectory.prefix(place, fanout))
    const [only] = at
    if (at.length === 1) links.push({ ...only!, name: Bytes.join([prefix, only!.name!]) })
    else {
      const below = shard(at, depth + 1, { attributes: {}, fanout, node })
      if (Result.isFailure(below)) return below
      // Blocks are added one by one, because a call cannot take as many arguments as there may be blocks.
      for (const block of below.success.blocks) blocks.push(block)
      links.push({ cid: below.success.cid, name: prefix, totalSize: below.success.totalSize })
    }
  }
  const data = HamtDirectory.bitfield(places.keys(), fanout)
  const message = { kind: "hamt-shard", data, blockSizes: [], hashType: HamtDirectory.HASH_TYPE, fanout } as const
  const root = node({ ...message, ...attributes }, links)
  blocks.push(blockOf(root))
  return Result.succeed({ cid: root.cid, totalSize: root.totalSize, blocks })
}
