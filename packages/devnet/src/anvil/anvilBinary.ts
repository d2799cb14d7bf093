/**
 * Finds the anvil to start: the requested binary, otherwise the binary that the environment variable names, otherwise
 * the binary that npm installed.
 */
import { constants, promises } from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"

import * as Config from "effect/Config"
import * as Effect from "effect/Effect"

import { AnvilUnavailable } from "./AnvilError.ts"

/** The places to search for the binary. Defaults come from this process. */
export interface BinaryLocations {
  readonly binary?: string | undefined
  readonly platform?: string | undefined
  readonly arch?: string | undefined
}

/** Returns the absolute path of the anvil binary, which is an executable file. */
export const find = Effect.fnUntraced(function* (search: BinaryLocations) {
  const platform = search.platform ?? process.platform
  const arch = search.arch ?? process.arch
  const unavailable = (problem: AnvilUnavailable["problem"], missing?: string): AnvilUnavailable =>
    new AnvilUnavailable({ problem, platform, arch, ...(missing === undefined ? {} : { path: missing }) })

  const installed = Effect.suspend(() => {
    const name = packages[`${platform}-${arch}`]
    if (name === undefined) return Effect.fail(unavailable("NoSuchPlatform"))
    return Effect.try({
      try: () => resolveInstalled(`${name}/bin/${platform === "win32" ? "anvil.exe" : "anvil"}`),
      catch: () => unavailable("NotInstalled", name)
    })
  })

  const asked = search.binary ?? (yield* fromEnvironment)
  const binary = asked === undefined ? yield* installed : path.resolve(asked)
  yield* Effect.tryPromise({
    try: () => executable(binary),
    catch: () => unavailable("NotExecutable", binary)
  })
  return binary
})

/** Names of architectures, which Foundry takes from Go. */
const packages: Readonly<Record<string, string>> = {
  "darwin-arm64": "@foundry-rs/anvil-darwin-arm64",
  "darwin-x64": "@foundry-rs/anvil-darwin-amd64",
  "linux-arm64": "@foundry-rs/anvil-linux-arm64",
  "linux-x64": "@foundry-rs/anvil-linux-amd64",
  "win32-x64": "@foundry-rs/anvil-win32-amd64"
}

const require = createRequire(import.meta.url)

/**
 * Returns the path of a file in the npm package of this platform's binary. That package is a dependency of
 * @foundry-rs/anvil and not of devnet, so it can be resolved only from there.
 */
const resolveInstalled = (file: string): string =>
  createRequire(require.resolve("@foundry-rs/anvil/package.json")).resolve(file)

const fromEnvironment = Config.String("PLUMBLINE_ANVIL").pipe(Effect.orElseSucceed(() => undefined))

const executable = async (file: string): Promise<void> => {
  await promises.access(file, constants.X_OK)
  if (!(await promises.stat(file)).isFile()) throw new Error("not a file")
}
