/** A node in memory that returns given answers and records its calls. */
import { JsonRpcError, RemoteError, TransportError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import { Effect, Layer, Result } from "effect"

import type { Json } from "./made.ts"

/** Answers a call; `undefined` makes the node fail. */
export type Answers = (method: string, params: ReadonlyArray<unknown>) => Json | undefined

/** Answers a call like `Answers`, or with a specific error, or later. A `TransportError` that it throws is the failure. */
export type Replies = (
  method: string,
  params: ReadonlyArray<unknown>
) => Json | undefined | RemoteError | Promise<Json | undefined>

export interface Node {
  readonly layer: Layer.Layer<Transport.Transport>
  readonly transport: Transport.Transport["Service"]
  readonly calls: Array<Transport.WireCall>
}

export const node = (answers: Replies): Node => {
  const calls: Array<Transport.WireCall> = []
  const call = (asked: Transport.WireCall): Effect.Effect<unknown, JsonRpcError> =>
    Effect.suspend(() => {
      calls.push(asked)
      const answer = replyOf(answers, asked)
      if (answer instanceof TransportError)
        return Effect.fail(new JsonRpcError({ method: asked.method, reason: answer }))
      return answer instanceof Promise
        ? Effect.flatMap(
            Effect.promise(() => answer),
            (settled) => outcome(asked, settled)
          )
        : outcome(asked, answer)
    })
  const callAll = (asked: ReadonlyArray<Transport.WireCall>) =>
    Effect.forEach(asked, (one) =>
      Effect.match(call(one), { onFailure: (error) => Result.fail(error), onSuccess: (value) => Result.succeed(value) })
    )
  const transport = { call, callAll }
  return { calls, transport, layer: Layer.succeed(Transport.Transport, transport) }
}

const replyOf = (answers: Replies, { method, params }: Transport.WireCall): ReturnType<Replies> | TransportError => {
  try {
    return answers(method, params)
  } catch (error) {
    if (error instanceof TransportError) return error
    throw error
  }
}

const outcome = (
  { method }: Transport.WireCall,
  answer: Json | undefined | RemoteError
): Effect.Effect<unknown, JsonRpcError> => {
  if (answer !== undefined && !(answer instanceof RemoteError)) return Effect.succeed(answer)
  const reason = answer ?? new RemoteError({ code: -32000, message: "unwilling" })
  return Effect.fail(new JsonRpcError({ method, reason }))
}
