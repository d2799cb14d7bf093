/**
 * The IPFS node for one project. It shows only the project's pins, and counts all bytes that the project uploads and
 * downloads.
 */
import type { IpfsQuotaLimits } from "@plumbline/gateway/limits/IpfsQuota"
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as Car from "@plumbline/ipfs-client/car/Car"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsPath from "@plumbline/ipfs-client/cid/IpfsPath"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import * as PinName from "@plumbline/ipfs-client/commands/PinName"
import { MAX_HELD_BYTES, WalkStack } from "@plumbline/ipfs-client/dag/WalkStack"
import type {
  AddedEntry,
  AddOptions,
  AddProgress,
  AddEntry,
  FileEntry,
  IpfsNodeCommands,
  Pin,
  PinLsOptions,
  VerifiedPin
} from "@plumbline/ipfs-client/node/IpfsNode"
import {
  fromBlockError,
  type IpfsNodeError,
  Malformed,
  NoLink,
  NotSupported,
  QuotaExceeded
} from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as WorkScheduler from "@plumbline/ipfs-client/work/WorkScheduler"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import type { DiskReserve } from "./diskReserve.ts"
import { failure, invalid, refused } from "./ledgerErrors.ts"
import type { OwnedPin } from "./ledgerRows.ts"
import type { PinLedger } from "./pinLedger.ts"
import { keyOf } from "./pinSize.ts"
import type { PinOwner, ProjectPins } from "./projectPins.ts"
import type { TransferCounters, TransferDirection } from "./transfers.ts"

/** The services that all projects share. */
export interface SharedServices {
  readonly node: IpfsNodeCommands
  readonly ledger: PinLedger
  readonly pins: ProjectPins
  readonly counters: TransferCounters
  readonly room: DiskReserve
}

export const make = (shared: SharedServices, project: string, limits: IpfsQuotaLimits): IpfsNodeCommands => {
  const { counters, node, pins, room } = shared
  const owner: PinOwner = { id: project, limit: limits.stored ?? Number.MAX_SAFE_INTEGER }

  const take = (way: TransferDirection, bytes: number): Effect.Effect<void, IpfsNodeError> =>
    counters.take({ project, way, bytes, limit: limits[way] })
  /** Fails before the first byte if the quota of downloads is used up. An empty answer is always permitted. */
  const begin = (bytes: number): Effect.Effect<void, IpfsNodeError> =>
    counters.check({ project, way: "downloaded", bytes: Math.min(bytes, 1), limit: limits.downloaded })
  /** Counts the bytes of a download before they are passed on. */
  const handedOut = <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E | IpfsNodeError> =>
    Stream.tap(bytes, ({ length }) => take("downloaded", length))
  const read = <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E | IpfsNodeError> =>
    written(handedOut(bytes))
  const readWhole = (bytes: Effect.Effect<Uint8Array, IpfsNodeError>): Effect.Effect<Uint8Array, IpfsNodeError> =>
    Effect.tap(bytes, ({ length }) => Effect.andThen(take("downloaded", length), counters.written))
  const sent = <A, E>(length: number, work: Effect.Effect<A, E>): Effect.Effect<A, E | IpfsNodeError> =>
    Effect.andThen(Effect.andThen(Effect.andThen(room.check, take("uploaded", length)), counters.written), work)
  /** Writes the counts to the database at the end of a stream, even if the stream fails. */
  const written = <A, E>(stream: Stream.Stream<A, E>): Stream.Stream<A, E | IpfsNodeError> =>
    Stream.concat(stream, Stream.fromEffectDrain(counters.written)).pipe(
      Stream.ensuring(Effect.ignore(counters.written))
    )

  const add = <E = never>(
    entries: Iterable<AddEntry<E>> | Stream.Stream<AddEntry<E>, E>,
    options: AddOptions = {}
  ): Stream.Stream<AddedEntry | AddProgress, E | IpfsNodeError> =>
    Stream.suspend(() => {
      const flaw = PinName.flawOfAdd(options)
      if (flaw !== undefined) return Stream.fail(invalid("pin-name", flaw))
      const upload = counters.upload(project, limits.uploaded)
      const fits = roots(options, owner.limit)
      const isStored = options.onlyHash !== true
      const taken = (bytes: number) =>
        isStored ? Effect.andThen(room.take(bytes), upload.take(bytes)) : upload.take(bytes)
      const countedEntry = (entry: AddEntry<E>): Effect.Effect<AddEntry<E | IpfsNodeError>, IpfsNodeError> => {
        if (entry.type === "directory" || entry.type === "symlink") return Effect.succeed(entry)
        const fit = fits(entry)
        const { content } = entry
        if (content instanceof Uint8Array) {
          return Effect.as(Effect.andThen(taken(content.length), fit(content.length)), entry)
        }
        return Effect.succeed({
          ...entry,
          content: Stream.tap(content, ({ length }) => Effect.andThen(taken(length), fit(length)))
        })
      }
      const trial = pins.trial(owner)
      const pinRoot = (out: AddedEntry | AddProgress): Effect.Effect<void, IpfsNodeError> =>
        out._tag === "Added" && isPinnedRoot(out, options)
          ? trial.add({ cid: out.cid, recursive: true, name: options.pinName ?? "", size: out.held })
          : Effect.void
      let isWhole = false
      const sent = Stream.mapEffect(asStream(entries), countedEntry).pipe(
        Stream.onEnd(
          Effect.sync(() => {
            isWhole = true
          })
        )
      )
      const { pinName: _, ...others } = options
      const added = node.add(sent, { ...others, pin: false })
      return (isStored ? Stream.unwrap(Effect.as(room.check, added)) : added).pipe(
        Stream.tap(pinRoot),
        // After a failed add, all pins of the add are removed, even those that the client already knows. If the client
        // disconnects after it has sent everything, the pins stay.
        Stream.onExit((exit) => trial.end(Exit.isSuccess(exit) || (isWhole && Cause.hasInterruptsOnly(exit.cause)))),
        written,
        Stream.ensuring(upload.end)
      )
    })

  /** Stores content, then pins it. If a collection removes the content before it is pinned, repeats both steps once. */
  const stored = <A>(
    store: Effect.Effect<A, IpfsNodeError>,
    pin: boolean | undefined,
    cidOf: (stored: A) => Cid.Cid
  ): Effect.Effect<A, IpfsNodeError> =>
    pin === true
      ? Effect.retry(
          Effect.tap(store, (stored) => pins.add(owner, { cid: cidOf(stored), recursive: true, name: "" })),
          { times: 1, while: ({ reason }) => reason._tag === "NotFound" }
        )
      : store

  const blockAt = (path: string): Effect.Effect<Cid.Cid, IpfsNodeError> => {
    const parts = Result.getOrUndefined(IpfsPath.split(path))
    if (parts?.namespace === "ipfs" && parts.names.length === 0) return Effect.succeed(Cid.fromTextUnsafe(parts.root))
    return Effect.flatMap(node.dagResolve(path), ({ cid, remainder }) =>
      remainder === ""
        ? Effect.succeed(cid)
        : Effect.fail(failure(new NoLink({ cid: Cid.toText(cid), name: remainder.split("/")[0]! })))
    )
  }

  return {
    add,
    cat: (path, range) =>
      Effect.flatMap(node.cat(path, range), ({ bytes, size }) => Effect.as(begin(size), { size, bytes: read(bytes) })),
    get: (path) =>
      // the counts are written once for all files, not after each file
      written(
        Stream.mapEffect(node.get(path), (found) =>
          Effect.as(begin(found.size), { ...found, content: handedOut(found.content) })
        )
      ),
    ls: node.ls,
    stat: node.stat,
    blockGet: (path) => readWhole(node.blockGet(path)),
    blockPut: (bytes, options) =>
      sent(
        bytes.length,
        stored(node.blockPut(bytes, { ...options, pin: false }), options?.pin, ({ cid }) => cid)
      ),
    blockStat: node.blockStat,
    blockRm: (path, { force = false } = {}) =>
      Effect.gen(function* () {
        const cid = yield* blockAt(path)
        const own = yield* shared.ledger.find(project, cid)
        if (own !== undefined) return yield* refused(own.recursive ? "recursive" : "direct", "Pinned")
        const there = yield* Effect.result(node.blockStat(String(cid)))
        if (Result.isFailure(there)) {
          return force && there.failure.reason._tag === "NotFound" ? cid : yield* Effect.fail(there.failure)
        }
        const [through] = yield* Stream.runCollect(
          list(shared, project, blockAt, [String(cid)], { type: "indirect" }).pipe(
            Stream.catchIf(
              ({ reason }) => reason._tag === "PinRefused",
              () => Stream.empty
            )
          )
        )
        if (through?.through !== undefined) return yield* refused(Cid.toText(through.through), "PinnedThrough")
        // another project may be about to pin the block, and must not learn of it by its loss
        return yield* failure(
          new NotSupported({ what: "block/rm for projects: blocks are shared, and go when no pin reaches them" })
        )
      }),
    refs: node.refs,
    refsLocal: localOf(list(shared, project, blockAt, [])),
    dagBlocks: node.dagBlocks,
    pinVerify: Stream.mapEffect(ownedPins(shared, project, true), ({ cid }) =>
      Effect.map(Effect.result(Stream.runDrain(node.dagBlocks(String(cid)))), (walked): VerifiedPin => ({
        cid,
        bad: Result.isFailure(walked) ? [{ cid: brokenOf(walked.failure, cid), error: walked.failure.message }] : []
      }))
    ),
    dagGet: (path, outputCodec) => readWhole(node.dagGet(path, outputCodec)),
    dagPut: (data, options) =>
      sent(
        data.length,
        stored(node.dagPut(data, { ...options, pin: false }), options?.pin, (cid) => cid)
      ),
    dagResolve: node.dagResolve,
    dagExport: (path) => Stream.unwrap(Effect.as(begin(1), read(node.dagExport(path)))),
    dagImport: (car, { pinRoots = true } = {}) =>
      Effect.gen(function* () {
        yield* room.check
        const upload = counters.upload(project, limits.uploaded)
        let length = 0
        const sent = Stream.tap(car, (piece) => {
          length += piece.length
          // A CAR that is larger than the quota as a whole is refused before it is kept.
          if (pinRoots && length > owner.limit + Car.defaults.maxHeaderSize) {
            return Effect.fail(failure(new QuotaExceeded({ quota: "stored", limit: owner.limit, used: 0 })))
          }
          return Effect.andThen(room.take(piece.length), upload.take(piece.length))
        })
        const imported = yield* node
          .dagImport(sent, { pinRoots: false })
          .pipe(Effect.ensuring(Effect.ignore(counters.written)), Effect.ensuring(upload.end))
        const trial = pins.trial(owner)
        const roots = yield* Effect.forEach(imported.roots, ({ cid }) =>
          pinRoots
            ? Effect.matchEffect(trial.add({ cid, recursive: true, name: "" }), {
                onSuccess: () => Effect.succeed({ cid, pinError: "" }),
                onFailure: (error) =>
                  isTooMuch(error) ? Effect.fail(error) : Effect.succeed({ cid, pinError: error.message })
              })
            : Effect.succeed({ cid, pinError: "" })
        ).pipe(Effect.onExit((exit) => trial.end(Exit.isSuccess(exit))))
        return { ...imported, roots }
      }),
    pinAdd: (path, { name = "", recursive = true } = {}) =>
      Effect.andThen(
        Effect.andThen(checkName(name), room.check),
        Effect.tap(blockAt(path), (cid) => pins.add(owner, { cid, recursive, name }))
      ),
    pinRm: (path, { recursive = true } = {}) => Effect.tap(blockAt(path), (cid) => pins.remove(owner, cid, recursive)),
    pinLs: (paths, options) => list(shared, project, blockAt, paths, options),
    pinUpdate: (from, to, { unpin = true } = {}) =>
      Effect.gen(function* () {
        yield* room.check
        const pair = [yield* blockAt(from), yield* blockAt(to)] as const
        yield* pins.update(owner, pair[0], pair[1], unpin)
        return pair
      }),
    gc: Stream.fail(failure(new NotSupported({ what: "repo/gc for projects" }))),
    // the project's own figures, because those of the node would tell what other projects store
    repoStat: Effect.map(shared.ledger.stored(project), ({ bytes, pins }) => ({
      bytes,
      blocks: pins,
      limit: limits.stored
    })),
    version: node.version,
    id: node.id
  }
}

const checkName = (name: string): Effect.Effect<void, IpfsNodeError> => {
  const flaw = PinName.flaw(name)
  return flaw === undefined ? Effect.void : Effect.fail(invalid("name", flaw))
}

const asStream = <A, E>(entries: Iterable<A> | Stream.Stream<A, E>): Stream.Stream<A, E> =>
  Stream.isStream(entries) ? entries : Stream.fromIterable(entries)

const isTooMuch = ({ reason }: IpfsNodeError): boolean => reason._tag === "QuotaExceeded"

const isPinnedRoot = ({ name }: AddedEntry, { onlyHash, pin, wrapWithDirectory }: AddOptions): boolean =>
  pin !== false && onlyHash !== true && (wrapWithDirectory === true ? name === "" : !name.includes("/"))

/**
 * Fails as soon as the files under one root exceed the limit of the project, because that root can never be pinned. The
 * remaining quota is checked only when the root is complete, because the root may be pinned already.
 */
const roots = ({ onlyHash, pin, wrapWithDirectory }: AddOptions, limit: number) => {
  const sizes = new Map<string, number>()
  let nameless = 0
  return ({ path = "" }: Pick<FileEntry, "path">): ((bytes: number) => Effect.Effect<void, IpfsNodeError>) => {
    if (pin === false || onlyHash === true) return () => Effect.void
    const root = wrapWithDirectory === true ? "" : path === "" ? `/${nameless++}` : path.split("/")[0]!
    return (bytes) => {
      const size = (sizes.get(root) ?? 0) + bytes
      sizes.set(root, size)
      return size > limit ? Effect.fail(failure(new QuotaExceeded({ quota: "stored", limit, used: 0 }))) : Effect.void
    }
  }
}

// Private: the pins of a project.

const list = (
  { ledger, node }: SharedServices,
  project: string,
  blockAt: (path: string) => Effect.Effect<Cid.Cid, IpfsNodeError>,
  paths: ReadonlyArray<string>,
  { name, type = "all" }: PinLsOptions = {}
): Stream.Stream<Pin, IpfsNodeError> => {
  const find = (cid: Cid.Cid) => ledger.find(project, cid)
  const owned = (recursive: boolean) => ownedPins({ ledger }, project, recursive)
  /**
   * Returns all CIDs that recursive pins reach, each once, with the first pin that reaches it. The CID of a pin does
   * not count as reached by the same pin.
   */
  const reached = (
    but?: Cid.Cid,
    concurrency = 1
  ): Stream.Stream<{ readonly cid: Cid.Cid; readonly through: Cid.Cid }, IpfsNodeError> =>
    Stream.suspend(() => {
      const seen = new Set<string>()
      return owned(true).pipe(
        Stream.filter(({ cid }) => but === undefined || !Cid.equals(cid, but)),
        Stream.flatMap(({ cid: through }) => Stream.map(walk(node, through, seen), (cid) => ({ cid, through })), {
          concurrency
        })
      )
    })
  const indirect = reached().pipe(
    Stream.grouped(ASKED_AT_ONCE),
    Stream.mapEffect((some) =>
      Effect.map(
        ledger.pinnedOf(
          project,
          some.map(({ cid }) => cid)
        ),
        (pinned) => {
          const own = new Set(pinned.map(String))
          return some.flatMap(({ cid, through }) => (own.has(String(cid)) ? [] : [indirectOf(cid, through)]))
        }
      )
    ),
    Stream.flattenIterable
  )
  const every: Record<NonNullable<typeof type>, () => Stream.Stream<Pin, IpfsNodeError>> = {
    recursive: () => Stream.map(owned(true), pinOf),
    direct: () => Stream.map(owned(false), pinOf),
    indirect: () => indirect,
    all: () => Stream.concat(Stream.concat(every.recursive(), every.direct()), indirect)
  }
  /** Returns a map from each given CID to a recursive pin that reaches it. */
  const reaching = Effect.fnUntraced(function* (wanted: ReadonlyArray<RequestedPath>) {
    const found = new Map<string, Cid.Cid>()
    const search = (cids: ReadonlyArray<Cid.Cid>, but?: Cid.Cid) =>
      Effect.suspend(() => {
        const missing = new Set(cids.map(String))
        return reached(but, WALKS_AT_ONCE).pipe(
          Stream.map(({ cid, through }) => {
            if (missing.delete(String(cid))) found.set(String(cid), through)
            return missing.size
          }),
          Stream.takeUntil((missing) => missing === 0),
          Stream.runDrain
        )
      })
    const others = wanted.filter(({ own }) => own?.recursive !== true).map(({ cid }) => cid)
    if (others.length > 0) yield* search(others)
    for (const { cid, own } of wanted) if (own?.recursive === true) yield* search([cid], cid)
    return found
  })
  /** Returns the requested pins in the requested order. One search finds all indirect pins. */
  const those = Effect.gen(function* () {
    const asked = yield* Effect.forEach(paths, (path) =>
      Effect.flatMap(blockAt(path), (cid) => Effect.map(find(cid), (own): RequestedPath => ({ path, cid, own })))
    )
    const isAsked = (own: OwnedPin | undefined): own is OwnedPin =>
      own !== undefined && (type === "all" || type === pinOf(own).type)
    const mayBeIndirect = type === "all" || type === "indirect"
    const wanted = asked.filter(({ own }) => mayBeIndirect && !isAsked(own))
    // the search runs only if an answer needs it, and only once
    const search = yield* Effect.cached(reaching(wanted))
    return Stream.mapEffect(
      Stream.fromIterable(asked),
      Effect.fnUntraced(function* ({ cid, own, path }) {
        if (isAsked(own)) return pinOf(own)
        const through = mayBeIndirect ? (yield* search).get(String(cid)) : undefined
        return through === undefined ? yield* refused(path, "NotPinned") : indirectOf(cid, through)
      })
    )
  })
  const pins = paths.length === 0 ? every[type]() : Stream.unwrap(those)
  if (name === undefined) return pins
  const named = Stream.filter(pins, (pin) => pin.name !== "" && pin.name.includes(name))
  return Stream.unwrap(Effect.as(checkName(name), named))
}

/** Streams the project's pins of one kind, a page at a time. */
const ownedPins = (
  { ledger }: Pick<SharedServices, "ledger">,
  project: string,
  recursive: boolean
): Stream.Stream<OwnedPin, IpfsNodeError> =>
  Stream.paginate(undefined as Cid.Cid | undefined, (after) =>
    Effect.map(
      ledger.page(project, recursive, after),
      (page) => [page, Option.map(Option.fromUndefinedOr(page.at(-1)), ({ cid }) => cid)] as const
    )
  )

/** Returns the blocks of pins as raw CIDs of version 1, each once. Blocks inside their CIDs are not stored. */
const localOf = (pins: Stream.Stream<Pin, IpfsNodeError>): Stream.Stream<Cid.Cid, IpfsNodeError> =>
  Stream.suspend(() => {
    const seen = new Set<string>()
    return Stream.filter(pins, ({ cid }) => {
      const count = seen.size
      return Multihash.inlined(cid) === undefined && seen.add(Cid.key(cid)).size > count
    }).pipe(Stream.map(({ cid }) => Cid.make(Block.RAW, cid.multihash.code, cid.multihash.digest)))
  })

/** Returns the block that an error names, or else the pin. */
const brokenOf = ({ reason }: IpfsNodeError, pin: Cid.Cid): string => ("cid" in reason ? reason.cid : String(pin))

/** A requested path, its CID, and the project's own pin of the CID. */
interface RequestedPath {
  readonly path: string
  readonly cid: Cid.Cid
  readonly own: OwnedPin | undefined
}

/** Number of DAGs that are searched at the same time. Most have one block, and the search mostly waits for the node. */
const WALKS_AT_ONCE = 16

/** Maximum number of CIDs in one query of the ledger. */
const ASKED_AT_ONCE = 500

const pinOf = ({ cid, name, recursive }: OwnedPin): Pin => ({ cid, type: recursive ? "recursive" : "direct", name })

const indirectOf = (cid: Cid.Cid, through: Cid.Cid): Pin => ({ cid, type: "indirect", name: "", through })

/** Streams the CIDs of a root and all blocks below it, except those in `seen`. Blocks are not kept in memory. */
const walk = (node: IpfsNodeCommands, root: Cid.Cid, seen: Set<string>): Stream.Stream<Cid.Cid, IpfsNodeError> =>
  Stream.suspend(() => {
    const rest = new WalkStack<Cid.Cid>()
    rest.push({ count: 1, at: () => root, heldBytes: 0 })
    /** Returns the next CID that was not visited, in steps, because a block can repeat a link 65,536 times. */
    function* unseen(): WorkScheduler.Steps<{ readonly next: Cid.Cid | undefined }> {
      for (let count = 1; ; count++) {
        if (count % LINKS_AT_ONCE === 0) yield
        const next = rest.next()
        if (next === undefined || !seen.has(keyOf(next))) return { next }
      }
    }
    return Stream.unfold(undefined, () =>
      Effect.gen(function* () {
        const { next: cid } = yield* WorkScheduler.run(unseen)
        if (cid === undefined) return undefined
        seen.add(keyOf(cid))
        if (cid.code !== Block.RAW) {
          const bytes = Multihash.inlined(cid) ?? (yield* node.blockGet(String(cid)))
          const links = yield* Effect.mapError(Block.linksEffect({ cid, bytes }), fromBlockError)
          if (!rest.pushLinks(links, (link) => link)) {
            const detail = `the blocks above it have more than ${MAX_HELD_BYTES} bytes of links`
            return yield* failure(new Malformed({ cid: Cid.toText(cid), detail }))
          }
        }
        return [cid, undefined] as const
      })
    )
  })

/** Number of links that are passed in one step. */
const LINKS_AT_ONCE = 512
