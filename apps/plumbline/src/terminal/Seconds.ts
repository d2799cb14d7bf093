/** Numbers of seconds in flags. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import { UsageError } from "./UsageError.ts"

/** Reads the number of seconds of a flag: from 0.1 to an hour, in whole milliseconds. */
export const parse = (
  name: string,
  flag: Option.Option<string>
): Result.Result<Duration.Duration | undefined, UsageError> => {
  if (Option.isNone(flag)) return Result.succeed(undefined)
  const seconds = /^[0-9]{1,4}(?:\.[0-9]{1,3})?$/u.test(flag.value) ? Number(flag.value) : Number.NaN
  return seconds >= 0.1 && seconds <= 3600
    ? Result.succeed(Duration.millis(Math.round(seconds * 1000)))
    : Result.fail(new UsageError({ problem: `--${name} must be a number of seconds from 0.1 to 3600` }))
}
