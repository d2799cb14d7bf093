/** Adds files and directories to the embedded IPFS node. */
import type * as Block from "@plumbline/ipfs-client/block/Block"
import * as DirectoryCid from "@plumbline/ipfs-client/build/DirectoryCid"
import * as FileCid from "@plumbline/ipfs-client/build/FileCid"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as PinName from "@plumbline/ipfs-client/commands/PinName"
import * as UploadTrees from "@plumbline/ipfs-client/commands/UploadTrees"
import type {
  AddedEntry,
  AddOptions,
  AddProgress,
  EntryAttributes,
  AddEntry,
  FileEntry
} from "@plumbline/ipfs-client/node/IpfsNode"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as AddAnswers from "./addAnswers.ts"
import * as DagBytes from "./dagBytes.ts"
import * as DirectoryTree from "./directoryTree.ts"
import { attempt, invalid } from "./embeddedFailure.ts"
import * as EmbeddedStore from "./embeddedStore.ts"
import * as ImportSettings from "./importSettings.ts"
import * as RabinChunker from "./rabinChunker.ts"

type Out = AddedEntry | AddProgress

/**
 * Adds entries. Reports files as they arrive, and directories at the end of their tree (`UploadTrees`), each after its
 * content.
 */
export const add = <E>(
  store: EmbeddedStore.EmbeddedStore,
  entries: Iterable<AddEntry<E>> | Stream.Stream<AddEntry<E>, E>,
  options: AddOptions
): Stream.Stream<Out, E | IpfsNodeError> =>
  Stream.callback<Out, E | IpfsNodeError>(
    Effect.fnUntraced(function* (queue) {
      const flaw = PinName.flawOfAdd(options)
      if (flaw !== undefined) return yield* invalid("pin-name", flaw)
      const settings = yield* Effect.fromResult(ImportSettings.settingsOf(options))
      const implied = yield* Effect.fromResult(storedOf({}, options))
      if (options.mtimeNsecs && !options.mtime) {
        return yield* invalid("mtime-nsecs", 'option "mtime-nsecs" requires "mtime" to be provided as well')
      }
      const work = yield* EmbeddedStore.work(store)
      const answers = yield* AddAnswers.make<Out, E | IpfsNodeError>(store, work, queue)
      const run = new AddRun<E>({ options, settings, implied }, { store, work, answers })
      yield* Stream.runForEach(Stream.isStream(entries) ? entries : Stream.fromIterable(entries), run.add)
      yield* run.leave
      yield* answers.end
      yield* Queue.end(queue)
    }),
    { bufferSize: 16 }
  )

/** How the entries are imported. */
interface AddPlan {
  readonly options: AddOptions
  readonly settings: ImportSettings.ImportSettings
  /** The attributes of directories that only paths name, and of the directory that wraps all entries. */
  readonly implied: DirectoryTree.DirectoryAttributes
}

/** The places that take the blocks and the answers. */
interface AddParts {
  readonly store: EmbeddedStore.EmbeddedStore
  readonly work: EmbeddedStore.StoreWork
  readonly answers: AddAnswers.AddAnswers<Out>
}

/** The entries of one request, which are added one after another. */
class AddRun<E> {
  readonly #plan: AddPlan
  readonly #parts: AddParts
  readonly #isWrapped: boolean
  readonly #begins: UploadTrees.BeginsTree
  readonly #roots = new Map<string, DagBytes.DagBytes>()
  #top: DirectoryTree.UnfinishedDirectory
  /** The attributes of the entry at the top of the tree, if the entry was sent. */
  #echo: EntryAttributes = {}

  constructor(plan: AddPlan, parts: AddParts) {
    this.#plan = plan
    this.#parts = parts
    this.#isWrapped = plan.options.wrapWithDirectory === true
    this.#begins = UploadTrees.make(this.#isWrapped)
    this.#top = DirectoryTree.make(plan.implied)
  }

  readonly add = Effect.fnUntraced({ self: this }, function* (entry: AddEntry<E>) {
    const { options, settings } = this.#plan
    const path = yield* Effect.fromResult(pathOf(entry.path))
    const stored = yield* Effect.fromResult(storedOf(entry, options))
    if (this.#begins(path) && !this.#isWrapped) {
      yield* this.leave
      if (path !== undefined && !path.includes("/")) this.#echo = echoOf(entry)
    }
    const held = this.#heldBy(path)
    if (entry.type === "directory" || entry.type === "symlink") {
      if (path === undefined) return yield* invalid("entry", "only files may be without a name")
      if (entry.type === "directory") return yield* Effect.fromResult(DirectoryTree.putFolder(this.#top, path, stored))
      const block = DirectoryCid.symlink(entry.target, { ...settings.directory, ...stored })
      yield* this.#keep(block, held)
      const made = { cid: block.cid, totalSize: block.bytes.length }
      yield* Effect.fromResult(DirectoryTree.put(this.#top, path, made))
      return yield* this.#report(path, made, held)
    }
    const file = { ...settings.file, ...stored }
    const only =
      entry.content instanceof Uint8Array && settings.rabin === undefined && options.progress !== true
        ? FileCid.single(entry.content, file)
        : undefined
    const made = yield* only === undefined ? this.#inBlocks(entry, file, held) : this.#inOneBlock(only, held)
    // every file has at least one block, so the root is defined
    const root = made as DirectoryTree.MadeEntry
    // in the wrapping directory, a file without a name is named by its CID, as in Kubo
    const name = path ?? (this.#isWrapped ? Cid.toText(root.cid) : undefined)
    if (name !== undefined) yield* Effect.fromResult(DirectoryTree.put(this.#top, name, root))
    return yield* this.#report(path, root, held, entry)
  })

  /** Makes and reports the directories of the tree, and empties it. */
  readonly leave = Effect.gen({ self: this }, function* () {
    const { implied, settings } = this.#plan
    const folders = this.#isWrapped
      ? [["", this.#top] as const]
      : [...this.#top.children].flatMap(([name, child]) => ("children" in child ? [[name, child] as const] : []))
    this.#top = DirectoryTree.make(implied)
    for (const [name, folder] of folders) {
      for (const result of DirectoryTree.directories(folder, name, settings.directory)) {
        const { blocks, path, ...made } = yield* Effect.fromResult(result)
        const held = this.#heldBy(path)
        for (const block of blocks) yield* this.#keep(block, held)
        yield* this.#report(path, made, held)
      }
    }
    this.#echo = {}
  })

  /** Returns the counter of the root that a path belongs to. A file without a path is a root itself. */
  #heldBy(path: string | undefined): DagBytes.DagBytes {
    const name = this.#isWrapped ? "" : path?.split("/", 1)[0]
    const held = (name === undefined ? undefined : this.#roots.get(name)) ?? DagBytes.make()
    if (name !== undefined) this.#roots.set(name, held)
    return held
  }

  #keep(block: Block.Block, held: DagBytes.DagBytes): Effect.Effect<void, IpfsNodeError> {
    if (this.#plan.options.onlyHash === true) return Effect.void
    DagBytes.count(held, block)
    return attempt(() => this.#parts.work.putMade(block))
  }

  /** Reports an entry: at once inside a tree, and a root when it is durable. */
  #report(path: string | undefined, made: DirectoryTree.MadeEntry, held: DagBytes.DagBytes, own: EntryAttributes = {}) {
    const { cid, totalSize: size } = made
    const name = path ?? Cid.toText(cid)
    const added: AddedEntry = {
      _tag: "Added",
      name,
      cid,
      size,
      ...(path === undefined && !this.#isWrapped ? echoOf(own) : this.#echo)
    }
    const isInside = this.#isWrapped ? added.name !== "" : added.name.includes("/")
    if (this.#plan.options.onlyHash === true || isInside) return this.#parts.answers.say(added)
    this.#roots.delete(added.name)
    return this.#parts.answers.sayKept(
      { ...added, held: held.bytes },
      this.#plan.options.pin === false
        ? { after: () => this.#parts.store.guards.remember(EmbeddedStore.rootOf(cid)) }
        : { pinned: { cid, recursive: true, name: this.#plan.options.pinName ?? "" } }
    )
  }

  #inOneBlock(only: Effect.Effect<Block.Block>, held: DagBytes.DagBytes) {
    return Effect.flatMap(only, (block) =>
      Effect.as(this.#keep(block, held), { cid: block.cid, totalSize: block.bytes.length })
    )
  }

  #inBlocks(entry: FileEntry<E>, file: FileCid.FileCidOptions, held: DagBytes.DagBytes) {
    const { options, settings } = this.#plan
    const plain = contentOf(entry)
    const content = options.progress === true ? counted(plain, entry.path ?? "", this.#parts.answers.say) : plain
    const blocks =
      settings.rabin === undefined
        ? FileCid.blocks(content, file)
        : FileCid.blocksOfChunks(RabinChunker.chunks(content, settings.rabin), file)
    return blocks.pipe(
      Stream.tap((block) => this.#keep(block, held)),
      Stream.runFold(
        (): Partial<DirectoryTree.MadeEntry> => ({}),
        ({ totalSize = 0 }, { bytes, cid }) => ({ cid, totalSize: totalSize + bytes.length })
      )
    )
  }
}

const contentOf = <E>({ content }: FileEntry<E>): Stream.Stream<Uint8Array, E> =>
  content instanceof Uint8Array ? Stream.succeed(content) : content

/** Bytes of a file between two reports of its progress, as in Kubo. */
const PROGRESS_STEP = 262_144

/** Passes the bytes on, and reports each step after its bytes were consumed, however they arrive; at last the total. */
const counted = <E>(
  content: Stream.Stream<Uint8Array, E>,
  name: string,
  say: (progress: AddProgress) => Effect.Effect<unknown, IpfsNodeError>
): Stream.Stream<Uint8Array, E | IpfsNodeError> =>
  Stream.suspend(() => {
    let bytes = 0
    let said = 0
    const tell = (count: number) =>
      Effect.suspend(() => {
        said = count
        return say({ _tag: "Progress", name, bytes: count })
      })
    const steps = Effect.whileLoop({
      while: () => said + PROGRESS_STEP <= bytes,
      body: () => tell(said + PROGRESS_STEP),
      step: () => undefined
    })
    return content.pipe(
      Stream.tap((piece) =>
        Effect.map(steps, () => {
          bytes += piece.length
        })
      ),
      Stream.onEnd(
        Effect.andThen(
          steps,
          Effect.suspend(() => (bytes > said || bytes === 0 ? tell(bytes) : Effect.void))
        )
      )
    )
  })

/** Returns the checked path; undefined if it is empty. Names that lead outside are refused. */
const pathOf = (path: string | undefined): Result.Result<string | undefined, IpfsNodeError> => {
  if (path === undefined || path === "") return Result.succeed(undefined)
  const names = path.split("/")
  const bad = names.some((name) => ["", ".", ".."].includes(name) || name.includes("\0"))
  return bad || path.length > 4096
    ? Result.fail(invalid("name", JSON.stringify(path.slice(0, 80))))
    : Result.succeed(path)
}

/**
 * Returns the attributes that files and directories store. They come from the options `mode` and `mtime`, or with
 * `preserve-*` from the entry.
 */
const storedOf = (
  entry: EntryAttributes & { readonly type?: AddEntry["type"] },
  options: AddOptions
): Result.Result<DirectoryTree.DirectoryAttributes, IpfsNodeError> => {
  // Kubo treats a zero as an unset option, and `mode` takes precedence over `preserveMode`
  const mode = options.mode || (options.preserveMode === true ? entry.mode : undefined)
  const { mtime, mtimeNsecs } = options.mtime ? options : options.preserveMtime === true ? entry : {}
  for (const [name, number] of Object.entries({ mode, mtime, "mtime-nsecs": mtimeNsecs })) {
    if (number !== undefined && !Number.isSafeInteger(number)) return Result.fail(invalid(name, "not a whole number"))
  }
  if (mtimeNsecs !== undefined && (mtimeNsecs < 0 || mtimeNsecs > 999_999_999)) {
    return Result.fail(invalid("mtime-nsecs", "mtime nanoseconds must be in range [1, 999999999]"))
  }
  return Result.succeed({
    // a symlink stores no mode
    mode: mode === undefined || entry.type === "symlink" ? undefined : permissionsOf(mode) || undefined,
    mtime: mtime === undefined ? undefined : { seconds: BigInt(mtime), nanoseconds: mtimeNsecs || undefined }
  })
}

/**
 * Returns the Unix permission bits of a Go mode, in which set-user-id, set-group-id and sticky have higher bits than in
 * Unix.
 *
 * Source: boxo, `files.ModePermsToUnixPerms`.
 */
const permissionsOf = (mode: number): number => {
  const bits = Number(BigInt.asUintN(32, BigInt(mode)))
  return (bits & 0x1ff) | ((bits & 0xc0_0000) >>> 12) | ((bits & 0x10_0000) >>> 11)
}

/**
 * Returns the attributes to report. They come from the top entry, even if they are not stored. Zeros are left out, as
 * in Kubo.
 */
const echoOf = ({ mode, mtime, mtimeNsecs }: EntryAttributes): EntryAttributes => ({
  ...(mode ? { mode } : {}),
  ...(mtime ? { mtime } : {}),
  ...(mtimeNsecs ? { mtimeNsecs } : {})
})
