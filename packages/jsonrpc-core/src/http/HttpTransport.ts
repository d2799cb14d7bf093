/**
 * A transport over HTTP: one POST per packet, with the `fetch` of the platform.
 *
 * It runs on every platform with `fetch`. In Node `UndiciTransport` does the same at less cost. `HttpClientTransport`
 * is for programs that have their own Effect `HttpClient`.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import { Transport } from "../transport/Transport.ts"
import * as HttpCallbackExchange from "./callbackExchange.ts"
import * as HttpConnectFailure from "./connectFailure.ts"
import type * as HttpEndpoint from "./httpEndpoint.ts"
import * as HttpPackets from "./httpPackets.ts"
import * as HttpReply from "./httpReply.ts"

export { defaults, type HttpEndpoint } from "./httpEndpoint.ts"

/** The URL, the headers, the bounds of time and size, and the `fetch` to use. */
export interface HttpTransportOptions extends HttpEndpoint.HttpEndpoint {
  /** A function to use instead of the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/**
 * Provides a transport to one URL.
 *
 * `callAll` sends one batch. Replies are matched by id. A reply that is missing, double or unknown fails only its own
 * call. An error object in place of the batch is the error of each call.
 *
 * A failing HTTP status is a `TransportError` with the server's Retry-After, even if its body breaks off. It is
 * `retryable` for 429, 502, 503 and 504. If the body is a JSON-RPC error, the outcome is a `RemoteError` with the
 * status instead. A connection that fails, or breaks in the middle of an answer, is a `TransportError`. It is
 * `retryable` except for permanent faults such as a wrong certificate. An answer that is not JSON is a `ProtocolError`
 * that describes what arrived. If the server closed the connection before its answer began, as servers do with
 * connections that were kept too long, a packet of idempotent calls is sent once more, at once. Redirects are refused,
 * because headers could carry a key to another host. Interruption and the timeout abort the request.
 *
 * With a tracer in the context, each request carries the `traceparent` of its call (W3C Trace Context).
 *
 * No error contains the URL or a header. If a server's message repeats a secret from the URL or a header, the secret is
 * replaced. Only the code of the platform's error is kept.
 *
 * ```ts import.meta.vitest
 * import { HttpTransport, JsonRpcClient, Method, MethodGroup } from "@plumbline/jsonrpc-core"
 * import { Effect, Schema } from "effect"
 *
 * const group = MethodGroup.make(Method.make("eth_chainId", { params: [], result: Schema.String }))
 * const node: typeof fetch = async () => Response.json({ jsonrpc: "2.0", id: 1, result: "0x1" })
 *
 * const program = Effect.flatMap(JsonRpcClient.make(group), (client) => client.eth_chainId())
 * const transport = HttpTransport.layer({ url: "https://node.example/v3/key", timeout: "5 seconds", fetch: node })
 * await Effect.runPromise(Effect.provide(program, transport)) // => "0x1"
 * ```
 */
export const layer = (options: HttpTransportOptions): Layer.Layer<Transport> => Layer.effect(Transport, make(options))

/** Returns the transport as a value, for a program with several transports. */
export const make = (options: HttpTransportOptions): Effect.Effect<Transport["Service"]> =>
  Effect.sync(() =>
    HttpPackets.make(options, (target) => {
      const headers = new Headers(Object.fromEntries(target.headers))
      return (body, isRepeatable) =>
        HttpCallbackExchange.make(
          (settle, clock, traceparent) => {
            const controller = new AbortController()
            const { signal } = controller
            const sent = new Headers(headers)
            if (traceparent !== undefined) sent.set("traceparent", traceparent)
            const request = { method: "POST", headers: sent, body, redirect: "manual", signal } as const
            const post = (): Promise<Response> => (options.fetch ?? globalThis.fetch)(target.url, request)
            void exchange(post, signal, target.maxBytes, clock).then(settle)
            return () => controller.abort()
          },
          target.timeout,
          isRepeatable
        )
    })
  )

const exchange = async (
  post: () => Promise<Response>,
  signal: AbortSignal,
  maxBytes: number,
  clock: Clock.Clock
): Promise<HttpCallbackExchange.ExchangeOutcome> => {
  let response: Response
  try {
    response = await post()
  } catch (error) {
    return Result.fail(HttpConnectFailure.unanswered(error))
  }
  const reply = new HttpReply.HttpReply(head(response), maxBytes)
  if (response.body !== null) {
    try {
      await readBody(response.body, reply, signal)
    } catch (error) {
      return reply.breakOff(error, clock)
    }
  }
  return reply.end(clock)
}

/** Reads to the end of the body, or until the outcome no longer depends on the rest. */
const readBody = async (
  body: ReadableStream<Uint8Array>,
  reply: HttpReply.HttpReply,
  signal: AbortSignal
): Promise<void> => {
  const reader = body.getReader()
  while (!reply.isDecided && !signal.aborted) {
    const { done, value } = await reader.read()
    if (done) {
      return
    }
    reply.push(value)
  }
  // The rest of the body is not needed, so a failure to cancel it is ignored.
  reader.cancel().catch(() => {})
}

const head = ({ status, headers, redirected }: Response): HttpReply.HttpReplyHead => ({
  // Some platforms follow redirects although the request forbids them.
  status: redirected ? 0 : status,
  contentLength: headers.get("content-length") ?? undefined,
  contentType: headers.get("content-type") ?? undefined,
  contentEncoding: headers.get("content-encoding") ?? undefined,
  retryAfter: headers.get("retry-after") ?? undefined
})
