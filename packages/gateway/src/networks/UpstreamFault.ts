/**
 * The error of a node that gave no answer.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A node that could not be reached, or whose answer is none. What the node itself refuses is not a fault but an answer:
 * an error object, passed on as it is.
 *
 * It holds no URL and no text of the node's, so that neither can reach a caller or a log.
 *
 * - `Unreachable`: no connection, or it broke; `code` is the system's (`ECONNREFUSED`, `UND_ERR_SOCKET`, ...).
 * - `TimedOut`: no whole answer within `after` milliseconds.
 * - `TooLarge`: more than `limit` bytes.
 * - `BadStatus`: an HTTP status that is about this service's standing with the node (401, 429, ...), or a failure
 *   without a JSON-RPC error.
 * - `BadAnswer`: not a response to the request sent; `problem` says what is wrong with it. A `wrong result` is JSON-RPC,
 *   and not what the method answers with.
 * - `WrongChain`: the node is of another chain, and was not asked. `expected` and `found` are chain ids as the node writes
 *   them; `found` is null if it was no id.
 *
 * @since 0.1.0
 */
export class UpstreamFault extends Schema.TaggedError<UpstreamFault>()("UpstreamFault", {
  reason: Schema.Union([
    Schema.TaggedStruct("Unreachable", { code: Schema.String }),
    Schema.TaggedStruct("TimedOut", { after: Schema.Number }),
    Schema.TaggedStruct("TooLarge", { limit: Schema.Number }),
    Schema.TaggedStruct("BadStatus", { status: Schema.Int }),
    Schema.TaggedStruct("WrongChain", { expected: Schema.String, found: Schema.NullOr(Schema.String) }),
    Schema.TaggedStruct("BadAnswer", {
      problem: Schema.Literals(["not JSON-RPC", "wrong id", "bad error object", "wrong result"])
    })
  ])
}) {
  /**
   * Whether it is known that the node did nothing of what was asked: there was no connection, or it did not let this
   * service in.
   */
  get notDone(): boolean {
    const reason = this.reason
    return (
      reason._tag === "WrongChain" ||
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
      case "WrongChain":
        return `the node is of another chain: its id is ${reason.found ?? "none"}, expected ${reason.expected}`
      case "BadAnswer":
        return `the node's answer is unusable: ${reason.problem}`
    }
  }
}

/** Codes of connections that never stood. */
const neverSent: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "NO_CONNECTION"
])

/** Statuses by which a node turns this service away before it looks at the call. */
const refusedEntry: ReadonlySet<number> = new Set([401, 402, 403, 407, 429])
