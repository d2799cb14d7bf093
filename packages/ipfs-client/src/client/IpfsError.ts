/**
 * The error of a command that got no complete answer. Its tagged reason names the side that failed.
 *
 * | reason | failing side | meaning |
 * | --- | --- | --- |
 * | `MalformedError` | the caller, according to the server | HTTP 400: the server refuses an argument or option |
 * | `UnauthorizedError` | the caller, according to the server | HTTP 401: the key and secret are missing or wrong |
 * | `ForbiddenError` | the caller, according to the server | HTTP 403: this command, origin or account is not allowed |
 * | `UnknownCommandError` | the server | HTTP 404: the server has no such command |
 * | `NotAllowedError` | the server | HTTP 405: the server does not accept this command by POST |
 * | `FailedError` | the server | HTTP 500, or another status: the server tried and failed |
 * | `StreamError` | the server | the server failed after the answer had begun |
 * | `LengthError` | the server or the connection | the answer is shorter or longer than its header says |
 * | `TransportError` | the connection | no answer arrived, or the answer broke off |
 * | `ProtocolError` | the server | the answer does not have the form that the API promises |
 * | `DecodeError` | the server | a value of the answer does not fit the command's Schema |
 * | `EncodeError` | the caller | an argument or a name that cannot be sent |
 * | `TimeoutError` | unknown | neither side sent a byte for too long |
 *
 * Errors contain only data that is safe to print, and never the URL of a node, a header, a key, a secret, or the
 * platform's own error.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** The position of a fault in a value: member names and array indices from the outside in. */
export type Path = ReadonlyArray<string | number>

const Path = Schema.Array(Schema.Union([Schema.String, Schema.Number]))

/** The fields of a server's refusal: its HTTP status, its sentence, and a code if Kubo sent one. */
const said = {
  status: Schema.Int,
  message: Schema.String,
  /** Kubo's code: 0 ordinary failure, 1 client error, 2 implementation error, 3 rate limited, 4 forbidden. */
  code: Schema.optionalKey(Schema.Int)
}

/** HTTP 400: an argument is missing, or the server cannot read one. */
export class MalformedError extends Schema.TaggedError<MalformedError>()("MalformedError", said) {}

/** HTTP 401: the key and the secret are missing or wrong. */
export class UnauthorizedError extends Schema.TaggedError<UnauthorizedError>()("UnauthorizedError", said) {}

/** HTTP 403: this command, this origin or this account is not allowed. */
export class ForbiddenError extends Schema.TaggedError<ForbiddenError>()("ForbiddenError", said) {}

/** HTTP 404: the server has no such command, or the URL does not lead to its API. */
export class UnknownCommandError extends Schema.TaggedError<UnknownCommandError>()("UnknownCommandError", said) {}

/** HTTP 405: the server does not accept this command by POST. */
export class NotAllowedError extends Schema.TaggedError<NotAllowedError>()("NotAllowedError", said) {}

/** HTTP 500, or a status without a separate error here: the server tried and failed. */
export class FailedError extends Schema.TaggedError<FailedError>()("FailedError", said) {}

/** The server failed after the answer had begun. `where` names the place that reported the failure. */
export class StreamError extends Schema.TaggedError<StreamError>()("StreamError", {
  message: Schema.String,
  where: Schema.Literals(["trailer", "header", "value"]),
  code: Schema.optionalKey(Schema.Int)
}) {}

/**
 * The length of the answer, in bytes, differs from the announced one. Reading stops as soon as the answer is too long.
 */
export class LengthError extends Schema.TaggedError<LengthError>()("LengthError", {
  expected: Schema.Int,
  got: Schema.Int
}) {
  override get message(): string {
    return `the answer has ${this.got < this.expected ? "only" : "at least"} ${this.got} of ${this.expected} bytes`
  }
}

/**
 * No answer arrived, or the answer broke off.
 *
 * `detail` is a short text made of safe parts, such as `connection failed (ECONNREFUSED)`. `status` is the HTTP status
 * if there was one. `begun` is true if a part of the answer arrived. `retryable` is true if the same call may succeed
 * later; `retryAfter` is the wait that the server requested.
 */
export class TransportError extends Schema.TaggedError<TransportError>()("TransportError", {
  detail: Schema.String,
  begun: Schema.Boolean,
  status: Schema.optionalKey(Schema.Int),
  retryable: Schema.Boolean,
  retryAfter: Schema.optionalKey(Schema.Duration)
}) {
  override get message(): string {
    return this.detail
  }
}

/**
 * The answer does not have the form that the API promises: not JSON, an unfinished line, several values, or too large.
 */
export class ProtocolError extends Schema.TaggedError<ProtocolError>()("ProtocolError", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** A value of the answer does not fit the command's Schema. `path` leads to the place inside the value. */
export class DecodeError extends Schema.TaggedError<DecodeError>()("DecodeError", {
  path: Path,
  detail: Schema.String
}) {
  override get message(): string {
    return `answer${formatPath(this.path)}: ${this.detail}`
  }
}

/** The caller's argument or option `name` cannot be sent. */
export class EncodeError extends Schema.TaggedError<EncodeError>()("EncodeError", {
  name: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.name} ${this.detail}`
  }
}

/** Neither side sent a byte for this time. The server may or may not have carried out the command. */
export class TimeoutError extends Schema.TaggedError<TimeoutError>()("TimeoutError", {
  after: Schema.Duration
}) {
  override get message(): string {
    return `silence for ${Duration.format(this.after)}`
  }
}

/** The reasons, as a Schema. */
export const Reason = Schema.Union([
  MalformedError,
  UnauthorizedError,
  ForbiddenError,
  UnknownCommandError,
  NotAllowedError,
  FailedError,
  StreamError,
  LengthError,
  TransportError,
  ProtocolError,
  DecodeError,
  EncodeError,
  TimeoutError
])

/** The side that failed, and the way in which it failed. */
export type Reason = typeof Reason.Type

/**
 * A command got no answer, or only a part of it.
 *
 * Handle one reason with `Effect.catchReason("IpfsError", "FailedError", ...)`.
 *
 * ```ts import.meta.vitest
 * import { IpfsError } from "@plumbline/ipfs-client"
 *
 * const error = new IpfsError.IpfsError({
 *   command: "cat",
 *   reason: new IpfsError.FailedError({ status: 500, message: "this dag node is a directory", code: 0 })
 * })
 * error.message // => "cat: this dag node is a directory"
 * error.retryable // => false
 * ```
 */
export class IpfsError extends Schema.TaggedError<IpfsError>()("IpfsError", {
  command: Schema.String,
  reason: Reason
}) {
  override get message(): string {
    return `${this.command}: ${this.reason.message}`
  }

  /**
   * True if the same call may succeed later: after a failed connection, HTTP 429, 502, 503 or 504, a timeout, or a rate
   * limit of the node. The command may still be unsafe to repeat.
   */
  get retryable(): boolean {
    const reason = this.reason
    switch (reason._tag) {
      case "TransportError":
        return reason.retryable
      case "FailedError":
        return reason.code === RATE_LIMITED
      case "TimeoutError":
        return true
      default:
        return false
    }
  }

  /** The time that the server asks the client to wait before the next try. */
  get retryAfter(): Duration.Duration | undefined {
    return this.reason._tag === "TransportError" ? this.reason.retryAfter : undefined
  }
}

/** The code of go-ipfs-cmds for a rate limit. */
const RATE_LIMITED = 3

const formatPath = (path: Path): string =>
  path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("")
