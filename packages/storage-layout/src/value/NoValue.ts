/** The error for a path that leads to what has no value. */
import * as Schema from "effect/Schema"

/**
 * There is nothing that could be read.
 *
 * - `Mapping`: a mapping, or an array of mappings, has entries, but no value.
 * - `Transient`: what is in transient storage is gone with the transaction, and no node tells it.
 */
export class NoValue extends Schema.TaggedError<NoValue>()("NoValue", {
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
