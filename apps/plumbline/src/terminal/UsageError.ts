import * as Schema from "effect/Schema"

/**
 * The arguments are invalid. `problem` names the argument and the reason, and never repeats a value that may be a
 * secret.
 */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { problem: Schema.String }) {
  override get message(): string {
    return this.problem
  }
}
