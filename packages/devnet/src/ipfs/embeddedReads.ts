/** Reads files and directories in the embedded IPFS node. The reader checks each block. */
import { Buffer } from "node:buffer"

import * as Block from "@plumbline/ipfs-client/block/Block"
import * as DagPbObject from "@plumbline/ipfs-client/block/DagPbObject"
import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsPath from "@plumbline/ipfs-client/cid/IpfsPath"
import type {
  EntryAttributes,
  ContentStream,
  ArchiveEntry,
  ContentInfo,
  ListedEntry,
  LsOptions,
  FileRange,
  ContentStat
} from "@plumbline/ipfs-client/node/IpfsNode"
import { fromBlockError, type IpfsNodeError, WrongKind } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as NodePath from "@plumbline/ipfs-client/node/NodePath"
import * as NodeReads from "@plumbline/ipfs-client/node/NodeReads"
import * as UnixFs from "@plumbline/ipfs-client/unixfs/UnixFs"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import { failure, invalid } from "./embeddedFailure.ts"
import * as EmbeddedStore from "./embeddedStore.ts"

export const cat = Effect.fnUntraced(function* (
  store: EmbeddedStore.EmbeddedStore,
  path: string,
  range: FileRange = {}
) {
  const { length = Number.MAX_SAFE_INTEGER, offset = 0 } = range
  if (!Number.isSafeInteger(offset)) return yield* invalid("offset", "not a whole number")
  if (!Number.isSafeInteger(length)) return yield* invalid("length", "not a whole number")
  if (offset < 0) return yield* invalid("offset", "cannot specify negative offset")
  if (length < 0) return yield* invalid("length", "cannot specify negative length")
  const cid = yield* NodePath.resolveBlock(EmbeddedStore.source(store), path)
  const { type, size } = yield* info(store, cid)
  if (type !== "file") return yield* failure(new WrongKind({ cid: String(cid), expected: "file", got: type }))
  const content: ContentStream = {
    size: Math.max(0, Math.min(size - offset, length)),
    bytes: bytesOf(store, cid, { offset, length })
  }
  return content
})

export const get = (store: EmbeddedStore.EmbeddedStore, path: string): Stream.Stream<ArchiveEntry, IpfsNodeError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const cid = yield* NodePath.resolveBlock(EmbeddedStore.source(store), path)
      return found(store, { text: IpfsPath.lastName(path) }, cid)
    })
  )

/** A name as text, and its bytes if they are not the text's UTF-8. */
interface Named {
  readonly text: string
  readonly bytes?: Uint8Array | undefined
}

const under = (path: Named, { name, nameBytes }: Pick<UnixFs.DirectoryEntry, "name" | "nameBytes">): Named => {
  const text = `${path.text}/${name}`
  return path.bytes === undefined && nameBytes === undefined
    ? { text }
    : { text, bytes: Buffer.concat([path.bytes ?? Buffer.from(path.text), SLASH, nameBytes ?? Buffer.from(name)]) }
}

const SLASH = Buffer.from("/")

/** A directory whose entries are being read. */
interface Folder {
  readonly path: Named
  readonly scope: Scope.Closeable
  readonly more: Pull.Pull<ReadonlyArray<Entry>, IpfsNodeError>
  /** Entries that were read but not yet emitted, with the next one last. */
  entries: Array<Entry>
}

type Entry = Stream.Success<ReturnType<typeof entriesOf>>

/**
 * Streams everything below a path. Open directories are kept on a stack, because nested streams would pass each entry
 * up through all levels above it.
 */
const found = (
  store: EmbeddedStore.EmbeddedStore,
  path: Named,
  cid: Cid.Cid
): Stream.Stream<ArchiveEntry, IpfsNodeError> =>
  Stream.unwrap(
    Effect.map(Effect.scope, (scope) => {
      const source = EmbeddedStore.sourceKeepingLast(store)
      const open: Array<Folder> = []
      const visit = Effect.fnUntraced(function* (path: Named, cid: Cid.Cid) {
        const about = yield* info(store, cid, source)
        if (about.type === "directory") {
          const own = yield* Scope.fork(scope)
          const more = yield* Scope.provide(Stream.toPull(entriesOf(store, cid, source)), own)
          open.push({ path, scope: own, more, entries: [] })
        }
        const found: ArchiveEntry = {
          ...about,
          path: path.text,
          ...(path.bytes === undefined ? {} : { pathBytes: path.bytes }),
          content: about.type === "file" ? bytesOf(store, cid, {}) : Stream.empty
        }
        return [found] as const
      })
      const next: Pull.Pull<readonly [ArchiveEntry], IpfsNodeError> = Effect.suspend(() => {
        const folder = open.at(-1)
        if (folder === undefined) return Cause.done()
        const entry = folder.entries.pop()
        if (entry !== undefined) return visit(under(folder.path, entry), entry.cid)
        const read = Effect.map(folder.more, (entries) => {
          folder.entries = entries.toReversed()
        })
        return Effect.andThen(
          Pull.catchDone(read, () =>
            Effect.andThen(
              Scope.close(folder.scope, Exit.void),
              Effect.sync(() => open.pop())
            )
          ),
          next
        )
      })
      let first = true
      return Stream.fromPull(
        Effect.succeed(
          Effect.suspend(() => {
            if (!first) return next
            first = false
            return visit(path, cid)
          })
        )
      )
    })
  )

export const ls = (
  store: EmbeddedStore.EmbeddedStore,
  path: string,
  options?: LsOptions
): Stream.Stream<ListedEntry, IpfsNodeError> => NodeReads.make(EmbeddedStore.source(store)).ls(path, options)

export const stat = Effect.fnUntraced(function* (store: EmbeddedStore.EmbeddedStore, path: string) {
  const cid = yield* NodePath.resolveBlock(EmbeddedStore.source(store), path)
  const about = yield* info(store, cid)
  const bytes = yield* EmbeddedStore.get(store, cid)
  if (cid.code !== Block.DAG_PB) return { ...about, cumulativeSize: bytes.length, blocks: 0 }
  const { cumulativeSize, links } = yield* Effect.mapError(DagPbObject.statEffect(cid, bytes), fromBlockError)
  const stat: ContentStat = { ...about, cumulativeSize, blocks: links }
  return stat
})

const bytesOf = (
  store: EmbeddedStore.EmbeddedStore,
  cid: Cid.Cid,
  range: FileRange
): Stream.Stream<Uint8Array, IpfsNodeError> =>
  Stream.mapError(UnixFs.cat(EmbeddedStore.source(store), cid, { ...range, maxBlockSize: ANY_SIZE }), fromBlockError)

/** No size limit, because blocks on the disk were accepted at any size. */
const ANY_SIZE = Number.MAX_SAFE_INTEGER

const entriesOf = (store: EmbeddedStore.EmbeddedStore, cid: Cid.Cid, source = EmbeddedStore.source(store)) =>
  Stream.mapError(UnixFs.entries(source, cid, { maxBlockSize: ANY_SIZE }), fromBlockError)

/**
 * Describes a CID from its root block alone. A block that is neither a file nor a directory counts as a file, as in
 * Kubo.
 */
const info = (
  store: EmbeddedStore.EmbeddedStore,
  cid: Cid.Cid,
  source = EmbeddedStore.source(store)
): Effect.Effect<ContentInfo, IpfsNodeError> =>
  Effect.map(
    Effect.mapError(UnixFs.stat(source, cid, { maxBlockSize: ANY_SIZE }), fromBlockError),
    ({ kind, mode, mtime, size, target, targetBytes }) => ({
      cid,
      type: kind === "metadata" ? "file" : kind,
      size,
      target,
      ...(targetBytes === undefined ? {} : { targetBytes }),
      ...attributes(mode, mtime)
    })
  )

const attributes = (
  mode: number | undefined,
  mtime: { readonly seconds: bigint; readonly nanoseconds?: number | undefined } | undefined
): EntryAttributes => ({
  mode,
  mtime: mtime === undefined ? undefined : Number(mtime.seconds),
  mtimeNsecs: mtime?.nanoseconds
})
