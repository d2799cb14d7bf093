/**
 * How a call travels: the one interface between a typed client and whatever carries its calls.
 *
 * A transport takes wire values and gives wire values. It checks the envelope (version, id, exactly one of result and
 * error) and knows neither methods nor schemas. Everything else that concerns a call on its way (timeouts, retries,
 * limits, batches) is a `Middleware`: a function from a transport to a transport. `Stack` puts them in the right order.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"

import type { JsonRpcError } from "../error/JsonRpcError.ts"

/** One call in wire form: positional parameters, already encoded to JSON values. */
export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  /**
   * Whether sending it twice does no more than sending it once. Default: true.
   *
   * What is not idempotent is never sent again unless the server said that it did not do it.
   */
  readonly idempotent?: boolean | undefined
}

/** The result of a call as the JSON value that arrived, or why there is none. */
export type Outcome = Result.Result<unknown, JsonRpcError>

/**
 * The service that carries calls.
 *
 * `call` gives the result as the JSON value that arrived. `null` is a result.
 *
 * `callAll` carries several calls together and never fails as a whole: outcome `i` belongs to call `i`. A transport
 * that can, sends them in one packet. No calls make no packet.
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
    readonly call: (call: Call) => Effect.Effect<unknown, JsonRpcError>
    readonly callAll: (calls: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<Outcome>>
  }
>()("@plumbline/jsonrpc-core/Transport") {}

/** What changes the way of calls: a transport in, a transport out. State belongs to the transport that comes out. */
export type Middleware = (transport: Transport["Service"]) => Transport["Service"]

/**
 * A layer's transport seen through middleware, the innermost first. Other services of the layer stay as they are.
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

/** The outcome of each call by itself, for a transport that has no packets of several. */
export const oneByOne =
  (call: Transport["Service"]["call"]): Transport["Service"]["callAll"] =>
  (calls) =>
    Effect.forEach(calls, (each) => Effect.result(call(each)), { concurrency: "unbounded" })
