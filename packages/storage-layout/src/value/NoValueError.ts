/** The error for a path to something without a value. */
import * as Schema from "effect/Schema"

/**
 * The path leads to something without a value.
 *
 * - `Mapping`: a mapping, or an array of mappings, has entries, but no value.
 * - `Transient`: transient storage is empty after the transaction, and no node returns it.
 */
export class NoValueError extends Schema.TaggedError<NoValueError>()("NoValueError", {
  reason: Schema.Literals(["Mapping", "Transient"]),
  path: Schema.String,
  type: Schema.String
}) {
  override get message(): string {
    return this.reason === "Mapping"
      ? `${this.path} is a ${this.type}, which has no value: only its entries have`
      : `${this.path} is transient: it is gone with the transaction, and no node tells it`
  }
}
