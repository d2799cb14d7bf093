/**
 * Replaces entries of a folder all together or not at all, even if the process is killed at any moment.
 *
 * The new entries are prepared in `restoring/`. Its rename to `restored/` is the moment of the change. From then on
 * whoever opens the folder moves the entries to their places, and the old ones to `replaced/`.
 */
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"

import * as Effect from "effect/Effect"

import { attempt, type DataError } from "./DataError.ts"

/** Makes the empty folder in which the new entries are prepared, and returns its path. */
export const prepare = (folder: string): Effect.Effect<string, DataError> =>
  attempt(folder, "Unwritable", async () => {
    const prepared = path.join(folder, PREPARED)
    await fs.rm(prepared, { recursive: true, force: true })
    await fs.mkdir(prepared, { mode: 0o700 })
    return prepared
  })

/** Puts the prepared entries, whose files must be on the disk, in the place of the old ones. */
export const commit = (folder: string): Effect.Effect<void, DataError> =>
  Effect.andThen(
    attempt(folder, "Unwritable", async () => {
      await sync(path.join(folder, PREPARED))
      await fs.rm(path.join(folder, OLD), { recursive: true, force: true })
      await fs.rename(path.join(folder, PREPARED), path.join(folder, COMMITTED))
      await sync(folder)
    }),
    finish(folder)
  )

/** True if a change was committed and not completed: the folder holds entries from before and after it. */
export const isPending = (folder: string): boolean => existsSync(path.join(folder, COMMITTED))

/** Completes a change that was cut short after its commit. Does nothing if there is none. Only the folder's holder may call it. */
export const finish = (folder: string): Effect.Effect<void, DataError> =>
  attempt(folder, "Unwritable", async () => {
    if (!isPending(folder)) return
    const committed = path.join(folder, COMMITTED)
    const old = path.join(folder, OLD)
    for (const name of await fs.readdir(committed)) {
      // SQLite would apply the old log to the new file, so the log leaves first
      for (const beside of [...LOGS.map((suffix) => `${name}${suffix}`), name]) {
        const at = path.join(folder, beside)
        if (!existsSync(at)) continue
        await fs.mkdir(old, { recursive: true, mode: 0o700 })
        await fs.rename(at, path.join(old, beside))
      }
      await fs.rename(path.join(committed, name), path.join(folder, name))
    }
    await sync(folder)
    await fs.rmdir(committed)
    await sync(folder)
  })

/** Returns the folder with the entries that the last change replaced; undefined if it replaced none. */
export const replacedOf = (folder: string): string | undefined => {
  const old = path.join(folder, OLD)
  return existsSync(old) ? old : undefined
}

const OLD = "replaced"
const PREPARED = "restoring"
const COMMITTED = "restored"

/** The endings of the files that SQLite keeps beside a database. */
const LOGS = ["-wal", "-shm", "-journal"]

/** Writes the names in a folder to the disk. Windows writes them itself, and cannot open a folder. */
export const sync = async (folder: string): Promise<void> => {
  if (process.platform === "win32") return
  const handle = await fs.open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
