/**
 * Remembers the holders of keys. Every call needs a holder, and none may be older than a second.
 *
 * The store counts its changes, and logs the project, account or key that each change concerns. The count is read
 * continuously. When it has moved, the log is read, and the entries that the changes concern are dropped. Everything is
 * dropped when the log does not reach from the last count that was seen to the new one: the log was cut meanwhile, a
 * process of an older version has made a change, or the database is a different one.
 *
 * A remembered holder is valid for one second after it was read, or after the count was last seen and its changes were
 * applied. So no caller is admitted from memory for longer than that while the store is down.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"

import { StateError } from "../state/StateError.ts"
import { endOf, type Holder } from "./Account.ts"
import * as Memory from "./memory.ts"

export interface AccountsCache {
  readonly lookup: (digest: string) => Effect.Effect<Holder | undefined, StateError>
  /** Drops the entries that a change of this process concerns. The process then sees the change at once. */
  readonly drop: (concern: Memory.Concern) => void
}

export interface Source {
  /** The number of changes so far. */
  readonly revision: Effect.Effect<number, StateError>
  /** The logged changes from one revision to another, both included, in their order. */
  readonly changes: (from: number, to: number) => Effect.Effect<ReadonlyArray<Change>, StateError>
  readonly find: (digest: string) => Effect.Effect<Memory.Found | undefined, StateError>
}

/** One row of the log. */
export interface Change extends Memory.Concern {
  readonly revision: number
  /**
   * A random text that identifies this row. If a row of the same revision has the same mark, all earlier changes are
   * the same too. If its mark differs, the database is another one: a backup or a replica that lost changes and made
   * others.
   */
  readonly mark: string
}

/** Maximum number of changes that are applied one by one. A log that is further ahead is not read. */
export const MOST_CHANGES = 1000

/** Maximum age of an answer. */
const FRESH = 1_000_000_000n

/** Two reads per second, with time to spare for an answer. */
const POLL = Duration.millis(400)

/** Maximum time for an answer, in all. */
const PATIENCE = Duration.seconds(5)

interface Asked {
  readonly answer: Deferred.Deferred<Memory.Found | undefined, StateError>
  readonly at: bigint
  /**
   * The entries concerned by changes that arrived after the query was sent. The answer may be older than these changes.
   */
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
  /** Time of the last read of the count whose changes were applied. */
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

  /**
   * Runs without a pause: an answer that arrives meanwhile is remembered before this and dropped, or remembered after
   * it.
   */
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
      // Without the log everything is dropped, and the next look continues from here.
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
  // The callers of `lookup` see that the store is down, not this loop.
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

  /** Asks once for all callers that ask at the same time. The question continues when the first of them leaves. */
  const ask = (digest: string): Effect.Effect<Memory.Found | undefined, StateError> =>
    Effect.uninterruptibleMask((restore) => {
      const at = clock.monotonicTimeNanosUnsafe()
      const other = asked.get(digest)
      // The project of this key is not known yet, so any change makes every caller ask again.
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
        // with a timeout of its own, because interrupting a query may take long too
        Effect.andThen(restore(inTime(Deferred.await(mine.answer))))
      )
    })

  const unlessEnded = (found: Memory.Found | undefined): Effect.Effect<Holder | undefined> => {
    if (found === undefined) return nobody
    const end = endOf(found.holder.key)
    return end !== undefined && end <= clock.currentTimeMillisUnsafe() ? nobody : Exit.succeed(found.holder)
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
