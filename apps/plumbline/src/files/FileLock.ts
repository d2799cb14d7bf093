/**
 * A lock that one process at a time holds.
 *
 * The lock is SQLite's lock on a database that has only the id of its holder. The system releases it when the process
 * ends in any way; a plain lock file would stay.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"

import { DataError, dataError } from "./DataError.ts"

/** Another process holds the lock. `holder` is its id. If it has just taken the lock, that of the holder before it, or none. */
export class LockedError extends Schema.TaggedError<LockedError>()("LockedError", {
  path: Schema.String,
  holder: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return `${this.path} is locked by ${this.holder === undefined ? "another process" : `process ${this.holder}`}`
  }
}

/** Holds the lock at this path until the scope closes. Makes the file, and leaves it: removing it would not be safe. */
export const hold = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  // SQLite's own error would not name the cause
  yield* Effect.mapError(fs.writeFile(file, new Uint8Array(), { flag: "a", mode: 0o600 }), (error) =>
    dataError(file, "Unwritable", error)
  )
  const { DatabaseSync } = yield* Effect.promise(() => import("node:sqlite"))
  const take = Effect.try({
    try: () => {
      const database = new DatabaseSync(file)
      try {
        database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${process.pid}; COMMIT`)
        // such a transaction lets other processes read the id, but not take the lock
        database.exec("BEGIN IMMEDIATE")
        return database
      } catch (error) {
        const isTaken = isBusy(error)
        const holder = isTaken ? holderOf(database) : undefined
        database.close()
        throw isTaken ? new LockedError({ path: file, ...(holder === undefined ? {} : { holder }) }) : error
      }
    },
    catch: (error) => (error instanceof LockedError ? error : damaged(file))
  })
  yield* Effect.acquireRelease(take, (database) => Effect.sync(() => database.close()))
})

/** Returns the id that a holder of the lock has written last; undefined while one is written. */
const holderOf = (database: { readonly prepare: (sql: string) => { readonly get: () => unknown } }) => {
  try {
    const { user_version: holder } = database.prepare("PRAGMA user_version").get() as { readonly user_version: number }
    return holder > 0 && holder !== process.pid ? holder : undefined
  } catch {
    return undefined
  }
}

const SQLITE_BUSY = 5

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY

/** The file has content that no lock has. */
const damaged = (path: string) => new DataError({ path, problem: "Damaged", detail: "it is not a lock: remove it" })
