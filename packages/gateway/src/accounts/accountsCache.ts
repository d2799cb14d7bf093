/**
 * Caches the holders of keys. Every call needs a holder, and a cached holder may be at most one second old.
 *
 * The store counts its changes, and logs the project, account or key that each change concerns. The cache reads the
 * count every 400 ms. If the count has grown, the cache reads the log and drops the entries that the changes concern.
 * It drops all entries if the log lacks a change since the last count. There are three reasons: old rows were deleted,
 * a process of an older version made a change, or the database was replaced.
 *
 * A cached holder is valid for one second after it was read, or for one second after the cache last read the count and
 * applied all changes. So while the store is down, the cache admits callers for at most one second.
 *
 * The reads of the count also show the state of the store between calls: the store is down when it has answered
 * neither a read nor a query for {@link LOST}.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

import * as Running from "../clock/running.ts"
import { StateError } from "../state/StateError.ts"
import { endOf, type KeyHolder } from "./Account.ts"
import * as HolderMemory from "./holderMemory.ts"

export interface AccountsCache {
  readonly lookup: (digest: string) => Effect.Effect<KeyHolder | undefined, StateError>
  /** True if the cache would return this very holder at once. The holder's key is not hashed for that. */
  readonly isCurrent: (holder: KeyHolder) => boolean
  /** Drops the entries that a change by this process concerns, so that this process sees the change at once. */
  readonly drop: (concern: HolderMemory.Invalidation) => void
  /** Returns the state of the store. */
  readonly state: () => "up" | "down"
}

export interface AccountsCacheSource {
  /** Reads the number of changes that the store has made. */
  readonly revision: Effect.Effect<number, StateError>
  /** Reads the logged changes from revision `from` to revision `to`, both included, in ascending order. */
  readonly changes: (from: number, to: number) => Effect.Effect<ReadonlyArray<AccountsChange>, StateError>
  readonly find: (digest: string) => Effect.Effect<HolderMemory.FoundHolder | undefined, StateError>
}

/** One row of the log. */
export interface AccountsChange extends HolderMemory.Invalidation {
  readonly revision: number
  /**
   * A random text that identifies this row. If the mark of a revision is unchanged, all earlier changes are unchanged
   * too. If the mark differs, the database was replaced by a backup or a replica that lost changes and made others.
   */
  readonly mark: string
}

/** If the store is this many changes ahead or more, the cache drops all entries instead of reading the log. */
export const MOST_CHANGES = 1000

/** Maximum age of a cached answer, in nanoseconds. */
const FRESH = 1_000_000_000n

/** Interval at which the cache reads the store's count of changes. Two reads and their answers fit into a second. */
const POLL = Duration.millis(400)

/**
 * The time without an answer after which the store counts as down. It is longer than two reads of the count, so one late
 * answer is not an outage.
 */
export const LOST = Duration.seconds(2)

/** Maximum time that a caller waits for an answer of the store. */
const PATIENCE = Duration.seconds(5)

interface HolderQuery {
  readonly answer: Deferred.Deferred<HolderMemory.FoundHolder | undefined, StateError>
  readonly at: bigint
  /**
   * The changes that the cache saw after it sent this query. The answer may be older than these changes.
   */
  readonly missed: Array<HolderMemory.Invalidation>
}

const nobody: Effect.Effect<undefined> = Exit.succeed(undefined)

export const make = Effect.fnUntraced(function* (
  source: AccountsCacheSource
): Effect.fn.Return<AccountsCache, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  let memory = new HolderMemory.HolderMemory()
  /** The newest query for each key. */
  const asked = new Map<string, HolderQuery>()
  /** The queries whose answers may be cached. */
  const underWay = new Set<HolderQuery>()
  /** The last revision that was applied. `mark` is undefined if the log has no row of this revision. */
  let last: { readonly revision: number; readonly mark: string | undefined } | undefined
  /** Start of the last successful `poll`, in nanoseconds of the monotonic clock. */
  let seenAt = 0n
  let isDown = false
  /** A latch that the next answer of the store opens. */
  const heard = Latch.makeUnsafe()

  const answered = Effect.suspend(() => {
    Latch.openUnsafe(heard)
    if (!isDown) return Effect.void
    isDown = false
    return Effect.logInfo("the store of projects answers again")
  })

  /** Notices the silence of the store. A query that hangs and cannot be interrupted does not delay this. */
  const listen = Effect.gen(function* () {
    Latch.closeUnsafe(heard)
    if (Option.isSome(yield* Running.timeoutOption(heard.await, LOST)) || isDown) return
    isDown = true
    yield* Effect.logError("the store of projects does not answer")
  })

  const drop = (concern: HolderMemory.Invalidation): void => {
    memory.drop(concern)
    for (const question of underWay) question.missed.push(concern)
  }

  const dropAll = (): void => {
    memory = new HolderMemory.HolderMemory()
    asked.clear()
    underWay.clear()
  }

  /**
   * Drops the entries that the changes concern. This function is synchronous: no answer is cached while it runs. If an
   * answer was cached earlier and the changes concern it, the answer is dropped.
   */
  const apply = (found: number, changes: ReadonlyArray<AccountsChange>): void => {
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
      (changes) => Running.timeoutOrElse(changes, { duration: POLL, orElse: () => Effect.fail(late) }),
      // If the log cannot be read, all entries are dropped, and the next poll continues from this revision.
      Effect.orElseSucceed((): ReadonlyArray<AccountsChange> => []),
      Effect.map((changes) => apply(found, changes))
    )
  }

  const poll = Effect.suspend(() => {
    const at = clock.monotonicTimeNanosUnsafe()
    return Effect.map(
      Effect.flatMap(
        Running.timeoutOrElse(source.revision, { duration: POLL, orElse: () => Effect.fail(late) }),
        (found) => Effect.andThen(answered, catchUp(found))
      ),
      () => {
        seenAt = at
      }
    )
  })
  // The loop ignores a failure of the store: the callers of `lookup` receive it, and `listen` notices the silence.
  const watch = Effect.ignore(poll)
  yield* watch
  yield* watch.pipe(Effect.delay(POLL), Effect.forever, Effect.forkScoped)
  yield* listen.pipe(Effect.forever, Effect.forkScoped)

  const isFresh = ({ at, found }: HolderMemory.RememberedHolder): boolean => {
    const now = clock.monotonicTimeNanosUnsafe()
    return (
      (now - at < FRESH || now - seenAt < FRESH) &&
      (found === undefined || found.until === Infinity || found.until > clock.currentTimeMillisUnsafe())
    )
  }

  const keep = (digest: string, { at, missed }: HolderQuery, found: HolderMemory.FoundHolder | undefined): void => {
    if (missed.some((concern) => HolderMemory.isConcerned(concern, digest, found))) return
    const known = memory.get(digest)
    if (known === undefined || known.at <= at) memory.keep(digest, { found, at })
  }

  /** Sends one query for all callers that ask at the same time. It continues if the first caller is interrupted. */
  const ask = (digest: string): Effect.Effect<HolderMemory.FoundHolder | undefined, StateError> =>
    Effect.uninterruptibleMask((restore) => {
      const at = clock.monotonicTimeNanosUnsafe()
      const other = asked.get(digest)
      // The project of this key is not known yet, so a new query is needed after any change.
      if (other !== undefined && other.missed.length === 0 && at - other.at < FRESH) {
        return restore(inTime(Deferred.await(other.answer)))
      }
      const mine: HolderQuery = { answer: Deferred.makeUnsafe(), at, missed: [] }
      asked.set(digest, mine)
      underWay.add(mine)
      return restore(inTime(source.find(digest))).pipe(
        Effect.tap(answered),
        Effect.onExit((exit) =>
          Effect.sync(() => {
            if (asked.get(digest) === mine) asked.delete(digest)
            if (underWay.delete(mine) && Exit.isSuccess(exit)) keep(digest, mine, exit.value)
            Deferred.doneUnsafe(mine.answer, exit)
          })
        ),
        Effect.forkIn(scope),
        // a second timeout, because it may take long to interrupt the query after the first timeout
        Effect.andThen(restore(inTime(Deferred.await(mine.answer))))
      )
    })

  const hasEnded = ({ key }: KeyHolder): boolean => {
    const end = endOf(key)
    return end !== undefined && end <= clock.currentTimeMillisUnsafe()
  }

  const unlessEnded = (found: HolderMemory.FoundHolder | undefined): Effect.Effect<KeyHolder | undefined> =>
    found === undefined || hasEnded(found.holder) ? nobody : Exit.succeed(found.holder)

  return {
    isCurrent: (holder) => {
      const kept = memory.of(holder)
      return kept !== undefined && isFresh(kept) && !hasEnded(holder)
    },
    lookup: (digest) => {
      const kept = memory.get(digest)
      return kept !== undefined && isFresh(kept) ? unlessEnded(kept.found) : Effect.flatMap(ask(digest), unlessEnded)
    },
    drop,
    state: () => (isDown ? "down" : "up")
  }
})

const inTime = <A>(answer: Effect.Effect<A, StateError>): Effect.Effect<A, StateError> =>
  Running.timeoutOrElse(answer, { duration: PATIENCE, orElse: () => Effect.fail(late) })

const late = new StateError({ problem: "Unavailable", detail: "no answer in time" })
