/**
 * A transport over HTTP for Node: one POST per packet, on a dispatcher of undici.
 *
 * It uses undici's `dispatch`, the lowest call that undici offers, and costs about a fifth of `fetch`. The caller owns
 * the dispatcher, with its pool, proxy and certificates, and closes it.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import { Transport } from "../transport/Transport.ts"
import * as HttpCallbackExchange from "./callbackExchange.ts"
import * as HttpConnectFailure from "./connectFailure.ts"
import * as HttpEndpoint from "./httpEndpoint.ts"
import * as HttpPackets from "./httpPackets.ts"
import * as HttpReply from "./httpReply.ts"

/**
 * The part of undici that the transport uses: a `Pool`, an `Agent`, a `ProxyAgent` or any other dispatcher, of version
 * 7 or 8.
 *
 * This package does not import undici, so programs without it need not install it.
 */
export interface UndiciDispatcher {
  dispatch(request: UndiciRequest, handler: UndiciHandler): boolean
}

/** A request to a dispatcher. */
export interface UndiciRequest {
  readonly origin: string
  readonly path: string
  readonly method: "POST"
  /** Names and values, alternating. */
  readonly headers: Array<string>
  readonly body: string
  readonly headersTimeout: number
  readonly bodyTimeout: number
}

/** The handle that stops a request. */
export interface UndiciController {
  abort(reason: Error): void
}

/** The events of a request, in this order. An error may come at any time and is the last event. */
export interface UndiciHandler {
  onRequestStart(controller: UndiciController): void
  onResponseStart(controller: UndiciController, status: number, headers: ResponseHeaders): void
  onResponseData(controller: UndiciController, bytes: Uint8Array): void
  onResponseEnd(controller: UndiciController): void
  onResponseError(controller: UndiciController, error: Error): void
}

/** The headers of a response, by lower-case name. */
export interface ResponseHeaders {
  readonly [name: string]: string | Array<string> | undefined
}

export { defaults } from "./httpEndpoint.ts"

/** The URL, the headers, the bounds of time and size, and the dispatcher to use. */
export interface UndiciTransportOptions extends HttpEndpoint.HttpEndpoint {
  /**
   * The dispatcher whose connections are used. A pool must be a pool of the URL's origin. The caller closes it.
   *
   * `timeout` covers the whole call and replaces the dispatcher's own timeouts for headers and bodies. The dispatcher's
   * timeout for connecting still applies.
   */
  readonly dispatcher: UndiciDispatcher
}

/**
 * Provides a transport to one URL, by the rules of `HttpTransport`.
 *
 * It does not ask for compressed answers, because undici's `dispatch` does not unpack them. For compression, compose
 * the dispatcher with undici's `interceptors.decompress()` and give the header `accept-encoding`.
 *
 * ```ts import.meta.vitest
 * import { UndiciTransport } from "@plumbline/jsonrpc-core"
 * import { Effect } from "effect"
 *
 * // new Pool("https://node.example"), where undici is there
 * const dispatcher: UndiciTransport.UndiciDispatcher = {
 *   dispatch: (_, handler) => {
 *     const controller = { abort: () => {} }
 *     handler.onRequestStart(controller)
 *     handler.onResponseStart(controller, 200, {})
 *     handler.onResponseData(controller, new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result":"0x1"}'))
 *     handler.onResponseEnd(controller)
 *     return true
 *   }
 * }
 * const program = Effect.flatMap(
 *   UndiciTransport.make({ url: "https://node.example/v3/key", dispatcher }),
 *   (transport) => transport.call({ method: "eth_chainId", params: [] })
 * )
 * await Effect.runPromise(program) // => "0x1"
 * ```
 */
export const layer = (options: UndiciTransportOptions): Layer.Layer<Transport> => Layer.effect(Transport, make(options))

/** Returns the transport as a value, for a program with several transports. */
export const make = (options: UndiciTransportOptions): Effect.Effect<Transport["Service"]> =>
  Effect.sync(() =>
    HttpPackets.make(options, ({ parts, headers, timeout, maxBytes }) => {
      if (parts === undefined) {
        return () => Effect.fail(HttpEndpoint.invalidUrl())
      }
      const { origin, pathname, search } = parts
      const request = {
        origin,
        path: pathname + search,
        method: "POST",
        headers: headers.flat(),
        // The deadline of the exchange covers the whole request; undici's timeouts would restart with each chunk.
        headersTimeout: 0,
        bodyTimeout: 0
      } as const
      const others = headers.filter(([name]) => name !== "traceparent").flat()
      return (body, isRepeatable) =>
        HttpCallbackExchange.make(
          (settle, clock, traceparent) => {
            const exchange = new Exchange(settle, clock, maxBytes)
            try {
              const sent = traceparent === undefined ? request.headers : [...others, "traceparent", traceparent]
              options.dispatcher.dispatch({ ...request, headers: sent, body }, exchange)
            } catch (error) {
              settle(Result.fail(HttpConnectFailure.unanswered(error)))
            }
            return () => exchange.abandon()
          },
          timeout,
          isRepeatable
        )
    })
  )

class Exchange implements UndiciHandler {
  readonly #settle: (outcome: HttpCallbackExchange.ExchangeOutcome) => void
  readonly #clock: Clock.Clock
  readonly #maxBytes: number
  #controller: UndiciController | undefined
  #reply: HttpReply.HttpReply | undefined
  #isAbandoned = false

  constructor(settle: (outcome: HttpCallbackExchange.ExchangeOutcome) => void, clock: Clock.Clock, maxBytes: number) {
    this.#settle = settle
    this.#clock = clock
    this.#maxBytes = maxBytes
  }

  abandon(): void {
    this.#isAbandoned = true
    this.#controller?.abort(ABANDONED)
  }

  onRequestStart(controller: UndiciController): void {
    this.#controller = controller
    if (this.#isAbandoned) {
      // The exchange was abandoned while the request waited for a connection.
      controller.abort(ABANDONED)
    }
  }

  onResponseStart(_: UndiciController, status: number, headers: ResponseHeaders): void {
    // An informational response (status below 200) comes before the final one.
    if (status >= 200) {
      this.#reply = new HttpReply.HttpReply(
        {
          status,
          contentLength: first(headers["content-length"]),
          contentType: first(headers["content-type"]),
          contentEncoding: first(headers["content-encoding"]),
          retryAfter: first(headers["retry-after"])
        },
        this.#maxBytes
      )
      this.#stopIfDecided(this.#reply)
    }
  }

  onResponseData(_: UndiciController, bytes: Uint8Array): void {
    if (this.#reply !== undefined && !this.#isAbandoned) {
      this.#reply.push(bytes)
      this.#stopIfDecided(this.#reply)
    }
  }

  onResponseEnd(): void {
    if (this.#reply !== undefined && !this.#isAbandoned) {
      this.#settle(this.#reply.end(this.#clock))
    }
  }

  onResponseError(_: UndiciController | null, error: Error): void {
    if (!this.#isAbandoned) {
      this.#settle(
        this.#reply === undefined
          ? Result.fail(HttpConnectFailure.unanswered(error))
          : this.#reply.breakOff(error, this.#clock)
      )
    }
  }

  #stopIfDecided(reply: HttpReply.HttpReply): void {
    if (reply.isDecided) {
      this.abandon()
      this.#settle(reply.end(this.#clock))
    }
  }
}

/** One shared error, because making an error captures a stack and this one is never shown. */
const ABANDONED = /* @__PURE__ */ new Error("abandoned")

const first = (value: string | Array<string> | undefined): string | undefined =>
  typeof value === "object" ? value[0] : value
