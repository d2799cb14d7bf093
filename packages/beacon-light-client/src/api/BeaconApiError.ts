/**
 * The error of a beacon node that gave no answer. Its tagged reason says what failed.
 *
 * | reason              | meaning                                                                                 |
 * | ------------------- | --------------------------------------------------------------------------------------- |
 * | `EndpointError`     | the URL or a header is invalid                                                          |
 * | `UnavailableError`  | HTTP 404: the node does not have this object, although it may exist                      |
 * | `StatusError`       | the node answered with another failing HTTP status                                      |
 * | `ConnectionError`   | no answer arrived, or it broke off, or it was a redirect                                |
 * | `ProtocolError`     | the answer is not what the API promises: HTML, invalid JSON, too large                  |
 * | `TimeoutError`      | the answer was not complete in time                                                     |
 * | `UnknownForkError`  | the answer is of a fork that this version or the network's schedule does not have        |
 * | `OtherChainError`   | the node follows another beacon chain than the reader's network                         |
 *
 * An answer that was read and failed a check is a `RefutedError` instead.
 *
 * No error holds a URL, a header or the text of a server: `node` is the name that the endpoint has.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** A call of the API. */
export type BeaconApiCall =
  | "bootstrap"
  | "updates"
  | "finality_update"
  | "optimistic_update"
  | "spec"
  | "genesis"
  | "health"

/** The URL or a header is invalid. `field` names it. */
export class EndpointError extends Schema.TaggedError<EndpointError>()("EndpointError", {
  field: Schema.Literals(["url", "headers"]),
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.field} ${this.detail}`
  }
}

/** HTTP 404: the node does not have the object. Nodes keep the bootstraps of only a few blocks. */
export class UnavailableError extends Schema.TaggedError<UnavailableError>()("UnavailableError", {}) {
  override get message(): string {
    return "the node does not have it"
  }
}

/** The node answered with a failing HTTP status other than 404. */
export class StatusError extends Schema.TaggedError<StatusError>()("StatusError", { status: Schema.Int }) {
  override get message(): string {
    return `HTTP ${this.status}`
  }
}

/** No answer arrived, or it broke off. `detail` is made of safe parts, such as `connection failed (ECONNREFUSED)`. */
export class ConnectionError extends Schema.TaggedError<ConnectionError>()("ConnectionError", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** The answer is not what the API promises. */
export class ProtocolError extends Schema.TaggedError<ProtocolError>()("ProtocolError", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/** The answer was not complete in time. */
export class TimeoutError extends Schema.TaggedError<TimeoutError>()("TimeoutError", { after: Schema.Duration }) {
  override get message(): string {
    return `no whole answer within ${Duration.format(this.after)}`
  }
}

/**
 * The answer is of a fork that this version or the network's schedule does not have. That is a limit of this version,
 * and no fault of the node.
 */
export class UnknownForkError extends Schema.TaggedError<UnknownForkError>()("UnknownForkError", {
  fork: Schema.String
}) {
  override get message(): string {
    return `the fork ${this.fork} is not known to this version: update it, or give the network's file with this fork`
  }
}

/** The node follows another beacon chain than the reader's network. That is a matter of settings, and no lie. */
export class OtherChainError extends Schema.TaggedError<OtherChainError>()("OtherChainError", {
  network: Schema.String,
  expected: Schema.String,
  got: Schema.String
}) {
  override get message(): string {
    return `this beacon chain is not ${this.network}: expected ${this.expected}, got ${this.got}`
  }
}

/** The reasons, as a Schema. */
export const Reason = Schema.Union([
  EndpointError,
  UnavailableError,
  StatusError,
  ConnectionError,
  ProtocolError,
  TimeoutError,
  UnknownForkError,
  OtherChainError
])

/** The reasons why a node gave no answer. */
export type Reason = typeof Reason.Type

/**
 * A beacon node gave no answer.
 *
 * ```ts import.meta.vitest
 * import { BeaconApiError } from "@plumbline/beacon-light-client"
 *
 * const reason = new BeaconApiError.StatusError({ status: 503 })
 * const error = new BeaconApiError.BeaconApiError({ node: "https://beacon.example", call: "updates", reason })
 * error.message // => "https://beacon.example: updates: HTTP 503"
 * ```
 */
export class BeaconApiError extends Schema.TaggedError<BeaconApiError>()("BeaconApiError", {
  node: Schema.String,
  call: Schema.String,
  reason: Reason
}) {
  override get message(): string {
    return `${this.node}: ${this.call}: ${this.reason.message}`
  }
}
