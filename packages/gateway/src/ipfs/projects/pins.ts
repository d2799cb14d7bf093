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
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { Node } from "@plumbline/ipfs-client/node/IpfsNode"
import { Failed, type IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type { CidLocks, Work } from "./cidLocks.ts"
import { failure } from "./failure.ts"
import type { Ledger } from "./ledger.ts"
import { allowed, exceeded, replaceable, Strength } from "./ledgerRows.ts"
import * as Size from "./size.ts"

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
  /** The same, but for what other processes are at work on. */
  readonly reconcileFree: Effect.Effect<Reconciled, IpfsNodeError>
  /** Goes on with what processes were at work on that are gone, and with what could not be let go. */
  readonly goOn: Effect.Effect<void, IpfsNodeError>
}

export const make = (node: Node, ledger: Ledger, locks: CidLocks): Pins => {
  const tryToLetGo = Effect.fnUntraced(function* (work: Work) {
    const { cid, held } = work
    if (held.strength === Strength.Unasked || (yield* ledger.needed(cid)) !== undefined) return false
    if (!held.foreign) {
      // whether it has let go is not known any more if nothing is heard of it
      work.held = { ...held, strength: Strength.Intended }
      work.isOver = !(yield* ledger.hold(cid, work.held))
      if (work.isOver) return false
      yield* Effect.catchIf(node.pinRm(String(cid)), isNotPinned, () => Effect.void)
    }
    work.isOver = true
    if (!(yield* ledger.forget(cid))) yield* repair(work)
    return true
  })
  /** The node lets go of what no project has. Tells whether it did. */
  const letGo = (work: Work): Effect.Effect<boolean, IpfsNodeError> =>
    Effect.onError(tryToLetGo(work), () =>
      Effect.sync(() => {
        work.isLeft = true
      })
    )
  const left = ({ message }: IpfsNodeError) => Effect.logWarning(`a pin is left at the IPFS node for now: ${message}`)
  /** What it does not manage is done later. */
  const letGoLater = (work: Work): Effect.Effect<void> =>
    Effect.catch(letGo(work), left).pipe(Effect.uninterruptible, Effect.asVoid)
  const release = (cid: Cid.Cid): Effect.Effect<void> => Effect.catch(locks.on(cid, letGoLater), left)

  /**
   * This process was held up for so long that another one went on with its work, and the node was asked too late. What the
   * other one has come to holds: the node is asked for it once more.
   */
  const repair = (lost: Work): Effect.Effect<void, IpfsNodeError> =>
    Effect.andThen(
      Effect.logWarning("work on a pin was taken over by another process"),
      locks.again(lost.cid, (work) =>
        Effect.gen(function* () {
          const needed = yield* ledger.needed(work.cid)
          if (needed !== undefined) {
            yield* node.pinAdd(String(work.cid), { recursive: needed === Strength.Recursive })
            return
          }
          if (work.held.strength === Strength.Unasked) {
            work.held = { strength: Strength.Intended, foreign: lost.held.foreign }
            yield* ledger.hold(work.cid, work.held)
          }
          yield* letGoLater(work)
        })
      )
    )

  /** The node holds it, and as strongly as needed. */
  const hold = Effect.fnUntraced(function* (work: Work, recursive: boolean) {
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

  const sizeOf = (cid: Cid.Cid, recursive: boolean, most: number): Effect.Effect<number, IpfsNodeError> =>
    Effect.flatMap(ledger.sizeOf(cid, recursive), (known) => {
      if (known !== undefined) return Effect.succeed(known)
      return recursive ? Size.cumulative(node, cid, most) : Effect.map(node.blockStat(String(cid)), ({ size }) => size)
    })

  const add = (
    owner: Owner,
    wanted: Wanted,
    { instead, upload }: { readonly instead?: Cid.Cid | undefined; readonly upload?: string | undefined } = {}
  ): Effect.Effect<void, IpfsNodeError> => {
    const { cid, name, recursive } = wanted
    const project = owner.id
    const pin = Effect.fnUntraced(function* (work: Work) {
      const own = yield* Effect.flatMap(ledger.find(project, cid), (own) => Effect.fromResult(allowed(own, wanted)))
      if (own?.recursive === recursive && instead === undefined) {
        if (yield* ledger.again({ project, pin: { ...own, name }, upload })) return
      }
      const { bytes } = yield* ledger.stored(project)
      const replaced = instead === undefined ? undefined : yield* ledger.find(project, instead)
      const goes = (own?.size ?? 0) + (replaced?.size ?? 0)
      // who has more than the limit, because it was lowered, may still have less
      const most = Math.max(owner.limit - bytes, 0) + goes
      const size = own?.recursive === recursive ? own.size : (wanted.size ?? (yield* sizeOf(cid, recursive, most)))
      if (size > most) return yield* exceeded(owner.limit, bytes)
      const strength = yield* hold(work, recursive)
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
        return work.isOver ? Effect.ignore(repair(work)) : letGoLater(work)
      })
    )
  }

  const trial = (owner: Owner): Trial => {
    const cids: Array<Cid.Cid> = []
    let upload = ""
    const undo = (cid: Cid.Cid): Effect.Effect<void> =>
      ledger.takeBack(owner.id, cid, upload).pipe(
        Effect.flatMap((isBack) => (isBack ? release(cid) : Effect.void)),
        Effect.ignore
      )
    return {
      add: (wanted) =>
        Effect.suspend(() => {
          // not before there is a pin: of most uploads nobody needs to know that they are alive
          if (cids.length === 0) upload = locks.upload.begin()
          cids.push(wanted.cid)
          return add(owner, wanted, { upload })
        }),
      end: (isGood) =>
        Effect.suspend(() => {
          if (cids.length === 0) return Effect.void
          return isGood
            ? Effect.catch(ledger.confirm(owner.id, upload), (error) =>
                // they stay all the same: nobody takes them back now
                Effect.logWarning(`pins of an upload are not settled: ${error.message}`)
              )
            : Effect.forEach(cids, undo, { discard: true })
        }).pipe(Effect.ensuring(Effect.sync(() => locks.upload.end(upload))), Effect.uninterruptible, Effect.asVoid)
    }
  }

  /** The node lets go of what no project has, and takes again what one has. */
  const settle = Effect.fnUntraced(function* (work: Work): Effect.fn.Return<Settled, IpfsNodeError> {
    const { cid } = work
    const needed = yield* ledger.needed(cid)
    if (needed === undefined) return (yield* letGo(work)) ? "removed" : "kept"
    const isBack = yield* node.pinAdd(String(cid), { recursive: needed === Strength.Recursive }).pipe(
      Effect.as(true),
      // a node that fails is another thing than content that is gone
      Effect.catchIf(
        ({ reason }) => reason._tag !== "Failed",
        () => Effect.succeed(false)
      )
    )
    yield* ledger.hold(cid, { ...work.held, strength: isBack ? needed : Strength.Intended })
    return isBack ? "restored" : "lost"
  })

  return {
    add: (owner, wanted) => add(owner, wanted),
    trial,
    remove: (owner, cid, recursive) =>
      Effect.uninterruptible(Effect.andThen(ledger.remove(owner.id, cid, recursive), release(cid))),
    update: (owner, from, to, unpin) =>
      Effect.gen(function* () {
        const own = yield* ledger.find(owner.id, from)
        const { name } = yield* Effect.fromResult(replaceable(own, from))
        if (Cid.equals(from, to)) return
        yield* Effect.uninterruptibleMask((restore) =>
          Effect.andThen(
            restore(add(owner, { cid: to, recursive: true, name }, { instead: unpin ? from : undefined })),
            unpin ? release(from) : Effect.void
          )
        )
      }),
    reconcile: reconciliation(node, ledger, locks.on, settle),
    reconcileFree: reconciliation(node, ledger, locks.ifFree, settle),
    goOn: Effect.gen(function* () {
      yield* ledger.confirmLost
      let failed: IpfsNodeError | undefined
      const goOn = (work: Work) =>
        Effect.flatMap(ledger.needed(work.cid), (needed) =>
          needed !== undefined && work.held.strength >= needed ? Effect.void : settle(work)
        )
      for (let page = yield* ledger.leftPage(undefined); page.length > 0; page = yield* ledger.leftPage(page.at(-1))) {
        for (const cid of page) {
          // one that cannot be done keeps nobody from the others
          yield* Effect.catch(locks.ifFree(cid, goOn), (error) => Effect.sync(() => void (failed = error)))
        }
      }
      if (failed !== undefined) return yield* failed
    })
  }
}

/** What was done about a pin of the node. */
type Settled = keyof Reconciled | "kept"

const takenOver = Effect.fail(
  failure(new Failed({ doing: "pinning", detail: "it took too long, and another process went on with it" }))
)

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
  on: CidLocks["ifFree"],
  settle: (work: Work) => Effect.Effect<Settled, IpfsNodeError>
): Effect.Effect<Reconciled, IpfsNodeError> =>
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
    const reconcileOne = (work: Work) =>
      Effect.map(settle(work), (settled) => {
        if (settled !== "kept") done[settled]++
      })
    for (let page = yield* ledger.heldPage(undefined); page.length > 0;) {
      for (const { cid, needed } of page) if (!isThere(cid, needed)) yield* on(cid, reconcileOne)
      page = yield* ledger.heldPage(page.at(-1)?.cid)
    }
    return done
  })

/** Pins of the node of which the ledger is asked in one question. */
const ASKED_AT_ONCE = 500
