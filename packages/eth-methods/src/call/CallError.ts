/** The reason why a call could not be run over proven state. Nothing is refuted by it. */
import type * as Address from "@plumbline/codec/value/Address"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Data from "effect/Data"

/** The name of a bound on the work for one call. */
export type Bound =
  | "time"
  | "steps of a run without proof"
  | "accounts"
  | "slots"
  | "block hashes"
  | "round trips"
  | "bytes of proofs"
  | "bytes of code"
  | "bytes of return data"
  | "bytes of input"
  | "runs"
  | "gas of all runs"

/**
 * The cause: what the engine does not support, the rule because of which no transaction can carry the call, the bound that
 * was reached, or the state that the node does not give.
 */
export type CallErrorReason =
  | { readonly _tag: "Unsupported"; readonly what: string }
  | { readonly _tag: "Invalid"; readonly rule: string }
  | { readonly _tag: "OutOfBounds"; readonly bound: Bound; readonly limit: number | bigint }
  | {
      readonly _tag: "Unavailable"
      readonly what: "account" | "code" | "block hash"
      readonly address: Address.Address | undefined
      /** The node's refusal; undefined if the node answered without what was asked for. */
      readonly error: JsonRpcError | undefined
    }

/**
 * A call has no proven outcome.
 *
 * ```ts import.meta.vitest
 * import { CallError } from "@plumbline/eth-methods"
 *
 * const error = new CallError.CallError({ reason: { _tag: "OutOfBounds", bound: "slots", limit: 8192 } })
 * error.message // => "it needs more than its bound of 8192: slots"
 * ```
 */
export class CallError extends Data.TaggedError("CallError")<{ readonly reason: CallErrorReason }> {
  override get message(): string {
    const { reason } = this
    switch (reason._tag) {
      case "Unsupported":
        return `not supported: ${reason.what}`
      case "Invalid":
        return `no transaction can carry it: ${reason.rule}`
      case "OutOfBounds":
        return `it needs more than its bound of ${reason.limit}: ${reason.bound}`
      case "Unavailable": {
        const of = reason.address === undefined ? "" : ` of ${reason.address}`
        const why = reason.error === undefined ? "" : `: ${reason.error.message}`
        return `the node gives no ${reason.what}${of}${why}`
      }
    }
  }
}
