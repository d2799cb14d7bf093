/**
 * The lock that allows one service for each folder. Two services would create two keys, but the record in the folder
 * holds only one.
 *
 * The lock is SQLite's lock on an empty database. The system releases it when the process ends in any way; a plain lock
 * file would stay.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"

import { DataError, dataError } from "../files/DataError.ts"
import * as ServiceFile from "../home/ServiceFile.ts"

/** Another `up` runs on this data folder and answers at `url`. */
export class AlreadyRunningError extends Schema.TaggedError<AlreadyRunningError>()("AlreadyRunningError", {
  folder: Schema.String,
  url: Schema.String,
  pid: Schema.Int
}) {
  override get message(): string {
    return `a service runs on ${this.folder} already, at ${this.url} (process ${this.pid}): stop it, or choose another folder with --data`
  }
}

/** Locks an existing folder until the scope closes. A second service fails with the URL of the first one. */
export const hold = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(folder, "service.lock")
  // SQLite's own error would not name the cause
  yield* Effect.mapError(fs.writeFile(file, new Uint8Array(), { flag: "a", mode: 0o600 }), (error) =>
    dataError(file, "Unwritable", error)
  )
  const { DatabaseSync } = yield* Effect.promise(() => import("node:sqlite"))
  const take = Effect.try({
    try: () => {
      const database = new DatabaseSync(file)
      try {
        database.exec("BEGIN EXCLUSIVE")
        return database
      } catch (error) {
        database.close()
        throw error
      }
    },
    catch: isBusy
  })
  yield* Effect.acquireRelease(take, (database) => Effect.sync(() => database.close())).pipe(
    Effect.catch((isTaken) => (isTaken ? refused(folder) : damaged(file)))
  )
})

const SQLITE_BUSY = 5

const isBusy = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY

const refused = Effect.fnUntraced(function* (folder: string) {
  const first = yield* ServiceFile.running(folder).pipe(
    Effect.catchTag("NoServiceError", () => Effect.succeed(undefined))
  )
  return yield* first === undefined
    ? new DataError({ path: folder, problem: "InUse", detail: "a service starts or ends there" })
    : new AlreadyRunningError({ folder, url: first.url, pid: first.pid })
})

/** The file has content that no service wrote. */
const damaged = (path: string) => new DataError({ path, problem: "Damaged", detail: "it is not a lock: remove it" })
