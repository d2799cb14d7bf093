/**
 * Locks CIDs, so that only one process at a time works on a CID.
 *
 * A call to the node can take minutes, so it is not made in a transaction. Instead, the ledger has a lease for the work
 * on a CID. The process that does the work renews the lease. If the lease has ended, another process takes over the
 * work. If the first process was only delayed, the ledger refuses its next write for that work.
 */
import { randomUUID } from "node:crypto"

import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

import type { HeldPin } from "./ledgerRows.ts"
import type { PinLedger } from "./pinLedger.ts"

/** The work of this process on a CID. */
export interface CidWork {
  readonly cid: Cid.Cid
  /** The state of the CID in the ledger. */
  held: HeldPin
  /** True once the lease of this process in the ledger has ended. */
  isOver: boolean
  /** True if the work failed and must be continued later. */
  isLeft: boolean
}

export interface CidLocks {
  /** Waits until no other work on the CID is under way, then runs the work. */
  readonly on: <A, E>(cid: Cid.Cid, work: (work: CidWork) => Effect.Effect<A, E>) => Effect.Effect<A, E | IpfsNodeError>
  /**
   * Does the same as `on`. A process calls it within its own work on the CID, after another process has taken over that
   * work.
   */
  readonly again: CidLocks["on"]
  /** Runs the work unless another process is working on the CID. */
  readonly ifFree: <E>(
    cid: Cid.Cid,
    work: (work: CidWork) => Effect.Effect<void, E>
  ) => Effect.Effect<void, E | IpfsNodeError>
  /**
   * `begin` returns a new id for an upload, and `end` ends the upload. The leases of the upload's pins are renewed
   * until the upload ends.
   */
  readonly upload: { readonly begin: () => string; readonly end: (upload: string) => void }
}

export const make = Effect.fnUntraced(function* (
  ledger: PinLedger,
  lease: number
): Effect.fn.Return<CidLocks, never, Scope.Scope> {
  const locks = new LocalLocks()
  const working = new Set<CidWork>()
  const uploads = new Set<string>()

  const scope = yield* Effect.scope
  let isAlive = false
  /** Renews the leases while work or uploads are under way. */
  const stayAlive: Effect.Effect<void> = Effect.suspend(() => {
    if (isAlive) return Effect.void
    isAlive = true
    const sign = Effect.suspend(() =>
      Effect.catch(
        ledger.goOn(
          Array.from(working, ({ cid }) => cid),
          [...uploads]
        ),
        (error) => Effect.logWarning(`work on pins may be taken over: ${error.message}`)
      )
    )
    const signs: Effect.Effect<void> = Effect.andThen(
      Effect.sleep(lease / 3),
      Effect.suspend(() => {
        if (working.size + uploads.size > 0) return Effect.andThen(sign, signs)
        isAlive = false
        return Effect.void
      })
    )
    return Effect.asVoid(Effect.forkIn(signs, scope))
  })

  const begun = (cid: Cid.Cid): Effect.Effect<CidWork | undefined, IpfsNodeError> =>
    Effect.flatMap(ledger.begin(cid), (held) => {
      if (held === undefined) return Effect.undefined
      const work: CidWork = { cid, held, isOver: false, isLeft: false }
      working.add(work)
      return Effect.as(stayAlive, work)
    })
  /** Ends the lease in the ledger. If that fails, the lease ends when its time is over. */
  const ended = (work: CidWork): Effect.Effect<void> =>
    Effect.suspend(() => {
      working.delete(work)
      if (work.isOver) return Effect.void
      return Effect.ignore(work.isLeft ? ledger.leave(work.cid) : ledger.end(work.cid))
    })
  /** Takes the lease, runs the work, and ends the lease even if the work fails. */
  const bracket = <A, E>(
    cid: Cid.Cid,
    use: (work: CidWork) => Effect.Effect<A, E>,
    orElse: (
      restore: <B, E2>(effect: Effect.Effect<B, E2>) => Effect.Effect<B, E2>
    ) => Effect.Effect<A, E | IpfsNodeError>
  ): Effect.Effect<A, E | IpfsNodeError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(begun(cid), (work) =>
        work === undefined ? orElse(restore) : Effect.ensuring(restore(use(work)), ended(work))
      )
    )
  const waiting = <A, E>(
    cid: Cid.Cid,
    use: (work: CidWork) => Effect.Effect<A, E>,
    pause: number
  ): Effect.Effect<A, E | IpfsNodeError> =>
    bracket(cid, use, (restore) =>
      restore(Effect.andThen(Effect.sleep(pause), waiting(cid, use, Math.min(2 * pause, LONGEST_PAUSE))))
    )

  return {
    on: (cid, work) => locks.alone(cid, waiting(cid, work, SHORTEST_PAUSE)),
    again: (cid, work) => waiting(cid, work, SHORTEST_PAUSE),
    ifFree: (cid, work) =>
      locks.alone(
        cid,
        bracket(cid, work, () => Effect.void)
      ),
    upload: {
      begin: () => {
        const upload = randomUUID()
        uploads.add(upload)
        return upload
      },
      end: (upload) => void uploads.delete(upload)
    }
  }
})

/** The locks of the CIDs on which this process works. */
class LocalLocks {
  readonly #locks = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()

  /** Runs one piece of work on a CID at a time within this process. This saves repeated queries of the ledger. */
  alone<A, E>(cid: Cid.Cid, work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const key = String(cid)
      const lock = this.#locks.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
      this.#locks.set(key, lock)
      lock.users++
      return Effect.ensuring(
        lock.semaphore.withPermit(work),
        Effect.sync(() => {
          if (--lock.users === 0) this.#locks.delete(key)
        })
      )
    })
  }
}

/** Minimum and maximum time between two checks for the end of another process's work, in milliseconds. */
const SHORTEST_PAUSE = 10
const LONGEST_PAUSE = 250
