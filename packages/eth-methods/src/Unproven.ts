/** The error of a client that verifies, for an answer that nothing proves. */
import * as Schema from "effect/Schema"

/**
 * The node answered, and nothing ties its answer to what is trusted. Nothing contradicts it either: that would be
 * `Refuted`.
 *
 * `claims` says what is not proven and why: `value` is the whole answer, anything else a path in it.
 *
 * ```ts import.meta.vitest
 * import { Unproven } from "@plumbline/eth-methods"
 *
 * const claims = [{ field: "value", reason: "no trusted hash was given" }]
 * new Unproven({ method: "eth_getBalance", claims }).message // => "eth_getBalance: value: no trusted hash was given"
 * ```
 */
export class Unproven extends Schema.TaggedError<Unproven>()("Unproven", {
  method: Schema.String,
  claims: Schema.Array(Schema.Struct({ field: Schema.String, reason: Schema.String }))
}) {
  override get message(): string {
    return `${this.method}: ${this.claims.map(({ field, reason }) => `${field}: ${reason}`).join("; ")}`
  }
}
