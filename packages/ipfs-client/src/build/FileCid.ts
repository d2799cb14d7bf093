/**
 * Computes the CID that a file gets when it is added, while the file streams. The proving client compares the answer of
 * `add` with this CID.
 *
 * A file is cut into chunks, the chunks become leaves, and groups of at most `maxLinks` nodes get a parent, until one
 * node is left. The options determine the result. Kubo's default options are `UNIXFS_V0_2015`.
 *
 * Source: boxo, `ipld/unixfs/importer/balanced` and `trickle`; the names of the profiles are those of IPIP-499.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type { Block } from "../block/Block.ts"
import type * as Cid from "../cid/Cid.ts"
import type * as Multihash from "../cid/Multihash.ts"
import { DAG_PB } from "../codec/ipldCodecs.ts"
import type * as UnixFsData from "../unixfs/UnixFsData.ts"
import * as BalancedDag from "./balancedDag.ts"
import * as CidNaming from "./cidNaming.ts"
import * as FileNodes from "./fileNodes.ts"
import { type Chunk, rechunk } from "./rechunk.ts"
import * as TrickleDag from "./trickleDag.ts"
import * as UntilEnd from "./untilEnd.ts"

/** Options that determine how a file is cut into chunks and built into a tree. */
export interface FileCidOptions {
  /** The version of CIDs. Version 0 supports only sha2-256. Raw leaves always have version 1. */
  readonly cidVersion: 0 | 1
  /** True if a leaf is the chunk itself, false if it is a dag-pb block around the chunk. */
  readonly rawLeaves: boolean
  /** Number of bytes of a chunk, from 1 to 2,096,896. */
  readonly chunkSize: number
  /** Maximum number of links to leaves or to nodes of one height, from 2 to 8,192. */
  readonly maxLinks: number
  readonly hash: Multihash.MultihashName
  /**
   * True for the tree of Kubo's `trickle`, which is made for reading from the beginning. Default: false, a balanced
   * tree.
   */
  readonly trickle?: boolean | undefined
  /** Maximum size in bytes of blocks that are put into their CID, up to 128. */
  readonly inlineLimit?: number | undefined
  /** Permission bits, stored in the root. The root is then not a raw leaf. */
  readonly mode?: number | undefined
  /** The time of the last change, also stored in the root. */
  readonly mtime?: UnixFsData.ModificationTime | undefined
}

/** The defaults of the options that are not in a profile. */
export const defaults: { readonly trickle: boolean } = { trickle: false }

/** Kubo's defaults. */
export const UNIXFS_V0_2015: FileCidOptions = {
  cidVersion: 0,
  rawLeaves: false,
  chunkSize: 262_144,
  maxLinks: 174,
  hash: "sha2-256"
}

/** The options that Kubo uses for `cid-version=1` without other options. */
export const KUBO_V1: FileCidOptions = { ...UNIXFS_V0_2015, cidVersion: 1, rawLeaves: true }

/** The options of the profile `unixfs-v1-2025`, for newer programs. */
export const UNIXFS_V1_2025: FileCidOptions = {
  cidVersion: 1,
  rawLeaves: true,
  chunkSize: 1_048_576,
  maxLinks: 1024,
  hash: "sha2-256"
}

/** A file's root. */
export interface FileRoot {
  readonly cid: Cid.Cid
  /** Number of bytes of the file. */
  readonly size: number
  /**
   * Number of bytes of all blocks of the file. A repeated block counts each time. The answer of `add` has this number
   * as `Size`.
   */
  readonly totalSize: number
}

/**
 * Returns the CID of a file, and its sizes.
 *
 * Memory is bounded: a few chunks, one piece of the stream, and the links of the nodes that are not full yet.
 *
 * ```ts import.meta.vitest
 * import { Cid, FileCid } from "@plumbline/ipfs-client"
 * import { Effect, Stream } from "effect"
 *
 * const file = Stream.make(new TextEncoder().encode("hello "), new TextEncoder().encode("world"))
 * const { cid, size, totalSize } = await Effect.runPromise(FileCid.ofStream(file))
 * Cid.toText(cid) // => "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"
 * size // => 11
 * totalSize // => 19
 * ```
 */
export const ofStream = <E, R>(
  file: Stream.Stream<Uint8Array, E, R>,
  options: FileCidOptions = UNIXFS_V0_2015
): Effect.Effect<FileRoot, E, R> =>
  Effect.map(
    Stream.runFold(
      nodes(file, options),
      (): FileNodes.FileNode | undefined => undefined,
      (_, node) => node
    ),
    // a stream without bytes has one empty leaf
    (root) => ({ cid: root!.cid, size: root!.size, totalSize: root!.totalSize })
  )

/**
 * Streams the blocks of a file, each as soon as it is complete: children before their parents, and the root last. If
 * the file's stream fails, only the blocks that were already complete are emitted, without a root.
 *
 * If a CID contains the data of its block, the stream includes that block too.
 *
 * ```ts import.meta.vitest
 * import { Block, FileCid } from "@plumbline/ipfs-client"
 * import { Effect, Stream } from "effect"
 *
 * const file = Stream.make(new Uint8Array(300_000))
 * const blocks = await Effect.runPromise(Stream.runCollect(FileCid.blocks(file)))
 * blocks.length // => 3
 * ```
 */
export const blocks = <E, R>(
  file: Stream.Stream<Uint8Array, E, R>,
  options: FileCidOptions = UNIXFS_V0_2015
): Stream.Stream<Block, E, R> => Stream.map(nodes(file, options), blockOf)

/**
 * Returns the `blocks` of content that the caller has already cut into chunks. There must be at least one chunk. A chunk
 * must have bytes, except the only chunk of an empty file. `chunkSize` is ignored.
 *
 * ```ts import.meta.vitest
 * import { Block, FileCid } from "@plumbline/ipfs-client"
 * import { Effect, Stream } from "effect"
 *
 * const chunks = Stream.make(new Uint8Array(3), new Uint8Array(9))
 * const blocks = await Effect.runPromise(Stream.runCollect(FileCid.blocksOfChunks(chunks)))
 * blocks.length // => 3
 * ```
 */
export const blocksOfChunks = <E, R>(
  chunks: Stream.Stream<Uint8Array, E, R>,
  options: FileCidOptions = UNIXFS_V0_2015
): Stream.Stream<Block, E, R> =>
  Stream.map(
    nodesOf(
      Stream.map(chunks, (chunk) => [chunk]),
      options
    ),
    blockOf
  )

/**
 * Returns the block of a file that fits into one block, from bytes in memory; undefined if the file needs several
 * blocks. `blocks` emits the same block.
 *
 * ```ts import.meta.vitest
 * import { Cid, FileCid } from "@plumbline/ipfs-client"
 * import { Effect } from "effect"
 *
 * const block = FileCid.single(new TextEncoder().encode("hello world"))
 * const { cid } = await Effect.runPromise(block!)
 * Cid.toText(cid) // => "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"
 * FileCid.single(new Uint8Array(300_000)) // => undefined
 * ```
 */
export const single = (
  bytes: Uint8Array,
  options: FileCidOptions = UNIXFS_V0_2015
): Effect.Effect<Block> | undefined => {
  if (bytes.length > options.chunkSize || (options.trickle ?? defaults.trickle)) return undefined
  const attributes = attributesOf(options)
  const kind = options.rawLeaves && attributes === undefined ? undefined : "file"
  const leaf = FileNodes.leaf(bytes.length === 0 ? [] : [bytes], kind, attributes)
  return Effect.map(CidNaming.cidEffect(options, leaf.codec, leaf.bytes), (cid) => ({ cid, bytes: leaf.bytes }))
}

const blockOf = ({ bytes, cid }: FileNodes.FileNode): Block => ({ cid, bytes })

/** Number of leaves that the platform hashes at the same time. Hashing leaves is most of the work. */
const LEAVES_AT_ONCE = 4

const nodes = <E, R>(
  file: Stream.Stream<Uint8Array, E, R>,
  options: FileCidOptions
): Stream.Stream<FileNodes.FileNode, E, R> => nodesOf(rechunk(file, options.chunkSize), options)

const nodesOf = <E, R>(
  chunks: Stream.Stream<Chunk, E, R>,
  options: FileCidOptions
): Stream.Stream<FileNodes.FileNode, E, R> => {
  const { maxLinks, rawLeaves, trickle = defaults.trickle } = options
  const attributes = attributesOf(options)
  const makeTree = trickle ? TrickleDag.make : BalancedDag.make
  const kind = rawLeaves ? undefined : trickle ? "raw" : "file"
  // A balanced tree of one leaf is that leaf, so the leaf holds the mode and the time.
  const leaves =
    attributes === undefined || trickle
      ? Stream.map(chunks, (chunk) => FileNodes.leaf(chunk, kind))
      : Stream.map(withOnly(chunks), ([chunk, isOnly]) =>
          isOnly ? FileNodes.leaf(chunk, "file", attributes) : FileNodes.leaf(chunk, kind)
        )
  const named = Stream.mapEffect(
    leaves,
    (leaf) => Effect.map(CidNaming.cidEffect(options, leaf.codec, leaf.bytes), (cid) => ({ ...leaf, cid })),
    { concurrency: LEAVES_AT_ONCE }
  )
  return UntilEnd.mapAccum(
    named,
    () =>
      makeTree({
        maxLinks,
        attributes,
        cidOf: (bytes) => CidNaming.cidOf(options, DAG_PB, bytes)
      }),
    (tree, leaf: FileNodes.FileNode) => [tree, tree.push(leaf)] as const,
    (tree) => tree.finish()
  )
}

/** Pairs each chunk with a flag that is true if it is the only chunk. */
const withOnly = <E, R>(
  chunks: Stream.Stream<Chunk, E, R>
): Stream.Stream<readonly [chunk: Chunk, isOnly: boolean], E, R> =>
  UntilEnd.mapAccum(
    chunks,
    (): { count: number; readonly held: Array<Chunk> } => ({ count: 0, held: [] }),
    (state, chunk) => {
      const ready = state.held.splice(0).map((held) => [held, false] as const)
      state.held.push(chunk)
      state.count++
      return [state, ready] as const
    },
    ({ count, held }) => held.map((chunk) => [chunk, count === 1] as const)
  )

const attributesOf = ({ mode, mtime }: FileCidOptions): FileNodes.FileAttributes | undefined =>
  mode === undefined && mtime === undefined ? undefined : { mode, mtime }
