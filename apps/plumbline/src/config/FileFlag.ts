import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** `--config <file>`. */
export const flag: Flag.Flag<Option.Option<string>> = Flag.String("config").pipe(
  Flag.withMetavar("file"),
  Flag.withDescription("The configuration file, YAML or JSON (default: $PLUMBLINE_CONFIG); other flags override it"),
  Flag.optional
)

/** Returns the file that the flag names, or else the file in `$PLUMBLINE_CONFIG`; undefined if neither is set. */
export const resolve = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const inEnvironment = yield* Effect.orDie(Config.option(Config.NonEmptyString("PLUMBLINE_CONFIG")))
  return Option.getOrUndefined(Option.orElse(given, () => inEnvironment))
})
