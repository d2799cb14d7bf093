/** Implements the reading commands of a node with its blocks. Each block is checked against its CID. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Block from "../block/Block.ts"
import * as BlockSource from "../block/BlockSource.ts"
import * as DagPbObject from "../block/DagPbObject.ts"
import { flawed } from "../block/malformedBlock.ts"
import * as Cid from "../cid/Cid.ts"
import * as IpfsPath from "../cid/IpfsPath.ts"
import * as DagPb from "../codec/dagPb.ts"
import * as EntryNames from "../codec/entryNames.ts"
import * as DagSelection from "../dag/DagSelection.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"
import * as WorkScheduler from "../work/WorkScheduler.ts"
import type {
  ContentStream,
  ArchiveEntry,
  ContentInfo,
  ListedEntry,
  LsOptions,
  FileRange,
  ContentStat
} from "./IpfsNode.ts"
import { fromBlockError, InvalidRequest, IpfsNodeError, WrongKind } from "./IpfsNodeError.ts"
import { resolveBlock, type NodeBlocks } from "./NodePath.ts"

const failure = (reason: IpfsNodeError["reason"]): IpfsNodeError => new IpfsNodeError({ reason })

const invalid = (what: string, detail: string): IpfsNodeError => failure(new InvalidRequest({ what, detail }))

/**
 * No limit for the size of blocks, because a node stores blocks of any size. The source limits the bytes that it reads.
 */
const ANY_SIZE = { maxBlockSize: Number.MAX_SAFE_INTEGER }

const LOOK_AHEAD = 8

/** Returns a checked block. */
export const block = (source: NodeBlocks, cid: Cid.Cid): Effect.Effect<Uint8Array, IpfsNodeError> =>
  Effect.mapBoth(BlockSource.get(source, cid, ANY_SIZE), { onSuccess: ({ bytes }) => bytes, onFailure: fromBlockError })

/** Streams all blocks of a DAG, each once. */
export const blocks = (source: NodeBlocks, cid: Cid.Cid): Stream.Stream<Block.Block, IpfsNodeError> =>
  Stream.mapError(DagSelection.blocks(source, cid, { ...ANY_SIZE, inlined: true }), fromBlockError)

export const cat = Effect.fnUntraced(function* (source: NodeBlocks, path: string, range: FileRange = {}) {
  const { length = Number.MAX_SAFE_INTEGER, offset = 0 } = range
  if (!Number.isSafeInteger(offset)) return yield* invalid("offset", "not a whole number")
  if (!Number.isSafeInteger(length)) return yield* invalid("length", "not a whole number")
  if (offset < 0) return yield* invalid("offset", "cannot specify negative offset")
  if (length < 0) return yield* invalid("length", "cannot specify negative length")
  const cid = yield* resolveBlock(source, path)
  const { size, type } = yield* info(source, cid)
  if (type !== "file") return yield* failure(new WrongKind({ cid: Cid.toText(cid), expected: "file", got: type }))
  const content: ContentStream = {
    size: Math.max(0, Math.min(size - offset, length)),
    bytes: bytesOf(source, cid, { offset, length })
  }
  return content
})

export const get = (source: NodeBlocks, path: string): Stream.Stream<ArchiveEntry, IpfsNodeError> =>
  Stream.unwrap(
    Effect.map(resolveBlock(source, path), (cid) =>
      found(source, { text: IpfsPath.lastName(path), bytes: undefined }, cid)
    )
  )

const found = (
  source: NodeBlocks,
  path: EntryNames.EntryName,
  cid: Cid.Cid
): Stream.Stream<ArchiveEntry, IpfsNodeError> =>
  Stream.unwrap(
    Effect.map(info(source, cid), (info) => {
      const content = info.type === "file" ? bytesOf(source, cid, {}) : Stream.empty
      const pathBytes = path.bytes === undefined ? {} : { pathBytes: path.bytes }
      const first = Stream.succeed<ArchiveEntry>({ ...info, path: path.text, ...pathBytes, content })
      return info.type === "directory"
        ? Stream.concat(
            first,
            Stream.flatMap(entriesOf(source, cid), (entry) =>
              found(source, EntryNames.under(path, { text: entry.name, bytes: entry.nameBytes }), entry.cid)
            )
          )
        : first
    })
  )

export const ls = (
  source: NodeBlocks,
  path: string,
  { resolve = true }: LsOptions = {}
): Stream.Stream<ListedEntry, IpfsNodeError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const cid = yield* resolveBlock(source, path)
      const { type } = yield* info(source, cid)
      const entries: Stream.Stream<Unread, IpfsNodeError> =
        type === "directory" ? entriesOf(source, cid) : yield* partsOf(source, cid)
      return resolve
        ? Stream.mapEffect(
            entries,
            (entry) => Effect.map(info(source, entry.cid), (info) => ({ ...info, ...nameOf(entry) })),
            { concurrency: LOOK_AHEAD }
          )
        : Stream.map(entries, unread)
    })
  )

/** An entry of a directory or a part of a file, as its parent describes it. */
type Unread = Pick<UnixFs.DirectoryEntry, "name" | "nameBytes" | "cid"> & {
  readonly totalSize?: number | bigint | undefined
}

const nameOf = ({ name, nameBytes }: Unread) => ({ name, ...(nameBytes === undefined ? {} : { nameBytes }) })

/** Returns an entry that is not read. A raw block can only be a file. */
const unread = (entry: Unread): ListedEntry => ({
  ...nameOf(entry),
  cid: entry.cid,
  ...(entry.cid.code === Block.RAW
    ? { type: "file", size: Number(entry.totalSize ?? 0) }
    : { type: undefined, size: 0 })
})

export const stat = Effect.fnUntraced(function* (source: NodeBlocks, path: string) {
  const cid = yield* resolveBlock(source, path)
  const bytes = yield* block(source, cid)
  const about = yield* info(() => Effect.succeed(bytes), cid)
  if (cid.code !== Block.DAG_PB) return { ...about, cumulativeSize: bytes.length, blocks: 0 }
  const { cumulativeSize, links } = yield* Effect.mapError(DagPbObject.statEffect(cid, bytes), fromBlockError)
  const stat: ContentStat = { ...about, cumulativeSize, blocks: links }
  return stat
})

const bytesOf = (source: NodeBlocks, cid: Cid.Cid, range: FileRange): Stream.Stream<Uint8Array, IpfsNodeError> =>
  Stream.mapError(UnixFs.cat(source, cid, { ...range, ...ANY_SIZE }), fromBlockError)

const entriesOf = (source: NodeBlocks, cid: Cid.Cid) =>
  Stream.mapError(UnixFs.entries(source, cid, ANY_SIZE), fromBlockError)

/** Returns the kind and attributes of a CID's content, from its root block. `metadata` counts as a file, as in Kubo. */
const info = (source: NodeBlocks, cid: Cid.Cid): Effect.Effect<ContentInfo, IpfsNodeError> =>
  Effect.mapBoth(UnixFs.stat(source, cid, ANY_SIZE), {
    onFailure: fromBlockError,
    onSuccess: ({ kind, mode, mtime, size, target, targetBytes }) => ({
      cid,
      type: kind === "metadata" ? ("file" as const) : kind,
      size,
      target,
      ...(targetBytes === undefined ? {} : { targetBytes }),
      mode,
      mtime: mtime === undefined ? undefined : Number(mtime.seconds),
      mtimeNsecs: mtime?.nanoseconds
    })
  })

/** Streams the parts into which a file was cut. */
const partsOf = Effect.fnUntraced(function* (source: NodeBlocks, cid: Cid.Cid) {
  if (cid.code !== Block.DAG_PB) return Stream.empty
  const bytes = yield* block(source, cid)
  const scanned = yield* WorkScheduler.run(() => DagPb.scan(bytes))
  const node = yield* Effect.fromResult(Result.mapError(scanned, (flaw) => fromBlockError(flawed(cid)(flaw))))
  return Stream.map(Stream.range(0, node.count - 1), (index): Unread => ({
    name: "",
    cid: DagPb.cidOf(node, index),
    totalSize: node.sizes[index]
  }))
})
