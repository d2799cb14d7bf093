/** The flag for the time between two polls for a new head. */
import * as Flag from "effect/cli/Flag"
import type * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type * as Result from "effect/Result"

import * as Seconds from "../terminal/Seconds.ts"
import type { UsageError } from "../terminal/UsageError.ts"

export const flag: Flag.Flag<Option.Option<string>> = Flag.String("poll").pipe(
  Flag.withMetavar("seconds"),
  Flag.withDescription("Seconds between two polls for a new head (default: 4)"),
  Flag.optional
)

/** Reads the number of seconds, at most an hour; undefined without the flag. */
export const interval = (
  given: Option.Option<string>
): Result.Result<Duration.Duration | undefined, UsageError> => Seconds.parse("poll", given)
