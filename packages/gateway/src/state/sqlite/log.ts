/**
 * Syncs SQLite's write-ahead log to the disk in a thread of libuv, while the process continues. SQLite itself, with
 * `synchronous = FULL`, would make the same call after each commit and block everything until the disk has answered.
 */
import { close, fdatasync, open } from "node:fs"

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"

import { sqlErrorOf, syncFailed } from "./error.ts"

export interface Log {
  /** Notes that something was written to the log. */
  readonly written: () => void
  /** True if everything written is on the disk. */
  readonly isDurable: () => boolean
  /**
   * Syncs everything written before. Fails with the disk's error, now and ever after: a system that could not write a
   * page may mark it clean, so that another try would report success for lost data.
   */
  readonly sync: Effect.Effect<void, SqlError>
  /** Syncs the log without an Effect. Calls back once, with the error if it fails. */
  readonly syncThen: (done: (failure: SqlError | undefined) => void) => void
}

/** The sync call, which tests replace. */
export const Disk = Context.Reference<(descriptor: number, done: (error: Error | null) => void) => void>(
  "@plumbline/gateway/Sqlite/Disk",
  { defaultValue: () => fdatasync }
)

/**
 * Opens the log of an open database. SQLite keeps one file for as long as any program has the database open, and locks
 * other files than this one, so a second descriptor of this file does no harm.
 */
export const make = Effect.fnUntraced(function* (database: string): Effect.fn.Return<Log, SqlError, Scope.Scope> {
  const disk = yield* Disk
  const descriptor = yield* Effect.acquireRelease(
    Effect.callback<number, SqlError>((resume) =>
      // Writable, because some systems sync no other file.
      open(`${database}-wal`, "r+", (error, opened) =>
        resume(error === null ? Effect.succeed(opened) : Effect.fail(sqlErrorOf(error, "open")))
      )
    ),
    (opened) => Effect.callback<void>((resume) => close(opened, () => resume(Effect.void)))
  )
  let writes = 0
  let durable = 0
  let failure: SqlError | undefined
  const syncThen: Log["syncThen"] = (done) => {
    const until = writes
    disk(descriptor, (error) => {
      if (error !== null) failure ??= syncFailed(error)
      // Of two syncs at a time the earlier one may end later.
      if (failure === undefined) durable = Math.max(durable, until)
      done(failure)
    })
  }
  return {
    written: () => void writes++,
    isDurable: () => durable === writes,
    // An interrupted caller would release the database to others, or close it, before the disk has answered.
    sync: Effect.uninterruptible(
      Effect.callback((resume) =>
        syncThen((failure) => resume(failure === undefined ? Effect.void : Effect.fail(failure)))
      )
    ),
    syncThen
  }
})
