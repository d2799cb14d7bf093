/** The error for a block at which the state cannot be read. */
import * as Schema from "effect/Schema"

/** The block has no hash: the node does not know the block, or it is the pending block. */
export class NoBlockError extends Schema.TaggedError<NoBlockError>()("NoBlockError", {
  reason: Schema.Literals(["Unknown", "Pending"])
}) {
  override get message(): string {
    return this.reason === "Unknown" ? "the node knows no such block" : "a pending block has no hash to read at"
  }
}
