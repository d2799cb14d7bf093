/** The commands about files and directories. */
import { Buffer } from "node:buffer"
import { createGzip } from "node:zlib"

import * as IpfsPath from "@plumbline/ipfs-client/cid/IpfsPath"
import type * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import type {
  AddedEntry,
  AddProgress,
  ContentStream,
  ArchiveEntry,
  ContentInfo,
  ListedEntry
} from "@plumbline/ipfs-client/node/IpfsNode"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as WorkScheduler from "@plumbline/ipfs-client/work/WorkScheduler"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import {
  bytes,
  collectAtMost,
  defined,
  type CommandFault,
  type CommandHandler,
  invalid,
  lines,
  type CommandRequest,
  unsupported,
  value
} from "./commandHandler.ts"
import * as MultipartUpload from "./multipartUpload.ts"
import * as TarWriter from "./tarWriter.ts"

export const add: CommandHandler<"add"> = Effect.fnUntraced(function* ({ format, node, options, parts }) {
  yield* unsupported({
    nocopy: options.nocopy === true,
    "to-files": options.toFiles !== undefined,
    "max-directory-links": options.maxDirectoryLinks !== undefined,
    "empty-dirs=false": options.emptyDirs === false
  })
  const added = node.add(MultipartUpload.entries(parts), options)
  return lines(options.silent === true ? Stream.drain(added) : Stream.map(added, (event) => toAdded(event, format)))
})

const toAdded = (event: AddedEntry | AddProgress, format: CommandRequest<"add">["format"]) =>
  event._tag === "Progress"
    ? { name: event.name, bytes: event.bytes }
    : {
        name: event.name,
        cid: format(event.cid),
        size: event.size,
        ...defined({ mode: event.mode, mtime: event.mtime, mtimeNsecs: event.mtimeNsecs })
      }

export const cat: CommandHandler<"cat"> = Effect.fnUntraced(function* ({ args, node, options }) {
  const contents = yield* rangeOf(args, options, (path, range) => node.cat(path, range))
  return bytes(
    Stream.flatMap(Stream.fromIterable(contents), (content) => content.bytes),
    { length: contents.reduce((sum, { size }) => sum + size, 0) }
  )
})

/**
 * Returns a range of several files that are joined. The beginning of every file is read before any byte is sent.
 */
const rangeOf = Effect.fnUntraced(function* (
  paths: ReadonlyArray<string>,
  range: { readonly offset?: number | undefined; readonly length?: number | undefined },
  read: CommandRequest<"cat">["node"]["cat"]
) {
  if (paths.length === 1) return [yield* read(paths[0]!, { offset: range.offset, length: range.length })]
  const contents: Array<ContentStream> = []
  let offset = range.offset ?? 0
  let left = range.length ?? Number.MAX_SAFE_INTEGER
  if (offset < 0) return yield* invalid("offset", "cannot specify negative offset")
  if (left < 0) return yield* invalid("length", "cannot specify negative length")
  for (const path of paths) {
    const { size } = yield* read(path)
    const content = yield* read(path, { offset, length: left })
    offset = Math.max(0, offset - size)
    left -= content.size
    contents.push(content)
  }
  return contents
})

export const get: CommandHandler<"get"> = Effect.fnUntraced(function* ({ args, node, options }) {
  const { archive = false, compress = false, compressionLevel: level } = options
  if (compress && level !== undefined && (level < 1 || level > 9)) {
    return yield* invalid("compression-level", "compression level must be between 1 and 9")
  }
  const found = node.get(args[0]!)
  if (compress && !archive) return bytes(gzip(onlyFile(found), level), { contentType: "application/gzip" })
  if (compress) return bytes(gzip(TarWriter.archive(found), level), { contentType: "application/gzip" })
  const info = yield* node.stat(args[0]!)
  const tar = TarWriter.archive(found)
  if (info.type === "directory") return bytes(tar)
  return bytes(tar, { length: TarWriter.sizeOf({ ...info, path: IpfsPath.lastName(args[0]!) }) })
})

/** Returns the bytes of a file. If the content is not a file, it fails before the first byte. */
const onlyFile = (found: Stream.Stream<ArchiveEntry, IpfsNodeError>): Stream.Stream<Uint8Array, IpfsNodeError> =>
  Stream.flatMap(Stream.take(found, 1), (entry) =>
    entry.type === "file" ? entry.content : Stream.fail(invalid("path", "file is not regular"))
  )

/**
 * Compresses without a pipeline of Node's streams, because ending a pipeline from outside waits for its pending reads.
 */
const gzip = (
  bytes: Stream.Stream<Uint8Array, CommandFault>,
  level: number | undefined
): Stream.Stream<Uint8Array, CommandFault> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const compressor = yield* Effect.acquireRelease(
        Effect.sync(() => createGzip(level === undefined ? {} : { level })),
        (compressor) => Effect.sync(() => compressor.destroy())
      )
      const made: Array<Uint8Array> = []
      compressor.on("data", (piece: Uint8Array) => made.push(piece))
      // the pending write reports the error; an error event without a listener would end the process
      compressor.on("error", () => undefined)
      const write = (piece: Uint8Array) =>
        Effect.callback<ReadonlyArray<Uint8Array>>((resume) => {
          compressor.write(piece, (error) => resume(error ? Effect.die(error) : Effect.sync(() => made.splice(0))))
        })
      const rest = Effect.callback<ReadonlyArray<Uint8Array>>((resume) => {
        compressor.once("end", () => resume(Effect.succeed(made)))
        compressor.once("error", (error) => resume(Effect.die(error)))
        compressor.end()
      })
      return Stream.flattenIterable(Stream.concat(Stream.mapEffect(bytes, write), Stream.fromEffect(rest)))
    })
  )

export const ls: CommandHandler<"ls"> = Effect.fnUntraced(function* ({ args, format, limits, node, options }) {
  yield* unsupported({ long: options.long === true })
  const entry = (listed: ListedEntry) => ({
    name: listed.name,
    cid: format(listed.cid),
    size: listed.size,
    type: listed.type === undefined ? 0 : TYPES[listed.type],
    target: listed.target ?? "",
    ...defined({ mode: listed.mode, mtime: listed.mtime, mtimeNsecs: listed.mtimeNsecs })
  })
  const resolve = options.size !== false || options.resolveType !== false
  if (options.stream === true) {
    return lines(
      Stream.flatMap(Stream.fromIterable(args), (path) =>
        Stream.map(node.ls(path, { resolve }), (listed) => ({ objects: [{ path, entries: [entry(listed)] }] }))
      )
    )
  }
  let count = 0
  const objects = yield* Effect.forEach(
    args,
    Effect.fnUntraced(function* (path) {
      const all = yield* collectAtMost(node.ls(path, { resolve }), limits.listed, count)
      count += all.length
      return { path, entries: yield* WorkScheduler.run(() => inOrder(all, entry)) }
    })
  )
  return value({ objects })
})

/**
 * Orders entries by the bytes of their names, as Kubo lists a whole directory, and returns the form of each, in steps.
 * Parts of a file have no names, and keep their order.
 */
function* inOrder<A>(
  all: ReadonlyArray<ListedEntry>,
  formOf: (listed: ListedEntry) => A
): WorkScheduler.Steps<ReadonlyArray<A>> {
  const named: Array<{ readonly name: Uint8Array; readonly form: A }> = []
  for (const listed of all) {
    if (named.length % FORMS_AT_ONCE === FORMS_AT_ONCE - 1) yield
    named.push({ name: listed.nameBytes ?? Buffer.from(listed.name), form: formOf(listed) })
  }
  const sorted = yield* WorkScheduler.sorted(named, (a, b) => Buffer.compare(a.name, b.name))
  return sorted.map(({ form }) => form)
}

/** Number of entries whose CIDs are written in one step. */
const FORMS_AT_ONCE = 128

/** The numbers of the types in UnixFS. */
const TYPES = { directory: 1, file: 2, symlink: 4 } as const satisfies Record<
  ContentInfo["type"],
  IpfsApi.ListedEntry["type"]
>

export const filesStat: CommandHandler<"files/stat"> = Effect.fnUntraced(function* ({ args, format, node, options }) {
  yield* unsupported({ "with-local": options.withLocal === true })
  const stat = yield* node.stat(args[0]!)
  return value({
    cid: format(stat.cid),
    size: stat.size,
    cumulativeSize: stat.cumulativeSize,
    blocks: stat.blocks,
    type: stat.type === "directory" ? "directory" : "file",
    ...defined({ mode: stat.mode, mtime: stat.mtime, mtimeNsecs: stat.mtimeNsecs })
  })
})
