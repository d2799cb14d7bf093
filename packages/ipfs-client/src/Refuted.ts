/** The error of every check of content against its CID. */
import * as Schema from "effect/Schema"

/**
 * A check failed: what was given is not what the CID names.
 *
 * `check` is `block hash` (the bytes hash to another digest), or the name of
 * a command's own check; `expected` and `got` are texts of bounded length, digests in hex without `0x`.
 */
export class Refuted extends Schema.TaggedError<Refuted>()("Refuted", {
  cid: Schema.String,
  check: Schema.String,
  expected: Schema.String,
  got: Schema.String
}) {
  override get message(): string {
    return `${this.cid}: ${this.check}: expected ${this.expected}, got ${this.got}`
  }
}
