/**
 * Reads files and directories from blocks, each checked against its CID.
 *
 * The result is the content that the root CID names, from any source of blocks. A block that does not match its CID
 * fails with `RefutedError`. Blocks that match their CIDs but contradict each other fail with `MalformedBlock`, because
 * their maker is at fault. Examples are a part with more or fewer bytes than its parent says, and an entry at the wrong
 * place of a sharded directory.
 *
 * Source: the UnixFS specification; boxo for its bounds.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Block from "../block/Block.ts"
import * as BlockSource from "../block/BlockSource.ts"
import { LimitExceeded, type MalformedBlock, NoSuchEntry, WrongKind } from "../block/DagError.ts"
import * as Cid from "../cid/Cid.ts"
import { nodeKey } from "../cid/nodeKey.ts"
import * as DagPb from "../codec/dagPb.ts"
import * as EntryNames from "../codec/entryNames.ts"
import { STEP, type Steps } from "../work/steps.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"
import * as HamtDirectory from "./hamtDirectory.ts"
import * as OrderedWalk from "./orderedWalk.ts"
import type { ModificationTime } from "./UnixFsData.ts"
import * as UnixFsNode from "./unixFsNode.ts"

export type { DirectoryEntry } from "./hamtDirectory.ts"

/** The concurrency and the limits of reading. */
export interface UnixFsOptions {
  /** Number of blocks that are requested at the same time, for each level of the tree. Default: 8. */
  readonly concurrency?: number | undefined
  /** Maximum number of bytes of a block. Default: 2 MiB. */
  readonly maxBlockSize?: number | undefined
  /** Maximum number of links of a block. Default: 65,536, which is more than a block of 2 MiB can hold. */
  readonly maxWidth?: number | undefined
  /**
   * Maximum number of blocks on the way to a byte or an entry. Default: 32. A file of a petabyte, as Kubo adds it, has
   * a depth of 6.
   */
  readonly maxDepth?: number | undefined
  /**
   * Maximum number of blocks of one call, including repeated ones. Default: 4,194,304, enough for a file of 1 TiB as
   * Kubo adds it.
   */
  readonly maxBlocks?: number | undefined
}

/** Defaults for options that a caller omits. */
export const defaults = {
  concurrency: 8,
  maxBlockSize: Block.defaults.maxBlockSize,
  maxWidth: 65_536,
  maxDepth: 32,
  maxBlocks: 4_194_304
} as const

/** A range of a file's bytes. */
export interface FileRange {
  /** The first byte. Default: 0. An offset beyond the end selects no bytes. */
  readonly offset?: number | undefined
  /** Maximum number of bytes to read. Default: all. */
  readonly length?: number | undefined
}

/** The errors of reading, in addition to the source's own errors. */
export type UnixFsReadError = RefutedError | UnprovenError | MalformedBlock | LimitExceeded | WrongKind

/** The kind and attributes of the content under a CID. */
export interface UnixFsStat {
  readonly kind: "file" | "directory" | "symlink" | "metadata"
  /** Number of bytes of a file; 0 for anything else. */
  readonly size: number
  /**
   * The target of a symlink, as its maker wrote it. It is never followed here. If it is not UTF-8, this text is only
   * for display.
   */
  readonly target: string | undefined
  /** The bytes of the target; present only if they are not UTF-8. */
  readonly targetBytes?: Uint8Array | undefined
  /** Permission bits, and further bits of the mode if they were stored. */
  readonly mode: number | undefined
  readonly mtime: ModificationTime | undefined
}

/**
 * Streams the bytes of a file, or a range of them.
 *
 * Only blocks that the range needs are fetched, ahead and in parallel. Each block is checked, and so are the sizes in
 * the blocks above it. A part is read even if the blocks above it say that it is empty. Each emitted chunk comes from
 * one block of the file. Fails with `UnixFsReadError`.
 *
 * ```ts import.meta.vitest
 * import { Block, BlockSource, UnixFs } from "@plumbline/ipfs-client"
 * import { Effect, Result, Stream } from "effect"
 *
 * const bytes = new TextEncoder().encode("hello")
 * const cid = Result.getOrThrow(Block.cidOf(Block.RAW, bytes))
 * const source = BlockSource.fromBlocks([{ cid, bytes }])
 * const text = UnixFs.cat(source, cid, { offset: 1, length: 3 }).pipe(Stream.decodeText(), Stream.mkString)
 * await Effect.runPromise(text) // => "ell"
 * ```
 */
export const cat = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  range: FileRange & UnixFsOptions = {}
): Stream.Stream<Uint8Array, E | UnixFsReadError, R> => {
  interface Place {
    readonly cid: Cid.Cid
    readonly depth: number
    /**
     * The position of the part's first byte in the file. `size` is unknown for the root.
     */
    readonly at: number
    readonly size: number | undefined
  }
  const from = Math.max(0, range.offset ?? 0)
  const to = from + Math.max(0, range.length ?? Number.MAX_SAFE_INTEGER)
  return Stream.suspend(() => {
    const load = loader(source, range, UnixFsNode.read)
    const root: Place = { cid, depth: 0, at: 0, size: undefined }
    const empty = new Set<string>()
    return OrderedWalk.walk(
      root,
      (place) => load(place.cid, place.depth, (node) => readPart(place, node)),
      range.concurrency ?? defaults.concurrency
    )

    /**
     * True if a part must be fetched. A part within the range or at its ends is fetched even if its parent says that it
     * is empty, because the part may have bytes nevertheless. Each CID is fetched once, so a tree of empty parts costs
     * little.
     */
    function isNeeded(start: number, size: number, cidAt: () => Cid.Cid): boolean {
      if (size > 0) return start < to && start + size > from
      if (from >= to || start < from || start > to) return false
      const count = empty.size
      return empty.add(nodeKey(cidAt())).size > count
    }

    function* readPart(
      { at, cid, depth, size }: Place,
      node: UnixFsNode.UnixFsNode
    ): Steps<Result.Result<ReadonlyArray<OrderedWalk.OrderedStep<Place, Uint8Array>>, MalformedBlock | WrongKind>> {
      if (node.kind !== "file") return wrongKind(cid, "file", node)
      if (size !== undefined && node.size !== size) {
        return UnixFsNode.malformed(cid, `has ${node.size} bytes of the file, its parent says ${size}`)
      }
      const data = node.data.subarray(Math.max(0, from - at), Math.max(0, to - at))
      const steps: Array<OrderedWalk.OrderedStep<Place, Uint8Array>> = data.length > 0 ? [OrderedWalk.out(data)] : []
      let start = at + node.data.length
      for (const [index, size] of node.sizes.entries()) {
        if (index % STEP === STEP - 1) yield
        if (isNeeded(start, size, () => node.cidAt(index))) {
          steps.push(OrderedWalk.below({ cid: node.cidAt(index), depth: depth + 1, at: start, size }))
        }
        start += size
      }
      return Result.succeed(steps)
    }
  })
}

/**
 * Streams the entries of a directory in the order of its blocks: by name in a plain directory, by the hashes of names
 * in a sharded directory.
 *
 * The listing fails if an entry of a sharded directory is not at the place of its name's hash. Fails with `UnixFsReadError`.
 *
 * ```ts import.meta.vitest
 * import { BlockSource, Cid, DirectoryCid, UnixFs } from "@plumbline/ipfs-client"
 * import { Effect, Result, Stream } from "effect"
 *
 * const a = { cid: Cid.fromTextUnsafe("bafkqaaqha4"), totalSize: 2 }
 * const { blocks, cid } = Result.getOrThrow(DirectoryCid.make([["a", a]]))
 * const [entry] = await Effect.runPromise(Stream.runCollect(UnixFs.entries(BlockSource.fromBlocks(blocks), cid)))
 * entry?.name // => "a"
 * entry?.totalSize // => 2
 * ```
 */
export const entries = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  options: UnixFsOptions = {}
): Stream.Stream<HamtDirectory.DirectoryEntry, E | UnixFsReadError, R> => {
  interface Place {
    readonly cid: Cid.Cid
    readonly above: Above
  }
  return Stream.suspend(() => {
    const load = loader(source, options, UnixFsNode.read)
    const shards = new Set<string>()
    const root: Place = { cid, above: TOP }
    return OrderedWalk.walk(
      root,
      ({ above, cid }) =>
        load(cid, above.places.length, function* (node) {
          const found = yield* linksOf(cid, node, above)
          if (Result.isFailure(found)) return Result.fail(found.failure)
          const { fanout, links } = found.success
          const steps: Array<OrderedWalk.OrderedStep<Place, HamtDirectory.DirectoryEntry>> = []
          for (const link of links) {
            if (steps.length % STEP === STEP - 1) yield
            if (link._tag === "Entry") steps.push(OrderedWalk.out(link.entry))
            else {
              // The entries of a shard belong to one place only. A shard that is linked twice is empty, or an
              // attack that multiplies the work.
              if (shards.has(nodeKey(link.cid))) return UnixFsNode.malformed(link.cid, "a shard at two places")
              shards.add(nodeKey(link.cid))
              steps.push(OrderedWalk.below({ cid: link.cid, above: { fanout, places: [...above.places, link.place] } }))
            }
          }
          return Result.succeed(steps)
        }),
      options.concurrency ?? defaults.concurrency
    )
  })
}

/**
 * Returns the CID at the end of a path through directories. Only the blocks on the way are fetched. As in Kubo, a path
 * also goes through a block of dag-pb that is not UnixFS, by the names of its links.
 *
 * Names are bytes, and only the same bytes match. A string is encoded as UTF-8. Pass a name that is not UTF-8 as bytes
 * (`nameBytes` of an entry), because its display text does not match.
 *
 * Fails with `NoSuchEntry` if a name does not exist, which the checked blocks prove; with `WrongKind` if the path
 * continues below a file or a symlink (symlinks are not followed); and with `UnixFsReadError`.
 *
 * ```ts import.meta.vitest
 * import { BlockSource, Cid, DirectoryCid, UnixFs } from "@plumbline/ipfs-client"
 * import { Effect, Result } from "effect"
 *
 * const a = { cid: Cid.fromTextUnsafe("bafkqaaqha4"), totalSize: 2 }
 * const { blocks, cid } = Result.getOrThrow(DirectoryCid.make([["a", a]]))
 * const source = BlockSource.fromBlocks(blocks)
 * Cid.toText(await Effect.runPromise(UnixFs.resolve(source, cid, ["a"]))) // => "bafkqaaqha4"
 * const failure = await Effect.runPromise(Effect.flip(UnixFs.resolve(source, cid, ["b"])))
 * failure._tag // => "NoSuchEntry"
 * ```
 */
export const resolve = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  path: ReadonlyArray<string | Uint8Array>,
  options: UnixFsOptions = {}
): Effect.Effect<Cid.Cid, E | UnixFsReadError | NoSuchEntry, R> =>
  Effect.suspend(() => {
    const load = loader(source, options, UnixFsNode.readAny)
    const find = Effect.fnUntraced(function* (directory: Cid.Cid, given: string | Uint8Array) {
      const name = EntryNames.of(given)
      // Half a surrogate pair has no UTF-8, so no entry has this name.
      if (name === undefined) return yield* new NoSuchEntry({ cid: Cid.toText(directory), name: String(given) })
      const bytes = EntryNames.toBytes(name)
      let cid = directory
      let above = TOP
      for (;;) {
        const place = { cid, above }
        const link = yield* load(cid, above.places.length, (node) => linkNamed(place, node, bytes))
        if (link === undefined) return yield* new NoSuchEntry({ cid: Cid.toText(directory), name: name.text })
        cid = link.cid
        if (link.above === undefined) return cid
        above = link.above
      }
    })
    return Effect.gen(function* () {
      let at = cid
      for (const name of path) at = yield* find(at, name)
      return at
    })
  })

/**
 * Returns the kind and attributes of the content under a CID, from its root block only. Fails with `UnixFsReadError`, but
 * never with `WrongKind`.
 *
 * ```ts import.meta.vitest
 * import { BlockSource, Cid, UnixFs } from "@plumbline/ipfs-client"
 * import { Effect } from "effect"
 *
 * const stat = UnixFs.stat(BlockSource.fromBlocks([]), Cid.fromTextUnsafe("bafkqaaqha4"))
 * const { kind, size } = await Effect.runPromise(stat)
 * kind // => "file"
 * size // => 2
 * ```
 */
export const stat = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  options: UnixFsOptions = {}
): Effect.Effect<UnixFsStat, E | Exclude<UnixFsReadError, WrongKind>, R> =>
  Effect.suspend(() =>
    loader(source, options, UnixFsNode.read)(cid, 0, function* (node) {
      const { message } = node
      const target = node.kind === "symlink" ? EntryNames.ofBytes(message?.data ?? new Uint8Array(0)) : undefined
      return Result.succeed({
        kind: kindOf(node),
        size: node.kind === "file" ? node.size : 0,
        target: target?.text,
        ...(target?.bytes === undefined ? {} : { targetBytes: target.bytes }),
        mode: message?.mode,
        mtime: message?.mtime
      })
    })
  )

/**
 * Reads blocks for one call with `read`, and counts them. `use` reads the node in the same turns in which the node is
 * read.
 */
const loader = <E, R, N>(
  source: BlockSource.BlockSource<E, R>,
  options: UnixFsOptions,
  read: (block: Block.Block, maxWidth: number) => Steps<Result.Result<N, Exclude<UnixFsReadError, WrongKind>>>
) => {
  const { maxBlocks = defaults.maxBlocks, maxDepth = defaults.maxDepth, maxWidth = defaults.maxWidth } = options
  let count = 0
  return <A, E2>(
    cid: Cid.Cid,
    depth: number,
    use: (node: N) => Steps<Result.Result<A, E2>>
  ): Effect.Effect<A, E | E2 | Exclude<UnixFsReadError, WrongKind>, R> => {
    if (depth >= maxDepth) return Effect.fail(beyond(cid, "maxDepth", maxDepth))
    if (count >= maxBlocks) return Effect.fail(beyond(cid, "maxBlocks", maxBlocks))
    count++
    return Effect.flatMap(BlockSource.get(source, cid, options), (block) =>
      Effect.flatMap(
        WorkScheduler.run(function* (): Steps<Result.Result<A, E2 | Exclude<UnixFsReadError, WrongKind>>> {
          const node = yield* read(block, maxWidth)
          return Result.isFailure(node) ? Result.fail(node.failure) : yield* use(node.success)
        }),
        Effect.fromResult
      )
    )
  }
}

/**
 * The position of a shard: the places that lead to it from the root, and the number of places in each of these shards.
 */
interface Above {
  readonly fanout: number | undefined
  readonly places: ReadonlyArray<number>
}

const TOP: Above = { fanout: undefined, places: [] }

/** A directory or a shard that is read. */
interface Here {
  readonly cid: Cid.Cid
  readonly above: Above
}

/** Finds the link that leads to a name. Without `above` in the result, the link is the entry itself. */
function* linkNamed(
  { above, cid }: Here,
  node: UnixFsNode.UnixFsNode | UnixFsNode.PlainDagPb,
  name: Uint8Array
): Steps<Result.Result<{ readonly cid: Cid.Cid; readonly above?: Above } | undefined, MalformedBlock | WrongKind>> {
  if (node.kind === "links") {
    if (above.fanout !== undefined) return UnixFsNode.malformed(cid, node.flaw)
    // Other than in a directory, names may repeat, and the first link counts, as in Kubo.
    const [first] = yield* DagPb.named(node.links, name)
    return Result.succeed(first === undefined ? undefined : { cid: DagPb.cidOf(node.links, first) })
  }
  if (node.kind === "directory" && above.fanout === undefined) {
    return Result.map(yield* HamtDirectory.entryNamed(cid, node, name), (cid) =>
      cid === undefined ? undefined : { cid }
    )
  }
  return Result.map(yield* linksOf(cid, node, above), ({ fanout, links }) => {
    const place = HamtDirectory.placeOf(name, fanout, above.places.length)
    const link = links.find((link) => (link._tag === "Entry" ? Bytes.equals(link.name, name) : link.place === place))
    if (link === undefined) return undefined
    return link._tag === "Entry"
      ? { cid: link.entry.cid }
      : { cid: link.cid, above: { fanout, places: [...above.places, link.place] } }
  })
}

/**
 * Returns the links of a directory or of a shard. Each entry of a shard must be at the place that follows from the hash
 * of its name.
 */
function* linksOf(
  cid: Cid.Cid,
  node: UnixFsNode.UnixFsNode,
  above: Above
): Steps<
  Result.Result<
    { readonly fanout: number; readonly links: ReadonlyArray<HamtDirectory.HamtShardLink> },
    MalformedBlock | WrongKind
  >
> {
  if (node.kind === "hamt-shard") {
    const shard = HamtDirectory.hamtShardOf(cid, node)
    if (Result.isFailure(shard)) return Result.fail(shard.failure)
    const { fanout, links } = shard.success
    if (above.fanout !== undefined && above.fanout !== fanout) {
      return UnixFsNode.malformed(cid, "shards of different widths")
    }
    if (!HamtDirectory.isReachable(fanout, above.places.length)) {
      return UnixFsNode.malformed(cid, "a shard deeper than the hashes of names")
    }
    for (const [index, link] of links.entries()) {
      // Hashing a name takes as long as reading many links.
      if (index % 32 === 31) yield
      if (link._tag === "Entry" && !HamtDirectory.standsAt(link.name, fanout, [...above.places, link.place])) {
        return UnixFsNode.malformed(cid, "an entry where its name does not belong")
      }
    }
    return Result.succeed({ fanout, links })
  }
  if (above.fanout !== undefined) return UnixFsNode.malformed(cid, "below a shard, and none itself")
  if (node.kind !== "directory") return wrongKind(cid, "directory", node)
  return Result.map(yield* HamtDirectory.entriesOf(cid, node), (entries) => ({
    fanout: 0,
    links: entries.map((entry): HamtDirectory.HamtShardLink => ({ _tag: "Entry", place: 0, entry, name: NOTHING }))
  }))
}

const NOTHING = new Uint8Array(0)

const kindOf = ({ kind }: UnixFsNode.UnixFsNode): UnixFsStat["kind"] => (kind === "hamt-shard" ? "directory" : kind)

const wrongKind = (
  cid: Cid.Cid,
  expected: "file" | "directory",
  node: UnixFsNode.UnixFsNode
): Result.Result<never, WrongKind> => Result.fail(new WrongKind({ cid: Cid.toText(cid), expected, got: kindOf(node) }))

const beyond = (cid: Cid.Cid, bound: string, limit: number): LimitExceeded =>
  new LimitExceeded({ cid: Cid.toText(cid), bound, limit })
