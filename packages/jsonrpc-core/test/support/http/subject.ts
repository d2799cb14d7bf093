/** The parts that all test suites for transports over HTTP share. */
import type { HttpTransport, JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Effect, Result, type Scope } from "effect"

import * as HttpServer from "../httpServer.ts"

/** Makes a transport to a URL. */
export type Make = (
  options: HttpTransport.HttpEndpoint
) => Effect.Effect<Transport.Transport["Service"], never, Scope.Scope>

/** The behaviour of the HTTP client below the transport. */
export interface Traits {
  /** True if the client asks for compressed answers and unpacks them. */
  readonly unpacks: boolean
  /** True if the client follows redirects before the transport can refuse them. */
  readonly follows: boolean
}

/** The transport that a part of the suite tests. */
export interface Subject {
  readonly name: string
  readonly make: Make
  readonly traits: Traits
}

export const CALL = { method: "m", params: [] }

export const result = (id: unknown, value: unknown) => ({ jsonrpc: "2.0", id, result: value })

export const error = (id: unknown, code = -32000, message = "header not found") => ({
  jsonrpc: "2.0",
  id,
  error: { code, message }
})

/** Returns the error of a call that must fail. */
export const failure = (transport: Transport.Transport["Service"]): Effect.Effect<JsonRpcError.JsonRpcError> =>
  Effect.flip(transport.call(CALL)) as Effect.Effect<JsonRpcError.JsonRpcError>

/** Returns functions that start a server with given responses, and call it. */
export const asking = (make: Make) => {
  /** Returns the failure of a call with this response. */
  const failureOf = (respond: () => Response) =>
    Effect.scoped(
      Effect.gen(function* () {
        const url = yield* HttpServer.responding(respond)
        return yield* failure(yield* make({ url }))
      })
    )

  /** Returns the failures of successive calls, each with its own response. */
  const failuresOf = (responses: ReadonlyArray<() => Response>) =>
    Effect.gen(function* () {
      let nth = 0
      const url = yield* HttpServer.responding(() => responses[nth++]!())
      return yield* Effect.forEach(responses, () => Effect.flatMap(make({ url }), failure))
    })

  const outcomesOf = (count: number, respond: (ids: ReadonlyArray<number>) => Response) =>
    Effect.gen(function* () {
      const url = yield* HttpServer.responding(({ json }) => respond(json.map((call: any) => call.id)))
      const transport = yield* make({ url })
      const outcomes = yield* transport.callAll(
        Array.from({ length: count }, (_, n) => ({ method: `m${n}`, params: [] }))
      )
      return outcomes.map((outcome) => (Result.isSuccess(outcome) ? outcome.success : outcome.failure.message))
    })
  return { failureOf, failuresOf, outcomesOf }
}
