/**
 * The lines of the log, in logfmt.
 *
 * Effect's own logger writes each part of a message as `message=`, so that a line may have several. Readers of logfmt
 * keep only the last one, and lose the event.
 */
import * as Logger from "effect/Logger"

/** One line with one `message`: `a node is down: ECONNREFUSED`. */
export const logger: Logger.Logger<unknown, string> = Logger.make((options) => {
  const { message } = options
  const isOfTexts = Array.isArray(message) && message.every((part) => typeof part === "string")
  return Logger.formatLogFmt.log(isOfTexts ? { ...options, message: message.join(": ") } : options)
})
