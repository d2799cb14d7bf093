/** Adds content. The client computes the CIDs while it sends the content, and compares the node's answer with them. */
import { RefutedError } from "@plumbline/verdict/RefutedError"
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import type { LimitExceeded } from "../block/DagError.ts"
import * as DirectoryCid from "../build/DirectoryCid.ts"
import * as FileCid from "../build/FileCid.ts"
import * as Cid from "../cid/Cid.ts"
import { unproven } from "../cid/unprovenContent.ts"
import * as AddMethods from "../client/addMethods.ts"
import type { AddFailure, AnyClient } from "../client/IpfsClient.ts"
import { EncodeError, IpfsError, ProtocolError } from "../client/IpfsError.ts"
import * as FileModes from "../commands/fileModes.ts"
import type * as IpfsApi from "../commands/IpfsApi.ts"
import type * as Upload from "../commands/Upload.ts"
import * as UploadTrees from "../commands/UploadTrees.ts"
import * as AnsweredCid from "./answeredCid.ts"
import * as ImportProfile from "./importProfile.ts"

type Adds = Pick<AnyClient, "add" | "addAll">

type Options = NonNullable<Parameters<Adds["addAll"]>[1]>

/** A CID and the size of its DAG, as `add` reports them. */
type Root = Pick<FileCid.FileRoot, "cid" | "totalSize">

/** The entries of a directory: files, and directories. `root` is known once it was computed from these entries. */
interface Directory {
  readonly entries: Map<string, Item>
  root: Root | undefined
}

type Attributes = Pick<IpfsApi.AddedEntry, "mode" | "mtime" | "mtimeNsecs">

/** A file that is being sent. `root` is available when the file has been read to its end. */
interface File {
  readonly root: Effect.Effect<Root>
  isWhole: boolean
}

type Item = Directory | File

/** The items that were sent under one path, one for each time, and the number of answers so far. */
interface Path {
  readonly items: Array<Item>
  answers: number
}

export const make = (ipfs: AnyClient): Adds => {
  const addAll = <E>(
    entries: Upload.UploadEntries<E>,
    options: Parameters<Adds["addAll"]>[1] = {}
  ): Stream.Stream<IpfsApi.AddedEntry | IpfsApi.AddProgress, AddFailure | E> => {
    const profile = ImportProfile.of(options)
    if (Result.isFailure(profile)) {
      return Stream.fail(unproven("add", profile.failure))
    }
    return Stream.unwrap(
      Effect.gen(function* () {
        const sent = new Sent(profile.success, options, yield* Effect.scope)
        const watched: Upload.UploadEntries<E | IpfsError> = isArray(entries)
          ? yield* Effect.forEach(entries, (entry: Upload.UploadEntry<E>) => sent.watch(entry))
          : Stream.mapEffect(asStream(entries), (entry) => sent.watch(entry))
        const events = ipfs.addAll(watched, { ...options, ...ImportProfile.explicit(profile.success) })
        const checked = Stream.mapEffect(
          events,
          (event): Effect.Effect<IpfsApi.AddedEntry | IpfsApi.AddProgress, AddFailure> =>
            event.cid === undefined ? Effect.as(sent.checkProgress(event), event) : sent.check(event)
        )
        const missing = Effect.suspend(() =>
          sent.isAnswered() ? Effect.void : Effect.fail(protocolError("the answer lacks something that was added"))
        )
        return Stream.concat(checked, Stream.fromEffectDrain(missing))
      })
    )
  }
  return {
    addAll,
    add: AddMethods.make<AddFailure>(addAll, (entry, options) =>
      Effect.flatMap(
        Stream.runFold(
          addAll([entry], options),
          (): IpfsApi.AddedEntry | undefined => undefined,
          // The outermost entry is recognised by its name, because the node chooses the order of its answers.
          (found, event) => (event.cid !== undefined && isOutermost(event, entry, options) ? event : found)
        ),
        (found) => (found === undefined ? Effect.fail(protocolError("the answer says no CID")) : Effect.succeed(found))
      )
    )
  }
}

/** True for the answer about the outermost entry: the wrapping directory, or the first name of the path. */
const isOutermost = <E>(
  { name }: IpfsApi.AddedEntry,
  { path = "" }: Upload.UploadEntry<E>,
  { wrapWithDirectory = false }: Parameters<Adds["addAll"]>[1] = {}
): boolean => (wrapWithDirectory ? name === "" : path === "" || name === path.split("/")[0])

/**
 * The uploaded entries, and the CIDs that their answers must have.
 *
 * A name at the top that comes again begins a new tree (`UploadTrees`). Kubo reports a directory at the end of each tree,
 * with the entries of that tree alone. Other nodes report it once, with the entries of all trees. Both are right, and
 * nothing else is.
 */
class Sent {
  readonly #profile: ImportProfile.ImportProfile
  readonly #asked: Options
  readonly #scope: Scope.Scope
  readonly #begins: UploadTrees.BeginsTree
  /** The directory above the tree that is being sent: the wrapping directory, if there is one. */
  #top: Directory = emptyDirectory()
  readonly #paths = new Map<string, Path>()
  /** Files without a name. They are identified by their CIDs. */
  readonly #nameless: Array<File> = []
  /** The modes and times that were sent, by path. */
  readonly #attributes = new Map<string, Attributes>()
  #isAnyAnswered = false
  /** Counts of the files and bytes that were sent, and of the node's progress reports. */
  #files = 0
  #bytes = 0
  #said = 0

  constructor(profile: ImportProfile.ImportProfile, asked: Options, scope: Scope.Scope) {
    this.#profile = profile
    this.#asked = asked
    this.#scope = scope
    this.#begins = UploadTrees.make(asked.wrapWithDirectory === true)
    if (asked.wrapWithDirectory === true) this.#register("", this.#top)
  }

  /**
   * Returns an entry to send instead of the given entry. The content of the returned entry is hashed while it is sent.
   */
  watch<E>(entry: Upload.UploadEntry<E>): Effect.Effect<Upload.UploadEntry<E>, IpfsError> {
    return Effect.suspend((): Effect.Effect<Upload.UploadEntry<E>, IpfsError> => {
      if (entry.path !== undefined && entry.path !== "") this.#attributes.set(entry.path, { ...entry } as Attributes)
      if (this.#begins(entry.path) && this.#asked.wrapWithDirectory !== true) this.#top = emptyDirectory()
      if (entry.type === "directory") {
        this.#directory(entry.path.split("/"))
        return Effect.succeed(entry)
      }
      if (entry.type === "symlink") {
        const { bytes, cid } = DirectoryCid.symlink(entry.target, this.#profile)
        this.#put(entry.path, known({ cid, totalSize: bytes.length }))
        return Effect.succeed(entry)
      }
      const { content } = entry
      this.#files++
      if (Stream.isStream(content)) {
        const done = Deferred.makeUnsafe<Root>()
        const file: File = { root: Deferred.await(done), isWhole: false }
        this.#put(entry.path, file)
        return Effect.succeed({ ...entry, content: this.#copied(content, file, done) })
      }
      // Only the CID of the content is kept.
      return Effect.map(FileCid.ofStream(bytesOf(content), this.#profile), ({ cid, size, totalSize }) => {
        this.#bytes += size
        this.#put(entry.path, known({ cid, totalSize }))
        return entry
      })
    })
  }

  /**
   * Checks an answer and returns it. The answer must have the CID and the size of the entry that was sent under the
   * answer's name. No block contains the mode and the time, so they cannot be proven. The answer keeps them only if
   * they equal the sent ones.
   */
  check(answer: IpfsApi.AddedEntry): Effect.Effect<IpfsApi.AddedEntry, IpfsError | RefutedError | LimitExceeded> {
    const { cid, name, size } = answer
    return Effect.flatMap(this.#expected(answer), (expected) => {
      const isSame = this.#isNamed(cid, expected)
      if (!isSame || size !== expected.totalSize) {
        return Effect.fail(
          isSame
            ? refuted(cid, "added size", String(expected.totalSize), String(size))
            : refuted(cid, "added CID", Cid.toText(expected.cid), cid)
        )
      }
      const { mode, mtime, mtimeNsecs } = this.#attributes.get(name) ?? {}
      return Effect.succeed({
        name,
        cid,
        size,
        // the answer has only permission bits, even if the sent mode had more bits
        ...(mode !== undefined && answer.mode === FileModes.permissions(mode) ? { mode: answer.mode } : {}),
        ...(mtime !== undefined && answer.mtime === mtime ? { mtime } : {}),
        ...(mtimeNsecs !== undefined && answer.mtimeNsecs === mtimeNsecs ? { mtimeNsecs } : {})
      })
    })
  }

  /**
   * Checks a report of progress. A node may not report more bytes than were sent, and may send a limited number of
   * reports.
   */
  checkProgress({ bytes }: IpfsApi.AddProgress): Effect.Effect<void, IpfsError> {
    return Effect.suspend(() => {
      this.#said++
      const most = SAID_PER_FILE * (1 + this.#files) + this.#bytes / BYTES_PER_SAID
      return bytes <= this.#bytes && this.#said <= most
        ? Effect.void
        : Effect.fail(protocolError("the node reports more progress than there was"))
    })
  }

  /** True if the node has answered for everything that was sent. */
  isAnswered(): boolean {
    return (
      Array.from(this.#paths.values()).every(({ answers, items }) => answers >= items.length) &&
      (this.#nameless.length === 0 || this.#isAnyAnswered)
    )
  }

  /** Returns the root that an answer must have. */
  #expected(answer: IpfsApi.AddedEntry): Effect.Effect<Root, IpfsError | LimitExceeded | RefutedError> {
    const { cid, name } = answer
    const path = this.#paths.get(name)
    this.#isAnyAnswered = true
    if (path === undefined) return this.#expectedNameless(name, cid)
    const { items } = path
    const item = items[Math.min(path.answers++, items.length - 1)]!
    return Effect.flatMap(this.#rootOf(item), (root) => {
      if (items.length === 1 || this.#isNamed(cid, root)) return Effect.succeed(root)
      // An incomplete tree has no root yet, so no honest node can have named it.
      return Effect.map(Effect.option(this.#rootOf(items.reduce(merged))), (whole) => {
        if (Option.isNone(whole) || !this.#isNamed(cid, whole.value)) return root
        path.answers = items.length
        return whole.value
      })
    })
  }

  #expectedNameless(name: string, cid: string): Effect.Effect<Root, RefutedError> {
    return Effect.flatMap(
      Effect.forEach(
        this.#nameless.filter(({ isWhole }) => isWhole),
        ({ root }) => root
      ),
      (roots) => {
        const got = Cid.fromTextUnsafe(cid)
        const root = roots.find((root) => this.#isNamed(cid, root)) ?? roots[0]
        // for an entry without a name, the node's answer has its CID as the name, in any base
        const called = Cid.fromText(name)
        return root === undefined || Result.isFailure(called) || !Cid.equals(Cid.toV1(called.success), Cid.toV1(got))
          ? Effect.fail(refuted(cid, "added name", "one that was sent", name))
          : Effect.succeed(root)
      }
    )
  }

  #isNamed(cid: string, root: Root): boolean {
    return AnsweredCid.isSame(Cid.fromTextUnsafe(cid), root.cid, this.#asked)
  }

  #rootOf(item: Item): Effect.Effect<Root, IpfsError | LimitExceeded> {
    if (!("entries" in item)) {
      return item.isWhole ? item.root : Effect.fail(protocolError("the answer came before everything was sent"))
    }
    if (item.root !== undefined) return Effect.succeed(item.root)
    const named = Effect.forEach(item.entries, ([name, inside]) =>
      Effect.map(this.#rootOf(inside), (root) => [name, root] as const)
    )
    // In the wrapping directory, a file without a name is named by its CID.
    const isWrapping = this.#asked.wrapWithDirectory === true && item === this.#top
    const nameless = Effect.forEach(isWrapping ? this.#nameless : [], (file) =>
      Effect.map(this.#rootOf(file), (root) => [Cid.toText(root.cid), root] as const)
    )
    return Effect.flatMap(Effect.all([named, nameless]), (entries) =>
      Effect.mapBoth(Effect.fromResult(DirectoryCid.make(entries.flat(), this.#profile)), {
        onSuccess: ({ cid, totalSize }) => (item.root = { cid, totalSize }),
        onFailure: (error) =>
          error._tag === "MalformedBlock"
            ? new IpfsError({
                command: "add",
                reason: new EncodeError({ name: "path", detail: "has a name that cannot stand in a path" })
              })
            : error
      })
    )
  }

  /** Passes the bytes on, and also to the computation of the CID. That computation sets the pace. */
  #copied<E>(
    bytes: Stream.Stream<Uint8Array, E>,
    file: File,
    done: Deferred.Deferred<Root>
  ): Stream.Stream<Uint8Array, E> {
    const profile = this.#profile
    const scope = this.#scope
    const count = (piece: Uint8Array): void => {
      this.#bytes += piece.length
    }
    return Stream.unwrap(
      Effect.gen(function* () {
        const copy = yield* Queue.bounded<Uint8Array, Cause.Done>(2)
        yield* Effect.forkIn(Deferred.into(FileCid.ofStream(Stream.fromQueue(copy), profile), done), scope)
        return bytes.pipe(
          Stream.tap((piece) => {
            count(piece)
            return Queue.offer(copy, piece)
          }),
          Stream.onEnd(
            Effect.map(Queue.end(copy), () => {
              file.isWhole = true
            })
          )
        )
      })
    )
  }

  #put(path: string | undefined, file: File): void {
    if (path === undefined || path === "") {
      this.#top.root = undefined
      this.#nameless.push(file)
      return
    }
    const names = path.split("/")
    this.#directory(names.slice(0, -1)).entries.set(names.at(-1)!, file)
    this.#register(path, file)
  }

  /** Returns the directory at these names, for an entry to be put there. It makes the directories on the way. */
  #directory(names: ReadonlyArray<string>): Directory {
    let at = this.#top
    at.root = undefined
    for (const [index, name] of names.entries()) {
      const inside = at.entries.get(name)
      if (inside !== undefined && "entries" in inside) at = inside
      else {
        const made = emptyDirectory()
        at.entries.set(name, made)
        this.#register(names.slice(0, index + 1).join("/"), made)
        at = made
      }
      at.root = undefined
    }
    return at
  }

  #register(path: string, item: Item): void {
    const known = this.#paths.get(path)
    if (known === undefined) this.#paths.set(path, { items: [item], answers: 0 })
    else known.items.push(item)
  }
}

const emptyDirectory = (): Directory => ({ entries: new Map(), root: undefined })

/** Returns a directory with the entries of both; anything else replaces what came before. */
const merged = (before: Item, next: Item): Item => {
  if (!("entries" in before) || !("entries" in next)) return next
  const entries = new Map(before.entries)
  for (const [name, item] of next.entries) {
    const there = entries.get(name)
    entries.set(name, there === undefined ? item : merged(there, item))
  }
  return { entries, root: undefined }
}

/**
 * Number of progress reports that a node may send for each file, beyond one per piece. Kubo sends one report for every
 * 256 KiB. Other nodes send one report for each piece that they read.
 */
const SAID_PER_FILE = 8
const BYTES_PER_SAID = 1024

const known = (root: Root): File => ({ root: Effect.succeed(root), isWhole: true })

const isArray = <E>(entries: Upload.UploadEntries<E>): entries is ReadonlyArray<Upload.UploadEntry<E>> =>
  Array.isArray(entries)

const asStream = <E>(entries: Upload.UploadEntries<E>): Stream.Stream<Upload.UploadEntry<E>, E> =>
  Stream.isStream(entries) ? entries : Stream.fromIterable(entries)

const bytesOf = (content: string | Uint8Array | Blob): Stream.Stream<Uint8Array, IpfsError> =>
  typeof content === "string"
    ? Stream.succeed(new TextEncoder().encode(content))
    : content instanceof Uint8Array
      ? Stream.succeed(content)
      : Stream.fromReadableStream({
          evaluate: () => content.stream(),
          onError: () =>
            new IpfsError({
              command: "add",
              reason: new EncodeError({ name: "content", detail: "cannot be read" })
            })
        })

const refuted = (cid: string, check: string, expected: string, got: string): RefutedError =>
  new RefutedError({ subject: cid, check, expected, got: got.slice(0, 200) })

const protocolError = (detail: string): IpfsError =>
  new IpfsError({ command: "add", reason: new ProtocolError({ detail }) })
