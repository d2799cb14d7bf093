/** Calls a node in this process, without JSON-RPC envelopes. */
import type * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Message from "@plumbline/jsonrpc-core/message/Message"
import type * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
import * as Effect from "effect/Effect"

/** Calls a method with parameters in wire form; returns the JSON text of the result, in UTF-8. */
export type NodeCall = (
  method: string,
  params: ReadonlyArray<unknown>
) => Effect.Effect<Uint8Array, ErrorObject.ErrorObject>

export const over =
  ({ handle }: Pick<Dispatcher.Dispatcher<never>, "handle">): NodeCall =>
  (method, params) =>
    Effect.flatMap(handle(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })), resultOf)

/** Extracts the result from the node's answer. */
const resultOf = (answer: Uint8Array | undefined): Effect.Effect<Uint8Array, ErrorObject.ErrorObject> => {
  const located = answer === undefined ? undefined : Message.locate(answer)
  if (answer === undefined || located === undefined) return Effect.die(new Error("the node did not answer"))
  return located.result === undefined
    ? Effect.fail(JSON.parse(new TextDecoder().decode(answer)).error)
    : Effect.succeed(answer.subarray(located.result.start, located.result.end))
}
