/**
 * The error of a limiter whose store is not available.
 */
import * as Schema from "effect/Schema"

/**
 * The store of limits gave no answer. The error contains no address and no text from the store.
 *
 * - `Unreachable`: the connection failed or broke. `code` comes from the system (`ECONNREFUSED`, ...) or the client.
 * - `TimedOut`: the store did not answer within `after` milliseconds.
 * - `Refused`: the store answered with an error. `code` is the code of that error (`OOM`, `READONLY`, `NOAUTH`, ...).
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
