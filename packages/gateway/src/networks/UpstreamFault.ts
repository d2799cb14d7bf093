/**
 * The error of a node that gave no answer.
 */
import * as Schema from "effect/Schema"

/**
 * A node that could not be reached, or whose answer is invalid. A refusal by the node itself is not a fault but an
 * answer: an error object, passed on unchanged.
 *
 * It holds no URL and no text of the node's, so that neither can reach a caller or a log.
 *
 * - `Unreachable`: no connection, or it broke; `code` is the system's (`ECONNREFUSED`, `UND_ERR_SOCKET`, ...).
 * - `TimedOut`: no whole answer within `after` milliseconds.
 * - `TooLarge`: more than `limit` bytes.
 * - `BadStatus`: an HTTP status about this service's account at the node (401, 429, ...), or a failure without a
 *   JSON-RPC error. `retryAfter` is the wait in milliseconds that the node asked for.
 * - `Limited`: the node was not asked, because it asked for a rest or its budget is used up. It can be asked `after`
 *   milliseconds.
 * - `BadAnswer`: not a response to the request sent; `problem` describes the flaw. A `wrong result` is valid
 *   JSON-RPC, but not a result of the method.
 * - `Disagreement`: of the nodes that were asked the same, `answered` gave an answer and at most `agreed` of them the
 *   same one, where `needed` were required.
 * - `WrongChain`: the node is of another chain, and was not asked. `expected` and `found` are chain ids as the node
 *   writes them; `found` is null if the answer was not an id.
 * - `Refuted`: a check of integrity found a lie in the answer. `expected` and `got` are for the caller.
 * - `Unproven`: the node gave no proof of its answer. The rest is the error that callers get if no node does better.
 */
export class UpstreamFault extends Schema.TaggedError<UpstreamFault>()("UpstreamFault", {
  reason: Schema.Union([
    Schema.TaggedStruct("Unreachable", { code: Schema.String }),
    Schema.TaggedStruct("TimedOut", { after: Schema.Number }),
    Schema.TaggedStruct("TooLarge", { limit: Schema.Number }),
    Schema.TaggedStruct("BadStatus", { status: Schema.Int, retryAfter: Schema.optionalKey(Schema.Number) }),
    Schema.TaggedStruct("Limited", { after: Schema.Number }),
    Schema.TaggedStruct("Disagreement", { agreed: Schema.Int, needed: Schema.Int, answered: Schema.Int }),
    Schema.TaggedStruct("WrongChain", { expected: Schema.String, found: Schema.NullOr(Schema.String) }),
    Schema.TaggedStruct("Refuted", { check: Schema.String, expected: Schema.String, got: Schema.String }),
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
      (reason._tag === "BadStatus" && refusedEntry.has(reason.status))
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

/** Codes of connections that were never established. */
const neverSent: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "NO_CONNECTION"
])

/** Statuses with which a node refuses this service before it reads the call. */
const refusedEntry: ReadonlySet<number> = new Set([401, 402, 403, 407, 429])
