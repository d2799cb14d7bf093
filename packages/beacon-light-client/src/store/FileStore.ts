/** A store of one file per network, over the `FileSystem` of the platform, as in Node. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"

import { RecordError } from "./RecordError.ts"
import { StoreError } from "./StoreError.ts"
import { MAX_BYTES } from "./TrustRecord.ts"
import { TrustStore } from "./TrustStore.ts"

/** The folder of the files. */
export interface FileStoreOptions {
  /** The folder of the records. It is created if it does not exist. */
  readonly folder: string
}

/**
 * Keeps each record in a file `<network>.light-client` of a folder.
 *
 * A record is written to a temporary file first, synced to the disk, and then renamed, so a crash leaves the old or the
 * new record. If two processes write, the last record stays.
 */
export const layer = ({
  folder
}: FileStoreOptions): Layer.Layer<TrustStore, never, FileSystem.FileSystem | Path.Path> =>
  Layer.effect(
    TrustStore,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const fileOf = (network: string): string => path.join(folder, `${encodeURIComponent(network)}.light-client`)
      return {
        placeOf: fileOf,
        load: Effect.fnUntraced(function* (network) {
          const file = fileOf(network)
          const found = yield* orAbsent(files.stat(file))
          if (found === undefined) return undefined
          if (found.size > MAX_BYTES) {
            const fault = { expected: `at most ${MAX_BYTES} bytes`, got: `${found.size} bytes`, place: file }
            return yield* Effect.fail(new RecordError({ network, problem: "Damaged", ...fault }))
          }
          return yield* orAbsent(files.readFile(file))
        }),
        save: (network, record) =>
          Effect.gen(function* () {
            yield* files.makeDirectory(folder, { recursive: true })
            const draft = yield* files.makeTempFileScoped({ directory: folder, prefix: "light-client-" })
            const opened = yield* files.open(draft, { flag: "w" })
            yield* opened.writeAll(record)
            yield* opened.sync
            yield* files.rename(draft, fileOf(network))
          }).pipe(Effect.scoped, Effect.mapError(failed("save")))
      }
    })
  )

/** Returns undefined if the file does not exist. */
const orAbsent = <A>(work: Effect.Effect<A, PlatformError>): Effect.Effect<A | undefined, StoreError> =>
  Effect.catch(work, (error) =>
    error.reason._tag === "NotFound" ? Effect.succeed(undefined) : Effect.fail(failed("load")(error))
  )

const failed =
  (operation: StoreError["operation"]) =>
  ({ reason }: PlatformError): StoreError =>
    new StoreError({ operation, detail: `the file system failed (${reason._tag})` })
