/** The error for a block that storage cannot be read at. */
import * as Schema from "effect/Schema"

/** There is no hash to read at: the node knows no such block, or it is the pending one, which has none yet. */
export class NoBlock extends Schema.TaggedError<NoBlock>()("NoBlock", {
  reason: Schema.Literals(["Unknown", "Pending"])
}) {
  override get message(): string {
    return this.reason === "Unknown" ? "the node knows no such block" : "a pending block has no hash to read at"
  }
}
