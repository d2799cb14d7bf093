/** The flags that bound the proof of the logs of one range. A range that needs more is refused with a smaller one. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import * as Seconds from "../terminal/Seconds.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as WholeNumber from "../terminal/WholeNumber.ts"

/** viem and indexers give up a call after 10 seconds, and would ask for the same range again. */
const DEFAULT_TIME = Duration.seconds(8)

export const flags = {
  logWork: Flag.String("log-work").pipe(
    Flag.withMetavar("n"),
    Flag.withDescription(
      "Maximum work to prove the logs of one range: headers, receipts and kilobytes of logs; a range that needs more is refused with a smaller one (default: 100000)"
    ),
    Flag.optional
  ),
  logTime: Flag.String("log-time").pipe(
    Flag.withMetavar("seconds"),
    Flag.withDescription(
      `Maximum time to prove the logs of one range, likewise (default: ${Duration.toSeconds(DEFAULT_TIME)}, less than the 10 after which viem gives up)`
    ),
    Flag.optional
  )
}

/** The bounds as options of a client. Without a number, the work has the client's own bound. */
export interface LogBounds {
  readonly maxLogWork: number | undefined
  readonly maxLogTime: Duration.Duration
}

/** Reads the flags. */
export const parse = ({
  logTime,
  logWork
}: Command.Command.Config.Infer<typeof flags>): Result.Result<LogBounds, UsageError> => {
  const work = Option.isNone(logWork) ? undefined : WholeNumber.parse(logWork.value, BITS)
  if (Option.isSome(logWork) && (work === undefined || work < 1n)) {
    return Result.fail(new UsageError({ problem: "--log-work must be a whole number, from 1 to 4294967295" }))
  }
  return Result.map(Seconds.parse("log-time", logTime), (time) => ({
    maxLogWork: work === undefined ? undefined : Number(work),
    maxLogTime: time ?? DEFAULT_TIME
  }))
}

const BITS = 32
