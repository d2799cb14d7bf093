/**
 * Writes the content of a CID to a place on this machine: whole and checked, or not at all.
 *
 * The content is written under another name in the same folder, and renamed after its last block is checked. So no
 * existing file is opened, no symlink is followed, and closing the scope removes the remains of a failure.
 */
import type * as BlockSource from "@plumbline/ipfs-client/block/BlockSource"
import { LimitExceeded, MalformedBlock } from "@plumbline/ipfs-client/block/DagError"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { IpfsFailure } from "@plumbline/ipfs-client/client/IpfsClient"
import * as UnixFs from "@plumbline/ipfs-client/unixfs/UnixFs"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Stream from "effect/Stream"

import { DataError, dataError } from "../files/DataError.ts"
import { AlreadyExistsError } from "../files/OutputFile.ts"
import * as OutputFile from "../files/OutputFile.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as IpfsContent from "./IpfsContent.ts"

/** The place to write to, and how to write. */
export interface TreeWriterOptions {
  /** The place, as an absolute path. */
  readonly target: string
  /** True if existing files are replaced. Existing directories keep their other entries. */
  readonly force: boolean
  /** The attributes of the file that is replaced. The new file gets these attributes unless the content has its own. */
  readonly old?: OutputFile.FileAttributes | undefined
  /** Called with the number of bytes that were written. */
  readonly onWritten: (bytes: number) => void
  /**
   * Maximum number of files, directories and symlinks, because a small DAG can contain the same directory any number of
   * times.
   */
  readonly maxEntries?: number
}

/** The numbers of written files, directories and symlinks. */
export interface WrittenTree {
  readonly files: number
  readonly directories: number
  readonly symlinks: number
  /** Bytes of all files. */
  readonly size: number
}

/** True if a name from IPFS is safe as a file name on this machine: the name must not lead out of the directory. */
export const isFileName = (name: string, separator: string): boolean =>
  name !== "" &&
  name !== "." &&
  name !== ".." &&
  !name.includes("/") &&
  !name.includes("\u0000") &&
  (separator === "/" || (!/[\\:]/u.test(name) && !/[. ]$/u.test(name)))

/** Fails if the place is taken. Runs before a node is asked for the content. */
export const refuseTaken = Effect.fnUntraced(function* (target: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const there = yield* typeAt({ fs, path, attempt: attempting(target) }, target)
  if (there !== undefined) return yield* new AlreadyExistsError({ path: target })
})

/** Writes the content. */
export const write = Effect.fnUntraced(function* (
  root: IpfsContent.IpfsContent,
  blocks: BlockSource.BlockSource<IpfsFailure>,
  options: TreeWriterOptions
) {
  const { force, target } = options
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const tools: Tools = { fs, path, attempt: attempting(target) }
  const parent = path.dirname(target)
  yield* tools.attempt(fs.makeDirectory(parent, { recursive: true }))
  const workshop = yield* tools.attempt(fs.makeTempDirectoryScoped({ directory: parent, prefix: ".plumbline-" }))
  const made = path.join(workshop, "made")
  const written = yield* tree(tools, root, blocks, made, options)
  const { old } = options
  if (old !== undefined && root.stat.mode === undefined) yield* Effect.promise(() => OutputFile.keep(made, old))
  if ((yield* typeAt(tools, target)) !== undefined) {
    if (!force) return yield* new AlreadyExistsError({ path: target })
    yield* refuseMisfit(tools, made, target)
    yield* merge(tools, made, target)
  } else {
    yield* settle(tools, made, target)
  }
  return written
})

/** Writes a file into a device or a pipe block by block. Each block is checked before it is written. */
export const pour = Effect.fnUntraced(function* (
  { blocks, cid, stat }: IpfsContent.IpfsContent,
  place: Exclude<OutputFile.OutputPlace, { readonly _tag: "File" }>,
  onWritten: TreeWriterOptions["onWritten"]
) {
  if (stat.kind !== "file") {
    return yield* new UsageError({ problem: `-o: ${place.path} takes a file, and this is a ${stat.kind}` })
  }
  let size = 0
  const poured = Effect.flatMap(OutputFile.open(place), (into) =>
    Stream.runForEach(UnixFs.cat(blocks, cid), (bytes) => {
      size += bytes.length
      onWritten(bytes.length)
      return into(bytes)
    })
  )
  yield* Effect.scoped(poured)
  const written: WrittenTree = { files: 1, directories: 0, symlinks: 0, size }
  return written
})

interface Tools {
  readonly fs: FileSystem.FileSystem
  readonly path: Path.Path
  /** Runs an operation on the file system. Its error names the place that the user asked for. */
  readonly attempt: <A, R>(work: Effect.Effect<A, PlatformError, R>) => Effect.Effect<A, DataError, R>
}

const attempting =
  (target: string): Tools["attempt"] =>
  (work) =>
    Effect.mapError(work, (error) => dataError(target, "Unwritable", error))

/** Returns the type of the file at a path, if any. A symlink counts as a symlink, not as its target. */
const typeAt = ({ attempt, fs }: Tools, path: string): Effect.Effect<FileSystem.File.Type | undefined, DataError> =>
  attempt(
    fs.lstat(path).pipe(
      Effect.map(({ type }): FileSystem.File.Type | undefined => type),
      Effect.catchIf(
        ({ reason }) => reason._tag === "NotFound",
        () => Effect.succeed(undefined)
      )
    )
  )

const AT_ONCE = 8
const MAX_ENTRIES = 4_194_304

/** Writes the content of a CID as `place`, which must be free. */
const tree = Effect.fnUntraced(function* (
  tools: Tools,
  root: IpfsContent.IpfsContent,
  blocks: BlockSource.BlockSource<IpfsFailure>,
  place: string,
  options: TreeWriterOptions
) {
  const { attempt, fs, path } = tools
  const { maxEntries = MAX_ENTRIES, onWritten } = options
  let files = 0
  let directories = 0
  let symlinks = 0
  let size = 0

  yield* entry(root, place)
  const written: WrittenTree = { files, directories, symlinks, size }
  return written

  function entry(content: IpfsContent.IpfsContent, at: string): Effect.Effect<void, IpfsFailure | DataError> {
    if (files + directories + symlinks >= maxEntries) {
      return Effect.fail(new LimitExceeded({ cid: Cid.toText(content.cid), bound: "maxEntries", limit: maxEntries }))
    }
    switch (content.stat.kind) {
      case "directory":
        directories++
        return directory(content, at)
      case "symlink":
        symlinks++
        if (content.stat.targetBytes !== undefined) return Effect.fail(unfit(content.cid))
        return attempt(fs.symlink(content.stat.target ?? "", at))
      default:
        files++
        return file(content, at)
    }
  }

  function file(
    { blocks: near, cid, stat }: IpfsContent.IpfsContent,
    at: string
  ): Effect.Effect<void, IpfsFailure | DataError> {
    const filled = Effect.gen(function* () {
      // `wx` opens no existing file and follows no symlink
      const handle = yield* attempt(fs.open(at, { flag: "wx" }))
      yield* Stream.runForEach(UnixFs.cat(near, cid), (bytes) => {
        size += bytes.length
        onWritten(bytes.length)
        return attempt(handle.writeAll(bytes))
      })
    })
    return Effect.andThen(Effect.scoped(filled), attributes(stat, at))
  }

  /**
   * Writes a directory: first its files, several at once, and then its directories one by one, so that the number of
   * open files does not grow with the depth.
   */
  function directory(
    { blocks: near, cid, stat }: IpfsContent.IpfsContent,
    at: string
  ): Effect.Effect<void, IpfsFailure | DataError> {
    return Effect.gen(function* () {
      yield* attempt(fs.makeDirectory(at))
      const below: Array<UnixFs.DirectoryEntry> = []
      yield* UnixFs.entries(near, cid).pipe(
        Stream.mapEffect(
          Effect.fnUntraced(function* (found: UnixFs.DirectoryEntry) {
            // a name that is not UTF-8 is refused: after decoding, two different names could be the same file name
            if (found.nameBytes !== undefined || !isFileName(found.name, path.sep)) return yield* unfit(cid)
            const content = yield* IpfsContent.open(blocks, found.cid)
            if (content.stat.kind === "directory") below.push(found)
            else yield* entry(content, path.join(at, found.name))
          }),
          { concurrency: AT_ONCE }
        ),
        Stream.runDrain
      )
      for (const { cid, name } of below) yield* entry(yield* IpfsContent.open(blocks, cid), path.join(at, name))
      yield* attributes(stat, at)
    })
  }

  /** Sets the stored attributes. Only permissions to read, write and execute are set. */
  function attributes({ kind, mode, mtime }: UnixFs.UnixFsStat, at: string): Effect.Effect<void, DataError> {
    const own = kind === "directory" ? 0o700 : 0
    const seconds = Number(mtime?.seconds ?? 0n)
    return Effect.andThen(
      mode === undefined ? Effect.void : attempt(fs.chmod(at, (mode & 0o777) | own)),
      mtime === undefined ? Effect.void : attempt(fs.utimes(at, seconds, seconds))
    )
  }
})

/**
 * Moves the finished content to its name, unless the name was taken in the meantime. Renaming a directory can only
 * replace an empty directory. Renaming a file would replace another file, so a file gets its name as a second link,
 * except on file systems without links.
 */
const settle = (
  { attempt, fs }: Tools,
  made: string,
  target: string
): Effect.Effect<void, AlreadyExistsError | DataError> =>
  Effect.catch(fs.link(made, target), ({ reason }): Effect.Effect<void, AlreadyExistsError | DataError> =>
    reason._tag === "AlreadyExists"
      ? Effect.fail(new AlreadyExistsError({ path: target }))
      : attempt(fs.rename(made, target))
  )

/**
 * Fails, before anything is moved, if a file would replace a directory, or if a directory would replace something that
 * is not a directory.
 */
const refuseMisfit = (tools: Tools, made: string, target: string): Effect.Effect<void, DataError> =>
  Effect.gen(function* () {
    const [fresh, old] = yield* Effect.all([typeAt(tools, made), typeAt(tools, target)])
    if (old === undefined) return
    if (!REPLACEABLE.has(old)) {
      const detail = "there is a device or a pipe already"
      return yield* new DataError({ path: target, problem: "Unwritable", detail })
    }
    if ((fresh === "Directory") !== (old === "Directory")) {
      const detail = `there is ${old === "Directory" ? "a directory" : "no directory"} already`
      return yield* new DataError({ path: target, problem: "Unwritable", detail })
    }
    if (fresh !== "Directory") return
    for (const name of yield* tools.attempt(tools.fs.readDirectory(made))) {
      yield* refuseMisfit(tools, tools.path.join(made, name), tools.path.join(target, name))
    }
  })

/** The types that a file of the same name can replace. A device or a pipe is never replaced. */
const REPLACEABLE: ReadonlySet<FileSystem.File.Type> = new Set(["File", "Directory", "SymbolicLink"])

/**
 * Moves the finished content into directories that exist already. A symlink at the destination is replaced, not
 * followed.
 */
const merge = (tools: Tools, made: string, target: string): Effect.Effect<void, DataError> =>
  Effect.gen(function* () {
    if ((yield* typeAt(tools, target)) !== "Directory") return yield* tools.attempt(tools.fs.rename(made, target))
    for (const name of yield* tools.attempt(tools.fs.readDirectory(made))) {
      yield* merge(tools, tools.path.join(made, name), tools.path.join(target, name))
    }
  })

const unfit = (cid: Cid.Cid) =>
  new MalformedBlock({ cid: Cid.toText(cid), detail: "an entry whose name cannot be a file's on this machine" })
