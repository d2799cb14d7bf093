/**
 * A node behind one WebSocket. The node can push events.
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { WebSocket } from "ws"

import type { GatewayError } from "../errors/GatewayError.ts"
import * as Setting from "../schema/Setting.ts"
import { socketFields } from "./connectionSettings.ts"
import * as NodeAnswer from "./nodeAnswer.ts"
import * as NodeSocket from "./nodeSocket.ts"
import type { Subscribe, Upstream } from "./Upstream.ts"

const settings = Schema.Struct(socketFields)

/**
 * The URL of a node, and the limits of its connection.
 */
export interface WebSocketUpstreamOptions extends Setting.OptionsOf<typeof settings.Type> {
  /**
   * A URL with `ws` or `wss`. If it has a user and password, they are sent as Basic authentication. The URL may hold a
   * key, so it is never logged or returned.
   */
  readonly url: string | Redacted.Redacted
  /** Headers sent with the handshake. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
}

/**
 * The defaults of the options. Times are in milliseconds.
 */
export const defaults = Setting.defaultsOf(settings)

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
  const { maxAnswerBytes, ...bounds } = yield* Effect.fromResult(Setting.resolve(settings, options))
  const headers: Record<string, string> = {}
  const authorization = NodeAnswer.basicOf(url)
  if (authorization !== undefined) headers["authorization"] = authorization
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name] = NodeAnswer.reveal(value)
  url.username = ""
  url.password = ""
  url.hash = ""
  return yield* NodeSocket.make({
    open: () =>
      new WebSocket(url.href, {
        headers: { ...headers },
        maxPayload: maxAnswerBytes,
        perMessageDeflate: false,
        followRedirects: false
      }),
    redact: NodeAnswer.redactorOf(options),
    ...bounds,
    maxMessageBytes: maxAnswerBytes
  })
})
