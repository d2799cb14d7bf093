/**
 * The only interface between a typed client and the transports that carry its calls.
 *
 * A transport takes wire values and returns wire values. It checks the envelope (version, id, exactly one of result and
 * error) but does not know methods and schemas. Timeouts, retries, limits and batches are each a `Middleware`: a
 * function from a transport to a transport. `Stack` puts them in the right order.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"

import type { JsonRpcError } from "../error/JsonRpcError.ts"

/** One call in wire form: positional parameters, already encoded to JSON values. */
export interface WireCall {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  /**
   * True if sending the call twice has the same effect as sending it once. Default: true.
   *
   * A call that is not idempotent is sent again only if the server certainly did not do it.
   */
  readonly idempotent?: boolean | undefined
}

/** The result of a call as the JSON value that arrived, or the error. */
export type WireOutcome = Result.Result<unknown, JsonRpcError>

/**
 * The service that carries calls.
 *
 * `call` returns the result as the JSON value that arrived. `null` is a result.
 *
 * `callAll` carries several calls and never fails as a whole: outcome `i` belongs to call `i`. If the transport
 * supports it, the calls are sent in one packet. An empty list sends nothing.
 *
 * ```ts import.meta.vitest
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Result } from "effect"
 *
 * const echo = Transport.Transport.of({
 *   call: (call) => Effect.succeed(call.params),
 *   callAll: (calls) => Effect.succeed(calls.map((call) => Result.succeed(call.params)))
 * })
 * await Effect.runPromise(echo.call({ method: "echo", params: [1] })) // => [1]
 * ```
 */
export class Transport extends Context.Service<
  Transport,
  {
    readonly call: (call: WireCall) => Effect.Effect<unknown, JsonRpcError>
    readonly callAll: (calls: ReadonlyArray<WireCall>) => Effect.Effect<ReadonlyArray<WireOutcome>>
  }
>()("@plumbline/jsonrpc-core/Transport") {}

/**
 * A function that changes the handling of calls: it takes a transport and returns one. Any state of the middleware
 * belongs to the returned transport.
 */
export type Middleware = (transport: Transport["Service"]) => Transport["Service"]

/**
 * Applies middleware to a layer's transport, the innermost first. Other services of the layer stay unchanged.
 *
 * ```ts import.meta.vitest
 * import { HttpTransport, Retry, Timeout, Transport } from "@plumbline/jsonrpc-core"
 *
 * const node = Transport.through(
 *   HttpTransport.layer({ url: "https://node.example" }),
 *   Timeout.make("2 seconds"),
 *   Retry.make({ times: 2 })
 * )
 * typeof node // => "object"
 * ```
 */
export const through = <Out, E, In>(
  layer: Layer.Layer<Transport | Out, E, In>,
  ...middleware: ReadonlyArray<Middleware>
): Layer.Layer<Transport | Out, E, In> =>
  Layer.flatMap(layer, (context) =>
    Layer.succeedContext(
      Context.add(
        context,
        Transport,
        middleware.reduce((transport, next) => next(transport), Context.get(context, Transport))
      )
    )
  )

/** Returns a `callAll` that sends each call alone, for a transport without batches. */
export const oneByOne =
  (call: Transport["Service"]["call"]): Transport["Service"]["callAll"] =>
  (calls) =>
    Effect.forEach(calls, (each) => Effect.result(call(each)), { concurrency: "unbounded" })
