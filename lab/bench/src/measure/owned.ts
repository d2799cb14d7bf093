/** Processes and folders of a bench. They end with the bench, even if a signal ends it. */
import type { ChildProcess } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import * as path from "node:path"

const ends = new Set<() => void>()

process.once("exit", () => {
  // The newest is removed first, because a folder is older than the processes that use it.
  for (const end of [...ends].toReversed()) end()
})
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => process.exit(128 + constants.signals[signal]))
}

/** Makes sure that a child process ends with this process. */
export const owned = <C extends ChildProcess>(child: C, end: () => void = () => child.kill("SIGTERM")): C => {
  ends.add(end)
  child.once("exit", () => ends.delete(end))
  return child
}

/** A new folder for temporary files. */
export interface Folder {
  readonly path: string
  readonly remove: () => void
}

/** Makes a folder. It is removed when this process ends, unless it was removed before. */
export const folder = (name: string): Folder => {
  const at = mkdtempSync(path.join(tmpdir(), `plumbline-${name}-`))
  const remove = () => {
    ends.delete(remove)
    // A process that is about to end may still write into the folder.
    rmSync(at, { recursive: true, force: true, maxRetries: 10 })
  }
  ends.add(remove)
  return { path: at, remove }
}
