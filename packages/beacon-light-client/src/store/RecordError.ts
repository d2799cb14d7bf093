/** The error of a record that a light client cannot start from. No node is to blame for it. */
import * as Schema from "effect/Schema"

/**
 * A stored record cannot be used: check `store`.
 *
 * | problem      | cause                                                                             |
 * | ------------ | --------------------------------------------------------------------------------- |
 * | `OtherChain` | the record is of another beacon chain, such as an earlier chain of the same name   |
 * | `Damaged`    | the bytes are not a record of a known form, or the record contradicts itself       |
 *
 * `place` says where the record is kept, if the store knows that.
 */
export class RecordError extends Schema.TaggedError<RecordError>()("RecordError", {
  network: Schema.String,
  problem: Schema.Literals(["OtherChain", "Damaged"]),
  expected: Schema.String,
  got: Schema.String,
  place: Schema.optional(Schema.String)
}) {
  override get message(): string {
    const { expected, got, network, place, problem } = this
    const record = `store: the record of ${network}${place === undefined ? "" : ` in ${place}`}`
    return problem === "OtherChain"
      ? `${record} belongs to another chain: expected ${expected}, got ${got}. Give a checkpoint of this chain, and it replaces the record.`
      : `${record} is damaged: expected ${expected}, got ${got}. Remove the record, and begin again from a checkpoint that you trust.`
  }
}
