/**
 * Makes and removes the pins of projects, and the pins of the node that they need.
 *
 * The node pins a CID while at least one project has pinned it. To pin, the ledger first records the intention, then
 * the node pins the CID, and then the project's pin is written. To unpin, the project's pin is removed first. If it was
 * the last pin of the CID, the node then unpins the CID. So if the process is killed at any moment, the node has every
 * pin of the projects. The ledger lists every other pin that this service may have made at the node, and `reconcile`
 * removes these pins.
 *
 * A pin that another program made is never removed. If it is recursive, it is not changed to a direct pin either,
 * because a collection could meanwhile remove the content below it.
 */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"
import { Failed, type IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type { CidLocks, CidWork } from "./cidLocks.ts"
import { failure } from "./ledgerErrors.ts"
import { allowed, exceeded, replaceable, Strength } from "./ledgerRows.ts"
import type { PinLedger } from "./pinLedger.ts"
import * as PinSize from "./pinSize.ts"

/** The project that owns a pin, and the maximum size of its pins. */
export interface PinOwner {
  readonly id: string
  /** Maximum number of bytes of all the project's pins together. */
  readonly limit: number
}

/** A pin to make. `size` is its counted size; undefined if it is not known. */
export interface WantedPin {
  readonly cid: Cid.Cid
  readonly recursive: boolean
  readonly name: string
  readonly size?: number | undefined
}

/**
 * The results of a reconciliation: the numbers of pins that were removed from the node, of pins that were made again,
 * and of pins whose content no longer exists.
 */
export interface PinReconciliation {
  readonly removed: number
  readonly restored: number
  readonly lost: number
}

/** The pins of one upload. If the upload fails, its pins are removed, unless another request made them too. */
export interface UploadPins {
  readonly add: (wanted: WantedPin) => Effect.Effect<void, IpfsNodeError>
  /** Ends the upload. Call it once, after the last pin. If `isGood` is false, the pins of the upload are removed. */
  readonly end: (isGood: boolean) => Effect.Effect<void>
}

export interface ProjectPins {
  readonly add: (owner: PinOwner, wanted: WantedPin) => Effect.Effect<void, IpfsNodeError>
  readonly trial: (owner: PinOwner) => UploadPins
  readonly remove: (owner: PinOwner, cid: Cid.Cid, recursive: boolean) => Effect.Effect<void, IpfsNodeError>
  readonly update: (owner: PinOwner, from: Cid.Cid, to: Cid.Cid, unpin: boolean) => Effect.Effect<void, IpfsNodeError>
  readonly reconcile: Effect.Effect<PinReconciliation, IpfsNodeError>
  /** Does the same as `reconcile`, except that it skips CIDs that other processes are working on. */
  readonly reconcileFree: Effect.Effect<PinReconciliation, IpfsNodeError>
  /** Continues the work of processes that have ended, and repeats failed unpins. */
  readonly goOn: Effect.Effect<void, IpfsNodeError>
}

/** The node whose pins belong to projects, and the ledger of their pins. */
interface PinnedNode {
  readonly node: IpfsNodeCommands
  readonly ledger: PinLedger
  readonly locks: CidLocks
}

export const make = (node: IpfsNodeCommands, ledger: PinLedger, locks: CidLocks): ProjectPins => {
  const pinned: PinnedNode = { node, ledger, locks }
  const settleOne = (work: CidWork) => settle(pinned, work)
  return {
    add: (owner, wanted) => add(pinned, owner, wanted),
    trial: (owner) => trial(pinned, owner),
    remove: (owner, cid, recursive) =>
      Effect.uninterruptible(Effect.andThen(ledger.remove(owner.id, cid, recursive), release(pinned, cid))),
    update: (owner, from, to, unpin) =>
      Effect.gen(function* () {
        const own = yield* ledger.find(owner.id, from)
        const { name } = yield* Effect.fromResult(replaceable(own, from))
        if (Cid.equals(from, to)) return
        yield* Effect.uninterruptibleMask((restore) =>
          Effect.andThen(
            restore(add(pinned, owner, { cid: to, recursive: true, name }, { instead: unpin ? from : undefined })),
            unpin ? release(pinned, from) : Effect.void
          )
        )
      }),
    reconcile: reconciliation(node, ledger, locks.on, settleOne),
    reconcileFree: reconciliation(node, ledger, locks.ifFree, settleOne),
    goOn: goOn(pinned)
  }
}

const tryToLetGo = Effect.fnUntraced(function* (pinned: PinnedNode, work: CidWork) {
  const { ledger, node } = pinned
  const { cid, held } = work
  if (held.strength === Strength.Unasked || (yield* ledger.needed(cid)) !== undefined) return false
  if (!held.foreign) {
    // recorded first: if no answer arrives, the node may or may not have unpinned the CID
    work.held = { ...held, strength: Strength.Intended }
    work.isOver = !(yield* ledger.hold(cid, work.held))
    if (work.isOver) return false
    yield* Effect.catchIf(node.pinRm(String(cid)), isNotPinned, () => Effect.void)
  }
  work.isOver = true
  if (!(yield* ledger.forget(cid))) yield* repair(pinned, work)
  return true
})

/** Ends the service's pin of a CID if no project has pinned the CID. Returns true if the pin was ended. */
const letGo = (pinned: PinnedNode, work: CidWork): Effect.Effect<boolean, IpfsNodeError> =>
  Effect.onError(tryToLetGo(pinned, work), () =>
    Effect.sync(() => {
      work.isLeft = true
    })
  )

const left = ({ message }: IpfsNodeError) => Effect.logWarning(`a pin is left at the IPFS node for now: ${message}`)

/** Does the same as `letGo`. If it fails, the work is marked as unfinished and continued later. */
const letGoLater = (pinned: PinnedNode, work: CidWork): Effect.Effect<void> =>
  Effect.catch(letGo(pinned, work), left).pipe(Effect.uninterruptible, Effect.asVoid)

const release = (pinned: PinnedNode, cid: Cid.Cid): Effect.Effect<void> =>
  Effect.catch(
    pinned.locks.on(cid, (work) => letGoLater(pinned, work)),
    left
  )

/**
 * Repairs the node after a long pause of this process. Another process took over the work during the pause, and then
 * this process still changed the pin at the node. The other process's result is right, so this function asks the node
 * for that result again.
 */
const repair = (pinned: PinnedNode, lost: CidWork): Effect.Effect<void, IpfsNodeError> =>
  Effect.andThen(
    Effect.logWarning("work on a pin was taken over by another process"),
    pinned.locks.again(lost.cid, (work) =>
      Effect.gen(function* () {
        const needed = yield* pinned.ledger.needed(work.cid)
        if (needed !== undefined) {
          yield* pinned.node.pinAdd(String(work.cid), { recursive: needed === Strength.Recursive })
          return
        }
        if (work.held.strength === Strength.Unasked) {
          work.held = { strength: Strength.Intended, foreign: lost.held.foreign }
          yield* pinned.ledger.hold(work.cid, work.held)
        }
        yield* letGoLater(pinned, work)
      })
    )
  )

/** Makes the node pin a CID, directly or recursively. Returns the kind of pin that the node then has. */
const hold = Effect.fnUntraced(function* ({ ledger, node }: PinnedNode, work: CidWork, recursive: boolean) {
  const { cid, held } = work
  const strength = recursive ? Strength.Recursive : Strength.Direct
  if (held.strength >= strength) return held.strength
  const there = held.strength <= Strength.Intended ? yield* strengthAt(node, cid) : held.strength
  if (held.strength === Strength.Unasked) {
    work.held = { strength: Strength.Intended, foreign: there !== undefined }
    work.isOver = !(yield* ledger.hold(cid, work.held))
    if (work.isOver) return yield* takenOver
  }
  if (there !== undefined && there >= strength) return there
  yield* node.pinAdd(String(cid), { recursive })
  return strength
})

const sizeOf = (
  { ledger, node }: PinnedNode,
  cid: Cid.Cid,
  recursive: boolean,
  most: number
): Effect.Effect<number, IpfsNodeError> =>
  Effect.flatMap(ledger.sizeOf(cid, recursive), (known) => {
    if (known !== undefined) return Effect.succeed(known)
    return recursive ? PinSize.held(node, cid, most) : Effect.map(node.blockStat(String(cid)), ({ size }) => size)
  })

const add = (
  pinned: PinnedNode,
  owner: PinOwner,
  wanted: WantedPin,
  { instead, upload }: { readonly instead?: Cid.Cid | undefined; readonly upload?: string | undefined } = {}
): Effect.Effect<void, IpfsNodeError> => {
  const { ledger, locks } = pinned
  const { cid, name, recursive } = wanted
  const project = owner.id
  const pin = Effect.fnUntraced(function* (work: CidWork) {
    const own = yield* Effect.flatMap(ledger.find(project, cid), (own) => Effect.fromResult(allowed(own, wanted)))
    if (own?.recursive === recursive && instead === undefined) {
      if (yield* ledger.again({ project, pin: { ...own, name }, upload })) return
    }
    const { bytes } = yield* ledger.stored(project)
    const replaced = instead === undefined ? undefined : yield* ledger.find(project, instead)
    const goes = (own?.size ?? 0) + (replaced?.size ?? 0)
    // if the limit was lowered below the project's usage, the project may still replace a pin by a smaller one
    const most = Math.max(owner.limit - bytes, 0) + goes
    const size =
      own?.recursive === recursive ? own.size : (wanted.size ?? (yield* sizeOf(pinned, cid, recursive, most)))
    if (size > most) return yield* exceeded(owner.limit, bytes)
    const strength = yield* hold(pinned, work, recursive)
    const isWritten = yield* ledger.put({
      project,
      pin: { cid, recursive, name, size },
      strength,
      limit: owner.limit,
      instead,
      upload
    })
    work.isOver = true
    if (!isWritten) return yield* takenOver
  })
  return locks.on(cid, (work) =>
    Effect.onExit(pin(work), (exit) => {
      if (exit._tag === "Success") return Effect.void
      return work.isOver ? Effect.ignore(repair(pinned, work)) : letGoLater(pinned, work)
    })
  )
}

const trial = (pinned: PinnedNode, owner: PinOwner): UploadPins => {
  const { ledger, locks } = pinned
  const cids: Array<Cid.Cid> = []
  let upload = ""
  const undo = (cid: Cid.Cid): Effect.Effect<void> =>
    ledger.takeBack(owner.id, cid, upload).pipe(
      Effect.flatMap((isBack) => (isBack ? release(pinned, cid) : Effect.void)),
      Effect.ignore
    )
  return {
    add: (wanted) =>
      Effect.suspend(() => {
        // the lease of an upload begins with its first pin, because most uploads make no pin
        if (cids.length === 0) upload = locks.upload.begin()
        cids.push(wanted.cid)
        return add(pinned, owner, wanted, { upload })
      }),
    end: (isGood) =>
      Effect.suspend(() => {
        if (cids.length === 0) return Effect.void
        return isGood
          ? Effect.catch(ledger.confirm(owner.id, upload), (error) =>
              // the pins stay even without the confirmation, because no process removes them
              Effect.logWarning(`pins of an upload are not settled: ${error.message}`)
            )
          : Effect.forEach(cids, undo, { discard: true })
      }).pipe(Effect.ensuring(Effect.sync(() => locks.upload.end(upload))), Effect.uninterruptible, Effect.asVoid)
  }
}

/** Makes the node's pin of a CID match the projects' pins: unpins the CID, or pins it again. */
const settle = Effect.fnUntraced(function* (
  pinned: PinnedNode,
  work: CidWork
): Effect.fn.Return<Settled, IpfsNodeError> {
  const { ledger, node } = pinned
  const { cid } = work
  const needed = yield* ledger.needed(cid)
  if (needed === undefined) return (yield* letGo(pinned, work)) ? "removed" : "kept"
  const isBack = yield* node.pinAdd(String(cid), { recursive: needed === Strength.Recursive }).pipe(
    Effect.as(true),
    // after the error `Failed` the content may still exist, so the pin does not count as lost
    Effect.catchIf(
      ({ reason }) => reason._tag !== "Failed",
      () => Effect.succeed(false)
    )
  )
  yield* ledger.hold(cid, { ...work.held, strength: isBack ? needed : Strength.Intended })
  return isBack ? "restored" : "lost"
})

/** Continues the work of processes that have ended, and repeats failed unpins. */
const goOn = Effect.fnUntraced(function* (pinned: PinnedNode): Effect.fn.Return<void, IpfsNodeError> {
  const { ledger, locks } = pinned
  yield* ledger.confirmLost
  let failed: IpfsNodeError | undefined
  const goOnWith = (work: CidWork) =>
    Effect.flatMap(ledger.needed(work.cid), (needed) =>
      needed !== undefined && work.held.strength >= needed ? Effect.void : settle(pinned, work)
    )
  for (let page = yield* ledger.leftPage(undefined); page.length > 0; page = yield* ledger.leftPage(page.at(-1))) {
    for (const cid of page) {
      // after a failure, the other CIDs are still handled
      yield* Effect.catch(locks.ifFree(cid, goOnWith), (error) => Effect.sync(() => void (failed = error)))
    }
  }
  if (failed !== undefined) return yield* failed
})

/** The result of `settle` for one CID. */
type Settled = keyof PinReconciliation | "kept"

const takenOver = Effect.fail(
  failure(new Failed({ doing: "pinning", detail: "it took too long, and another process went on with it" }))
)

const isNotPinned = ({ reason }: IpfsNodeError): boolean =>
  reason._tag === "PinRefused" && (reason.problem === "NotPinned" || reason.problem === "NotPinnedHere")

/**
 * Returns the kind of pin that the node has for a CID. It asks for each kind separately, because a search for any kind
 * would go through all pins of the node.
 */
const strengthAt = (node: IpfsNodeCommands, cid: Cid.Cid): Effect.Effect<Strength | undefined, IpfsNodeError> => {
  const is = (type: "recursive" | "direct"): Effect.Effect<boolean, IpfsNodeError> =>
    node.pinLs([String(cid)], { type }).pipe(
      Stream.runFold(
        () => false,
        (found, pin) => found || pin.type === type
      ),
      Effect.catchIf(isNotPinned, () => Effect.succeed(false))
    )
  return Effect.gen(function* () {
    if (yield* is("recursive")) return Strength.Recursive
    return (yield* is("direct")) ? Strength.Direct : undefined
  })
}

/** Unpins CIDs that no project has pinned, and pins missing CIDs again. */
const reconciliation = (
  node: IpfsNodeCommands,
  ledger: PinLedger,
  on: CidLocks["ifFree"],
  settle: (work: CidWork) => Effect.Effect<Settled, IpfsNodeError>
): Effect.Effect<PinReconciliation, IpfsNodeError> =>
  Effect.gen(function* () {
    const done = { removed: 0, restored: 0, lost: 0 }
    yield* ledger.confirmLost
    const there = new Map<string, Strength>()
    for (const type of ["direct", "recursive"] as const) {
      const strength = type === "recursive" ? Strength.Recursive : Strength.Direct
      yield* node.pinLs([], { type }).pipe(
        Stream.map(({ cid }) => cid),
        Stream.grouped(ASKED_AT_ONCE),
        Stream.runForEach((cids) =>
          Effect.map(ledger.heldOf(cids), (held) => held.forEach((cid) => there.set(String(cid), strength)))
        )
      )
    }
    const isThere = (cid: Cid.Cid, needed: Strength | undefined): boolean =>
      needed !== undefined && (there.get(String(cid)) ?? Strength.Intended) >= needed
    const reconcileOne = (work: CidWork) =>
      Effect.map(settle(work), (settled) => {
        if (settled !== "kept") done[settled]++
      })
    for (let page = yield* ledger.heldPage(undefined); page.length > 0;) {
      for (const { cid, needed } of page) if (!isThere(cid, needed)) yield* on(cid, reconcileOne)
      page = yield* ledger.heldPage(page.at(-1)?.cid)
    }
    return done
  })

/** Maximum number of CIDs in one query of the ledger. */
const ASKED_AT_ONCE = 500
