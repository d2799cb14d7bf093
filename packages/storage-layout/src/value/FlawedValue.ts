/** The error for a value with flaws, for a caller that takes only values without. */
import * as Schema from "effect/Schema"

/** A word in storage is no value of the type in the layout. See `Value.Flaw`. */
export class FlawedValue extends Schema.TaggedError<FlawedValue>()("FlawedValue", {
  path: Schema.String,
  flaws: Schema.Array(Schema.Struct({ path: Schema.String, reason: Schema.String }))
}) {
  override get message(): string {
    return `${this.path}: ${this.flaws.map(({ path, reason }) => `${reason} at ${path}`).join(", ")}`
  }
}
