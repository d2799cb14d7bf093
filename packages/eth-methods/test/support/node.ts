/** A node in memory: answers calls from what it was given, and remembers what it was asked. */
import { JsonRpcError, RemoteError } from "@plumbline/jsonrpc-core/JsonRpcError"
import * as Transport from "@plumbline/jsonrpc-core/Transport"
import { Effect, Layer, Result } from "effect"

import type { Json } from "./made.ts"

/** Answers to a call; `undefined` is an error of the node. */
export type Answers = (method: string, params: ReadonlyArray<unknown>) => Json | undefined

export interface Node {
  readonly layer: Layer.Layer<Transport.Transport>
  readonly calls: Array<Transport.Call>
}

export const node = (answers: Answers): Node => {
  const calls: Array<Transport.Call> = []
  const call = (asked: Transport.Call): Effect.Effect<unknown, JsonRpcError> =>
    Effect.suspend(() => {
      calls.push(asked)
      const answer = answers(asked.method, asked.params)
      return answer === undefined
        ? Effect.fail(
            new JsonRpcError({ method: asked.method, reason: new RemoteError({ code: -32000, message: "unwilling" }) })
          )
        : Effect.succeed(answer)
    })
  const callAll = (asked: ReadonlyArray<Transport.Call>) =>
    Effect.forEach(asked, (one) =>
      Effect.match(call(one), { onFailure: (error) => Result.fail(error), onSuccess: (value) => Result.succeed(value) })
    )
  return { calls, layer: Layer.succeed(Transport.Transport, { call, callAll }) }
}
