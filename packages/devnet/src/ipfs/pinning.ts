/** The pins of the embedded IPFS node, and the collection of blocks that no pin reaches. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as PinName from "@plumbline/ipfs-client/commands/PinName"
import type { Pin, PinLsOptions, VerifiedPin } from "@plumbline/ipfs-client/node/IpfsNode"
import { Failed, type IpfsNodeError, PinRefused } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as NodePath from "@plumbline/ipfs-client/node/NodePath"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import { attempt, attemptNow, failure, invalid } from "./embeddedFailure.ts"
import * as EmbeddedStore from "./embeddedStore.ts"
import * as EmbeddedWalk from "./embeddedWalk.ts"
import * as FlatfsBlocks from "./flatfsBlocks.ts"
import type { StoredPin, PinDatabase } from "./pinDatabase.ts"

export const add = Effect.fnUntraced(function* (
  store: EmbeddedStore.EmbeddedStore,
  path: string,
  { name = "", recursive = true }: { readonly recursive?: boolean | undefined; readonly name?: string | undefined } = {}
) {
  yield* checkName(name)
  const cid = yield* NodePath.resolveBlock(EmbeddedStore.source(store), path)
  yield* addCid(store, { cid, recursive, name })
  return cid
})

const checkName = (name: string | undefined): Effect.Effect<void, IpfsNodeError> => {
  const flaw = PinName.flaw(name)
  return flaw === undefined ? Effect.void : Effect.fail(invalid("name", flaw))
}

/**
 * Pins a CID. Every block is read before the pin is written, and cannot be collected after it was read. Blocks that
 * were just added are not read again. This helps callers that keep their own list of pins: they add without a pin,
 * write their list, and then pin.
 */
export const addCid = (store: EmbeddedStore.EmbeddedStore, pinned: StoredPin): Effect.Effect<void, IpfsNodeError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { cid, recursive } = pinned
      const isDone = yield* attemptNow(() => {
        const there = allowed(store.pins, pinned)
        const isKnown = recursive && store.guards.isWhole(EmbeddedStore.rootOf(cid))
        if (there?.recursive !== recursive && !isKnown) return false
        store.pins.set(pinned)
        return true
      })
      if (isDone) return
      const work = yield* hold(store, cid, recursive)
      yield* EmbeddedStore.pin(store, work, (pins) => {
        allowed(pins, pinned)
        pins.set(pinned)
      })
    })
  )

/** Returns the existing pin of the CID. Throws if the new pin may not replace it. */
const allowed = (pins: PinDatabase, { cid, recursive }: StoredPin): StoredPin | undefined => {
  const there = pins.find(cid)
  if (there?.recursive === true && !recursive) throw refused(cid, "AlreadyRecursive")
  return there
}

/** Reads the blocks to be pinned. They cannot be collected while the work is running. */
const hold = Effect.fnUntraced(function* (store: EmbeddedStore.EmbeddedStore, cid: Cid.Cid, recursive: boolean) {
  const work = yield* EmbeddedStore.work(store)
  if (recursive) yield* Stream.runDrain(EmbeddedWalk.walk(store, cid, { leaves: true, work }))
  else {
    work.touch(FlatfsBlocks.keyOf(cid))
    yield* EmbeddedStore.get(store, cid)
  }
  return work
})

export const remove = Effect.fnUntraced(function* (
  store: EmbeddedStore.EmbeddedStore,
  path: string,
  { recursive = true }: { readonly recursive?: boolean | undefined } = {}
) {
  const cid = yield* NodePath.resolveBlock(EmbeddedStore.source(store), path)
  return yield* attemptNow(() => {
    const there = store.pins.find(cid)
    if (there === undefined) throw refused(cid, "NotPinnedHere")
    if (there.recursive && !recursive) throw refused(cid, "Recursive")
    store.pins.remove(cid)
    return cid
  })
})

export const update = Effect.fnUntraced(function* (
  store: EmbeddedStore.EmbeddedStore,
  fromPath: string,
  toPath: string,
  { unpin = true }: { readonly unpin?: boolean | undefined } = {}
) {
  const from = yield* NodePath.resolveBlock(EmbeddedStore.source(store), fromPath)
  const to = yield* NodePath.resolveBlock(EmbeddedStore.source(store), toPath)
  const pair: readonly [from: Cid.Cid, to: Cid.Cid] = [from, to]
  if (Cid.equals(from, to)) {
    yield* attemptNow(() => pinnedFrom(store.pins, from))
    return pair
  }
  return yield* Effect.scoped(
    Effect.gen(function* () {
      yield* attemptNow(() => pinnedFrom(store.pins, from))
      const work = yield* hold(store, to, true)
      yield* EmbeddedStore.pin(store, work, (pins) => {
        const { name } = pinnedFrom(pins, from)
        const pinned = { cid: to, recursive: true, name }
        if (unpin) pins.replace(from, pinned)
        else pins.set(pinned)
      })
      return pair
    })
  )
})

const pinnedFrom = (pins: PinDatabase, from: Cid.Cid): StoredPin => {
  const there = pins.find(from)
  if (there?.recursive !== true) throw refused(from, "FromNotPinned")
  return there
}

export const list = (
  store: EmbeddedStore.EmbeddedStore,
  paths: ReadonlyArray<string>,
  { name, type = "all" }: PinLsOptions = {}
): Stream.Stream<Pin, IpfsNodeError> => {
  const pins = paths.length === 0 ? every(store, type) : those(store, paths, type)
  if (name === undefined) return pins
  const named = Stream.filter(pins, (pin) => pin.name !== "" && pin.name.includes(name))
  return Stream.unwrap(Effect.as(checkName(name), named))
}

/** Removes the blocks that no pin reaches, and returns their CIDs. Fails if a pinned DAG cannot be walked. */
export const collect = (store: EmbeddedStore.EmbeddedStore): Stream.Stream<Cid.Cid, IpfsNodeError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const collection = yield* Effect.acquireRelease(
        Effect.sync(() => store.guards.collect()),
        (collection) => Effect.sync(collection.close)
      )
      // This flushes new small blocks and empties the journal, so that the list below is complete.
      yield* attempt(store.blocks.checkpoint)
      const reached = new Set<FlatfsBlocks.BlockKey>()
      const seen = new Set<string>()
      yield* Stream.runForEach(pinned(store, false), ({ cid }) =>
        Effect.sync(() => reached.add(FlatfsBlocks.keyOf(cid)))
      )
      yield* pinned(store, true).pipe(
        Stream.flatMap(({ cid }) => EmbeddedWalk.walk(store, cid, { leaves: false, seen })),
        Stream.runForEach(({ cid }) => Effect.sync(() => reached.add(FlatfsBlocks.keyOf(cid))))
      )
      return Stream.fromAsyncIterable(store.blocks.list(), (error) => error as IpfsNodeError).pipe(
        Stream.filter(({ key }) => !reached.has(key)),
        Stream.mapEffect(({ cid, key }) =>
          attemptNow(() => {
            if (collection.spares(key)) return Option.none<Cid.Cid>()
            store.blocks.removeNow(key)
            return Option.some(cid)
          })
        ),
        Stream.filter(Option.isSome),
        Stream.map(({ value }) => value)
      )
    })
  )

/**
 * Removes a block that no pin reaches and no running work holds. It is a collection of one block, and follows the same
 * protocol: the block is checked and removed in one turn of the event loop.
 */
export const removeBlock = (
  store: EmbeddedStore.EmbeddedStore,
  path: string,
  { force = false }: { readonly force?: boolean | undefined } = {}
): Effect.Effect<Cid.Cid, IpfsNodeError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const cid = yield* NodePath.resolveBlock(EmbeddedStore.source(store), path)
      const collection = yield* Effect.acquireRelease(
        Effect.sync(() => store.guards.collect()),
        (collection) => Effect.sync(collection.close)
      )
      // This flushes new small blocks and empties the journal, so that the block has its file.
      yield* attempt(store.blocks.checkpoint)
      const own = yield* find(store, cid)
      if (own !== undefined) return yield* stays(own.recursive ? "recursive" : "direct", "Pinned")
      const through = (yield* reaching(store, [{ cid, own }])).get(String(cid))
      if (through !== undefined) return yield* stays(Cid.toText(through), "PinnedThrough")
      const there = yield* Effect.result(EmbeddedStore.get(store, cid))
      // a damaged block is removed like any other
      if (Result.isFailure(there) && there.failure.reason._tag !== "Damaged") {
        return force && there.failure.reason._tag === "NotFound" ? cid : yield* Effect.fail(there.failure)
      }
      return yield* attemptNow(() => {
        const key = FlatfsBlocks.keyOf(cid)
        if (collection.spares(key)) throw failure(new Failed({ doing: "removing a block", detail: "it is in use" }))
        store.blocks.removeNow(key)
        return cid
      })
    })
  )

const stays = (subject: string, problem: "Pinned" | "PinnedThrough") => failure(new PinRefused({ subject, problem }))

/** Streams the recursive pins, each with its first broken block. */
export const verify = (store: EmbeddedStore.EmbeddedStore): Stream.Stream<VerifiedPin, IpfsNodeError> =>
  Stream.mapEffect(pinned(store, true), ({ cid }) =>
    Effect.map(
      Effect.result(Stream.runDrain(EmbeddedWalk.walk(store, cid, { leaves: true }))),
      (walked): VerifiedPin => ({
        cid,
        bad: Result.isFailure(walked)
          ? [{ cid: cidOf(walked.failure) ?? String(cid), error: walked.failure.message }]
          : []
      })
    )
  )

const cidOf = ({ reason }: IpfsNodeError): string | undefined => ("cid" in reason ? reason.cid : undefined)

/** Streams all pins of one kind, a page at a time. */
const pinned = (store: EmbeddedStore.EmbeddedStore, recursive: boolean): Stream.Stream<StoredPin, IpfsNodeError> =>
  Stream.paginate(undefined as Cid.Cid | undefined, (after) =>
    Effect.map(
      attemptNow(() => store.pins.page(recursive, after)),
      (page) => [page, Option.map(Option.fromUndefinedOr(page.at(-1)), ({ cid }) => cid)] as const
    )
  )

const every = (store: EmbeddedStore.EmbeddedStore, type: PinLsOptions["type"]): Stream.Stream<Pin, IpfsNodeError> => {
  const recursive = Stream.map(pinned(store, true), pinOf)
  const direct = Stream.map(pinned(store, false), pinOf)
  const indirect = indirectOnes(store)
  switch (type) {
    case "recursive":
      return recursive
    case "direct":
      return direct
    case "indirect":
      return indirect
    default:
      return Stream.concat(Stream.concat(recursive, direct), indirect)
  }
}

/** Streams each block below the recursive pins once, unless the block itself has a pin. */
const indirectOnes = (store: EmbeddedStore.EmbeddedStore): Stream.Stream<Pin, IpfsNodeError> =>
  Stream.suspend(() => {
    const seen = new Set<string>()
    return pinned(store, true).pipe(
      Stream.flatMap(({ cid: through }) =>
        Stream.map(EmbeddedWalk.walk(store, through, { leaves: false, seen }), ({ cid }) => ({ cid, through }))
      ),
      Stream.mapEffect(({ cid, through }) =>
        Effect.map(find(store, cid), (own): Option.Option<Pin> =>
          own === undefined ? Option.some({ cid, type: "indirect", name: "", through }) : Option.none()
        )
      ),
      Stream.filter(Option.isSome),
      Stream.map(({ value }) => value)
    )
  })

/**
 * Streams the requested pins, in the requested order. One walk searches for all CIDs that are pinned through others, so
 * no block is read twice, for any number of CIDs.
 */
const those = (
  store: EmbeddedStore.EmbeddedStore,
  paths: ReadonlyArray<string>,
  type: NonNullable<PinLsOptions["type"]>
): Stream.Stream<Pin, IpfsNodeError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const asked = yield* Effect.forEach(paths, (path) =>
        Effect.flatMap(NodePath.resolveBlock(EmbeddedStore.source(store), path), (cid) =>
          Effect.map(find(store, cid), (own) => ({ path, cid, own }))
        )
      )
      const isAsked = (own: StoredPin | undefined): own is StoredPin =>
        own !== undefined && (type === "all" || type === (own.recursive ? "recursive" : "direct"))
      const mayBeIndirect = type === "all" || type === "indirect"
      const wanted = asked.filter(({ own }) => mayBeIndirect && !isAsked(own))
      // runs only once, when an answer first needs it
      const search = yield* Effect.cached(reaching(store, wanted))
      return Stream.mapEffect(
        Stream.fromIterable(asked),
        Effect.fnUntraced(function* ({ cid, own, path }) {
          if (isAsked(own)) return pinOf(own)
          const through = mayBeIndirect ? (yield* search).get(String(cid)) : undefined
          if (through === undefined) return yield* failure(new PinRefused({ subject: path, problem: "NotPinned" }))
          return { cid, type: "indirect", name: "", through } satisfies Pin
        })
      )
    })
  )

/**
 * Finds the recursive pins through which these CIDs are pinned, keyed by CID. A pin does not count as reaching itself.
 */
const reaching = Effect.fnUntraced(function* (
  store: EmbeddedStore.EmbeddedStore,
  wanted: ReadonlyArray<{ readonly cid: Cid.Cid; readonly own: StoredPin | undefined }>
) {
  const found = new Map<string, Cid.Cid>()
  const search = (cids: ReadonlyArray<Cid.Cid>, but?: Cid.Cid) =>
    Effect.suspend(() => {
      const missing = new Set(cids.map(String))
      const seen = new Set<string>()
      return pinned(store, true).pipe(
        Stream.filter(({ cid }) => but === undefined || !Cid.equals(cid, but)),
        Stream.flatMap(
          ({ cid: through }) =>
            Stream.map(EmbeddedWalk.walk(store, through, { leaves: false, seen }), ({ cid }) => {
              if (missing.delete(String(cid))) found.set(String(cid), through)
              return missing.size
            }),
          { concurrency: WALKS_AT_ONCE }
        ),
        Stream.takeUntil((missing) => missing === 0),
        Stream.runDrain
      )
    })
  const others = wanted.filter(({ own }) => own?.recursive !== true).map(({ cid }) => cid)
  if (others.length > 0) yield* search(others)
  for (const { cid, own } of wanted) if (own?.recursive === true) yield* search([cid], cid)
  return found
})

/** Number of DAGs that are searched at the same time. Most are one block, and the search waits for the disk. */
const WALKS_AT_ONCE = 16

const pinOf = ({ cid, name, recursive }: StoredPin): Pin => ({ cid, type: recursive ? "recursive" : "direct", name })

const find = (store: EmbeddedStore.EmbeddedStore, cid: Cid.Cid): Effect.Effect<StoredPin | undefined, IpfsNodeError> =>
  attemptNow(() => store.pins.find(cid))

const refused = (cid: Cid.Cid, problem: PinRefused["problem"]): IpfsNodeError =>
  failure(new PinRefused({ subject: Cid.toText(cid), problem }))
