/** The error for a value with flaws where one without was asked for. */
import * as Schema from "effect/Schema"

/** What is in storage is not all of the type that the layout says. See `Value.Flaw`. */
export class Flawed extends Schema.TaggedError<Flawed>()("Flawed", {
  path: Schema.String,
  flaws: Schema.Array(Schema.Struct({ path: Schema.String, reason: Schema.String }))
}) {
  override get message(): string {
    return `${this.path}: ${this.flaws.map(({ path, reason }) => `${reason} at ${path}`).join(", ")}`
  }
}
