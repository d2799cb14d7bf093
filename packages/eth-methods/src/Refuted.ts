/** The error of every verifier. */
import * as Schema from "effect/Schema"

/**
 * A check failed: what was said is not what the anchor proves.
 *
 * `check` names the check and, where it is about one field, the field (`header hash`, `transactions[3].from`); `expected`
 * is what the anchor or the rule demands, `got` what the answer gives. Both are texts of bounded length.
 */
export class Refuted extends Schema.TaggedError<Refuted>()("Refuted", {
  check: Schema.String,
  expected: Schema.String,
  got: Schema.String
}) {
  override get message(): string {
    return `${this.check}: expected ${this.expected}, got ${this.got}`
  }
}
