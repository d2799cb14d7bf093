/** The flag for the time between two polls for a new head. */
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import { UsageError } from "../terminal/UsageError.ts"

export const flag: Flag.Flag<Option.Option<string>> = Flag.String("poll").pipe(
  Flag.withMetavar("seconds"),
  Flag.withDescription("Seconds between two polls for a new head (default: 4)"),
  Flag.optional
)

/** Reads the number of seconds, at most an hour; undefined without the flag. */
export const interval = (given: Option.Option<string>): Effect.Effect<Duration.Duration | undefined, UsageError> =>
  Option.match(given, {
    onNone: () => Effect.succeed(undefined),
    onSome: (text) => {
      const seconds = /^[0-9]{1,4}(?:\.[0-9]{1,3})?$/u.test(text) ? Number(text) : Number.NaN
      return seconds >= 0.1 && seconds <= 3600
        ? Effect.succeed(Duration.millis(seconds * 1000))
        : Effect.fail(new UsageError({ problem: "--poll must be a number of seconds from 0.1 to 3600" }))
    }
  })
