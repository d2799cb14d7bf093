/** The error of every check of content against its CID, where the CID cannot prove. */
import * as Schema from "effect/Schema"

/**
 * Nothing ties the bytes to this CID, and nothing contradicts them: its hash function is unknown or too weak, its digest
 * too short, or its codec is one that this package cannot read; or the bytes are more than one is willing to hash.
 */
export class Unproven extends Schema.TaggedError<Unproven>()("Unproven", {
  cid: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.cid}: ${this.reason}`
  }
}
