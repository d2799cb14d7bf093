/** Reads the content at a CID and a path. Every block is hashed against the CID that names it. */
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as BlockSource from "@plumbline/ipfs-client/block/BlockSource"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Dag from "@plumbline/ipfs-client/dag/Dag"
import * as UnixFs from "@plumbline/ipfs-client/unixfs/UnixFs"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"

import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as IpfsStore from "./IpfsStore.ts"

/** The content at a place. */
export type CidContent = {
  readonly cid: Cid.Cid
  readonly codec: string
  /** The blocks that were read and hashed, and their bytes. */
  readonly read: { readonly blocks: number; readonly bytes: number }
} & (
  | { readonly _tag: "Directory"; readonly entries: ReadonlyArray<ContentEntry>; readonly isCut: boolean }
  | {
      readonly _tag: "File"
      readonly size: number
      /** The first bytes of the file, as many as the page shows; all bytes if the file is small. */
      readonly head: Uint8Array
      readonly source: BlockSource.BlockSource<unknown>
    }
  | { readonly _tag: "Symlink"; readonly target: string }
  | { readonly _tag: "Value"; readonly text: string; readonly links: ReadonlyArray<Cid.Cid> }
)

/** An entry of a directory. */
export interface ContentEntry {
  readonly name: string
  readonly cid: Cid.Cid
  /** The number of bytes in all blocks below the entry, as the directory states it. Nothing proves this number. */
  readonly said: number | undefined
  /** True if a path leads to the entry: its name is UTF-8. */
  readonly isNamed: boolean
}

/** Number of entries of a directory that are read at first. */
export const FIRST_ENTRIES = 1000

/** Maximum number of entries that are read. The names of a larger directory are looked up one by one. */
export const MAX_ENTRIES = 100_000

/** Maximum number of bytes of a file that are read to show it. */
export const MAX_SHOWN = 8 * 1024 * 1024

/** Maximum number of characters of a value that are shown. */
const MAX_TEXT = 200_000

/** Follows a path, and reads the content at its end. */
const kept = ({ cid: text = "", path = [] }: ConsoleRoute.IpfsRoute, most: number) =>
  IpfsStore.read(
    Effect.fnUntraced(function* ({ read, source }) {
      const root = yield* Effect.fromResult(Cid.fromText(text))
      const cid = yield* UnixFs.resolve(source, root, path)
      const codec = Block.codecs.get(cid.code) ?? `codec ${cid.code}`
      const found = yield* contentOf(source, cid, most)
      const there: CidContent = { cid, codec, read: read(), ...found }
      return there
    })
  )

const contentOf = Effect.fnUntraced(function* <E>(source: BlockSource.BlockSource<E>, cid: Cid.Cid, most: number) {
  if (cid.code !== Block.DAG_PB && cid.code !== Block.RAW) {
    const block = yield* BlockSource.get(source, cid)
    const value = yield* Effect.fromResult(Block.decode(block))
    const links = yield* Effect.fromResult(Block.links(block))
    return { _tag: "Value" as const, text: shown(value), links }
  }
  const stat = yield* UnixFs.stat(source, cid)
  if (stat.kind === "directory") {
    const all = yield* Stream.runCollect(Stream.take(UnixFs.entries(source, cid), most + 1))
    const entries = all.slice(0, most).map(({ cid, name, nameBytes, totalSize }): ContentEntry => ({
      name,
      cid,
      said: totalSize,
      isNamed: nameBytes === undefined
    }))
    // a sharded directory has the order of hashes
    entries.sort((one, other) => byName.compare(one.name, other.name))
    return { _tag: "Directory" as const, entries, isCut: all.length > most }
  }
  if (stat.kind === "symlink") return { _tag: "Symlink" as const, target: stat.target ?? "" }
  const pieces = yield* Stream.runCollect(UnixFs.cat(source, cid, { length: MAX_SHOWN }))
  return { _tag: "File" as const, size: stat.size, head: joined(pieces), source }
})

const byName = new Intl.Collator("en", { numeric: true })

/** The kind and the size of an entry, by its first block. */
export type EntryStat =
  /** `said` is the number of stored bytes below the directory, as its first block states it. Nothing proves it. */
  | { readonly kind: "directory"; readonly size: undefined; readonly said: number | undefined }
  | { readonly kind: "symlink"; readonly size: undefined }
  | { readonly kind: "file"; readonly size: number }
  /** A value of another codec than UnixFS. */
  | { readonly kind: "value"; readonly size: undefined }

/** Number of entries whose first blocks are read at the same time. */
const AT_A_TIME = 6

const permits = Semaphore.makeUnsafe(AT_A_TIME)

/** Reads the first block of an entry, and checks it. */
export const stat = Atom.family((text: string) =>
  IpfsStore.read(
    Effect.fnUntraced(function* ({ source }) {
      const cid = yield* Effect.fromResult(Cid.fromText(text))
      const isUnixFs = cid.code === Block.DAG_PB || cid.code === Block.RAW
      const found = isUnixFs ? yield* permits.withPermits(1)(UnixFs.stat(source, cid)) : undefined
      const stat: EntryStat =
        found === undefined
          ? { kind: "value", size: undefined }
          : found.kind === "directory"
            ? { kind: "directory", size: undefined, said: saidBy(yield* BlockSource.get(source, cid)) }
            : found.kind === "symlink"
              ? { kind: "symlink", size: undefined }
              : { kind: "file", size: found.size }
      return stat
    })
  )
)

/** Returns the sum of the sizes that the links of a directory's block state; undefined if one states none. */
const saidBy = (block: Block.Block): number | undefined => {
  const { Links: links = [] } = Result.getOrElse(Block.decode(block), () => ({})) as {
    readonly Links?: ReadonlyArray<{ readonly Tsize?: number | bigint }>
  }
  return links.every(({ Tsize }) => Tsize !== undefined)
    ? links.reduce((sum, { Tsize }) => sum + Number(Tsize), block.bytes.length)
    : undefined
}

/** Joins the pieces of a file. */
export const joined = (pieces: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Writes a value as text: links as their CIDs, bytes in hex. */
const shown = (value: unknown): string => {
  const text = JSON.stringify(
    value,
    (_, part: unknown) => {
      if (typeof part === "bigint") return String(part)
      if (part instanceof Uint8Array)
        return `bytes 0x${Array.from(part, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
      const cid = Cid.asCid(part)
      return cid === undefined ? part : `link ${Cid.toText(cid)}`
    },
    2
  )
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n…` : text
}

/** A walk over blocks, possibly unfinished. */
export interface BlockWalk {
  readonly root: Cid.Cid
  readonly steps: ReadonlyArray<Dag.WalkStep>
  /** True if there are more blocks than the picture shows. */
  readonly isCut: boolean
  /** The error that ended the walk. */
  readonly broken: { readonly _tag: string; readonly message: string } | undefined
}

/** Maximum number of blocks of a picture. */
export const MAX_BLOCKS = 200

/** Walks the blocks below a place. A wrong block ends the walk, and the picture shows it. */
const picture = ({ cid: text = "", path = [] }: ConsoleRoute.IpfsRoute) =>
  IpfsStore.read(
    Effect.fnUntraced(function* ({ source }) {
      const first = yield* Effect.fromResult(Cid.fromText(text))
      const root = yield* UnixFs.resolve(source, first, path)
      const steps: Array<Dag.WalkStep> = []
      const walk = Dag.walk(source, root).pipe(
        Stream.take(MAX_BLOCKS + 1),
        Stream.runForEach((step) => Effect.sync(() => void steps.push(step)))
      )
      const ended = yield* Effect.result(walk)
      const result: BlockWalk = {
        root,
        steps: steps.slice(0, MAX_BLOCKS),
        isCut: steps.length > MAX_BLOCKS,
        broken: Result.isFailure(ended) ? ended.failure : undefined
      }
      return result
    })
  )

const placeOf = (id: string): ConsoleRoute.IpfsRoute => {
  const { pathname, search } = new URL(id, "http://console.invalid")
  return ConsoleRoute.parse(pathname, search) as ConsoleRoute.IpfsRoute
}

/** Returns the reads of a place, keyed by its link. `most` is the number of entries to read. */
export const readsOf = {
  content: (id: string, most: number) => kept(placeOf(id), most),
  picture: (id: string) => picture(placeOf(id))
}
