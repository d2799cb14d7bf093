/** The error of every verifier. */
import * as Schema from "effect/Schema"

/**
 * A check failed: what was said is not what the hash proves.
 *
 * `check` names the check and, where it is about one field, the field (`transaction hash`, `transaction.signature`);
 * `expected` is what the hash or the rule demands, `got` what the answer gives. Both are texts of bounded length.
 *
 * ```ts import.meta.vitest
 * import { Refuted } from "@plumbline/second-chain-methods"
 *
 * const wrong = new Refuted({ check: "transaction hash", expected: "0x1", got: "0x2" })
 * wrong.message // => "transaction hash: expected 0x1, got 0x2"
 * ```
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
