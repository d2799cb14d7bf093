/**
 * The error of a command without an answer. Its tagged reason names the side that failed.
 *
 * | reason | failing side | meaning |
 * | --- | --- | --- |
 * | `MalformedError` | the caller, says the server | HTTP 400: an argument or option that it does not take |
 * | `UnauthorizedError` | the caller, says the server | HTTP 401: no key and secret, or wrong ones |
 * | `ForbiddenError` | the caller, says the server | HTTP 403: this command, origin or account is not let in |
 * | `UnknownCommandError` | the server | HTTP 404: it has no such command |
 * | `NotAllowedError` | the server | HTTP 405: it does not take this command by POST |
 * | `FailedError` | the server | HTTP 500, or another status: it tried, and could not |
 * | `StreamError` | the server | the answer had begun, and then it failed |
 * | `LengthError` | the server or the connection | the answer is shorter or longer than its header says |
 * | `TransportError` | the connection | no answer arrived, or it broke off |
 * | `ProtocolError` | the server | its answer is not what the API promises |
 * | `DecodeError` | the server | a value of its answer is not what the command promises |
 * | `EncodeError` | the caller | an argument or a name that cannot be sent |
 * | `TimeoutError` | unknown | neither side sent a byte for too long |
 *
 * Errors carry data that is safe to print. None of them holds the URL of a node, a header, a key, a secret, or the error
 * of the platform underneath.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** The position of a fault in a value: member names and array indices from the outside in. */
export type Path = ReadonlyArray<string | number>

const Path = Schema.Array(Schema.Union([Schema.String, Schema.Number]))

/** The content of a server's refusal: its HTTP status, its sentence, and in Kubo's own form a code. */
const said = {
  status: Schema.Int,
  message: Schema.String,
  /** 0 an ordinary failure, 1 of the client, 2 of the implementation, 3 rate limited, 4 forbidden. */
  code: Schema.optionalKey(Schema.Int)
}

/** HTTP 400: an argument is missing, or the server cannot read one. */
export class MalformedError extends Schema.TaggedError<MalformedError>()("MalformedError", said) {}

/** HTTP 401: the key and the secret are missing or wrong. */
export class UnauthorizedError extends Schema.TaggedError<UnauthorizedError>()("UnauthorizedError", said) {}

/** HTTP 403: this command, this origin or this account is not let in. */
export class ForbiddenError extends Schema.TaggedError<ForbiddenError>()("ForbiddenError", said) {}

/** HTTP 404: the server has no such command, or the URL is not that of its API. */
export class UnknownCommandError extends Schema.TaggedError<UnknownCommandError>()("UnknownCommandError", said) {}

/** HTTP 405: the server does not take this command by POST. */
export class NotAllowedError extends Schema.TaggedError<NotAllowedError>()("NotAllowedError", said) {}

/** HTTP 500, or a status without a separate error here: the server tried and failed. */
export class FailedError extends Schema.TaggedError<FailedError>()("FailedError", said) {}

/** The answer had begun when the server failed. `where` says where the failure was reported. */
export class StreamError extends Schema.TaggedError<StreamError>()("StreamError", {
  message: Schema.String,
  where: Schema.Literals(["trailer", "header", "value"]),
  code: Schema.optionalKey(Schema.Int)
}) {}

/** The answer has another length, in bytes, than the server said. Reading stops as soon as the answer is too long. */
export class LengthError extends Schema.TaggedError<LengthError>()("LengthError", {
  expected: Schema.Int,
  got: Schema.Int
}) {
  override get message(): string {
    return `the answer has ${this.got < this.expected ? "only" : "at least"} ${this.got} of ${this.expected} bytes`
  }
}

/**
 * No answer arrived, or it broke off.
 *
 * `detail` is a short text made of safe parts, such as `connection failed (ECONNREFUSED)`. `status` is the HTTP status
 * where there was one. `begun` is true if a part of the answer arrived. `retryable` says whether the same call may
 * succeed later; `retryAfter` is the wait the server asked for.
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

/** The answer is not what the API promises: no JSON, a line without an end, more than one value, too large. */
export class ProtocolError extends Schema.TaggedError<ProtocolError>()("ProtocolError", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** A value of the answer is not what the command promises. `path` leads to the place inside the value. */
export class DecodeError extends Schema.TaggedError<DecodeError>()("DecodeError", {
  path: Path,
  detail: Schema.String
}) {
  override get message(): string {
    return `answer${formatPath(this.path)}: ${this.detail}`
  }
}

/** An argument or option of the caller that cannot be sent. `name` is its name. */
export class EncodeError extends Schema.TaggedError<EncodeError>()("EncodeError", {
  name: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.name}: ${this.detail}`
  }
}

/** Neither side sent a byte for this time. The server may or may not have done the work. */
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
 * A command gave no answer, or not all of it.
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
 * error.message // => "cat: FailedError: this dag node is a directory"
 * error.retryable // => false
 * ```
 */
export class IpfsError extends Schema.TaggedError<IpfsError>()("IpfsError", {
  command: Schema.String,
  reason: Reason
}) {
  override get message(): string {
    return `${this.command}: ${this.reason._tag}: ${this.reason.message}`
  }

  /**
   * True if the same call may succeed later: no connection, HTTP 429, 502, 503 or 504, silence, or a node that says that
   * it is rate limited. The command may still be unsafe to repeat.
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
