/** The error of `L1Attributes`. */
import * as Schema from "effect/Schema"

/**
 * A transaction that is no attributes deposit, or whose calldata is none of the known forms. `expected` and `got` are
 * texts of bounded length.
 */
export class L1AttributesError extends Schema.TaggedError<L1AttributesError>()("L1AttributesError", {
  field: Schema.Literals(["from", "to", "input", "sourceHash"]),
  expected: Schema.String,
  got: Schema.String
}) {
  override get message(): string {
    return `${this.field}: expected ${this.expected}, got ${this.got}`
  }
}
