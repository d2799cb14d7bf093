/** A proving node in front of a node that answers from a table. The calls to the node are recorded. */
import { TrustedBlock } from "@plumbline/eth-methods"
import { type ErrorObject, JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Effect, Layer, Schema } from "effect"

import { ProvingNode } from "../../src/index.ts"

export interface TestProxy {
  readonly asked: ReadonlyArray<Transport.WireCall>
  readonly layer: Layer.Layer<ProvingNode.ProvingNode>
  readonly answer: (method: string, params?: unknown) => Promise<ProvingNode.ProvingAnswer>
  readonly refusal: (method: string, params?: unknown) => Promise<ErrorObject.ErrorObject>
}

/**
 * `answers` has results by method. An error reason as a result makes the call fail. The node lacks every other method.
 */
export const proxy = (
  answers: Readonly<Record<string, unknown>>,
  options?: ProvingNode.ProvingNodeOptions
): TestProxy => {
  const asked: Array<Transport.WireCall> = []
  const call: Transport.Transport["Service"]["call"] = (call) =>
    Effect.suspend(() => {
      asked.push(call)
      const answer = Object.hasOwn(answers, call.method)
        ? answers[call.method]
        : new JsonRpcError.RemoteError({ code: -32601, message: "no such method" })
      return isReason(answer)
        ? Effect.fail(new JsonRpcError.JsonRpcError({ method: call.method, reason: answer }))
        : Effect.succeed(answer)
    })
  const layer = ProvingNode.layer(options).pipe(
    Layer.provide([
      Layer.succeed(Transport.Transport, { call, callAll: Transport.oneByOne(call) }),
      TrustedBlock.layerNone()
    ])
  )
  const ask = (method: string, params?: unknown) =>
    Effect.provide(
      ProvingNode.ProvingNode.use((node) => node.answer({ method, params })),
      layer
    )
  return {
    asked,
    layer,
    answer: (method, params) => Effect.runPromise(ask(method, params)),
    refusal: (method, params) => Effect.runPromise(Effect.flip(ask(method, params)))
  }
}

const isReason = Schema.is(JsonRpcError.Reason)
