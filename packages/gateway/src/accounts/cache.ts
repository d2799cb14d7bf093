/**
 * Remembers the holders of keys. Every call needs one, and none may be older than a second.
 *
 * The store counts its changes and logs which project, account or key each of them concerns. The count is read all the
 * time. When it has moved, the log is read, and the entries that the changes concern are dropped. Everything is dropped
 * when the log does not reach from the last count that was seen to the new one: it was cut meanwhile, a process of an older
 * version has made a change, or the database is not the one it was.
 *
 * What is kept is used for a second after it was read, or after the count was last seen and its changes were applied, and
 * then no more: when the store is down nobody is let in by what is remembered.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"

import { StateError } from "../state/StateError.ts"
import type { Holder } from "./Account.ts"
import * as Memory from "./memory.ts"

export interface AccountsCache {
  readonly lookup: (digest: string) => Effect.Effect<Holder | undefined, StateError>
  /** Drops what a change of this process concerns. The process then sees the change at once. */
  readonly drop: (concern: Memory.Concern) => void
}

export interface Source {
  /** How many changes there have been. */
  readonly revision: Effect.Effect<number, StateError>
  /** The logged changes from one revision to another, both included, in their order. */
  readonly changes: (from: number, to: number) => Effect.Effect<ReadonlyArray<Change>, StateError>
  readonly find: (digest: string) => Effect.Effect<Memory.Found | undefined, StateError>
}

/** One row of the log. */
export interface Change extends Memory.Concern {
  readonly revision: number
  /**
   * A random text. Two rows of one revision and one mark have the same changes before them. Another mark means another
   * database: a backup or a replica that has lost changes and has made others.
   */
  readonly mark: string
}

/** The most changes that are applied one by one. A log that is further ahead is not read. */
export const MOST_CHANGES = 1000

/** How old an answer may be. */
const FRESH = 1_000_000_000n

/** Twice in a second, with time to spare for an answer. */
const POLL = Duration.millis(400)

/** What an answer may take, in all. */
const PATIENCE = Duration.seconds(5)

interface Asked {
  readonly answer: Deferred.Deferred<Memory.Found | undefined, StateError>
  readonly at: bigint
  /** Concerns of the changes that were seen after the question. The answer may be from before them. */
  readonly missed: Array<Memory.Concern>
}

const nobody: Effect.Effect<undefined> = Exit.succeed(undefined)

export const make = Effect.fnUntraced(function* (source: Source): Effect.fn.Return<AccountsCache, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  let memory = new Memory.Memory()
  /** The newest question about each key. */
  const asked = new Map<string, Asked>()
  /** The questions whose answers may be remembered. */
  const underWay = new Set<Asked>()
  /** The last revision that was applied. Its mark is missing if the log has no row of it. */
  let last: { readonly revision: number; readonly mark: string | undefined } | undefined
  /** Time of the last question for the count whose changes were applied. */
  let seenAt = 0n

  const drop = (concern: Memory.Concern): void => {
    memory.drop(concern)
    for (const question of underWay) question.missed.push(concern)
  }

  const dropAll = (): void => {
    memory = new Memory.Memory()
    asked.clear()
    underWay.clear()
  }

  /** Without waiting in between: an answer that comes meanwhile is remembered before it, and dropped, or after it. */
  const apply = (found: number, changes: ReadonlyArray<Change>): void => {
    const [first, ...others] = changes
    const isWhole =
      last?.mark !== undefined && first?.mark === last.mark && changes.length === found - last.revision + 1
    if (isWhole) others.forEach(drop)
    else dropAll()
    const newest = changes.at(-1)
    last = { revision: found, mark: newest?.revision === found ? newest.mark : undefined }
  }

  const catchUp = (found: number): Effect.Effect<void> => {
    if (found === last?.revision) return Exit.void
    const ahead = last === undefined ? Infinity : found - last.revision
    const from = ahead > 0 && ahead < MOST_CHANGES ? found - ahead : found
    return source.changes(from, found).pipe(
      Effect.timeout(POLL),
      // A log that cannot be read tells nothing: all is dropped, and the next look goes on from here.
      Effect.orElseSucceed((): ReadonlyArray<Change> => []),
      Effect.map((changes) => apply(found, changes))
    )
  }

  const poll = Effect.suspend(() => {
    const at = clock.monotonicTimeNanosUnsafe()
    return Effect.map(Effect.flatMap(Effect.timeout(source.revision, POLL), catchUp), () => {
      seenAt = at
    })
  })
  // A store that is down is told to those who ask, not here.
  const watch = Effect.ignore(poll)
  yield* watch
  yield* watch.pipe(Effect.delay(POLL), Effect.forever, Effect.forkScoped)

  const isFresh = ({ at, found }: Memory.Kept): boolean => {
    const now = clock.monotonicTimeNanosUnsafe()
    return (
      (now - at < FRESH || now - seenAt < FRESH) &&
      (found === undefined || found.until === Infinity || found.until > clock.currentTimeMillisUnsafe())
    )
  }

  const keep = (digest: string, { at, missed }: Asked, found: Memory.Found | undefined): void => {
    if (missed.some((concern) => Memory.isConcerned(concern, digest, found))) return
    const known = memory.get(digest)
    if (known === undefined || known.at <= at) memory.keep(digest, { found, at })
  }

  /** One question for all who ask at the same time; it goes on when the first of them leaves. */
  const ask = (digest: string): Effect.Effect<Memory.Found | undefined, StateError> =>
    Effect.uninterruptibleMask((restore) => {
      const at = clock.monotonicTimeNanosUnsafe()
      const other = asked.get(digest)
      // It is not known yet which project is asked about: after any change everyone asks anew.
      if (other !== undefined && other.missed.length === 0 && at - other.at < FRESH) {
        return restore(inTime(Deferred.await(other.answer)))
      }
      const mine: Asked = { answer: Deferred.makeUnsafe(), at, missed: [] }
      asked.set(digest, mine)
      underWay.add(mine)
      return restore(inTime(source.find(digest))).pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            if (asked.get(digest) === mine) asked.delete(digest)
            if (underWay.delete(mine) && Exit.isSuccess(exit)) keep(digest, mine, exit.value)
            Deferred.doneUnsafe(mine.answer, exit)
          })
        ),
        Effect.forkIn(scope),
        // with a time of its own, because a query may take long also to be broken off
        Effect.andThen(restore(inTime(Deferred.await(mine.answer))))
      )
    })

  const unlessEnded = (found: Memory.Found | undefined): Effect.Effect<Holder | undefined> => {
    if (found === undefined) return nobody
    const { endsAt } = found.holder.key
    return endsAt !== null && endsAt <= clock.currentTimeMillisUnsafe() ? nobody : Exit.succeed(found.holder)
  }

  return {
    lookup: (digest) => {
      const kept = memory.get(digest)
      return kept !== undefined && isFresh(kept) ? unlessEnded(kept.found) : Effect.flatMap(ask(digest), unlessEnded)
    },
    drop
  }
})

const inTime = <A>(answer: Effect.Effect<A, StateError>): Effect.Effect<A, StateError> =>
  Effect.timeoutOrElse(answer, { duration: PATIENCE, orElse: () => Effect.fail(late) })

const late = new StateError({ problem: "Unavailable", detail: "no answer in time" })
