/**
 * Locks of CIDs: one piece of work at a time is done on a CID, in all processes.
 *
 * The node is asked outside of any transaction, because that may take minutes: so the work is marked in the ledger, for as
 * long as the process gives a sign of life. Whoever finds work of a process that gave none takes it over. A process that
 * was only held up learns so when it writes: the ledger takes nothing of work that is another's.
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
  /** What is held of it, as the ledger has it. */
  held: Held
  /** Whether the ledger has it no more as ours. */
  isOver: boolean
  /** Whether it could not be done, and somebody has to go on with it. */
  isLeft: boolean
}

export interface CidLocks {
  /** Waits until nobody works on the CID. */
  readonly on: <A, E>(cid: Cid.Cid, work: (work: Work) => Effect.Effect<A, E>) => Effect.Effect<A, E | IpfsNodeError>
  /** The same, for whoever has been at work on it in this process, and was not in time. */
  readonly again: CidLocks["on"]
  /** Does nothing if another process is at work on it. */
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
  /** Gives a sign of life as long as there is work. */
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

  /** One at a time in this process: it need not ask the ledger again and again. */
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
  /** What cannot be ended is over when the lease is. */
  const ended = (work: Work): Effect.Effect<void> =>
    Effect.suspend(() => {
      working.delete(work)
      if (work.isOver) return Effect.void
      return Effect.ignore(work.isLeft ? ledger.leave(work.cid) : ledger.end(work.cid))
    })
  /** Once it is begun it is ended, whatever happens. */
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

/** Milliseconds between two questions whether another process is done. */
const SHORTEST_PAUSE = 10
const LONGEST_PAUSE = 250
