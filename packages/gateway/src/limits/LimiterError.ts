/**
 * The error of a limiter whose store cannot be asked.
 */
import * as Schema from "effect/Schema"

/**
 * The reason why the store of limits gave no answer. It holds no address and no text of the store's.
 *
 * - `Unreachable`: no connection, or it broke; `code` is the system's (`ECONNREFUSED`, ...) or the client's.
 * - `TimedOut`: no answer within `after` milliseconds.
 * - `Refused`: the store answered with an error, by its code (`OOM`, `READONLY`, `NOAUTH`, ...).
 */
export class LimiterError extends Schema.TaggedError<LimiterError>()("LimiterError", {
  reason: Schema.Union([
    Schema.TaggedStruct("Unreachable", { code: Schema.String }),
    Schema.TaggedStruct("TimedOut", { after: Schema.Number }),
    Schema.TaggedStruct("Refused", { code: Schema.String })
  ])
}) {
  override get message(): string {
    const reason = this.reason
    switch (reason._tag) {
      case "Unreachable":
        return `the store of limits cannot be reached (${reason.code})`
      case "TimedOut":
        return `the store of limits did not answer within ${reason.after} ms`
      case "Refused":
        return `the store of limits refused (${reason.code})`
    }
  }
}
