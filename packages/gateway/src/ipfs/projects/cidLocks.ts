/**
 * Locks of CIDs: one piece of work at a time runs on a CID, in all processes.
 *
 * The node is asked outside of any transaction, because that may take minutes. So the ledger marks the work for as long
 * as its process gives a sign of life. A process that finds abandoned work takes it over. A process that was only
 * delayed learns so when it writes: the ledger refuses writes for work that another process has taken over.
 */
import { randomUUID } from "node:crypto"

import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

import type { Ledger } from "./ledger.ts"
import type { Held } from "./ledgerRows.ts"

/** Work on a CID. */
export interface Work {
  readonly cid: Cid.Cid
  /** The state of the CID in the ledger. */
  held: Held
  /** True once the ledger no longer has the work as this process's. */
  isOver: boolean
  /** True if the work failed and another run must continue it. */
  isLeft: boolean
}

export interface CidLocks {
  /** Runs work once no other work on the CID is under way. */
  readonly on: <A, E>(cid: Cid.Cid, work: (work: Work) => Effect.Effect<A, E>) => Effect.Effect<A, E | IpfsNodeError>
  /** Like `on`, for a process that has lost its work on the CID to another. */
  readonly again: CidLocks["on"]
  /** Runs work unless another process is working on the CID. */
  readonly ifFree: <E>(
    cid: Cid.Cid,
    work: (work: Work) => Effect.Effect<void, E>
  ) => Effect.Effect<void, E | IpfsNodeError>
  /** Names an upload, whose pins are not settled until `end`. */
  readonly upload: { readonly begin: () => string; readonly end: (upload: string) => void }
}

export const make = Effect.fnUntraced(function* (
  ledger: Ledger,
  lease: number
): Effect.fn.Return<CidLocks, never, Scope.Scope> {
  const locks = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  const working = new Set<Work>()
  const uploads = new Set<string>()

  const scope = yield* Effect.scope
  let isAlive = false
  /** Renews the leases while there is work. */
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

  /** Work runs one at a time in this process, which saves repeated queries of the ledger. */
  const alone = <A, E>(cid: Cid.Cid, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
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

  const begun = (cid: Cid.Cid): Effect.Effect<Work | undefined, IpfsNodeError> =>
    Effect.flatMap(ledger.begin(cid), (held) => {
      if (held === undefined) return Effect.undefined
      const work: Work = { cid, held, isOver: false, isLeft: false }
      working.add(work)
      return Effect.as(stayAlive, work)
    })
  /** Ends work in the ledger. If that fails, the work ends with its lease. */
  const ended = (work: Work): Effect.Effect<void> =>
    Effect.suspend(() => {
      working.delete(work)
      if (work.isOver) return Effect.void
      return Effect.ignore(work.isLeft ? ledger.leave(work.cid) : ledger.end(work.cid))
    })
  /** Runs work and ends it in the ledger, whatever its outcome. */
  const bracket = <A, E>(
    cid: Cid.Cid,
    use: (work: Work) => Effect.Effect<A, E>,
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
    use: (work: Work) => Effect.Effect<A, E>,
    pause: number
  ): Effect.Effect<A, E | IpfsNodeError> =>
    bracket(cid, use, (restore) =>
      restore(Effect.andThen(Effect.sleep(pause), waiting(cid, use, Math.min(2 * pause, LONGEST_PAUSE))))
    )

  return {
    on: (cid, work) => alone(cid, waiting(cid, work, SHORTEST_PAUSE)),
    again: (cid, work) => waiting(cid, work, SHORTEST_PAUSE),
    ifFree: (cid, work) =>
      alone(
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

/** Milliseconds between two checks for the end of another process's work. */
const SHORTEST_PAUSE = 10
const LONGEST_PAUSE = 250
