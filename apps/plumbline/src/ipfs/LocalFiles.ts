/**
 * Files and directories of this machine, in the form in which they are sent.
 *
 * Files are found one by one while they are sent, in the order of their names, so that the memory does not grow with
 * the size of a tree.
 */
import { createReadStream } from "node:fs"
import { readlink } from "node:fs/promises"

import * as NodeStream from "@effect/platform-node/NodeStream"
import type * as Upload from "@plumbline/ipfs-client/commands/Upload"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

import { DataError, dataError } from "../files/DataError.ts"
import { UsageError } from "../terminal/UsageError.ts"

export interface LocalFilesOptions {
  /**
   * True if entries of a directory whose names begin with a dot are added too. A file that is named by itself is always
   * added.
   */
  readonly hidden: boolean
  /** True if directories are added, with all their entries. */
  readonly recursive: boolean
  /** True if symlinks among the named paths are followed. Symlinks in a directory stay symlinks. */
  readonly dereferenceArgs: boolean
}

/** A file, directory, symlink or pipe that was found. A pipe is read once, and its size is not known. */
export type FoundFile =
  | { readonly kind: "file"; readonly path: string; readonly at: string; readonly size: number }
  | { readonly kind: "pipe"; readonly path: string; readonly at: string }
  | { readonly kind: "stdin" }
  | { readonly kind: "directory"; readonly path: string; readonly at: string }
  | { readonly kind: "symlink"; readonly path: string; readonly at: string }

export const STDIN = "-"

/** Finds the files at these paths, and in directories below them. A directory comes before its entries. */
export const find = Effect.fnUntraced(function* (paths: ReadonlyArray<string>, options: LocalFilesOptions) {
  const system = yield* Path.Path
  // a URL may contain a key, which no message may repeat
  if (paths.some((path) => /^[a-z][a-z0-9+.-]*:\/\//iu.test(path))) {
    return yield* usage("this is a URL: name a file or directory of this machine")
  }
  const names = paths.map((path) => (path === STDIN ? STDIN : system.basename(system.resolve(path))))
  if (names.includes("")) return yield* usage("the root directory has no name to be added by")
  if (new Set(names).size < names.length) {
    return yield* usage(
      "two arguments have the same name: add them one by one, or add the directory that contains them"
    )
  }
  const fs = yield* FileSystem.FileSystem
  const roots = yield* Effect.forEach(paths, (path, i) => {
    const follow = options.dereferenceArgs || path.endsWith("/")
    return path === STDIN
      ? Effect.succeed<FoundFile>({ kind: "stdin" })
      : named(fs, { at: system.resolve(path), path: names[i]!, follow })
  })
  if (!options.recursive && roots.some(({ kind }) => kind === "directory")) {
    return yield* usage("a directory is added with all that is in it, or not at all")
  }
  return Stream.flatMap(Stream.fromArray(roots), below)

  function below(found: FoundFile): Stream.Stream<FoundFile, DataError> {
    if (found.kind !== "directory") return Stream.succeed(found)
    const inside = Effect.map(reading(found.at, fs.readDirectory(found.at)), (names) =>
      Stream.fromArray(names.filter((name) => options.hidden || !name.startsWith(".")).sort())
    )
    return Stream.concat(
      Stream.succeed<FoundFile>(found),
      Stream.unwrap(inside).pipe(
        Stream.mapEffect((name) => {
          const at = system.join(found.at, name)
          return Effect.flatMap(reading(at, fs.lstat(at)), (info) => foundAt(at, `${found.path}/${name}`, info))
        }),
        Stream.flatMap(below)
      )
    )
  }
})

/**
 * Inspects a path argument, which may be a pipe: a shell replaces `<(...)` with `/dev/fd/63`, a symlink to a pipe. A
 * pipe in a directory is not added, because no program may be writing to it.
 */
const named = Effect.fnUntraced(function* (
  fs: FileSystem.FileSystem,
  { at, follow, path }: { readonly at: string; readonly path: string; readonly follow: boolean }
) {
  const info = yield* reading(at, follow ? fs.stat(at) : fs.lstat(at))
  const target = info.type === "SymbolicLink" ? yield* Effect.orElseSucceed(fs.stat(at), () => info) : info
  const pipe: FoundFile = { kind: "pipe", path, at }
  return pipes.has(target.type) ? pipe : yield* foundAt(at, path, info)
})

const pipes: ReadonlySet<FileSystem.File.Type> = new Set<FileSystem.File.Type>(["FIFO", "CharacterDevice"])

const foundAt = (
  at: string,
  path: string,
  { size, type }: FileSystem.File.Info
): Effect.Effect<FoundFile, DataError> => {
  switch (type) {
    case "Directory":
      return Effect.succeed({ kind: "directory", path, at })
    case "SymbolicLink":
      return Effect.succeed({ kind: "symlink", path, at })
    case "File":
      return Effect.succeed({ kind: "file", path, at, size: Number(size) })
    default: {
      const detail = "it is not a file, a directory or a symlink"
      return Effect.fail(new DataError({ path: at, problem: "Unreadable", detail }))
    }
  }
}

/** Returns the found files as entries to be sent. `onRead` is called with the length of each piece that is read. */
export const entries = Effect.fnUntraced(function* (
  found: Stream.Stream<FoundFile, DataError>,
  onRead: (bytes: number) => void
) {
  const fs = yield* FileSystem.FileSystem
  const stdio = yield* Stdio.Stdio
  const counted = (content: Stream.Stream<Uint8Array, DataError>): Stream.Stream<Uint8Array, DataError> =>
    Stream.tap(content, (bytes) => Effect.sync(() => onRead(bytes.length)))
  return Stream.mapEffect(found, (item): Effect.Effect<Upload.UploadEntry<DataError>, DataError> => {
    switch (item.kind) {
      case "directory":
        return Effect.succeed({ type: "directory", path: item.path })
      case "symlink":
        // the target is read as bytes, because text would replace bytes that are not UTF-8
        return Effect.map(
          Effect.tryPromise({
            try: () => readlink(item.at, { encoding: "buffer" }),
            catch: (error) => new DataError({ path: item.at, problem: "Unreadable", detail: codeOf(error) })
          }),
          (target) => ({ type: "symlink", path: item.path, target })
        )
      case "file": {
        const content = Stream.mapError(fs.stream(item.at, { chunkSize: CHUNK }), unreadable(item.at))
        return Effect.succeed({ path: item.path, content: counted(content) })
      }
      case "pipe": {
        // a pipe has no positions, and `fs.stream` reads at positions
        const content = NodeStream.fromReadable<Buffer, DataError>({
          evaluate: () => createReadStream(item.at),
          onError: (error) => new DataError({ path: item.at, problem: "Unreadable", detail: codeOf(error) })
        })
        return Effect.succeed({ path: item.path, content: counted(content) })
      }
      case "stdin":
        return Effect.succeed({ content: counted(Stream.mapError(stdio.stdin, unreadable("standard input"))) })
    }
  })
})

const CHUNK = 256 * 1024

const usage = (problem: string): UsageError => new UsageError({ problem: `path: ${problem}` })

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown"

const unreadable =
  (at: string) =>
  (error: PlatformError): DataError =>
    dataError(at, "Unreadable", error)

const reading = <A>(at: string, read: Effect.Effect<A, PlatformError>): Effect.Effect<A, DataError> =>
  Effect.mapError(read, unreadable(at))
