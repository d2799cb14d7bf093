/**
 * Brings SQLite's write-ahead log to the disk in a thread of libuv's, while the process goes on. SQLite itself, with
 * `synchronous = FULL`, would do the same call after each commit and hold up everything until the disk has answered.
 */
import { close, fdatasync, open } from "node:fs"

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"

import { sqlErrorOf, syncFailed } from "./error.ts"

export interface Log {
  /** Something was written to it. */
  readonly written: () => void
  /** Whether all that was written is on the disk. */
  readonly isDurable: () => boolean
  /**
   * Brings to the disk what was written before. Fails with the disk's error, now and ever after: a system that could not
   * write a page may call it clean, so that another try would say yes to what is lost.
   */
  readonly sync: Effect.Effect<void, SqlError>
}

/** Tests have a disk of their own. */
export const Disk = Context.Reference<(descriptor: number, done: (error: Error | null) => void) => void>(
  "@plumbline/gateway/Sqlite/Disk",
  { defaultValue: () => fdatasync }
)

/**
 * The log of an open database. SQLite keeps one file for as long as anybody has the database open, and locks other files
 * than this, so a descriptor beside SQLite's own does no harm.
 */
export const make = Effect.fnUntraced(function* (database: string): Effect.fn.Return<Log, SqlError, Scope.Scope> {
  const disk = yield* Disk
  const descriptor = yield* Effect.acquireRelease(
    Effect.callback<number, SqlError>((resume) =>
      // Writable, because some systems sync no other.
      open(`${database}-wal`, "r+", (error, opened) =>
        resume(error === null ? Effect.succeed(opened) : Effect.fail(sqlErrorOf(error, "open")))
      )
    ),
    (opened) => Effect.callback<void>((resume) => close(opened, () => resume(Effect.void)))
  )
  let writes = 0
  let durable = 0
  let failure: SqlError | undefined
  return {
    written: () => void writes++,
    isDurable: () => durable === writes,
    // Who leaves would leave the database to others, or close it, before the disk has answered.
    sync: Effect.uninterruptible(
      Effect.callback((resume) => {
        const until = writes
        disk(descriptor, (error) => {
          if (error !== null) failure ??= syncFailed(error)
          if (failure === undefined) durable = until
          resume(failure === undefined ? Effect.void : Effect.fail(failure))
        })
      })
    )
  }
})
