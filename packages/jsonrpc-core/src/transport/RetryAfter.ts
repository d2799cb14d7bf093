/** Reads the wait that a server asks for, from the header Retry-After or from its error. */
import * as Duration from "effect/Duration"

import * as RemoteKind from "../error/RemoteKind.ts"
import * as GoDuration from "../time/GoDuration.ts"

/**
 * Returns the wait that a Retry-After header asks for: a number of seconds, or one of the three HTTP dates. A date in
 * the past means no wait. Any other text gives `undefined`.
 *
 * Source: RFC 9110 sections 10.2.3 and 5.6.7.
 *
 * ```ts import.meta.vitest
 * import { RetryAfter } from "@plumbline/jsonrpc-core"
 * import { Duration } from "effect"
 *
 * const now = Date.UTC(2026, 0, 1)
 * RetryAfter.parse("120", now) // => Duration.minutes(2)
 * RetryAfter.parse("Thu, 01 Jan 2026 00:00:30 GMT", now) // => Duration.seconds(30)
 * RetryAfter.parse("soon", now) // => undefined
 * ```
 */
export const parse = (header: string, nowMillis: number): Duration.Duration | undefined => {
  const text = header.trim()
  if (/^[0-9]{1,10}$/.test(text)) {
    return Duration.seconds(Number(text))
  }
  const at =
    fixdate.test(text) || rfc850.test(text) ? Date.parse(text) : asctime.test(text) ? Date.parse(`${text} GMT`) : NaN
  return Number.isNaN(at) ? undefined : Duration.millis(Math.max(0, at - nowMillis))
}

const fixdate = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/
const rfc850 = /^[A-Z][a-z]{5,8}, [0-9]{2}-[A-Z][a-z]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} [0-9]{4}$/

/**
 * Returns the wait that an error itself asks for, at most a day, or `undefined` if the error has no usable number.
 *
 * Sources: Infura, `backoff_seconds` in the data (docs.infura.io) or in its member `rate` (INFURA/infura#201);
 * Chainstack, `try_again_in` in the data, a duration as Go writes it (BobTheBuidler/dank_mids); "try again in 4ms" in the
 * text of a rate limit (alloy `transport/src/error.rs`).
 *
 * ```ts import.meta.vitest
 * import { RetryAfter } from "@plumbline/jsonrpc-core"
 * import { Duration } from "effect"
 *
 * RetryAfter.ofError({ code: -32005, message: "slow down", data: { backoff_seconds: 30 } }) // => Duration.seconds(30)
 * RetryAfter.ofError({ code: 3, message: "execution reverted: try again in 4ms" }) // => undefined
 * ```
 */
export const ofError = (error: {
  readonly code: number
  readonly message: string
  readonly data?: unknown
  readonly status?: number | undefined
}): Duration.Duration | undefined => {
  const seconds = member(error.data, "backoff_seconds") ?? member(member(error.data, "rate"), "backoff_seconds")
  if (typeof seconds === "number") {
    return bounded(seconds * 1000)
  }
  const inData = member(error.data, "try_again_in")
  if (typeof inData === "string") {
    return bounded(goMillis(inData))
  }
  // A contract chooses the text of its revert, so the text alone is not enough.
  const inText = /\btry again in ([0-9]{1,9} ?m?s)\b/i.exec(error.message.slice(0, MAX_TEXT))?.[1]
  return inText !== undefined && RemoteKind.of(error) === "rateLimited"
    ? bounded(goMillis(inText.replace(" ", "").toLowerCase()))
    : undefined
}

const MAX_TEXT = 500

const MAX_MILLIS = 24 * 60 * 60 * 1000

const bounded = (millis: number): Duration.Duration | undefined =>
  millis >= 0 ? Duration.millis(Math.min(millis, MAX_MILLIS)) : undefined

/** Returns the milliseconds of a duration in Go's form, such as `583.13ms` or `1m2.5s`; NaN for any other text. */
const goMillis = (text: string): number => (SHAPE.test(text) ? (GoDuration.toMillis(text) ?? NaN) : NaN)

const SHAPE = /^(?:[0-9]{1,9}(?:\.[0-9]{1,9})?[a-z\u00b5\u03bc]{1,2}){1,6}$/

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
