/** Reads a configuration from the disk, with the environment of this process and the file of the admin token. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Redacted from "effect/Redacted"

import { dataError } from "../files/DataError.ts"
import * as Configuration from "./Configuration.ts"
import * as Integrity from "./Integrity.ts"
import type { Settings } from "./Settings.ts"
import { Variables } from "./Variables.ts"

/** A configuration from the disk. */
export interface Loaded {
  /** The file as an absolute path; undefined if there is none. */
  readonly file: string | undefined
  /** The settings, with every path absolute. */
  readonly settings: Settings
  readonly warnings: Configuration.Configuration["warnings"]
}

/** Reads a file and the environment, or only the environment if no file is given. */
export const load = Effect.fnUntraced(function* (given: string | undefined) {
  const path = yield* Path.Path
  const file = given === undefined ? undefined : path.resolve(given)
  const text = file === undefined ? "" : yield* readText(file)
  const config = yield* Effect.fromResult(Configuration.read({ text, file, variables: yield* Variables }))
  const folder = file === undefined ? path.resolve() : path.dirname(file)
  const { tokenFile } = config.file.admin ?? {}
  const token = tokenFile === undefined ? undefined : yield* readToken(path.resolve(folder, tokenFile), file ?? null)
  const made = config.settings(token)
  const settings: Settings = {
    ...made,
    networks: made.networks.map((network) => ({
      ...network,
      integrity: Integrity.resolved(network.integrity, (file) => path.resolve(folder, file))
    }))
  }
  const { state, tls } = settings
  const loaded: Loaded = {
    file,
    warnings: config.warnings,
    settings: {
      ...settings,
      state:
        state._tag === "Folder" && state.folder !== undefined
          ? { ...state, folder: path.resolve(folder, state.folder) }
          : state,
      tls: tls && { ...tls, certificate: path.resolve(folder, tls.certificate), key: path.resolve(folder, tls.key) }
    }
  }
  return loaded
})

const readText = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const unreadable = (error: PlatformError.PlatformError) => dataError(file, "Unreadable", error)
  const { size, type } = yield* Effect.mapError(fs.stat(file), unreadable)
  // a shell can pass a pipe in place of a file; reading a device may never end
  if (type !== "File" && type !== "FIFO") return yield* mistake(file, "", "is not a file")
  if (size > MAX_BYTES) return yield* mistake(file, "", "has more than 4 MiB")
  const bytes = yield* Effect.mapError(fs.readFile(file), unreadable)
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => mistake(file, "", "is not text in UTF-8: save it in that encoding")
  })
})

const readToken = Effect.fnUntraced(function* (file: string, config: string | null) {
  const token = (yield* readText(file)).trim()
  return /^[0-9a-fA-F]{32,256}$/u.test(token)
    ? Redacted.make(token)
    : yield* mistake(config, "admin.tokenFile", "must be a file of one token: 32 to 256 hex digits")
})

/** Maximum number of bytes of a configuration. No real configuration is as large. */
const MAX_BYTES = 4 * 1024 * 1024

const mistake = (file: string | null, path: string, problem: string): Configuration.ConfigError =>
  new Configuration.ConfigError({ file, mistakes: [{ path, problem, line: null, column: null, variable: null }] })
