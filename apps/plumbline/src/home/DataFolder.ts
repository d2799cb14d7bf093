/**
 * The folder in which a service keeps its projects and its record.
 */
import { homedir } from "node:os"

import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"

/** `--data <folder>`. */
export const flag: Flag.Flag<Option.Option<string>> = Flag.String("data").pipe(
  Flag.withMetavar("folder"),
  Flag.withDescription(
    "Data folder of the service (default: $PLUMBLINE_DATA, $XDG_DATA_HOME/plumbline, ~/.local/share/plumbline)"
  ),
  Flag.optional
)

/** Returns an absolute path: the given folder, `$PLUMBLINE_DATA`, or `plumbline` in the user's data folder. */
export const resolve = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const path = yield* Path.Path
  const { plumbline, xdg } = yield* Effect.orDie(variables)
  const folder = Option.orElse(given, () => plumbline)
  if (Option.isSome(folder)) return path.resolve(folder.value)
  // A relative $XDG_DATA_HOME is invalid and must be ignored (XDG Base Directory Specification).
  const data = Option.filter(xdg, (folder) => path.isAbsolute(folder))
  return path.join(
    Option.getOrElse(data, () => path.join(homedir(), ".local", "share")),
    "plumbline"
  )
})

const variables = Config.all({
  plumbline: Config.option(Config.String("PLUMBLINE_DATA")),
  xdg: Config.option(Config.String("XDG_DATA_HOME"))
})
