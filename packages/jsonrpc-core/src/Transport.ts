/**
 * How a call travels: the one interface between a typed client and whatever carries its calls.
 *
 * A transport takes wire values and gives wire values. It checks the envelope (version, id, exactly one of result and
 * error) and knows neither methods nor schemas. Everything else that concerns a call on its way (retry, batching,
 * fallback, limits) is a function from a transport to a transport.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"

import type { JsonRpcError } from "./JsonRpcError.ts"

/** One call in wire form: positional parameters, already encoded to JSON values. */
export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

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
    readonly callAll: (calls: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<Result.Result<unknown, JsonRpcError>>>
  }
>()("@plumbline/jsonrpc-core/Transport") {}
