/** Adding files and directories to the embedded IPFS node. */
import * as Cid from "@plumbline/ipfs-client/Cid"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { importer, type ImportCandidate, type ImportResult, type WritableStorage } from "ipfs-unixfs-importer"

import type { Added, AddOptions, AddProgress, Attributes, Entry, FileEntry } from "../IpfsNode.ts"
import type { IpfsNodeError } from "../IpfsNodeError.ts"
import { invalid, thrown } from "./ipfsFailure.ts"
import { limited, MAX_FILE_SIZE } from "./ipfsFileSize.ts"
import * as Importing from "./ipfsImporting.ts"
import * as Store from "./ipfsStore.ts"

type Out = Added | AddProgress

/**
 * The importer works with promises, so entries and their bytes are pulled from within it, one piece at a time. What is
 * pulled when the stream ends early is interrupted, and the importer comes to its end before the blocks are let go.
 */
export const add = <E>(
  store: Store.Store,
  entries: Iterable<Entry<E>> | Stream.Stream<Entry<E>, E>,
  options: AddOptions
): Stream.Stream<Out, E | IpfsNodeError> =>
  Stream.callback<Out, E | IpfsNodeError>(
    Effect.fnUntraced(function* (queue) {
      const settings = yield* Effect.fromResult(Importing.settingsOf(options))
      const work = yield* Store.work(store)
      const bridge = yield* makeBridge
      const entriesPull = yield* Stream.toPull(Stream.isStream(entries) ? entries : Stream.fromIterable(entries))

      const put: WritableStorage["put"] = async (cid, bytes) => {
        if (!(bytes instanceof Uint8Array)) throw new TypeError("the importer gives blocks whole")
        const block = settings.recode.put(cid, bytes)
        if (options.onlyHash !== true) await work.put(block)
        return cid
      }
      const say = (out: Out) => Queue.offer(queue, out)
      const results = yield* bridge.iterate(
        importer(
          candidates(bridge, entriesPull, options, (progress) => bridge.run(say(progress))),
          { put },
          settings.importer
        )
      )
      for (let result = yield* results; result !== undefined; result = yield* results) {
        const added = addedOf(result)
        if (isRoot(added, options) && options.onlyHash !== true) {
          const pinned = { cid: added.cid, recursive: true, name: options.pinName ?? "" }
          yield* Store.pin(store, work, (pins) => (options.pin === false ? undefined : pins.set(pinned)))
        }
        yield* say(added)
      }
      yield* Queue.end(queue)
    }),
    { bufferSize: 16 }
  )

/** Whoever gave them failed: not the importer, and not the node. */
class SourceFailed extends Error {
  readonly failed: Cause.Cause<unknown>
  constructor(failed: Cause.Cause<unknown>) {
    super("the source of the content failed")
    this.failed = failed
  }
}

interface Bridge {
  /** Runs an effect from within a promise. It is interrupted when the scope closes. */
  readonly run: <A>(effect: Effect.Effect<A, unknown>) => Promise<A>
  /** What a pull gives; undefined at its end. */
  readonly pull: <A>(pull: Pull.Pull<A, unknown>) => Promise<A | undefined>
  /** What an iterable gives, one by one; undefined at its end. When the scope closes, it comes to its end too. */
  readonly iterate: <A>(
    iterable: AsyncIterable<A>
  ) => Effect.Effect<Effect.Effect<A | undefined, IpfsNodeError>, never, Scope.Scope>
}

const makeBridge: Effect.Effect<Bridge, never, Scope.Scope> = Effect.gen(function* () {
  const runExit = Effect.runPromiseExitWith(yield* Effect.context())
  const abort = new AbortController()

  const run = async <A>(effect: Effect.Effect<A, unknown>): Promise<A> => {
    const exit = await runExit(effect, { signal: abort.signal })
    if (Exit.isSuccess(exit)) return exit.value
    throw new SourceFailed(exit.cause)
  }
  const pull = async <A>(pull: Pull.Pull<A, unknown>): Promise<A | undefined> =>
    run(Pull.catchDone(pull, () => Effect.succeed(undefined)))

  const iterate = <A>(iterable: AsyncIterable<A>) =>
    Effect.gen(function* () {
      const iterator = iterable[Symbol.asyncIterator]()
      let pending: Promise<unknown> = Promise.resolve()
      yield* Effect.addFinalizer(() =>
        Effect.promise(async () => {
          abort.abort()
          await pending.catch(() => undefined)
          await iterator.return?.()
        })
      )
      return Effect.callback<A | undefined, IpfsNodeError>((resume) => {
        const next = iterator.next()
        pending = next
        next.then(
          (result) => resume(Effect.succeed(result.done === true ? undefined : result.value)),
          (error: unknown) => resume(failed(error))
        )
      })
    })
  return { run, pull, iterate }
})

/** An error out of the importer: what the source failed with, as it failed; ours; or a defect. */
const failed = (error: unknown): Effect.Effect<never, IpfsNodeError> => {
  // the type is given back by `add`, which has it from the entries
  if (error instanceof SourceFailed) return Effect.failCause(error.failed as Cause.Cause<never>)
  return thrown(error)
}

async function* candidates<E>(
  bridge: Bridge,
  entries: Pull.Pull<ReadonlyArray<Entry<E>>, E>,
  options: AddOptions,
  say: (progress: AddProgress) => Promise<unknown>
): AsyncGenerator<ImportCandidate> {
  for (let some = await bridge.pull(entries); some !== undefined; some = await bridge.pull(entries)) {
    for (const entry of some) {
      const path = pathOf(entry.path)
      const attributes = attributesOf(entry, options)
      if (entry.type === "directory" || entry.type === "symlink") {
        if (path === undefined) throw invalid("entry", "only files may be without a name")
        yield entry.type === "directory" ? { path, ...attributes } : { path, link: entry.target, ...attributes }
      } else {
        if (path === undefined && options.wrapWithDirectory === true) {
          throw invalid("entry", "a file in a directory needs a name")
        }
        const bytes = limited(bytesOf(bridge, entry), MAX_FILE_SIZE)
        const content = options.progress === true ? counted(bytes, path ?? "", say) : bytes
        yield { ...(path === undefined ? {} : { path }), content, ...attributes }
      }
    }
  }
}

async function* bytesOf<E>(bridge: Bridge, { content }: FileEntry<E>): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) {
    yield content
    return
  }
  const scope = Scope.makeUnsafe()
  try {
    const pull = await bridge.run(Scope.provide(Stream.toPull(content), scope))
    for (let some = await bridge.pull(pull); some !== undefined; some = await bridge.pull(pull)) yield* some
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** How often the progress of a file is said, in bytes, as Kubo does. */
const PROGRESS_STEP = 262_144

async function* counted(
  content: AsyncIterable<Uint8Array>,
  name: string,
  say: (progress: AddProgress) => Promise<unknown>
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  let said = 0
  for await (const piece of content) {
    yield piece
    bytes += piece.length
    if (bytes - said >= PROGRESS_STEP) {
      said = bytes
      await say({ _tag: "Progress", name, bytes })
    }
  }
  if (bytes > said || bytes === 0) await say({ _tag: "Progress", name, bytes })
}

/** The names of a path. Those that lead elsewhere are refused; an empty path is none. */
const pathOf = (path: string | undefined): string | undefined => {
  if (path === undefined || path === "") return undefined
  const names = path.split("/")
  const bad = names.some((name) => ["", ".", ".."].includes(name) || name.includes("\0"))
  if (bad || path.length > 4096) throw invalid("name", JSON.stringify(path.slice(0, 80)))
  return path
}

type Stored = Pick<ImportCandidate, "mode" | "mtime">

const attributesOf = (entry: Attributes, options: AddOptions): Stored => {
  const mode = options.mode ?? (options.preserveMode === true ? entry.mode : undefined)
  const from = options.mtime === undefined ? (options.preserveMtime === true ? entry : {}) : options
  for (const [name, number] of Object.entries({ mode, mtime: from.mtime, "mtime-nsecs": from.mtimeNsecs })) {
    if (number !== undefined && !Number.isSafeInteger(number)) throw invalid(name, "not a whole number")
  }
  return {
    ...(mode === undefined ? {} : { mode: mode & 0o7777 }),
    ...(from.mtime === undefined
      ? {}
      : {
          mtime: {
            secs: BigInt(from.mtime),
            ...(from.mtimeNsecs === undefined ? {} : { nsecs: from.mtimeNsecs })
          }
        })
  }
}

const isRoot = ({ name }: Added, options: AddOptions): boolean =>
  options.wrapWithDirectory === true ? name === "" : !name.includes("/")

const addedOf = ({ cid, path, size, unixfs }: ImportResult): Added => ({
  _tag: "Added",
  name: path ?? Cid.format(cid),
  cid,
  size: Number(size),
  ...(unixfs?.mode === undefined || DEFAULT_MODES.has(unixfs.mode) ? {} : { mode: unixfs.mode }),
  ...(unixfs?.mtime === undefined ? {} : { mtime: Number(unixfs.mtime.secs), mtimeNsecs: unixfs.mtime.nsecs })
})

/** Of a file and of a directory: they are not stored. */
const DEFAULT_MODES: ReadonlySet<number> = new Set([0o644, 0o755])
