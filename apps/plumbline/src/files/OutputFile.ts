/**
 * Writes to the place that `-o` names.
 *
 * A regular file is replaced whole or not at all, and keeps its permissions. A symlink is followed. A device or a pipe
 * is written into and never replaced. `-` is standard output.
 */
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"

import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

import { UsageError } from "../terminal/UsageError.ts"
import { attempt as attemptAt, DataError, nodeCodeOf as codeOf } from "./DataError.ts"

/** A place for bytes. `path` is the place as the user named it. */
export type OutputPlace =
  | { readonly _tag: "Stdout"; readonly path: string }
  /** A device or a pipe. */
  | { readonly _tag: "Stream"; readonly path: string; readonly kind: "pipe" | "device" | "disk" }
  /**
   * A regular file, or a file that does not exist yet. `target` is the path after all symlinks, and `mode` the file's
   * present permissions.
   */
  | { readonly _tag: "File"; readonly path: string; readonly target: string; readonly old: FileAttributes | undefined }
  | { readonly _tag: "Directory"; readonly path: string }

/** The attributes that a file keeps when it is replaced. */
export interface FileAttributes {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** The name of standard output for `-o`. */
export const STDOUT = "-"

/** There is already a file or a directory at the place of the output. */
export class AlreadyExistsError extends Schema.TaggedError<AlreadyExistsError>()("AlreadyExistsError", {
  path: Schema.String
}) {
  override get message(): string {
    return `${this.path} exists already: choose another place with -o, or write over it with --force`
  }
}

/**
 * Names of open files, such as `/dev/fd/3`. The regular file behind such a name must not be replaced, because a program
 * has it open and writes to it.
 */
const OWN_STDOUT = /^\/(?:dev\/stdout|dev\/fd\/1|proc\/self\/fd\/1)$/u
const OWN_FILE = /^\/(?:dev\/fd|proc\/self\/fd)\/[0-9]{1,6}$|^\/dev\/stderr$/u

/** Finds the kind of a place. */
export const find = (name: string): Effect.Effect<OutputPlace, DataError> =>
  name === STDOUT || OWN_STDOUT.test(path.resolve(name))
    ? Effect.succeed({ _tag: "Stdout", path: name })
    : attempt(name, () => placeOf(name))

const placeOf = async (name: string): Promise<OutputPlace> => {
  if (OWN_FILE.test(path.resolve(name))) return { _tag: "Stream", path: name, kind: "device" }
  const found = await fs.stat(name).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  })
  if (found === undefined) return { _tag: "File", path: name, target: await leadsTo(name), old: undefined }
  if (found.isDirectory()) return { _tag: "Directory", path: name }
  if (!found.isFile()) {
    const kind = found.isFIFO() ? "pipe" : found.isBlockDevice() ? "disk" : "device"
    return { _tag: "Stream", path: name, kind }
  }
  const { gid, mode, uid } = found
  return { _tag: "File", path: name, target: await fs.realpath(name), old: { mode: mode & 0o7777, uid, gid } }
}

/** Follows a chain of symlinks and returns the last path. A missing file is created there. */
const leadsTo = async (name: string): Promise<string> => {
  let at = path.resolve(name)
  for (let links = 0; links < MAX_LINKS; links++) {
    const link = await fs.readlink(at).catch(() => undefined)
    if (link === undefined) return at
    // a link's text is relative to the real folder of the link
    at = path.resolve(await fs.realpath(path.dirname(at)), link)
  }
  throw Object.assign(new Error("too many links"), { code: "ELOOP" })
}

/** Maximum number of symlinks that are followed, as in Linux. */
const MAX_LINKS = 40

/** Fails if writing to the place would lose data. Runs before any node is asked. */
export const checkFree = (place: OutputPlace, force: boolean): Effect.Effect<void, AlreadyExistsError | DataError> => {
  switch (place._tag) {
    case "Stdout":
      return Effect.void
    case "Stream":
      return place.kind === "disk" && !force ? Effect.fail(new AlreadyExistsError({ path: place.path })) : Effect.void
    case "File":
      return place.old !== undefined && !force ? Effect.fail(new AlreadyExistsError({ path: place.path })) : Effect.void
    case "Directory":
      return Effect.fail(
        force
          ? new DataError({ path: place.path, problem: "Unwritable", detail: "EISDIR" })
          : new AlreadyExistsError({ path: place.path })
      )
  }
}

/** Fails if both the content and the answer in JSON would go to standard output. */
export const checkJson = (place: OutputPlace, json: boolean): Effect.Effect<void, UsageError> =>
  place._tag === "Stdout" && json
    ? Effect.fail(
        new UsageError({
          problem: "-o: standard output is for the answer with --json. Name a file, or leave --json out"
        })
      )
    : Effect.void

/** Writes all bytes. A device or a pipe is written into. A file is written whole or not at all. */
export const write = Effect.fnUntraced(function* (place: OutputPlace, bytes: Uint8Array) {
  if (place._tag === "File") return yield* replace(place, bytes)
  return yield* Effect.scoped(Effect.flatMap(open(place), (into) => into(bytes)))
})

const replace = ({ old, path: name, target }: OutputPlace & { readonly _tag: "File" }, bytes: Uint8Array) => {
  const fresh = `${target}.${randomUUID()}.tmp`
  const work = async (): Promise<void> => {
    await fs.writeFile(fresh, bytes, { flag: "wx" })
    if (old !== undefined) await keep(fresh, old)
    await refuseOther(target)
    await fs.rename(fresh, target)
  }
  return Effect.onError(attempt(name, work), () => Effect.promise(() => fs.rm(fresh, { force: true }).catch(() => {})))
}

/** Gives a new file the permissions of the file that it replaces, and the owner too if this user may. */
export const keep = async (fresh: string, { gid, mode, uid }: FileAttributes): Promise<void> => {
  const own = await fs.stat(fresh)
  // the owner first, because changing it removes some permissions
  if (own.uid !== uid || own.gid !== gid) await fs.chown(fresh, uid, gid).catch(() => {})
  await fs.chmod(fresh, mode)
}

/** Fails if the target now exists and must not be replaced by a file. */
const refuseOther = async (target: string): Promise<void> => {
  const there = await fs.lstat(target).catch(() => undefined)
  if (there !== undefined && !there.isFile()) {
    throw Object.assign(new Error("taken"), { code: there.isDirectory() ? "EISDIR" : "EEXIST" })
  }
}

/** Writes bytes to the opened device or pipe. */
export type OutputSink = (bytes: Uint8Array) => Effect.Effect<void, DataError>

/**
 * Opens a device or a pipe, until the scope closes.
 *
 * Opening a pipe waits at most `READER` for a program that reads from it. Writing waits at most `STALL` for that
 * program to read some bytes.
 */
export const open = (
  place: Exclude<OutputPlace, { readonly _tag: "File" }>
): Effect.Effect<OutputSink, DataError, Scope.Scope | Stdio.Stdio> => {
  switch (place._tag) {
    case "Stdout":
      return Effect.map(
        Stdio.Stdio,
        (stdio): OutputSink =>
          (bytes) =>
            Effect.mapError(Stream.run(Stream.succeed(bytes), stdio.stdout({ endOnDone: false })), (error) =>
              unwritable("standard output", error.reason._tag)
            )
      )
    case "Directory":
      return Effect.fail(unwritable(place.path, "EISDIR"))
    case "Stream":
      return Effect.map(
        Effect.acquireRelease(
          attempt(place.path, (signal) => opened(place.path, signal)),
          (handle) => Effect.promise(() => handle.close().catch(() => {}))
        ),
        (handle): OutputSink =>
          (bytes) =>
            attempt(place.path, (signal) => writeAll(handle, bytes, signal))
      )
  }
}

/** Maximum time in milliseconds for a program to open the other end of a pipe, and for its first read. */
const READER = 5000
const STALL = 30_000
const PAUSE = 20

/**
 * Opens a name with O_NONBLOCK. Without this flag, a pipe that has no reader would block a thread of this program for
 * ever, and with it the program.
 */
const opened = async (name: string, signal: AbortSignal): Promise<fs.FileHandle> => {
  const flags = constants.O_WRONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)
  for (const since = performance.now(); ;) {
    try {
      return await fs.open(name, flags)
    } catch (error) {
      if (codeOf(error) !== "ENXIO" || !(await fs.stat(name)).isFIFO()) throw error
      if (signal.aborted || performance.now() - since > READER) throw silent("no program reads from this pipe")
      await pause()
    }
  }
}

const writeAll = async (handle: fs.FileHandle, bytes: Uint8Array, signal: AbortSignal): Promise<void> => {
  let since = performance.now()
  for (let at = 0; at < bytes.length;) {
    try {
      at += (await handle.write(bytes, at, Math.min(bytes.length - at, PIECE))).bytesWritten
      since = performance.now()
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error
      if (signal.aborted || performance.now() - since > STALL) throw silent("its reader reads nothing")
      await pause()
    }
  }
}

/** Number of bytes that are written at once. */
const PIECE = 64 * 1024

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE))

const silent = (detail: string): Error => Object.assign(new Error(detail), { code: detail })

const attempt = <A>(name: string, work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, DataError> =>
  attemptAt(name, "Unwritable", work)

const unwritable = (name: string, detail: string): DataError =>
  new DataError({ path: name, problem: "Unwritable", detail })
