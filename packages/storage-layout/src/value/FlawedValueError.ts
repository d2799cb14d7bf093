/** The error for a value with flaws, for callers that accept only values without flaws. */
import * as Schema from "effect/Schema"

/** A value in which a word of storage does not fit its type in the layout. See `Value.Flaw`. */
export class FlawedValueError extends Schema.TaggedError<FlawedValueError>()("FlawedValueError", {
  path: Schema.String,
  flaws: Schema.Array(Schema.Struct({ path: Schema.String, reason: Schema.String }))
}) {
  override get message(): string {
    return `${this.path}: ${this.flaws.map(({ path, reason }) => `${reason} at ${path}`).join(", ")}`
  }
}
