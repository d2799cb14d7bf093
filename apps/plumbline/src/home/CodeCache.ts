/**
 * Keeps compiled code between runs, because compiling takes half of the time that a command needs to start. Node checks
 * each entry against its source and its own version.
 */
import { existsSync, mkdirSync } from "node:fs"
import * as modules from "node:module"
import { homedir } from "node:os"
import path from "node:path"

/** The variables of the environment that are read. */
type Variables = Readonly<Record<string, string | undefined>>

/**
 * Returns the folder of the cache: `plumbline/code` below `$XDG_CACHE_HOME`, or below `.cache` of the home folder.
 * Returns `undefined` if the cache must stay off, or if Node's own variables configure it.
 *
 * Node's own default is a folder in the folder for temporary files. Another user of the machine could make that folder
 * first, and then choose the code that runs.
 */
export const folderOf = (variables: Variables, home: string): string | undefined => {
  // If one of these variables is set, the cache stays off. Coverage is among them, because it is less precise for
  // functions that come from the cache.
  const deciding = ["NODE_COMPILE_CACHE", "NODE_DISABLE_COMPILE_CACHE", "NODE_V8_COVERAGE"]
  if (deciding.some((name) => (variables[name] ?? "") !== "")) return undefined
  const cache = variables["XDG_CACHE_HOME"] ?? ""
  // A relative $XDG_CACHE_HOME is invalid and is to be ignored (XDG Base Directory Specification).
  if (path.isAbsolute(cache)) return path.join(cache, "plumbline", "code")
  return existsSync(home) ? path.join(home, ".cache", "plumbline", "code") : undefined
}

/** Switches the cache on. If the folder cannot be written, there is no cache and no error. */
export const enable = (variables: Variables): void => {
  try {
    const folder = folderOf(variables, homedir())
    if (folder === undefined) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    modules.enableCompileCache(folder)
  } catch {
    // Without a home folder, or with a full disk, the program runs without a cache.
  }
}
