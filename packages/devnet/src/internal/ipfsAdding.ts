/** Adding files and directories to the embedded IPFS node. */
import type * as Block from "@plumbline/ipfs-client/Block"
import * as Cid from "@plumbline/ipfs-client/Cid"
import * as DirectoryCid from "@plumbline/ipfs-client/DirectoryCid"
import * as FileCid from "@plumbline/ipfs-client/FileCid"
import type { Added, AddOptions, AddProgress, Attributes, Entry, FileEntry } from "@plumbline/ipfs-client/IpfsNode"
import type { IpfsNodeError } from "@plumbline/ipfs-client/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import { attempt, invalid } from "./ipfsFailure.ts"
import * as Importing from "./ipfsImporting.ts"
import * as Rabin from "./ipfsRabin.ts"
import * as Store from "./ipfsStore.ts"
import * as Tree from "./ipfsTree.ts"

type Out = Added | AddProgress

/** Files are told as they come, directories at the end, each after what it holds. */
export const add = <E>(
  store: Store.Store,
  entries: Iterable<Entry<E>> | Stream.Stream<Entry<E>, E>,
  options: AddOptions
): Stream.Stream<Out, E | IpfsNodeError> =>
  Stream.callback<Out, E | IpfsNodeError>(
    Effect.fnUntraced(function* (queue) {
      const settings = yield* Effect.fromResult(Importing.settingsOf(options))
      const work = yield* Store.work(store)
      const top = Tree.make()
      const isWrapped = options.wrapWithDirectory === true

      const keep = (block: Block.Block): Effect.Effect<void, IpfsNodeError> =>
        options.onlyHash === true ? Effect.void : attempt(() => work.putMade(block))

      const say = (out: Out) => Queue.offer(queue, out)

      const told = Effect.fnUntraced(function* (path: string | undefined, made: Tree.Made, stored: Stored) {
        const { cid, totalSize: size } = made
        const added: Added = { _tag: "Added", name: path ?? Cid.format(cid), cid, size, ...attributesToTell(stored) }
        if (options.onlyHash !== true && (isWrapped ? added.name === "" : !added.name.includes("/"))) {
          const pinned = { cid, recursive: true, name: options.pinName ?? "" }
          yield* Store.pin(store, work, (pins) => {
            if (options.pin === false) store.guards.remember(Store.rootOf(cid))
            else pins.set(pinned)
          })
        }
        yield* say(added)
      })

      const one = Effect.fnUntraced(function* (entry: Entry<E>) {
        const path = yield* Effect.fromResult(pathOf(entry.path))
        const stored = yield* Effect.fromResult(storedOf(entry, options))
        if (entry.type === "directory" || entry.type === "symlink") {
          if (path === undefined) return yield* invalid("entry", "only files may be without a name")
          if (entry.type === "directory") return yield* Effect.fromResult(Tree.putFolder(top, path, stored))
          const block = DirectoryCid.symlink(entry.target, { ...settings.directory, ...stored })
          yield* keep(block)
          const made = { cid: block.cid, totalSize: block.bytes.length }
          yield* Effect.fromResult(Tree.put(top, path, made))
          return yield* told(path, made, { ...stored, usual: undefined })
        }
        const plain = contentOf(entry)
        const content = options.progress === true ? counted(plain, path ?? "", say) : plain
        const file = { ...settings.file, ...stored }
        const blocks =
          settings.rabin === undefined
            ? FileCid.blocks(content, file)
            : FileCid.blocksOfChunks(Rabin.chunks(content, settings.rabin), file)
        const made = yield* blocks.pipe(
          Stream.tap(keep),
          Stream.runFold(
            (): Partial<Tree.Made> => ({}),
            ({ totalSize = 0 }, { bytes, cid }) => ({ cid, totalSize: totalSize + bytes.length })
          )
        )
        // every file has a block
        const root = made as Tree.Made
        // in the directory around everything, a file without a name is called by its CID, as Kubo does
        const name = path ?? (isWrapped ? Cid.format(root.cid) : undefined)
        if (name !== undefined) yield* Effect.fromResult(Tree.put(top, name, root))
        return yield* told(path, root, { ...stored, usual: USUAL_OF_FILES })
      })

      yield* Stream.runForEach(Stream.isStream(entries) ? entries : Stream.fromIterable(entries), one)

      const folders = isWrapped
        ? [["", top] as const]
        : [...top.children].flatMap(([name, child]) => ("children" in child ? [[name, child] as const] : []))
      for (const [name, folder] of folders) {
        for (const result of Tree.directories(folder, name, settings.directory)) {
          const { attributes, blocks, path, ...made } = yield* Effect.fromResult(result)
          for (const block of blocks) yield* keep(block)
          yield* told(path, made, { ...attributes, usual: USUAL_OF_DIRECTORIES })
        }
      }
      yield* Queue.end(queue)
    }),
    { bufferSize: 16 }
  )

const contentOf = <E>({ content }: FileEntry<E>): Stream.Stream<Uint8Array, E> =>
  content instanceof Uint8Array ? Stream.succeed(content) : content

/** How often the progress of a file is said, in bytes, as Kubo does. */
const PROGRESS_STEP = 262_144

/** The same bytes. How many there were is said when they have been taken. */
const counted = <E>(
  content: Stream.Stream<Uint8Array, E>,
  name: string,
  say: (progress: AddProgress) => Effect.Effect<unknown>
): Stream.Stream<Uint8Array, E> =>
  Stream.suspend(() => {
    let bytes = 0
    let said = -1
    const tell = Effect.suspend(() => {
      said = bytes
      return say({ _tag: "Progress", name, bytes })
    })
    return content.pipe(
      Stream.tap((piece) => {
        const isDue = bytes - Math.max(said, 0) >= PROGRESS_STEP
        const before = isDue ? tell : Effect.void
        return Effect.andThen(
          before,
          Effect.sync(() => {
            bytes += piece.length
          })
        )
      }),
      Stream.onEnd(Effect.suspend(() => (bytes > said ? tell : Effect.void)))
    )
  })

/** The names of a path. Those that lead elsewhere are refused; an empty path is none. */
const pathOf = (path: string | undefined): Result.Result<string | undefined, IpfsNodeError> => {
  if (path === undefined || path === "") return Result.succeed(undefined)
  const names = path.split("/")
  const bad = names.some((name) => ["", ".", ".."].includes(name) || name.includes("\0"))
  return bad || path.length > 4096
    ? Result.fail(invalid("name", JSON.stringify(path.slice(0, 80))))
    : Result.succeed(path)
}

/** Permission bits of what has none of its own. They are not stored. Source: the UnixFS specification. */
const USUAL_OF_FILES = 0o644
const USUAL_OF_DIRECTORIES = 0o755

/** What is to be stored, and which mode would not be. */
interface Stored extends Tree.Attributes {
  readonly usual: number | undefined
}

const storedOf = (entry: Attributes, options: AddOptions): Result.Result<Tree.Attributes, IpfsNodeError> => {
  const mode = options.mode ?? (options.preserveMode === true ? entry.mode : undefined)
  const { mtime, mtimeNsecs } = options.mtime !== undefined ? options : options.preserveMtime === true ? entry : {}
  for (const [name, number] of Object.entries({ mode, mtime, "mtime-nsecs": mtimeNsecs })) {
    if (number !== undefined && !Number.isSafeInteger(number)) return Result.fail(invalid(name, "not a whole number"))
  }
  if (mtimeNsecs !== undefined && (mtimeNsecs < 0 || mtimeNsecs > 999_999_999)) {
    return Result.fail(invalid("mtime-nsecs", "not a whole number from 0 to 999999999"))
  }
  return Result.succeed({
    mode: mode === undefined ? undefined : mode & 0o7777,
    mtime: mtime === undefined ? undefined : { seconds: BigInt(mtime), nanoseconds: mtimeNsecs }
  })
}

const attributesToTell = ({ mode, mtime, usual }: Stored): Attributes => ({
  ...(mode === undefined || mode === usual ? {} : { mode }),
  ...(mtime === undefined ? {} : { mtime: Number(mtime.seconds), mtimeNsecs: mtime.nanoseconds })
})
