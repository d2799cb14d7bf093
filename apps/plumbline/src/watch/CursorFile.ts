/**
 * The place of a watch, in a file that survives `kill -9`.
 *
 * A line is in the file before it is printed, and out of it once it is written. So a watch that was killed between the two
 * prints this line again when it starts: the same text, with the same cursor, whatever the chain did since. A reader that
 * knows the last cursor can drop it. No other line is printed twice, and none is left out.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import type * as LogFilter from "@plumbline/eth-methods/model/LogFilter"
import * as ChainWatch from "@plumbline/eth-methods/verified/ChainWatch"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

import { DataError, dataError } from "../files/DataError.ts"
import * as FileLock from "../files/FileLock.ts"
import * as WholeFile from "../files/WholeFile.ts"
import { isAlive } from "../home/ProcessId.ts"
import { UsageError } from "../terminal/UsageError.ts"

/** What a watch follows. A cursor is of use only for the same watch. */
export interface WatchSubject {
  readonly watch: "heads" | "logs"
  /** The id of the chain, decimal. */
  readonly chain: string
  /** The beginning of the hash of the filter, in the form of JSON-RPC. Absent for heads. */
  readonly filter?: string
}

/** The place of a watch as it is in a line and in the file. */
export interface StoredCursor extends WatchSubject {
  readonly place: ChainWatch.Cursor
}

/** A line without its cursor. */
export type WatchLine = Readonly<Record<string, unknown>>

const Stored = Schema.Struct({
  watch: Schema.Literals(["heads", "logs"]),
  chain: Schema.String,
  filter: Schema.optionalKey(Schema.String),
  place: ChainWatch.Cursor,
  /** The line that may not have been printed. */
  line: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Stored))

/** Returns what a watch of logs follows, or of heads without a filter. */
export const subjectOf = (chain: bigint, filter?: LogFilter.Selection): WatchSubject =>
  filter === undefined
    ? { watch: "heads", chain: chain.toString() }
    : { watch: "logs", chain: chain.toString(), filter: digestOf(filter) }

/** Returns the same digest for filters that differ only in the order of alternatives and in the case of digits. */
const digestOf = ({ address, topics }: LogFilter.Selection): string => {
  const sorted = (values: string | ReadonlyArray<string> | null | undefined): ReadonlyArray<string> =>
    [...new Set([values ?? []].flat().map((value) => value.toLowerCase()))].toSorted()
  const text = JSON.stringify([sorted(address), (topics ?? []).map(sorted)])
  return Keccak256.hashHex(new TextEncoder().encode(text)).slice(0, 18)
}

/** Reads the file; undefined if it does not exist. Fails if it is the place of another watch. */
export const read = Effect.fnUntraced(function* (file: string, subject: WatchSubject) {
  const fs = yield* FileSystem.FileSystem
  const found = yield* Effect.gen(function* () {
    const { size, type } = yield* fs.stat(file)
    return type !== "File" || size > MAX_BYTES ? "" : yield* fs.readFileString(file)
  }).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.undefined
    ),
    Effect.mapError((error) => dataError(file, "Unreadable", error))
  )
  if (found === undefined) return undefined
  const stored = yield* Effect.mapError(
    decode(found),
    () => new DataError({ path: file, problem: "Damaged", detail: "it holds no cursor of a watch" })
  )
  const other = (["watch", "chain", "filter"] as const).find((part) => stored[part] !== subject[part])
  if (other !== undefined) {
    const what = other === "filter" ? "other addresses or topics" : `${other} ${stored[other] ?? ""}`.trimEnd()
    return yield* new UsageError({ problem: `--cursor: ${file} is the place of a watch of ${what}. Name another file` })
  }
  return stored
})

/** Another watch keeps its place in this file. `pid` is the id of its process, unless it has just begun. */
export class CursorInUseError extends Schema.TaggedError<CursorInUseError>()("CursorInUseError", {
  path: Schema.String,
  pid: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    const by = this.pid === undefined ? "another process" : `process ${this.pid}`
    return `a watch keeps its place in ${this.path} already (${by}): stop it, or name another file with --cursor`
  }
}

/** Holds the lock of the file until the scope closes, so that no other watch can write it. */
export const hold = (file: string) =>
  Effect.catchTag(FileLock.hold(`${file}.lock`), "LockedError", ({ holder }) =>
    // the reader may stop the process, so an id that is left of an earlier one is not told
    Effect.fail(
      new CursorInUseError({ path: file, ...(holder === undefined || !isAlive(holder) ? {} : { pid: holder }) })
    )
  )

/** Maximum size of the file. A log is at most a few hundred kilobytes, and a cursor 150. */
const MAX_BYTES = 64n * 1024n * 1024n

/** Returns the path of the file, after symlinks. Undefined without a file: then nothing is kept. */
export const find = Effect.fnUntraced(function* (given: Option.Option<string>) {
  if (Option.isNone(given)) return undefined
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.orElseSucceed(fs.realPath(given.value), () => given.value)
})

/** Writes a place, and a line before it is printed. */
export type CursorWriter = (
  content: StoredCursor & { readonly line?: WatchLine | undefined }
) => Effect.Effect<void, DataError>

export const writer = (file: string | undefined): Effect.Effect<CursorWriter, never, FileSystem.FileSystem> =>
  Effect.map(Effect.context<FileSystem.FileSystem>(), (context): CursorWriter =>
    file === undefined
      ? () => Effect.void
      : (content) => Effect.provideContext(WholeFile.replace(file, `${JSON.stringify(content)}\n`), context)
  )
