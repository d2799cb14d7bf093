/**
 * Who holds which key, in memory: what is asked for by every call, and must not be older than a second.
 *
 * The store counts its changes. The count is read all the time, and when it has moved all is forgotten. What is kept is
 * used for a second after it was read, or after the count was last seen unmoved, and then no more: when the store is down
 * nobody is let in by what is remembered.
 *
 * Keys that nobody has are kept too, apart from the others, so that many of them drive out none of those.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"

import type { Holder } from "../Account.ts"
import { StateError } from "../StateError.ts"

export interface AccountsCache {
  readonly lookup: (digest: string) => Effect.Effect<Holder | undefined, StateError>
  /** Forgets everything: after a change of this process, which then sees it at once. */
  readonly forget: Effect.Effect<void>
}

export interface Source {
  /** How many changes there have been. */
  readonly revision: Effect.Effect<number | bigint, StateError>
  readonly find: (digest: string) => Effect.Effect<Found | undefined, StateError>
}

export interface Found {
  readonly holder: Holder
  /** When it stops being so without a change, in milliseconds since 1970 UTC: its card expires. */
  readonly until: number
}

/** Most entries of each kind. */
const CAPACITY = 10_000

/** How old an answer may be. */
const FRESH = 1_000_000_000n

/** Twice in a second, with time to spare for an answer. */
const POLL = Duration.millis(400)

/** What an answer may take, in all. */
const PATIENCE = Duration.seconds(5)

interface Kept {
  readonly found: Found | undefined
  /** When it was asked for, in nanoseconds of a clock that never goes back. */
  readonly at: bigint
}

interface Asked {
  readonly answer: Deferred.Deferred<Found | undefined, StateError>
  readonly at: bigint
}

/** Replaced as a whole when all is forgotten: what was asked for before then goes where nobody looks. */
interface Memory {
  readonly holders: Map<string, Kept>
  readonly nobody: Map<string, Kept>
  readonly asked: Map<string, Asked>
}

const blank = (): Memory => ({ holders: new Map(), nobody: new Map(), asked: new Map() })

const nobody: Effect.Effect<undefined> = Exit.succeed(undefined)

export const make = Effect.fnUntraced(function* (source: Source): Effect.fn.Return<AccountsCache, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  let memory = blank()
  let revision: number | bigint | undefined
  /** When the count was last asked for and seen unmoved. */
  let seenAt = 0n

  const poll = Effect.suspend(() => {
    const at = clock.monotonicTimeNanosUnsafe()
    return Effect.map(Effect.timeout(source.revision, POLL), (found) => {
      if (found !== revision) memory = blank()
      revision = found
      seenAt = at
    })
  })
  // A store that is down is told to those who ask, not here.
  const watch = Effect.ignore(poll)
  yield* watch
  yield* watch.pipe(Effect.delay(POLL), Effect.forever, Effect.forkScoped)

  const isFresh = ({ at, found }: Kept): boolean => {
    const now = clock.monotonicTimeNanosUnsafe()
    return (
      (now - at < FRESH || now - seenAt < FRESH) &&
      (found === undefined || found.until === Infinity || found.until > clock.currentTimeMillisUnsafe())
    )
  }

  const keep = (mine: Memory, digest: string, kept: Kept): void => {
    mine.holders.delete(digest)
    mine.nobody.delete(digest)
    const where = kept.found === undefined ? mine.nobody : mine.holders
    for (const oldest of where.size >= CAPACITY ? where.keys() : []) {
      where.delete(oldest)
      break
    }
    where.set(digest, kept)
  }

  /** One question for all who ask at the same time; it goes on when the first of them leaves. */
  const ask = (digest: string): Effect.Effect<Found | undefined, StateError> =>
    Effect.uninterruptibleMask((restore) => {
      const mine = memory
      const at = clock.monotonicTimeNanosUnsafe()
      const other = mine.asked.get(digest)
      if (other !== undefined && at - other.at < FRESH) return restore(inTime(Deferred.await(other.answer)))
      const mineAsked: Asked = { answer: Deferred.makeUnsafe(), at }
      mine.asked.set(digest, mineAsked)
      return restore(inTime(source.find(digest))).pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            if (mine.asked.get(digest) === mineAsked) mine.asked.delete(digest)
            if (Exit.isSuccess(exit)) keep(mine, digest, { found: exit.value, at })
            Deferred.doneUnsafe(mineAsked.answer, exit)
          })
        ),
        Effect.forkIn(scope),
        // with a time of its own, because a query may take long also to be broken off
        Effect.andThen(restore(inTime(Deferred.await(mineAsked.answer))))
      )
    })

  const unlessEnded = (found: Found | undefined): Effect.Effect<Holder | undefined> => {
    if (found === undefined) return nobody
    const { endsAt } = found.holder.key
    return endsAt !== null && endsAt <= clock.currentTimeMillisUnsafe() ? nobody : Exit.succeed(found.holder)
  }

  return {
    lookup: (digest) => {
      const kept = memory.holders.get(digest) ?? memory.nobody.get(digest)
      return kept !== undefined && isFresh(kept) ? unlessEnded(kept.found) : Effect.flatMap(ask(digest), unlessEnded)
    },
    forget: Effect.sync(() => {
      memory = blank()
    })
  }
})

const inTime = <A>(answer: Effect.Effect<A, StateError>): Effect.Effect<A, StateError> =>
  Effect.timeoutOrElse(answer, { duration: PATIENCE, orElse: () => Effect.fail(late) })

const late = new StateError({ problem: "Unavailable", detail: "no answer in time" })
