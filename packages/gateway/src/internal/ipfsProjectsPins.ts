/**
 * Pins of projects, and what they come to at the node.
 *
 * The node holds a CID as long as a project has it pinned. Before the node is asked to pin, the ledger says that this is
 * intended; when the node has it, the project's pin is written. A project's pin is removed first, and if it was the last
 * one, the node lets go after that. So whenever the process dies, the node holds all that projects have, and what it holds
 * besides is known: `reconcile` lets go of it.
 *
 * What somebody else had pinned before at the node is never let go, and neither is one recursive pin made direct: in
 * between, a collection could take what is below.
 */
import * as Cid from "@plumbline/ipfs-client/Cid"
import type { Node } from "@plumbline/ipfs-client/IpfsNode"
import { type IpfsNodeError, QuotaExceeded } from "@plumbline/ipfs-client/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"

import { attemptNow, failure, refused } from "./ipfsProjectsFailure.ts"
import { type Ledger, type Owned, Strength } from "./ipfsProjectsLedger.ts"
import * as Size from "./ipfsProjectsSize.ts"

/** Who pins, and how much may be stored. */
export interface Owner {
  readonly id: string
  /** The most bytes of all pins together. */
  readonly limit: number
}

/** A pin to make. `size` is how much it counts, where that is known. */
export interface Wanted {
  readonly cid: Cid.Cid
  readonly recursive: boolean
  readonly name: string
  readonly size?: number | undefined
}

/** What a reconciliation has done: pins of the node let go and made again, and pins whose content is no longer there. */
export interface Reconciled {
  readonly removed: number
  readonly restored: number
  readonly lost: number
}

/** Pins of one upload, which are let go again where it does not end well, unless somebody else has made them too. */
export interface Trial {
  readonly add: (wanted: Wanted) => Effect.Effect<void, IpfsNodeError>
  /** Is called once, when nothing is added any more. */
  readonly end: (isGood: boolean) => Effect.Effect<void>
}

export interface Pins {
  readonly add: (owner: Owner, wanted: Wanted) => Effect.Effect<void, IpfsNodeError>
  readonly trial: (owner: Owner) => Trial
  readonly remove: (owner: Owner, cid: Cid.Cid, recursive: boolean) => Effect.Effect<void, IpfsNodeError>
  readonly update: (owner: Owner, from: Cid.Cid, to: Cid.Cid, unpin: boolean) => Effect.Effect<void, IpfsNodeError>
  readonly reconcile: Effect.Effect<Reconciled, IpfsNodeError>
}

export const make = (node: Node, ledger: Ledger): Pins => {
  const locked = makeLocks()
  /** Pins that nobody has made but uploads whose end is not known, and these. */
  const tentative = new Map<string, Set<Trial>>()

  /** A pin was made, or was there and is made again. */
  const made = (owner: Owner, cid: Cid.Cid, isFresh: boolean, trial: Trial | undefined): void => {
    const key = keyOf(owner, cid)
    if (trial === undefined) tentative.delete(key)
    else if (isFresh) tentative.set(key, new Set([trial]))
    else tentative.get(key)?.add(trial)
  }

  /** The node lets go of what no project has. What it does not manage is left to a reconciliation. */
  const letGo = (cid: Cid.Cid): Effect.Effect<boolean, IpfsNodeError> =>
    Effect.gen(function* () {
      const held = yield* attemptNow(() => (ledger.needed(cid) === undefined ? ledger.held(cid) : undefined))
      if (held === undefined) return false
      if (!held.foreign) yield* Effect.catchIf(node.pinRm(String(cid)), isNotPinned, () => Effect.void)
      yield* attemptNow(() => ledger.release(cid))
      return true
    })
  const letGoLater = (cid: Cid.Cid): Effect.Effect<void> =>
    Effect.catch(letGo(cid), (error) =>
      Effect.logWarning(`a pin is left at the IPFS node until the next start: ${error.message}`)
    ).pipe(Effect.uninterruptible, Effect.asVoid)

  /** The node holds it, and as strongly as needed. */
  const hold = Effect.fnUntraced(function* (cid: Cid.Cid, recursive: boolean) {
    const strength = recursive ? Strength.Recursive : Strength.Direct
    const held = yield* attemptNow(() => ledger.held(cid))
    if (held !== undefined && held.strength >= strength) return held.strength
    const there = held === undefined ? yield* strengthAt(node, cid) : held.strength
    if (held === undefined) {
      yield* attemptNow(() => ledger.hold({ cid, strength: Strength.Intended, foreign: there !== undefined }))
    }
    if (there !== undefined && there >= strength) return there
    yield* node.pinAdd(String(cid), { recursive })
    return strength
  })

  const sizeOf = (cid: Cid.Cid, recursive: boolean, most: number): Effect.Effect<number, IpfsNodeError> =>
    Effect.flatMap(
      attemptNow(() => ledger.sizeOf(cid, recursive)),
      (known) => {
        if (known !== undefined) return Effect.succeed(known)
        return recursive
          ? Size.cumulative(node, cid, most)
          : Effect.map(node.blockStat(String(cid)), ({ size }) => size)
      }
    )

  const exceeded = ({ limit }: Owner, used: number): IpfsNodeError =>
    failure(new QuotaExceeded({ quota: "stored", limit, used }))

  const add = (
    owner: Owner,
    wanted: Wanted,
    { instead, trial }: { readonly instead?: Cid.Cid | undefined; readonly trial?: Trial | undefined } = {}
  ): Effect.Effect<void, IpfsNodeError> => {
    const { cid, name, recursive } = wanted
    const pin = Effect.gen(function* () {
      const isThere = (own: Owned | undefined): boolean => own?.recursive === recursive && instead === undefined
      const own = yield* attemptNow(() => {
        const own = allowed(ledger.find(owner.id, cid), wanted)
        // in one step: an upload that fails at this moment would else take it away in between
        if (isThere(own)) {
          ledger.rename(owner.id, cid, name)
          made(owner, cid, false, trial)
        }
        return own
      })
      if (isThere(own)) return
      const { bytes } = yield* attemptNow(() => ledger.stored(owner.id))
      const replaced = yield* attemptNow(() => (instead === undefined ? undefined : ledger.find(owner.id, instead)))
      const goes = (own?.size ?? 0) + (replaced?.size ?? 0)
      // who has more than the limit, because it was lowered, may still have less
      const most = Math.max(owner.limit - bytes, 0) + goes
      const size = own?.recursive === recursive ? own.size : (wanted.size ?? (yield* sizeOf(cid, recursive, most)))
      if (size > most) return yield* exceeded(owner, bytes)
      const strength = yield* hold(cid, recursive)
      const used = yield* attemptNow(() => {
        // both may have changed while the node was at work
        const there = allowed(ledger.find(owner.id, cid), wanted)
        if (instead !== undefined) replaceable(ledger.find(owner.id, instead), instead)
        const used = ledger.put(owner.id, { cid, recursive, name, size }, { strength, limit: owner.limit, instead })
        if (used !== undefined) return used
        made(owner, cid, there === undefined, trial)
        if (instead !== undefined) tentative.delete(keyOf(owner, instead))
        return undefined
      })
      if (used !== undefined) return yield* exceeded(owner, used)
    })
    return locked(
      cid,
      Effect.onExit(pin, (exit) => (exit._tag === "Success" ? Effect.void : letGoLater(cid)))
    )
  }

  const release = (cid: Cid.Cid): Effect.Effect<void> => locked(cid, letGoLater(cid))

  const makeTrial = (owner: Owner): Trial => {
    const cids: Array<Cid.Cid> = []
    /** Removes the pin if this upload was the last that made it. */
    const takeBack = (cid: Cid.Cid): boolean => {
      const key = keyOf(owner, cid)
      const makers = tentative.get(key)
      if (makers?.delete(trial) !== true || makers.size > 0) return false
      tentative.delete(key)
      ledger.remove(owner.id, cid)
      return true
    }
    const undo = (cid: Cid.Cid): Effect.Effect<void> =>
      attemptNow(() => takeBack(cid)).pipe(
        Effect.flatMap((isBack) => (isBack ? release(cid) : Effect.void)),
        Effect.ignore
      )
    const trial: Trial = {
      add: (wanted) =>
        Effect.andThen(
          Effect.sync(() => cids.push(wanted.cid)),
          add(owner, wanted, { trial })
        ),
      end: (isGood) =>
        Effect.suspend(() => {
          if (!isGood) return Effect.forEach(cids, undo, { discard: true })
          for (const key of cids.map((cid) => keyOf(owner, cid))) {
            if (tentative.get(key)?.has(trial) === true) tentative.delete(key)
          }
          return Effect.void
        }).pipe(Effect.uninterruptible)
    }
    return trial
  }

  return {
    add: (owner, wanted) => add(owner, wanted),
    trial: makeTrial,
    remove: (owner, cid, recursive) =>
      Effect.uninterruptible(
        Effect.andThen(
          attemptNow(() => {
            const own = ledger.find(owner.id, cid)
            if (own === undefined) throw refused(Cid.format(cid), "NotPinnedHere")
            if (own.recursive && !recursive) throw refused(Cid.format(cid), "Recursive")
            ledger.remove(owner.id, cid)
            tentative.delete(keyOf(owner, cid))
          }),
          release(cid)
        )
      ),
    update: (owner, from, to, unpin) =>
      Effect.gen(function* () {
        const { name } = yield* attemptNow(() => replaceable(ledger.find(owner.id, from), from))
        if (Cid.equals(from, to)) return
        yield* Effect.uninterruptibleMask((restore) =>
          Effect.andThen(
            restore(add(owner, { cid: to, recursive: true, name }, { instead: unpin ? from : undefined })),
            unpin ? release(from) : Effect.void
          )
        )
      }),
    reconcile: reconciliation(node, ledger, locked, letGo)
  }
}

const keyOf = ({ id }: Owner, cid: Cid.Cid): string => `${String(cid)} ${id}`

/** One at a time works on a CID. */
type Locked = <A, E>(cid: Cid.Cid, work: Effect.Effect<A, E>) => Effect.Effect<A, E>

const makeLocks = (): Locked => {
  const locks = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  return (cid, work) =>
    Effect.suspend(() => {
      const key = String(cid)
      const lock = locks.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
      locks.set(key, lock)
      lock.users++
      return Effect.ensuring(
        lock.semaphore.withPermit(work),
        Effect.sync(() => {
          if (--lock.users === 0) locks.delete(key)
        })
      )
    })
}

/** The pin that is there. Throws where it may not become the new one. */
const allowed = (own: Owned | undefined, { cid, recursive }: Wanted): Owned | undefined => {
  if (own?.recursive === true && !recursive) throw refused(Cid.format(cid), "AlreadyRecursive")
  return own
}

/** The pin to be replaced. Throws where it cannot be. */
const replaceable = (own: Owned | undefined, from: Cid.Cid): Owned => {
  if (own?.recursive !== true) throw refused(Cid.format(from), "FromNotPinned")
  return own
}

const isNotPinned = ({ reason }: IpfsNodeError): boolean =>
  reason._tag === "PinRefused" && (reason.problem === "NotPinned" || reason.problem === "NotPinnedHere")

/** How the node itself has pinned it: asked kind by kind, because to find no pin at all it would search all others. */
const strengthAt = (node: Node, cid: Cid.Cid): Effect.Effect<Strength | undefined, IpfsNodeError> => {
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

/** Lets go of what no project has, and pins again what the node should hold and does not. */
const reconciliation = (
  node: Node,
  ledger: Ledger,
  locked: Locked,
  letGo: (cid: Cid.Cid) => Effect.Effect<boolean, IpfsNodeError>
): Effect.Effect<Reconciled, IpfsNodeError> =>
  Effect.gen(function* () {
    const done = { removed: 0, restored: 0, lost: 0 }
    const there = new Map<string, Strength>()
    for (const type of ["direct", "recursive"] as const) {
      yield* Stream.runForEach(node.pinLs([], { type }), ({ cid }) =>
        attemptNow(() => {
          if (ledger.held(cid) === undefined) return
          there.set(String(cid), type === "recursive" ? Strength.Recursive : Strength.Direct)
        })
      )
    }
    const reconcileOne = Effect.fnUntraced(function* (cid: Cid.Cid) {
      const needed = yield* attemptNow(() => ledger.needed(cid))
      if (needed === undefined) {
        if (yield* letGo(cid)) done.removed++
        return
      }
      if ((there.get(String(cid)) ?? Strength.Intended) >= needed) return
      const isBack = yield* node.pinAdd(String(cid), { recursive: needed === Strength.Recursive }).pipe(
        Effect.as(true),
        // a node that fails is another thing than content that is gone
        Effect.catchIf(
          ({ reason }) => reason._tag !== "Failed",
          () => Effect.succeed(false)
        )
      )
      if (isBack) done.restored++
      else done.lost++
      const strength = isBack ? needed : Strength.Intended
      yield* attemptNow(() => {
        const held = ledger.held(cid)
        if (held !== undefined) ledger.hold({ ...held, strength })
      })
    })
    for (let page = yield* attemptNow(() => ledger.heldPage(undefined)); page.length > 0;) {
      for (const { cid } of page) yield* locked(cid, reconcileOne(cid))
      const last = page.at(-1)?.cid
      page = yield* attemptNow(() => ledger.heldPage(last))
    }
    return done
  })
