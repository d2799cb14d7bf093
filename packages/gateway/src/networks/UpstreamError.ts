/**
 * The error of a node that gave no answer.
 */
import * as Schema from "effect/Schema"

/**
 * A node that could not be reached, or whose answer is invalid. A refusal by the node itself is not a fault. It is an
 * answer with an error object, which is passed on unchanged.
 *
 * The fault holds no URL and no text of the node, so it can leak none to a caller or a log.
 *
 * - `Unreachable`: there was no connection, or the connection broke; `code` is the system's (`ECONNREFUSED`,
 *   `UND_ERR_SOCKET`, ...).
 * - `TimedOut`: no complete answer within `after` milliseconds.
 * - `TooLarge`: the answer has more than `limit` bytes.
 * - `BadStatus`: an HTTP status about this service's account at the node (401, 429, ...), or a failure without a
 *   JSON-RPC error. `retryAfter` is the wait in milliseconds that the node asked for.
 * - `Limited`: the node was not asked, because it demanded a pause or its budget is used up. The node can be asked
 *   again `after` milliseconds from now.
 * - `BadAnswer`: the answer is not a response to the request; `problem` describes the flaw. A `wrong result` is valid
 *   JSON-RPC, but not a result of the method.
 * - `Disagreement`: several nodes got the same call. Of these nodes, `answered` gave an answer. The most frequent
 *   answer came from `agreed` nodes; `needed` equal answers were required.
 * - `Unconfirmed`: the only answer names the block `head`, which is not believed: it is too far above the served tip
 *   `tip`, or has been above it for too long. No other node could be asked, or none answered.
 * - `WrongChain`: the node belongs to another chain, and was not asked. `expected` and `found` are chain ids as the
 *   node writes them; `found` is null if the answer was not an id.
 * - `Refuted`: an integrity check found a lie in the answer. `expected`, `got` and the `anchor` that the
 *   answer contradicts are for the caller. `block` is the block of the answer, as the answer names it.
 * - `Unproven`: the node gave no proof of its answer. The remaining fields are the error that callers get if no other
 *   node does better.
 */
export class UpstreamError extends Schema.TaggedError<UpstreamError>()("UpstreamError", {
  reason: Schema.Union([
    Schema.TaggedStruct("Unreachable", { code: Schema.String }),
    Schema.TaggedStruct("TimedOut", { after: Schema.Number }),
    Schema.TaggedStruct("TooLarge", { limit: Schema.Number }),
    Schema.TaggedStruct("BadStatus", { status: Schema.Int, retryAfter: Schema.optionalKey(Schema.Number) }),
    Schema.TaggedStruct("Limited", { after: Schema.Number }),
    Schema.TaggedStruct("Disagreement", { agreed: Schema.Int, needed: Schema.Int, answered: Schema.Int }),
    Schema.TaggedStruct("Unconfirmed", { head: Schema.Number, tip: Schema.Number }),
    Schema.TaggedStruct("WrongChain", { expected: Schema.String, found: Schema.NullOr(Schema.String) }),
    Schema.TaggedStruct("Refuted", {
      check: Schema.String,
      expected: Schema.String,
      got: Schema.String,
      anchor: Schema.optionalKey(Schema.String),
      block: Schema.optionalKey(Schema.Struct({ number: Schema.Int, hash: Schema.optionalKey(Schema.String) }))
    }),
    Schema.TaggedStruct("Unproven", { code: Schema.Int, message: Schema.String, data: Schema.Unknown }),
    Schema.TaggedStruct("BadAnswer", {
      problem: Schema.Literals(["not JSON-RPC", "wrong id", "bad error object", "wrong result"])
    })
  ])
}) {
  /**
   * True if the node certainly did none of the requested work: there was no connection, or the node refused this
   * service's access.
   */
  get notDone(): boolean {
    const reason = this.reason
    return (
      reason._tag === "WrongChain" ||
      reason._tag === "Limited" ||
      (reason._tag === "Unreachable" && neverSent.has(reason.code)) ||
      (reason._tag === "BadStatus" && isAboutUs(reason.status))
    )
  }

  override get message(): string {
    const reason = this.reason
    switch (reason._tag) {
      case "Unreachable":
        return `the node cannot be reached (${reason.code})`
      case "TimedOut":
        return `the node did not answer within ${reason.after} ms`
      case "TooLarge":
        return `the node's answer is larger than ${reason.limit} bytes`
      case "BadStatus":
        return `the node answered with HTTP status ${reason.status}`
      case "Limited":
        return `the node is over its limit for ${reason.after} ms`
      case "Disagreement":
        return `${reason.agreed} of ${reason.answered} answers agree, ${reason.needed} are needed`
      case "Unconfirmed":
        return `the node's latest block is not believed: no other node confirms block ${reason.head}, and the tip is ${reason.tip}`
      case "WrongChain":
        return `the node is of another chain: its id is ${reason.found ?? "none"}, expected ${reason.expected}`
      case "Refuted":
        return `the node's answer is refuted: ${reason.check}`
      case "Unproven":
        return "the node gave no proof of its answer"
      case "BadAnswer":
        return `the node's answer is unusable: ${reason.problem}`
    }
  }
}

/** System codes of connections that were never established. */
const neverSent: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "NO_CONNECTION"
])

/**
 * True for statuses that concern this service (its key, its quota) and not the caller. With them a node refuses this
 * service before it reads the call.
 */
export const isAboutUs = (status: number): boolean =>
  status === 401 || status === 402 || status === 403 || status === 407 || status === 429
