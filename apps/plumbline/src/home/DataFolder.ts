/**
 * The folder in which a service keeps its projects and its record.
 */
import { homedir } from "node:os"

import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"

import { UsageError } from "../terminal/UsageError.ts"

/** `--data <folder>`. */
export const flag: Flag.Flag<Option.Option<string>> = Flag.String("data").pipe(
  Flag.withMetavar("folder"),
  Flag.withDescription(
    "Data folder of the service (default: $PLUMBLINE_DATA, $XDG_DATA_HOME/plumbline, ~/.local/share/plumbline)"
  ),
  Flag.optional
)

interface Variables {
  readonly plumbline: Option.Option<string>
  readonly xdg: Option.Option<string>
}

/** Returns the folder that these variables and this home name; undefined if they name none. */
export const usualOf = (path: Path.Path, { plumbline, xdg }: Variables, home: string | undefined) => {
  if (Option.isSome(plumbline)) return path.resolve(plumbline.value)
  // A relative $XDG_DATA_HOME is invalid and must be ignored (XDG Base Directory Specification).
  const data = Option.filter(xdg, (folder) => path.isAbsolute(folder))
  if (Option.isSome(data)) return path.join(data.value, "plumbline")
  return home === undefined ? undefined : path.join(home, ".local", "share", "plumbline")
}

/**
 * Returns the folder without `--data`, as an absolute path: `$PLUMBLINE_DATA`, or `plumbline` in the user's data folder.
 * Returns undefined if the user has no home.
 */
export const usual = Effect.gen(function* () {
  return usualOf(yield* Path.Path, yield* Effect.orDie(variables), homeFolder())
})

/** Returns the given folder as an absolute path, or the usual one. Fails if there is none. */
export const resolve = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const path = yield* Path.Path
  const folder = Option.isSome(given) ? path.resolve(given.value) : yield* usual
  return folder ?? (yield* new UsageError({ problem: "the user of this process has no home: pass --data <folder>" }))
})

/** In a container the number of the user can be without a name, and then without a home. */
const homeFolder = (): string | undefined => {
  try {
    return homedir()
  } catch {
    return undefined
  }
}

const variables = Config.all({
  plumbline: Config.option(Config.String("PLUMBLINE_DATA")),
  xdg: Config.option(Config.String("XDG_DATA_HOME"))
})
