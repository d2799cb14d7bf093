/**
 * The lines of the log: logfmt, or JSON for programs that collect logs.
 *
 * Effect's own logger writes each part of a message as `message=`, so a line can have several members with this name.
 * Parsers of logfmt keep only the last `message` of a line, and lose the event.
 */
import * as Cause from "effect/Cause"
import * as Logger from "effect/Logger"
import * as References from "effect/References"

/** One line with one `message`: `a node is down: ECONNREFUSED`. */
export const logger: Logger.Logger<unknown, string> = Logger.make((options) => {
  const { message } = options
  const isOfTexts = Array.isArray(message) && message.every((part) => typeof part === "string")
  return Logger.formatLogFmt.log(isOfTexts ? { ...options, message: message.join(": ") } : options)
})

/**
 * One JSON object in a line: `time`, `level`, `message`, and each annotation under its own name, such as `requestId`,
 * `project` and `network`.
 */
export const json: Logger.Logger<unknown, string> = Logger.make(({ cause, date, fiber, logLevel, message }) => {
  const parts = Array.isArray(message) ? message : [message]
  return JSON.stringify({
    ...fiber.getRef(References.CurrentLogAnnotations),
    time: date.toISOString(),
    level: logLevel.toLowerCase(),
    message: parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(": "),
    ...(cause.reasons.length === 0 ? {} : { cause: Cause.pretty(cause) })
  })
})
