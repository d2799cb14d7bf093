/** The error of `BlockRlp`. */
import * as Schema from "effect/Schema"

/**
 * Bytes that are not the RLP of the object that the reader expects.
 *
 * `path` leads to the field (`header.number`, `transactions[3].accessList[0].address`); it is empty for the whole.
 * `expected` and `got` are texts of bounded length.
 */
export class BlockRlpError extends Schema.TaggedError<BlockRlpError>()("BlockRlpError", {
  path: Schema.String,
  expected: Schema.String,
  got: Schema.String
}) {
  override get message(): string {
    return `${this.path === "" ? "" : `${this.path}: `}expected ${this.expected}, got ${this.got}`
  }
}
