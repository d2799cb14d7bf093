/**
 * Syncs SQLite's write-ahead log to the disk in a thread of libuv, while the process continues. With `synchronous =
 * FULL` SQLite itself would make the same call after each commit, and block the process until the disk has answered.
 *
 * A write is either awaited, so that its caller waits for the disk, or it is synced in the background.
 */
import { close, fdatasync, open } from "node:fs"

import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"

import { sqlErrorOf, syncFailed } from "./error.ts"

export interface WriteAheadLog {
  /**
   * Records that something is written to the log. Returns true if the caller must wait for the disk: the write is
   * awaited, or the background is late.
   */
  readonly written: (isAwaited: boolean) => boolean
  /** True if every write whose caller must wait is on the disk. */
  readonly isDurable: () => boolean
  /** Returns the number of milliseconds for which a write waits for its sync in the background; 0 if none waits. */
  readonly behind: () => number
  /** Returns the error of the disk, after it has failed. */
  readonly failure: () => SqlError | undefined
  /**
   * Syncs everything that was written before. After the disk has failed once, it fails for ever with that error. A
   * system that could not write a page may mark the page clean, so another sync would report success for lost data.
   */
  readonly sync: Effect.Effect<void, SqlError>
  /** Syncs the log without an Effect. Calls `done` once, with the error if the sync fails. */
  readonly syncThen: (done: (failure: SqlError | undefined) => void) => void
}

/** The system call that syncs a file. Tests replace it. */
export const Disk = Context.Reference<(descriptor: number, done: (error: Error | null) => void) => void>(
  "@plumbline/gateway/Sqlite/Disk",
  { defaultValue: () => fdatasync }
)

/** True if the statements of a fiber wait for the disk. */
export const IsAwaited = Context.Reference<boolean>("@plumbline/gateway/Sqlite/IsAwaited", { defaultValue: () => true })

/** Milliseconds after which a write is synced in the background. Writes until then share the sync. */
export const PAUSE = 50

/**
 * Milliseconds after which the background is late: while a write has waited for longer, new writes are awaited. So a
 * power cut loses at most the writes of this time, however slow the disk is. A disk that answers within half of this
 * time delays no write, because a write waits for at most one other sync before its own.
 */
export const LATE = 100

/**
 * Opens the log of an open database. SQLite uses the same log file for as long as any program has the database open.
 * Its locks are on other files, so a second descriptor of the log does no harm.
 */
export const make = Effect.fnUntraced(function* (
  database: string
): Effect.fn.Return<WriteAheadLog, SqlError, Scope.Scope> {
  const log = logOf(yield* descriptorOf(database), yield* Disk, yield* Clock.Clock)
  yield* Effect.addFinalizer(() => log.finish)
  yield* Effect.forkScoped(log.background)
  return log
})

const descriptorOf = (database: string): Effect.Effect<number, SqlError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<number, SqlError>((resume) =>
      // The file is opened for writing, because some systems cannot sync a file that is open only for reading.
      open(`${database}-wal`, "r+", (error, opened) =>
        resume(error === null ? Effect.succeed(opened) : Effect.fail(sqlErrorOf(error, "open")))
      )
    ),
    (opened) => Effect.callback<void>((resume) => close(opened, () => resume(Effect.void)))
  )

const logOf = (descriptor: number, disk: (typeof Disk)["Service"], clock: Clock.Clock) => {
  let writes = 0
  let durable = 0
  /** The last write whose caller must wait, and the last write that is synced in the background. */
  let awaited = 0
  let unawaited = 0
  /** A time before all writes that wait for the background. */
  let since: number | undefined
  let failure: SqlError | undefined
  const hasUnsynced = Latch.makeUnsafe()
  /** True if the latch is open. */
  let isBehind = false
  const behind = (): number => (since === undefined ? 0 : Monotonic.millis(clock) - since)

  /** The callers of the sync under way, and those of the next one. */
  let told: Array<(failure: SqlError | undefined) => void> | undefined
  /** The last write that the sync under way has. */
  let until = 0
  let waiting: Array<(failure: SqlError | undefined) => void> = []
  const syncThen: WriteAheadLog["syncThen"] = (done) => {
    if (failure !== undefined) return void setImmediate(done, failure)
    if (told !== undefined && until === writes) return void told.push(done)
    waiting.push(done)
    if (told === undefined) begin()
  }
  /** Begins the next sync. Two do not overlap: of two, the system tells a lost page to one, and success to the other. */
  const begin = (): void => {
    told = waiting
    waiting = []
    until = writes
    const began = Monotonic.millis(clock)
    disk(descriptor, (error) => {
      if (error === null) {
        durable = until
        // Later writes came after this sync had begun.
        if (since !== undefined) since = durable >= unawaited ? undefined : Math.max(since, began)
      } else failure = syncFailed(error)
      const ended = failure === undefined ? told! : [...told!, ...waiting.splice(0)]
      told = undefined
      if (waiting.length > 0) begin()
      for (const done of ended) done(failure)
    })
  }
  // If a caller were interrupted, the database could be released or closed before the disk has answered.
  const sync: WriteAheadLog["sync"] = Effect.uninterruptible(
    Effect.callback((resume) => syncThen((failed) => resume(failed === undefined ? Effect.void : Effect.fail(failed))))
  )
  const syncRest = Effect.suspend(() => (since === undefined ? Effect.void : sync))

  return {
    written: (isAwaited: boolean): boolean => {
      writes++
      if (isAwaited || behind() > LATE) {
        awaited = writes
        return true
      }
      unawaited = writes
      since ??= Monotonic.millis(clock)
      if (!isBehind) Latch.openUnsafe(hasUnsynced)
      isBehind = true
      return false
    },
    isDurable: () => failure === undefined && durable >= awaited,
    behind,
    failure: () => failure,
    sync,
    syncThen,
    /** Syncs the writes that nothing awaits, until the disk fails. */
    background: Effect.gen(function* () {
      for (;;) {
        yield* hasUnsynced.await
        yield* Effect.sleep(Math.max(0, PAUSE - behind()))
        Latch.closeUnsafe(hasUnsynced)
        isBehind = false
        yield* syncRest
      }
    }).pipe(Effect.catch(reported)),
    /** Syncs what the background has not synced yet. */
    finish: Effect.suspend(() => (failure === undefined ? Effect.catch(syncRest, reported) : Effect.void))
  }
}

const reported = (): Effect.Effect<void> =>
  Effect.logError(
    "the disk failed: usage that was acknowledged just before can be missing after a power cut. Nothing is written until a restart"
  )
