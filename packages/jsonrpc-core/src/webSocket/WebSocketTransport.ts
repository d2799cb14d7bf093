/**
 * A transport over one WebSocket: calls and subscriptions side by side, and a connection that mends itself.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

import * as HttpTarget from "../http/target.ts"
import type { Subscriptions } from "../transport/Subscriptions.ts"
import type { Transport } from "../transport/Transport.ts"
import * as WebSocketConnection from "./connection.ts"
import type { WebSocketClass, WebSocketLike } from "./platform.ts"
import * as SocketTransport from "./socketTransport.ts"
import * as WebSocketTarget from "./target.ts"

export type { WebSocketClass, WebSocketLike }

/** Where to, and within which bounds. */
export interface Options {
  /** May hold an API key. A name and password in it are sent as Basic authentication, which needs the class of `ws`. */
  readonly url: string | Redacted.Redacted
  /** Subprotocols to offer. */
  readonly protocols?: string | ReadonlyArray<string> | undefined
  /** Headers of the handshake, which need the class of `ws`: browsers send none. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** Instead of the platform's `WebSocket`: the class of `ws`, say. */
  readonly webSocket?: WebSocketClass | undefined
  /** From a call to its answer; the wait for a connection is part of it. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** For the handshake. Default: 10 seconds. */
  readonly connectTimeout?: Duration.Input | undefined
  /**
   * How a dead peer is found. After `interval` (default: 30 seconds) without any message it gets a ping, and if nothing
   * comes for `timeout` (default: 10 seconds) the connection is given up.
   *
   * Where the platform cannot ping, as in browsers, `method` is called instead (default: `rpc.ping`). Any answer will do,
   * an error too, but a provider may charge for it. `false` switches it off.
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
   * The wait between one connection and the next: from `initial` (default: 100 ms) by `factor` (default: 2) to `max`
   * (default: 30 seconds), less up to `jitter` (default: 0.5) of it by chance. A connection that lasts as long as `max`
   * begins the count anew. A `Retry-After` makes the wait longer, but not longer than `max`.
   */
  readonly backoff?:
    | {
        readonly initial?: Duration.Input | undefined
        readonly factor?: number | undefined
        readonly max?: Duration.Input | undefined
        readonly jitter?: number | undefined
      }
    | undefined
  /** How many calls may be under way; others wait for their turn. Default: 1024. */
  readonly maxInFlight?: number | undefined
  /** The largest message to read, in bytes; text from the platform counts by its length. Default: 32 MiB. */
  readonly maxBytes?: number | undefined
  /** How many bytes may wait in the platform to be sent; callers wait while there are more. Default: 1 MiB. */
  readonly maxBufferedBytes?: number | undefined
  /** How many notifications wait for each subscriber, besides the bound of `maxBytes`. Default: 1024. */
  readonly buffer?: number | undefined
  /**
   * What happens when they are more. `gap` (the default) drops the oldest, and the subscriber sees how many.
   *
   * `wait` stops reading when half of them are there, until the subscriber has read, so that the server has to wait: every
   * other subscriber and the heartbeat wait too. Up to 1 MiB of what the platform had received already is kept. It needs
   * the class of `ws`, and it never holds up the answer to a call: while one is under way, and where the platform cannot
   * stop, `wait` is as `gap`.
   */
  readonly overflow?: "gap" | "wait" | undefined
}

/**
 * A transport to one URL, and subscriptions over the same connection.
 *
 * It connects with the first call or subscription. A call waits for the connection and shares its fate: if there is none,
 * it fails with a `TransportError`. When the connection breaks, calls under way fail with one too; it is retryable, but
 * whether the server did the work is not known. The next connection is made when it is needed, at once if there are
 * subscriptions, and never sooner than `backoff` allows. Subscriptions are made anew on it, and their streams get the
 * `Gap` of `reconnected`. If the server refuses that, or refuses the handshake for good (as with status 401), the stream
 * fails.
 *
 * A stream that ends gives its subscription up at the server, without waiting for the answer. Closing the scope closes
 * the connection; calls under way fail.
 *
 * Replies to a batch are matched by id, in one array or one by one. A refusal that names no call is that of the only
 * packet under way; with several it waits until the others are answered. A message that is not JSON-RPC, if it cannot be
 * the answer to the only packet under way, ends the connection. Answers that nobody waits for are ignored.
 *
 * Of a handshake that the server refuses with HTTP, the error says the status and, as over HTTP, the sentence in the body,
 * which is waited for at most a second. That needs the class of `ws`: browsers, and Node's own `WebSocket`, tell nobody
 * what the server answered, so there the error is `connection failed`, and retryable.
 *
 * Neither the URL nor a header or subprotocol is in any error: where a server's message repeats a secret of theirs it is
 * replaced.
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
export const layer = (options: Options): Layer.Layer<Transport | Subscriptions> => SocketTransport.layer(make(options))

/** The same as a value, for a program with several transports. Closing the scope closes the connection. */
export const make = (
  options: Options
): Effect.Effect<Transport["Service"] & Subscriptions["Service"], never, Scope.Scope> =>
  Effect.suspend(() => {
    const { backoff, heartbeat } = options
    const maxBytes = options.maxBytes ?? HttpTarget.DEFAULT_MAX_BYTES
    const usual = WebSocketConnection.DEFAULT_BACKOFF
    return SocketTransport.make({
      ...WebSocketTarget.make(options),
      maxInFlight: options.maxInFlight,
      maxBytes,
      timeout: Duration.fromInputUnsafe(options.timeout ?? HttpTarget.DEFAULT_TIMEOUT),
      unread: { items: Math.max(1, options.buffer ?? SocketTransport.DEFAULT_BUFFER), bytes: maxBytes },
      mayPause: options.overflow === "wait",
      maxBufferedBytes: options.maxBufferedBytes ?? 1024 * 1024,
      connectTimeout: Duration.fromInputUnsafe(options.connectTimeout ?? "10 seconds"),
      backoff: {
        initial: millis(backoff?.initial, usual.initial),
        factor: backoff?.factor ?? usual.factor,
        max: millis(backoff?.max, usual.max),
        jitter: backoff?.jitter ?? usual.jitter
      },
      heartbeat:
        heartbeat === false
          ? undefined
          : { interval: millis(heartbeat?.interval, 30_000), timeout: millis(heartbeat?.timeout, 10_000) },
      pingMethod: (heartbeat || undefined)?.method ?? "rpc.ping"
    })
  })

const millis = (given: Duration.Input | undefined, usual: number): number =>
  given === undefined ? usual : Duration.toMillis(Duration.fromInputUnsafe(given))
