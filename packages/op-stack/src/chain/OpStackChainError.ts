/** The error of reading a chain from a file. It has a module of its own, because bundlers keep classes. */
import * as Schema from "effect/Schema"

/** The text does not describe a chain. */
export class OpStackChainError extends Schema.TaggedError<OpStackChainError>()("OpStackChainError", {
  problem: Schema.String
}) {
  override get message(): string {
    return `invalid description of an OP-stack chain: ${this.problem}`
  }
}
