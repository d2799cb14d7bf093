/**
 * Syncs SQLite's write-ahead log to the disk in a thread of libuv, while the process continues. With `synchronous =
 * FULL` SQLite itself would make the same call after each commit, and block the process until the disk has answered.
 */
import { close, fdatasync, open } from "node:fs"

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"

import { sqlErrorOf, syncFailed } from "./error.ts"

export interface WriteAheadLog {
  /** Records that something was written to the log. */
  readonly written: () => void
  /** True if everything that was written is on the disk. */
  readonly isDurable: () => boolean
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

/**
 * Opens the log of an open database. SQLite uses the same log file for as long as any program has the database open.
 * Its locks are on other files, so a second descriptor of the log does no harm.
 */
export const make = Effect.fnUntraced(function* (
  database: string
): Effect.fn.Return<WriteAheadLog, SqlError, Scope.Scope> {
  const disk = yield* Disk
  const descriptor = yield* Effect.acquireRelease(
    Effect.callback<number, SqlError>((resume) =>
      // The file is opened for writing, because some systems cannot sync a file that is open only for reading.
      open(`${database}-wal`, "r+", (error, opened) =>
        resume(error === null ? Effect.succeed(opened) : Effect.fail(sqlErrorOf(error, "open")))
      )
    ),
    (opened) => Effect.callback<void>((resume) => close(opened, () => resume(Effect.void)))
  )
  let writes = 0
  let durable = 0
  let failure: SqlError | undefined
  const syncThen: WriteAheadLog["syncThen"] = (done) => {
    const until = writes
    disk(descriptor, (error) => {
      if (error !== null) failure ??= syncFailed(error)
      // If two syncs overlap, the earlier one may end later.
      if (failure === undefined) durable = Math.max(durable, until)
      done(failure)
    })
  }
  return {
    written: () => void writes++,
    isDurable: () => durable === writes,
    // If a caller were interrupted, the database could be released or closed before the disk has answered.
    sync: Effect.uninterruptible(
      Effect.callback((resume) =>
        syncThen((failure) => resume(failure === undefined ? Effect.void : Effect.fail(failure)))
      )
    ),
    syncThen
  }
})
