/**
 * The CID that a file gets when it is added, computed while it streams by: what `add` answers is compared with it.
 *
 * A file is cut into chunks, the chunks become leaves, and at most `maxLinks` nodes at a time get a parent, until one is
 * left. All of it follows from the options, which for Kubo are those of `UNIXFS_V0_2015`.
 *
 * Source: boxo, `ipld/unixfs/importer/balanced`; the names of the profiles are those of IPIP-499.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type { Block } from "./Block.ts"
import * as Cid from "./Cid.ts"
import * as Balanced from "./internal/balanced.ts"
import { RAW } from "./internal/codecs.ts"
import { rechunk } from "./internal/rechunk.ts"
import * as Multihash from "./Multihash.ts"

/** How a file is cut and put together. */
export interface Options {
  /** Of CIDs; 0 has no other hash function than sha2-256. Raw leaves are version 1 in any case. */
  readonly cidVersion: 0 | 1
  /** Whether a leaf is the chunk itself, or a dag-pb block around it. */
  readonly rawLeaves: boolean
  /** Bytes of a chunk, from 1 to 1,048,576. */
  readonly chunkSize: number
  /** The most links of a block, from 2 to 8,192. */
  readonly maxLinks: number
  readonly hash: Multihash.Name
}

/** What Kubo does unless told otherwise. */
export const UNIXFS_V0_2015: Options = {
  cidVersion: 0,
  rawLeaves: false,
  chunkSize: 262_144,
  maxLinks: 174,
  hash: "sha2-256"
}

/** What Kubo does with `cid-version=1` and nothing else. */
export const KUBO_V1: Options = { ...UNIXFS_V0_2015, cidVersion: 1, rawLeaves: true }

/** What newer programs do. */
export const UNIXFS_V1_2025: Options = {
  cidVersion: 1,
  rawLeaves: true,
  chunkSize: 1_048_576,
  maxLinks: 1024,
  hash: "sha2-256"
}

/** A file's root. */
export interface Root {
  readonly cid: Cid.Cid
  /** Bytes of the file. */
  readonly size: number
  /** Bytes of all its blocks, repeated ones each time: the `Size` that `add` answers. */
  readonly totalSize: number
}

/**
 * The CID of a file, and its sizes.
 *
 * Memory is bounded: a few chunks, what the stream hands over at once, and the links of the nodes that are not full yet.
 *
 * ```ts import.meta.vitest
 * import { Cid, FileCid } from "@plumbline/ipfs-client"
 * import { Effect, Stream } from "effect"
 *
 * const file = Stream.make(new TextEncoder().encode("hello "), new TextEncoder().encode("world"))
 * const { cid, size, totalSize } = await Effect.runPromise(FileCid.ofStream(file))
 * Cid.format(cid) // => "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"
 * size // => 11
 * totalSize // => 19
 * ```
 */
export const ofStream = <E, R>(
  file: Stream.Stream<Uint8Array, E, R>,
  options: Options = UNIXFS_V0_2015
): Effect.Effect<Root, E, R> =>
  Effect.map(
    Stream.runFold(
      nodes(file, options),
      (): Balanced.Node | undefined => undefined,
      (_, node) => node
    ),
    // a stream without bytes has one leaf, which is empty
    (root) => ({ cid: root!.cid, size: root!.size, totalSize: root!.totalSize })
  )

/**
 * The blocks of a file, each as soon as it is complete: children before their parents, and the root last.
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
  options: Options = UNIXFS_V0_2015
): Stream.Stream<Block, E, R> => Stream.map(nodes(file, options), ({ bytes, cid }) => ({ cid, bytes }))

/** Leaves are hashed ahead, by the platform; they are what counts. */
const LEAVES_AT_ONCE = 4

const nodes = <E, R>(file: Stream.Stream<Uint8Array, E, R>, options: Options): Stream.Stream<Balanced.Node, E, R> => {
  const code = Multihash.codes[options.hash]
  const cidOf = (codec: number, digest: Uint8Array): Cid.Cid =>
    options.cidVersion === 0 && codec !== RAW && code === Multihash.SHA2_256
      ? Cid.makeV0(digest)
      : Cid.make(codec, code, digest)
  return rechunk(file, options.chunkSize).pipe(
    Stream.mapEffect(
      (chunk) => {
        const leaf = Balanced.leaf(chunk, options.rawLeaves)
        return Effect.map(Effect.orDie(Multihash.digestEffect(code, leaf.bytes)), (digest) => ({
          ...leaf,
          cid: cidOf(leaf.codec, digest)
        }))
      },
      { concurrency: LEAVES_AT_ONCE }
    ),
    Stream.mapAccum(
      () => Balanced.make(options.maxLinks, (bytes) => cidOf(Balanced.CODEC, Multihash.digestOf(options.hash, bytes))),
      (tree, leaf: Balanced.Node) => [tree, tree.push(leaf)] as const,
      { onHalt: (tree): ReadonlyArray<Balanced.Node> => tree.finish() }
    )
  )
}
