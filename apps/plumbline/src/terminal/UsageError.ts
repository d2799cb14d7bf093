/**
 * The error of arguments that make no sense.
 */
import * as Schema from "effect/Schema"

/** The arguments make no sense. `problem` says which and why, and never repeats a value that may be a secret. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { problem: Schema.String }) {
  override get message(): string {
    return this.problem
  }
}
