/**
 * The error of a usage query.
 */
import * as Schema from "effect/Schema"

/**
 * A query without an answer.
 *
 * - `EmptyRange`: the range ends at its start or before; or one of the two is not a time since the epoch.
 * - `TooManyRows`, `TooManyBuckets`: the answer would have more than `limit`. A shorter time, fewer dimensions, a
 *   project or `top` make it smaller.
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
