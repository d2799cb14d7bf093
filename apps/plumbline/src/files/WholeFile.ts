/** Replaces a file of this program whole or not at all. */
import { randomUUID } from "node:crypto"

import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"

import { dataError } from "./DataError.ts"

/**
 * Replaces the content of a file. Only the owner can read the file. The new content is on the disk before it takes the
 * place of the old one, so a power cut leaves one of the two.
 */
export const replace = Effect.fnUntraced(function* (file: string, content: string) {
  const fs = yield* FileSystem.FileSystem
  const fresh = `${file}.${randomUUID()}.tmp`
  const filled = Effect.gen(function* () {
    const handle = yield* fs.open(fresh, { mode: 0o600, flag: "wx" })
    yield* handle.writeAll(new TextEncoder().encode(content))
    yield* handle.sync
  })
  yield* Effect.scoped(filled).pipe(
    Effect.andThen(fs.rename(fresh, file)),
    Effect.onError(() => Effect.ignore(fs.remove(fresh, { force: true }))),
    Effect.mapError((error) => dataError(file, "Unwritable", error))
  )
})
