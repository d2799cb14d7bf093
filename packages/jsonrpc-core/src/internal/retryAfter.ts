/** The header Retry-After. */
import * as Duration from "effect/Duration"

/**
 * The wait that a Retry-After header asks for: a number of seconds, or one of the three HTTP dates. A date in the past is
 * no wait; what is neither is `undefined`.
 *
 * Source: RFC 9110 sections 10.2.3 and 5.6.7.
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
