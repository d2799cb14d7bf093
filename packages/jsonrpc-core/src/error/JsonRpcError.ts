/**
 * The reason why a call gave no result: one error with a tagged reason that names the side that failed.
 *
 * | reason | failed side | meaning |
 * | --- | --- | --- |
 * | `TransportError` | the connection | no JSON-RPC answer arrived |
 * | `RemoteError` | the server | it answered with an error object |
 * | `ProtocolError` | the server | the answer is not JSON-RPC 2.0, or does not answer this call |
 * | `DecodeError` | the server | the result does not fit the method's schema |
 * | `EncodeError` | the caller | a parameter does not fit the method's schema |
 * | `OptionsError` | the program | an option of a middleware is impossible |
 * | `TimeoutError` | unknown | no answer in time |
 * | `DisagreementError` | some of the servers | too few servers gave the same answer |
 * | `MovedError` | neither side | the subject of the calls changed between the calls of one read |
 *
 * A result of `null` is a value, not an error. Errors carry data that is safe to print. No error holds the URL of a
 * node, a header, or the error of the platform underneath.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

import * as RemoteKind from "./RemoteKind.ts"

/** The path to the wrong part of a value: member names and array indices from the outside in. */
export type ValuePath = ReadonlyArray<string | number>

const ValuePath = Schema.Array(Schema.Union([Schema.String, Schema.Number]))

/**
 * No JSON-RPC answer arrived: no connection, or an HTTP status without a JSON-RPC body.
 *
 * `detail` is a short text made of safe parts, such as `connection failed (ECONNREFUSED)`. `status` is the HTTP status,
 * if there is one. `said` is the sentence in the body of that status, such as `invalid project id`: one line of at most
 * 200 characters, without secrets of the transport. An HTML page has no such sentence. If a WebSocket handshake is
 * refused, the class of `ws` reports status and sentence; a browser reports neither. `retryable` is true if the same
 * call may succeed later; the method says if repeating the call is safe. `retryAfter` is the wait that the server asked
 * for. `withheld` is true if this client never sent the call, because of its own rate limit or an open circuit. `closed`
 * is true if the server closed the connection before its answer began. `tooLarge` is true if an answer over HTTP exceeded
 * the maximum size of this client; over a session such an answer ends the connection.
 */
export class TransportError extends Schema.TaggedError<TransportError>()("TransportError", {
  detail: Schema.String,
  status: Schema.optionalKey(Schema.Int),
  said: Schema.optionalKey(Schema.String),
  retryable: Schema.Boolean,
  retryAfter: Schema.optionalKey(Schema.Duration),
  withheld: Schema.optionalKey(Schema.Boolean),
  closed: Schema.optionalKey(Schema.Boolean),
  tooLarge: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return this.said === undefined ? this.detail : `${this.detail}: ${this.said}`
  }
}

/**
 * The server answered with an error object.
 *
 * `message` and `data` come from the server, with secrets of the transport removed. `status` and `retryAfter` are
 * present if the answer came with a failing HTTP status. `retryAfter` is also present if the error itself states a
 * wait. `kind` is the meaning of the error, by the table of `RemoteKind`.
 */
export class RemoteError extends Schema.TaggedError<RemoteError>()("RemoteError", {
  code: Schema.Int,
  message: Schema.String,
  data: Schema.optionalKey(Schema.Unknown),
  status: Schema.optionalKey(Schema.Int),
  retryAfter: Schema.optionalKey(Schema.Duration)
}) {
  get kind(): RemoteKind.RemoteKind {
    return RemoteKind.of(this)
  }
}

/** The answer is not JSON-RPC 2.0, or does not answer this call. */
export class ProtocolError extends Schema.TaggedError<ProtocolError>()("ProtocolError", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** The result does not fit the method's schema. `path` leads to the wrong part of the result. */
export class DecodeError extends Schema.TaggedError<DecodeError>()("DecodeError", {
  path: ValuePath,
  detail: Schema.String
}) {
  override get message(): string {
    return `result${formatPath(this.path)}: ${this.detail}`
  }
}

/** A parameter does not fit the method's schema. `path` begins with the parameter's name. */
export class EncodeError extends Schema.TaggedError<EncodeError>()("EncodeError", {
  path: ValuePath,
  detail: Schema.String
}) {
  override get message(): string {
    return `params${formatPath(this.path)}: ${this.detail}`
  }
}

/**
 * An option of a middleware is impossible, so no call is sent. `option` names it, such as `Retry.times`.
 *
 * It concerns the whole client, so no other node is asked.
 */
export class OptionsError extends Schema.TaggedError<OptionsError>()("OptionsError", {
  option: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `the option ${this.option} ${this.detail}`
  }
}

/** No answer arrived in time. The server may or may not have done the work. */
export class TimeoutError extends Schema.TaggedError<TimeoutError>()("TimeoutError", {
  after: Schema.Duration
}) {
  override get message(): string {
    return `no answer within ${Duration.format(this.after)}`
  }
}

/** The answer of one of several nodes: a result as the JSON value that arrived, or the sentence of its error. */
export const AnswerOfNode = Schema.Struct({
  node: Schema.String,
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.String)
})

/** The answer of one of several nodes. */
export type AnswerOfNode = typeof AnswerOfNode.Type

/** Fewer than `needed` of the nodes asked gave the same answer. `answers` holds the answer of each node. */
export class DisagreementError extends Schema.TaggedError<DisagreementError>()("DisagreementError", {
  needed: Schema.Int,
  answers: Schema.Array(AnswerOfNode)
}) {
  override get message(): string {
    return `fewer than ${this.needed} of ${this.answers.length} nodes agree`
  }
}

/**
 * The calls of one read met different states of their subject, twice in a row. A chain causes this while it
 * reorganises, so the server is not to blame. `detail` names the answers that contradict each other.
 */
export class MovedError extends Schema.TaggedError<MovedError>()("MovedError", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** The reasons, as a Schema. */
export const Reason = Schema.Union([
  TransportError,
  RemoteError,
  ProtocolError,
  DecodeError,
  EncodeError,
  OptionsError,
  TimeoutError,
  DisagreementError,
  MovedError
])

/** The reason of an error: the side that failed, and the failure. */
export type Reason = typeof Reason.Type

/**
 * A call gave no result. `node` is the name of the node that failed, if a `Fallback` or `Hedge` had several to ask, also
 * in a `Stack`. What the nodes of a `Quorum` answered is in `DisagreementError`.
 *
 * Handle one reason with `Effect.catchReason("JsonRpcError", "RemoteError", ...)`.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcError } from "@plumbline/jsonrpc-core"
 *
 * const error = new JsonRpcError.JsonRpcError({
 *   method: "eth_getProof",
 *   reason: new JsonRpcError.RemoteError({ code: -32000, message: "header not found" })
 * })
 * error.message // => "eth_getProof: header not found (code -32000)"
 * error.retryable // => false
 * ```
 */
export class JsonRpcError extends Schema.TaggedError<JsonRpcError>()("JsonRpcError", {
  method: Schema.String,
  reason: Reason,
  node: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const { node, reason } = this
    const notes = [
      ...(reason._tag === "RemoteError" ? [`code ${reason.code}`] : []),
      ...(node === undefined ? [] : [`node ${node}`])
    ]
    return `${this.method}: ${reason.message}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`
  }

  /**
   * True if the same call may succeed later: no connection, HTTP 429, 502, 503 or 504, no answer in time, a
   * `MovedError`, or an error of the kind `rateLimited`, `timedOut` or `unavailable`.
   *
   * `notDone` says if the call is safe to repeat.
   */
  get retryable(): boolean {
    const reason = this.reason
    switch (reason._tag) {
      case "TransportError":
        return reason.retryable
      case "RemoteError":
        return retryableKinds.has(reason.kind)
      case "TimeoutError":
      case "MovedError":
        return true
      default:
        return false
    }
  }

  /**
   * True if the server certainly did not do the call. Then the call is safe to send again, to this node or to another,
   * even if it is not idempotent.
   *
   * Either the call was never sent, or the server rejected it before doing any work, because of a limit, a key, or a
   * kind of call that it does not accept. A connection fault does not prove this. HTTP 503 does not prove it either: a
   * proxy also sends 503 when it loses a server that already has the call.
   */
  get notDone(): boolean {
    const reason = this.reason
    switch (reason._tag) {
      case "TransportError":
        return reason.withheld === true || refusingStatuses.has(reason.status)
      case "RemoteError":
        return RemoteKind.isNotDone(reason.kind)
      case "EncodeError":
      case "OptionsError":
        return true
      default:
        return false
    }
  }

  /** The wait that the server asked for before the next try. */
  get retryAfter(): Duration.Duration | undefined {
    const reason = this.reason
    return reason._tag === "TransportError" || reason._tag === "RemoteError" ? reason.retryAfter : undefined
  }
}

/** True if the HTTP status says that the same request may succeed later: 429, 502, 503 or 504. */
export const isRetryableStatus = (status: number): boolean =>
  status === 429 || status === 502 || status === 503 || status === 504

const retryableKinds: ReadonlySet<RemoteKind.RemoteKind> = /* @__PURE__ */ new Set([
  "rateLimited",
  "timedOut",
  "unavailable"
])

const refusingStatuses: ReadonlySet<number | undefined> = /* @__PURE__ */ new Set([401, 402, 403, 413, 429])

const formatPath = (path: ValuePath): string =>
  path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("")
