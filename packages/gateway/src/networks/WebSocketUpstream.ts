/**
 * A node behind one WebSocket. The node can push events.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { WebSocket } from "ws"

import type { GatewayError } from "../errors/GatewayError.ts"
import * as NodeAnswer from "./nodeAnswer.ts"
import * as NodeSocket from "./nodeSocket.ts"
import { type Bounds, defaults as bounds, type Subscribe, type Upstream } from "./Upstream.ts"

/**
 * The URL of a node, and the limits of its connection.
 */
export interface WebSocketUpstreamOptions {
  /**
   * A URL with `ws` or `wss`. If it has a user and password, they are sent as Basic authentication. The URL may hold a
   * key, so it is never logged or returned.
   */
  readonly url: string | Redacted.Redacted
  /** Headers sent with the handshake. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** Time from the call to its answer, including the wait for a connection. Default 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** Maximum time to open the connection. Default 5 seconds. */
  readonly connectTimeout?: Duration.Input | undefined
  /** Maximum number of simultaneous calls; further calls wait. Default 1024. */
  readonly inFlight?: number | undefined
  /** Maximum size of a message in bytes. Default 64 MiB. */
  readonly maxAnswerBytes?: number | undefined
  /**
   * The interval between pings. The connection is closed if nothing arrives before the next ping. Default 15 seconds.
   */
  readonly heartbeat?: Duration.Input | undefined
  /**
   * The maximum wait before the next attempt to connect. The first wait is 100 ms, and each further wait is twice as
   * long. A random part of up to a half is subtracted. Default 5 seconds.
   */
  readonly maxBackoff?: Duration.Input | undefined
}

/**
 * The defaults of the options. Times are in milliseconds.
 */
export const defaults: Bounds & {
  readonly inFlight: number
  readonly heartbeat: number
  readonly maxBackoff: number
} = { ...bounds, inFlight: 1024, heartbeat: 15_000, maxBackoff: 5000 }

/**
 * Makes the upstream of the node at a URL. It connects with the first call, and again when a call or subscription needs
 * a connection. The connection closes with the scope.
 *
 * Only the envelope of an answer is checked, as in `HttpUpstream`. The bytes of the result are passed on untouched.
 * Answers may arrive in any order, and an answer with an unknown id is ignored. A message that is not JSON-RPC ends the
 * connection, because it could be the answer to any call.
 *
 * When the connection ends, its calls and subscriptions end with a fault. No call is sent again, because the node may
 * have done the work. A message over `maxAnswerBytes` ends the connection too, so use HTTP for large answers.
 *
 * ```ts import.meta.vitest
 * import { WebSocketUpstream } from "@plumbline/gateway"
 * import * as Effect from "effect/Effect"
 *
 * const nobody = WebSocketUpstream.make({ url: "ws://127.0.0.1:1/key" }).pipe(
 *   Effect.flatMap((node) => Effect.flip(node.call("eth_chainId", []))),
 *   Effect.scoped
 * )
 * const fault = await Effect.runPromise(nobody)
 * fault.message // => "the node cannot be reached (ECONNREFUSED)"
 * ```
 */
export const make = Effect.fnUntraced(function* (
  options: WebSocketUpstreamOptions
): Effect.fn.Return<Upstream & { readonly subscribe: Subscribe }, GatewayError, Scope.Scope> {
  const url = URL.parse(NodeAnswer.reveal(options.url))
  if (url === null || (url.protocol !== "ws:" && url.protocol !== "wss:")) {
    return yield* NodeAnswer.badOption("url", "must be a ws or wss URL")
  }
  const inFlight = options.inFlight ?? defaults.inFlight
  if (!(Number.isInteger(inFlight) && inFlight > 0)) {
    return yield* NodeAnswer.badOption("inFlight", "must be a whole number above zero")
  }
  const headers: Record<string, string> = {}
  const authorization = NodeAnswer.basicOf(url)
  if (authorization !== undefined) headers["authorization"] = authorization
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name] = NodeAnswer.reveal(value)
  url.username = ""
  url.password = ""
  url.hash = ""
  const maxMessageBytes = options.maxAnswerBytes ?? defaults.maxAnswerBytes
  return yield* NodeSocket.make({
    open: () =>
      new WebSocket(url.href, {
        headers: { ...headers },
        maxPayload: maxMessageBytes,
        perMessageDeflate: false,
        followRedirects: false
      }),
    redact: NodeAnswer.redactorOf(options),
    timeout: Duration.toMillis(options.timeout ?? defaults.timeout),
    connectTimeout: Duration.toMillis(options.connectTimeout ?? defaults.connectTimeout),
    inFlight,
    maxMessageBytes,
    heartbeat: Duration.toMillis(options.heartbeat ?? defaults.heartbeat),
    maxBackoff: Duration.toMillis(options.maxBackoff ?? defaults.maxBackoff)
  })
})
