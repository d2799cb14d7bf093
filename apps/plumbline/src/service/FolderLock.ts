/** The lock that allows one service for each folder. Two services would create two keys, but the record holds only one. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"

import { DataError } from "../files/DataError.ts"
import * as FileLock from "../files/FileLock.ts"
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
  const path = yield* Path.Path
  yield* Effect.catchTag(FileLock.hold(path.join(folder, "service.lock")), "LockedError", () => refused(folder))
})

const refused = Effect.fnUntraced(function* (folder: string) {
  const first = yield* ServiceFile.running(folder).pipe(
    Effect.catchTag("NoServiceError", () => Effect.succeed(undefined))
  )
  return yield* first === undefined
    ? new DataError({ path: folder, problem: "InUse", detail: "a service starts or ends there" })
    : new AlreadyRunningError({ folder, url: first.url, pid: first.pid })
})
