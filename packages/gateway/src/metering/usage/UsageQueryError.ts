/**
 * The error of a usage query.
 */
import * as Schema from "effect/Schema"

/**
 * A usage query that has no answer.
 *
 * - `EmptyRange`: `to` is not after `from`, or one of them is not a time since the epoch.
 * - `TooManyRows`, `TooManyBuckets`: the answer would have more than `limit`. To make it smaller, use a shorter range
 *   or fewer dimensions, select a project, or set `top`.
 */
export class UsageQueryError extends Schema.TaggedError<UsageQueryError>()("UsageQueryError", {
  problem: Schema.Literals(["EmptyRange", "TooManyRows", "TooManyBuckets"]),
  limit: Schema.Number
}) {
  override get message(): string {
    switch (this.problem) {
      case "EmptyRange":
        return "the range of time must end after it begins"
      case "TooManyRows":
        return `these figures have more than ${this.limit} rows`
      case "TooManyBuckets":
        return `these figures have more than ${this.limit} buckets`
    }
  }
}
