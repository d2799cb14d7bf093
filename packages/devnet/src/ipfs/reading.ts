/** Reads files and directories in the embedded IPFS node. The reader checks each block. */
import { Buffer } from "node:buffer"

import * as Block from "@plumbline/ipfs-client/block/Block"
import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsPath from "@plumbline/ipfs-client/cid/IpfsPath"
import type {
  Attributes,
  Content,
  Found,
  Info,
  Listed,
  LsOptions,
  Range,
  Stat
} from "@plumbline/ipfs-client/node/IpfsNode"
import { fromBlockError, type IpfsNodeError, WrongKind } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as NodePath from "@plumbline/ipfs-client/node/NodePath"
import * as UnixFs from "@plumbline/ipfs-client/unixfs/UnixFs"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import { failure, invalid } from "./failure.ts"
import * as Store from "./store.ts"

export const cat = Effect.fnUntraced(function* (store: Store.Store, path: string, range: Range = {}) {
  const { length = Number.MAX_SAFE_INTEGER, offset = 0 } = range
  if (!Number.isSafeInteger(offset)) return yield* invalid("offset", "not a whole number")
  if (!Number.isSafeInteger(length)) return yield* invalid("length", "not a whole number")
  if (offset < 0) return yield* invalid("offset", "cannot specify negative offset")
  if (length < 0) return yield* invalid("length", "cannot specify negative length")
  const cid = yield* NodePath.resolveBlock(Store.source(store), path)
  const { type, size } = yield* info(store, cid)
  if (type !== "file") return yield* failure(new WrongKind({ cid: String(cid), expected: "file", got: type }))
  const content: Content = {
    size: Math.max(0, Math.min(size - offset, length)),
    bytes: bytesOf(store, cid, { offset, length })
  }
  return content
})

export const get = (store: Store.Store, path: string): Stream.Stream<Found, IpfsNodeError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const cid = yield* NodePath.resolveBlock(Store.source(store), path)
      return found(store, { text: IpfsPath.lastName(path) }, cid)
    })
  )

/** A name as text, and its bytes if they are not the text's UTF-8. */
interface Named {
  readonly text: string
  readonly bytes?: Uint8Array | undefined
}

const under = (path: Named, { name, nameBytes }: Pick<UnixFs.Entry, "name" | "nameBytes">): Named => {
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
const found = (store: Store.Store, path: Named, cid: Cid.Cid): Stream.Stream<Found, IpfsNodeError> =>
  Stream.unwrap(
    Effect.map(Effect.scope, (scope) => {
      const source = Store.sourceKeepingLast(store)
      const open: Array<Folder> = []
      const visit = Effect.fnUntraced(function* (path: Named, cid: Cid.Cid) {
        const about = yield* info(store, cid, source)
        if (about.type === "directory") {
          const own = yield* Scope.fork(scope)
          const more = yield* Scope.provide(Stream.toPull(entriesOf(store, cid, source)), own)
          open.push({ path, scope: own, more, entries: [] })
        }
        const found: Found = {
          ...about,
          path: path.text,
          ...(path.bytes === undefined ? {} : { pathBytes: path.bytes }),
          content: about.type === "file" ? bytesOf(store, cid, {}) : Stream.empty
        }
        return [found] as const
      })
      const next: Pull.Pull<readonly [Found], IpfsNodeError> = Effect.suspend(() => {
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
  store: Store.Store,
  path: string,
  { resolve = true }: LsOptions = {}
): Stream.Stream<Listed, IpfsNodeError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const cid = yield* NodePath.resolveBlock(Store.source(store), path)
      const { type } = yield* info(store, cid)
      const entries: Stream.Stream<Part, IpfsNodeError> =
        type === "directory" ? entriesOf(store, cid) : Stream.fromIterable(yield* partsOf(store, cid))
      return resolve
        ? Stream.mapEffect(
            entries,
            (part) => Effect.map(info(store, part.cid), (info) => ({ ...info, ...namesOf(part) })),
            { concurrency: LOOK_AHEAD }
          )
        : Stream.map(entries, unread)
    })
  )

type Part = Pick<UnixFs.Entry, "name" | "nameBytes" | "cid" | "totalSize">

const namesOf = ({ name, nameBytes }: Part) => ({ name, ...(nameBytes === undefined ? {} : { nameBytes }) })

/** Returns an entry that is not read. A raw block can only be a file. */
const unread = (part: Part): Listed => ({
  ...namesOf(part),
  cid: part.cid,
  ...(part.cid.code === Block.RAW ? { type: "file", size: part.totalSize ?? 0 } : { type: undefined, size: 0 })
})

export const stat = Effect.fnUntraced(function* (store: Store.Store, path: string) {
  const cid = yield* NodePath.resolveBlock(Store.source(store), path)
  const about = yield* info(store, cid)
  const bytes = yield* Store.get(store, cid)
  const links = yield* linksOf(store, cid)
  const stat: Stat = {
    ...about,
    cumulativeSize: links.reduce((sum, link) => sum + (link.Tsize ?? 0), bytes.length),
    blocks: links.length
  }
  return stat
})

const LOOK_AHEAD = 8

const bytesOf = (store: Store.Store, cid: Cid.Cid, range: Range): Stream.Stream<Uint8Array, IpfsNodeError> =>
  Stream.mapError(UnixFs.cat(Store.source(store), cid, { ...range, maxBlockSize: ANY_SIZE }), fromBlockError)

/** No size limit, because blocks on the disk were accepted at any size. */
const ANY_SIZE = Number.MAX_SAFE_INTEGER

const entriesOf = (store: Store.Store, cid: Cid.Cid, source = Store.source(store)) =>
  Stream.mapError(UnixFs.entries(source, cid, { maxBlockSize: ANY_SIZE }), fromBlockError)

/**
 * Describes a CID from its root block alone. A block that is neither a file nor a directory counts as a file, as in
 * Kubo.
 */
const info = (store: Store.Store, cid: Cid.Cid, source = Store.source(store)): Effect.Effect<Info, IpfsNodeError> =>
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
): Attributes => ({
  mode,
  mtime: mtime === undefined ? undefined : Number(mtime.seconds),
  mtimeNsecs: mtime?.nanoseconds
})

interface Link {
  readonly Hash: Cid.Cid
  readonly Tsize?: number | undefined
}

const linksOf = Effect.fnUntraced(function* (store: Store.Store, cid: Cid.Cid) {
  if (cid.code !== Block.DAG_PB) return []
  const bytes = yield* Store.get(store, cid)
  const node = yield* Effect.mapError(Effect.fromResult(Block.decode({ cid, bytes })), fromBlockError)
  return (node as { readonly Links: ReadonlyArray<Link> }).Links
})

/** Returns the parts into which a file was cut. */
const partsOf = (store: Store.Store, cid: Cid.Cid) =>
  Effect.map(linksOf(store, cid), (links) => links.map((link) => ({ name: "", cid: link.Hash, totalSize: link.Tsize })))
