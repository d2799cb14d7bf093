/** The error of a read that took longer than `--timeout`. */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** The read did not end in time. Its server may have answered steadily. */
export class UnfinishedError extends Schema.TaggedError<UnfinishedError>()("UnfinishedError", {
  problem: Schema.Literal("TimedOut"),
  after: Schema.Duration
}) {
  override get message(): string {
    return `not finished within ${Duration.format(this.after)}`
  }
}
