/** A transport over one WebSocket for calls and subscriptions. It reconnects when the connection breaks. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

import * as HttpEndpoint from "../http/httpEndpoint.ts"
import type { Subscriptions } from "../transport/Subscriptions.ts"
import type { Transport } from "../transport/Transport.ts"
import type { WebSocketClass, WebSocketLike } from "./platform.ts"
import * as WebSocketReconnection from "./reconnection.ts"
import * as SocketTransport from "./socketTransport.ts"
import * as WebSocketEndpoint from "./webSocketEndpoint.ts"

export type { WebSocketClass, WebSocketLike }

/** The URL, the headers, and the bounds of time and size. */
export interface WebSocketTransportOptions {
  /**
   * The URL of the node, which may contain an API key. A name and password in the URL are sent as Basic authentication,
   * which needs the class of `ws`.
   */
  readonly url: string | Redacted.Redacted
  /** Subprotocols to offer. */
  readonly protocols?: string | ReadonlyArray<string> | undefined
  /** Headers of the handshake. They need the class of `ws`, because browsers cannot send headers. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** A class to use instead of the platform's `WebSocket`, such as the class of `ws`. */
  readonly webSocket?: WebSocketClass | undefined
  /** Time limit from a call to its answer, including the wait for a connection. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** Time limit of the handshake. Default: 10 seconds. */
  readonly connectTimeout?: Duration.Input | undefined
  /**
   * The detection of a dead peer. After `interval` (default: 30 seconds) without any message the peer gets a ping. If
   * nothing arrives within `timeout` (default: 10 seconds), the connection is closed.
   *
   * If the platform cannot ping, as in browsers, the transport calls `method` (default: `rpc.ping`) instead. Any answer
   * counts, even an error, but a provider may charge for the call. `heartbeat: false` switches the detection off.
   */
  readonly heartbeat?:
    | {
        readonly interval?: Duration.Input | undefined
        readonly timeout?: Duration.Input | undefined
        readonly method?: string | undefined
      }
    | false
    | undefined
  /**
   * The wait between one connection and the next. It begins with `initial` (default: 100 ms), grows by `factor`
   * (default: 2) up to `max` (default: 30 seconds), and is reduced by a random part of up to `jitter` (default: 0.5). A
   * connection that lasts as long as `max` resets the wait. A `Retry-After` makes the wait longer, up to `max`.
   */
  readonly backoff?:
    | {
        readonly initial?: Duration.Input | undefined
        readonly factor?: number | undefined
        readonly max?: Duration.Input | undefined
        readonly jitter?: number | undefined
      }
    | undefined
  /** Maximum number of calls in flight; others wait for their turn. Default: 1024. */
  readonly maxInFlight?: number | undefined
  /** Maximum size of a message to read, in bytes; text from the platform counts by its length. Default: 32 MiB. */
  readonly maxBytes?: number | undefined
  /**
   * Maximum number of bytes that wait in the platform to be sent; while there are more, callers wait. Default: 1 MiB.
   */
  readonly maxBufferedBytes?: number | undefined
  /** Maximum number of notifications that wait for each subscriber, besides the bound of `maxBytes`. Default: 1024. */
  readonly buffer?: number | undefined
  /**
   * The policy for notifications beyond the bound of `buffer`. `gap` (the default) drops the oldest notifications, and
   * the subscriber gets the number of dropped notifications.
   *
   * `wait` stops reading when the buffer is half full, until the subscriber has read, so that the server has to wait.
   * Every other subscriber and the heartbeat wait too. Up to 1 MiB that the platform had already received is kept.
   * `wait` needs the class of `ws`. It never delays the answer to a call: while a call is in flight, and on platforms
   * that cannot stop reading, `wait` acts as `gap`.
   */
  readonly overflow?: "gap" | "wait" | undefined
}

/** The defaults of the options. Times that are numbers are in milliseconds. */
export const defaults: {
  readonly timeout: Duration.Input
  readonly connectTimeout: Duration.Input
  readonly heartbeat: { readonly interval: number; readonly timeout: number; readonly method: string }
  readonly backoff: { readonly initial: number; readonly factor: number; readonly max: number; readonly jitter: number }
  readonly maxInFlight: number
  readonly maxBytes: number
  readonly maxBufferedBytes: number
  readonly buffer: number
  readonly overflow: "gap" | "wait"
} = {
  ...HttpEndpoint.defaults,
  ...SocketTransport.defaults,
  heartbeat: { interval: 30_000, timeout: 10_000, method: "rpc.ping" },
  backoff: WebSocketReconnection.DEFAULT_BACKOFF,
  maxBufferedBytes: 1024 * 1024
}

/**
 * Provides a transport to one URL, and subscriptions over the same connection.
 *
 * It connects with the first call or subscription. A call waits for the connection; if no connection can be made, the
 * call fails with a `TransportError`. When the connection breaks, calls in flight fail with a `TransportError` too.
 * This error is retryable, but the server may or may not have done the work. The next connection is made when a
 * call needs it, or at once if there are subscriptions, but never sooner than `backoff` allows. Subscriptions are made
 * again on the new connection, and their streams get the `Gap` of `reconnected`. If the server refuses the
 * subscription, or refuses the handshake permanently (as with status 401), the stream fails.
 *
 * When a stream ends, it unsubscribes at the server, without waiting for the answer. Closing the scope closes the
 * connection; calls in flight fail.
 *
 * Replies to a batch are matched by id, in one array or one by one. A refusal that names no call belongs to the only
 * packet in flight. If several packets are in flight, the refusal is held until all but one are answered. A message
 * that is not JSON-RPC ends the connection, unless it can be the answer to the only packet in flight. Answers to
 * abandoned calls are ignored.
 *
 * If the server refuses the handshake with HTTP, the error contains the status and, as over HTTP, the sentence in the
 * body. The transport waits for the body for at most a second. This needs the class of `ws`. Browsers and Node's own
 * `WebSocket` hide the server's answer, so there the error is a retryable `connection failed`.
 *
 * No error contains the URL, a header or a subprotocol. If a server's message repeats a secret from one of these, the
 * secret is replaced.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcClient, Method, MethodGroup, WebSocketTransport } from "@plumbline/jsonrpc-core"
 * import { Effect, Schema } from "effect"
 *
 * // In place of the platform's: one that leads to a server of one answer.
 * class WebSocket extends EventTarget {
 *   binaryType = "blob"
 *   bufferedAmount = 0
 *   constructor() {
 *     super()
 *     queueMicrotask(() => this.dispatchEvent(new Event("open")))
 *   }
 *   send(text: string) {
 *     const data = JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(text).id, result: "0x1" })
 *     this.dispatchEvent(new MessageEvent("message", { data }))
 *   }
 *   close() {}
 * }
 *
 * const group = MethodGroup.make(Method.make("eth_chainId", { params: [], result: Schema.String }))
 * const program = Effect.flatMap(JsonRpcClient.make(group), (client) => client.eth_chainId())
 * const transport = WebSocketTransport.layer({ url: "wss://node.example/v3/key", webSocket: WebSocket })
 * await Effect.runPromise(Effect.provide(program, transport)) // => "0x1"
 * ```
 */
export const layer = (options: WebSocketTransportOptions): Layer.Layer<Transport | Subscriptions> =>
  SocketTransport.layer(make(options))

/** Returns the transport as a value, for a program with several transports. Closing the scope closes the connection. */
export const make = (
  options: WebSocketTransportOptions
): Effect.Effect<Transport["Service"] & Subscriptions["Service"], never, Scope.Scope> =>
  Effect.suspend(() => {
    const { backoff, heartbeat } = options
    const maxBytes = options.maxBytes ?? defaults.maxBytes
    const usual = defaults.backoff
    return SocketTransport.make({
      ...WebSocketEndpoint.make(options),
      maxInFlight: options.maxInFlight,
      maxBytes,
      timeout: Duration.fromInputUnsafe(options.timeout ?? defaults.timeout),
      unread: { items: Math.max(1, options.buffer ?? defaults.buffer), bytes: maxBytes },
      mayPause: (options.overflow ?? defaults.overflow) === "wait",
      maxBufferedBytes: options.maxBufferedBytes ?? defaults.maxBufferedBytes,
      connectTimeout: Duration.fromInputUnsafe(options.connectTimeout ?? defaults.connectTimeout),
      backoff: {
        initial: millis(backoff?.initial, usual.initial),
        factor: backoff?.factor ?? usual.factor,
        max: millis(backoff?.max, usual.max),
        jitter: backoff?.jitter ?? usual.jitter
      },
      heartbeat:
        heartbeat === false
          ? undefined
          : {
              interval: millis(heartbeat?.interval, defaults.heartbeat.interval),
              timeout: millis(heartbeat?.timeout, defaults.heartbeat.timeout)
            },
      pingMethod: (heartbeat || undefined)?.method ?? defaults.heartbeat.method
    })
  })

const millis = (given: Duration.Input | undefined, usual: number): number =>
  given === undefined ? usual : Duration.toMillis(Duration.fromInputUnsafe(given))
