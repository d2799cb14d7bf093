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
import * as HttpExchange from "./exchange.ts"
import * as HttpFailure from "./failure.ts"
import * as HttpPackets from "./packets.ts"
import * as HttpReply from "./reply.ts"
import * as HttpTarget from "./target.ts"

/**
 * The part of undici that the transport uses: a `Pool`, an `Agent`, a `ProxyAgent` or any other dispatcher, of version
 * 7 or 8.
 *
 * This package does not import undici, so programs without it need not install it.
 */
export interface Dispatcher {
  dispatch(request: Request, handler: Handler): boolean
}

/** A request to a dispatcher. */
export interface Request {
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
export interface Controller {
  abort(reason: Error): void
}

/** The events of a request, in this order. An error may come at any time and is the last event. */
export interface Handler {
  onRequestStart(controller: Controller): void
  onResponseStart(controller: Controller, status: number, headers: ResponseHeaders): void
  onResponseData(controller: Controller, bytes: Uint8Array): void
  onResponseEnd(controller: Controller): void
  onResponseError(controller: Controller, error: Error): void
}

/** The headers of a response, by lower-case name. */
export interface ResponseHeaders {
  readonly [name: string]: string | Array<string> | undefined
}

/** The URL, the headers, the bounds of time and size, and the dispatcher to use. */
export interface Options extends HttpTarget.Endpoint {
  /**
   * The dispatcher whose connections are used. A pool must be a pool of the URL's origin. The caller closes it.
   *
   * `timeout` covers the whole call and replaces the dispatcher's own timeouts for headers and bodies. The dispatcher's
   * timeout for connecting still applies.
   */
  readonly dispatcher: Dispatcher
}

/**
 * Provides a transport to one URL, by the rules of `HttpTransport`.
 *
 * It does not ask for compressed answers, because undici's `dispatch` does not unpack them. For compression, compose
 * the dispatcher with undici's `interceptors.decompress()` and give the header `accept-encoding`.
 *
 * Every request is sent once. If the server has closed a kept connection in the meantime, the outcome is a `retryable`
 * `TransportError`, and `Retry` decides about another try.
 *
 * ```ts import.meta.vitest
 * import { UndiciTransport } from "@plumbline/jsonrpc-core"
 * import { Effect } from "effect"
 *
 * // new Pool("https://node.example"), where undici is there
 * const dispatcher: UndiciTransport.Dispatcher = {
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
export const layer = (options: Options): Layer.Layer<Transport> => Layer.effect(Transport, make(options))

/** Returns the transport as a value, for a program with several transports. */
export const make = (options: Options): Effect.Effect<Transport["Service"]> =>
  Effect.sync(() =>
    HttpPackets.make(options, ({ parts, headers, timeout, maxBytes }) => {
      if (parts === undefined) {
        return () => Effect.fail(HttpTarget.invalidUrl())
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
      return (body) =>
        HttpExchange.make((settle, clock, traceparent) => {
          const exchange = new Exchange(settle, clock, maxBytes)
          try {
            const sent = traceparent === undefined ? request.headers : [...others, "traceparent", traceparent]
            options.dispatcher.dispatch({ ...request, headers: sent, body }, exchange)
          } catch (error) {
            settle(Result.fail(HttpFailure.unanswered(error)))
          }
          return () => exchange.abandon()
        }, timeout)
    })
  )

class Exchange implements Handler {
  readonly #settle: (outcome: HttpExchange.Outcome) => void
  readonly #clock: Clock.Clock
  readonly #maxBytes: number
  #controller: Controller | undefined
  #reply: HttpReply.Reply | undefined
  #isAbandoned = false

  constructor(settle: (outcome: HttpExchange.Outcome) => void, clock: Clock.Clock, maxBytes: number) {
    this.#settle = settle
    this.#clock = clock
    this.#maxBytes = maxBytes
  }

  abandon(): void {
    this.#isAbandoned = true
    this.#controller?.abort(ABANDONED)
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#isAbandoned) {
      // The exchange was abandoned while the request waited for a connection.
      controller.abort(ABANDONED)
    }
  }

  onResponseStart(_: Controller, status: number, headers: ResponseHeaders): void {
    // An informational response (status below 200) comes before the final one.
    if (status >= 200) {
      this.#reply = new HttpReply.Reply(
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

  onResponseData(_: Controller, bytes: Uint8Array): void {
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

  onResponseError(_: Controller | null, error: Error): void {
    if (!this.#isAbandoned) {
      this.#settle(
        this.#reply === undefined
          ? Result.fail(HttpFailure.unanswered(error))
          : this.#reply.breakOff(error, this.#clock)
      )
    }
  }

  #stopIfDecided(reply: HttpReply.Reply): void {
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
