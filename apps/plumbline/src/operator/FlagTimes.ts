import * as AdminModel from "@plumbline/gateway-admin/api/AdminModel"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import { UsageError } from "../terminal/UsageError.ts"

/** Parses `90s`, `15m`, `24h`, `7d` or `4w` to milliseconds; undefined for any other text. */
export const duration = (text: string): number | undefined => {
  const [, digits, unit] = /^([0-9]{1,9})([smhdw])$/u.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits) * UNITS[unit as keyof typeof UNITS]
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const UNITS = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY }

/**
 * Parses a moment to milliseconds since 1970 UTC: an ISO 8601 time with its offset, a day of UTC, or a duration before
 * `now`.
 */
const moment = (flag: string, text: string, now: number): Result.Result<number, UsageError> => {
  const ago = duration(text)
  if (ago !== undefined && ago <= now) return Result.succeed(now - ago)
  return Result.mapError(
    decode(text),
    () =>
      new UsageError({
        problem: `--${flag} must be a time such as 2026-11-21T20:45:00Z, a day, or 24h for 24 hours ago`
      })
  )
}

/**
 * Parses the moment of a flag that may be absent.
 *
 * A command reads the clock once, so that the same duration in two flags names the same moment.
 */
export const optional = (
  flag: string,
  text: Option.Option<string>,
  now: number
): Result.Result<Option.Option<number>, UsageError> =>
  Option.match(text, {
    onNone: () => Result.succeed(Option.none()),
    onSome: (said) => Result.map(moment(flag, said, now), Option.some)
  })

/**
 * Parses a moment after `now` to milliseconds since 1970 UTC: an ISO 8601 time with its offset, a day of UTC, or a
 * duration from `now`.
 */
export const future = (flag: string, text: string, now: number): Result.Result<number, UsageError> => {
  const ahead = duration(text)
  const moment = ahead === undefined ? decode(text) : Result.succeed(now + ahead)
  return Result.isSuccess(moment) && moment.success > now
    ? Result.succeed(moment.success)
    : Result.fail(
        new UsageError({
          problem: `--${flag} must be in the future: a time such as 2030-11-21T20:45:00Z, a day, or 30d for 30 days from now`
        })
      )
}

const decode = Schema.decodeUnknownResult(AdminModel.Time)
