/**
 * The flag `--json` of every command that prints an answer.
 */
import * as Flag from "effect/cli/Flag"

export const flag: Flag.Flag<boolean> = Flag.Boolean("json").pipe(
  Flag.withoutNegation,
  Flag.withDescription("Print one JSON object instead of text for people"),
  Flag.withDefault(false)
)
