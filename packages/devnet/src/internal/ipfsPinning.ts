/** Pins and the collection of what no pin reaches, in the embedded IPFS node. */
import * as Cid from "@plumbline/ipfs-client/Cid"
import type { Pin, PinLsOptions } from "@plumbline/ipfs-client/IpfsNode"
import { type IpfsNodeError, PinRefused } from "@plumbline/ipfs-client/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

import * as Blocks from "./ipfsBlocks.ts"
import { attemptNow, failure } from "./ipfsFailure.ts"
import * as Paths from "./ipfsPaths.ts"
import type { Pinned, Pins } from "./ipfsPins.ts"
import * as Store from "./ipfsStore.ts"
import * as Walk from "./ipfsWalk.ts"

export const add = Effect.fnUntraced(function* (
  store: Store.Store,
  path: string,
  { name = "", recursive = true }: { readonly recursive?: boolean | undefined; readonly name?: string | undefined } = {}
) {
  const cid = yield* Paths.resolveBlock(store, path)
  yield* addCid(store, { cid, recursive, name })
  return cid
})

/**
 * Every block is read before the pin is written, and from then on cannot be collected. It is not read again where it was
 * just added: who keeps a list of pins of his own adds without a pin, and pins when that list is written.
 */
export const addCid = (store: Store.Store, pinned: Pinned): Effect.Effect<void, IpfsNodeError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { cid, recursive } = pinned
      const isDone = yield* attemptNow(() => {
        const there = allowed(store.pins, pinned)
        const isKnown = recursive && store.guards.isWhole(Store.rootOf(cid))
        if (there?.recursive !== recursive && !isKnown) return false
        store.pins.set(pinned)
        return true
      })
      if (isDone) return
      const work = yield* hold(store, cid, recursive)
      yield* Store.pin(store, work, (pins) => {
        allowed(pins, pinned)
        pins.set(pinned)
      })
    })
  )

/** The pin that is there. Throws where it may not become the new one. */
const allowed = (pins: Pins, { cid, recursive }: Pinned): Pinned | undefined => {
  const there = pins.find(cid)
  if (there?.recursive === true && !recursive) throw refused(cid, "AlreadyRecursive")
  return there
}

/** Reads what is to be pinned, as work that is still under way. */
const hold = Effect.fnUntraced(function* (store: Store.Store, cid: Cid.Cid, recursive: boolean) {
  const work = yield* Store.work(store)
  if (recursive) yield* Stream.runDrain(Walk.walk(store, cid, { leaves: true, work }))
  else {
    work.touch(Blocks.keyOf(cid))
    yield* Store.get(store, cid)
  }
  return work
})

export const remove = Effect.fnUntraced(function* (
  store: Store.Store,
  path: string,
  { recursive = true }: { readonly recursive?: boolean | undefined } = {}
) {
  const cid = yield* Paths.resolveBlock(store, path)
  return yield* attemptNow(() => {
    const there = store.pins.find(cid)
    if (there === undefined) throw refused(cid, "NotPinnedHere")
    if (there.recursive && !recursive) throw refused(cid, "Recursive")
    store.pins.remove(cid)
    return cid
  })
})

export const update = Effect.fnUntraced(function* (
  store: Store.Store,
  fromPath: string,
  toPath: string,
  { unpin = true }: { readonly unpin?: boolean | undefined } = {}
) {
  const from = yield* Paths.resolveBlock(store, fromPath)
  const to = yield* Paths.resolveBlock(store, toPath)
  const pair: readonly [from: Cid.Cid, to: Cid.Cid] = [from, to]
  if (Cid.equals(from, to)) {
    yield* attemptNow(() => pinnedFrom(store.pins, from))
    return pair
  }
  return yield* Effect.scoped(
    Effect.gen(function* () {
      yield* attemptNow(() => pinnedFrom(store.pins, from))
      const work = yield* hold(store, to, true)
      yield* Store.pin(store, work, (pins) => {
        const { name } = pinnedFrom(pins, from)
        const pinned = { cid: to, recursive: true, name }
        if (unpin) pins.replace(from, pinned)
        else pins.set(pinned)
      })
      return pair
    })
  )
})

const pinnedFrom = (pins: Pins, from: Cid.Cid): Pinned => {
  const there = pins.find(from)
  if (there?.recursive !== true) throw refused(from, "FromNotPinned")
  return there
}

export const list = (
  store: Store.Store,
  paths: ReadonlyArray<string>,
  { name, type = "all" }: PinLsOptions = {}
): Stream.Stream<Pin, IpfsNodeError> => {
  const pins =
    paths.length === 0
      ? every(store, type)
      : Stream.mapEffect(Stream.fromIterable(paths), (path) => one(store, path, type))
  return name === undefined ? pins : Stream.filter(pins, (pin) => pin.name !== "" && pin.name.includes(name))
}

/** Removes what no pin reaches, and gives the CIDs of what it removed. A pinned DAG that cannot be walked stops it. */
export const collect = (store: Store.Store): Stream.Stream<Cid.Cid, IpfsNodeError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const collection = yield* Effect.acquireRelease(
        Effect.sync(() => store.guards.collect()),
        (collection) => Effect.sync(collection.close)
      )
      const reached = new Set<Blocks.Key>()
      const seen = new Set<string>()
      yield* Stream.runForEach(pinned(store, false), ({ cid }) => Effect.sync(() => reached.add(Blocks.keyOf(cid))))
      yield* pinned(store, true).pipe(
        Stream.flatMap(({ cid }) => Walk.walk(store, cid, { leaves: false, seen })),
        Stream.runForEach(({ cid }) => Effect.sync(() => reached.add(Blocks.keyOf(cid))))
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

/** All of one kind, a page at a time. */
const pinned = (store: Store.Store, recursive: boolean): Stream.Stream<Pinned, IpfsNodeError> =>
  Stream.paginate(undefined as Cid.Cid | undefined, (after) =>
    Effect.map(
      attemptNow(() => store.pins.page(recursive, after)),
      (page) => [page, Option.map(Option.fromUndefinedOr(page.at(-1)), ({ cid }) => cid)] as const
    )
  )

const every = (store: Store.Store, type: PinLsOptions["type"]): Stream.Stream<Pin, IpfsNodeError> => {
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

/** What is below the recursive pins and is not pinned itself, each once. */
const indirectOnes = (store: Store.Store): Stream.Stream<Pin, IpfsNodeError> =>
  Stream.suspend(() => {
    const seen = new Set<string>()
    return pinned(store, true).pipe(
      Stream.flatMap(({ cid: through }) =>
        Stream.map(Walk.walk(store, through, { leaves: false, seen }), ({ cid }) => ({ cid, through }))
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

const one = Effect.fnUntraced(function* (store: Store.Store, path: string, type: PinLsOptions["type"]) {
  const cid = yield* Paths.resolveBlock(store, path)
  const own = yield* find(store, cid)
  const wanted = type === "all" || type === (own?.recursive === true ? "recursive" : "direct")
  if (own !== undefined && wanted) return pinOf(own)
  if (type === "all" || type === "indirect") {
    const seen = new Set<string>()
    const through = yield* pinned(store, true).pipe(
      // one that is pinned itself is not reached by itself
      Stream.filter((pin) => !Cid.equals(pin.cid, cid)),
      Stream.mapEffect(({ cid: through }) =>
        Walk.walk(store, through, { leaves: false, seen }).pipe(
          Stream.filter((visited) => Cid.equals(visited.cid, cid)),
          Stream.runHead,
          Effect.map(Option.as(through))
        )
      ),
      Stream.filter(Option.isSome),
      Stream.runHead,
      Effect.map(Option.flatten)
    )
    if (Option.isSome(through)) return { cid, type: "indirect", name: "", through: through.value } satisfies Pin
  }
  return yield* failure(new PinRefused({ subject: path, problem: "NotPinned" }))
})

const pinOf = ({ cid, name, recursive }: Pinned): Pin => ({ cid, type: recursive ? "recursive" : "direct", name })

const find = (store: Store.Store, cid: Cid.Cid): Effect.Effect<Pinned | undefined, IpfsNodeError> =>
  attemptNow(() => store.pins.find(cid))

const refused = (cid: Cid.Cid, problem: PinRefused["problem"]): IpfsNodeError =>
  failure(new PinRefused({ subject: Cid.format(cid), problem }))
