/** A node in memory, which answers calls with the given answers, and records the calls. */
import { JsonRpcError, RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import { Effect, Layer } from "effect"

/** Returns the answer to a call: a result, or the node's error. */
export type Answers = (method: string, params: ReadonlyArray<unknown>) => unknown

export interface Node {
  readonly transport: Transport.Transport["Service"]
  readonly layer: Layer.Layer<Transport.Transport>
  /** The calls in order: the method without its namespace, and the parameters. */
  readonly asked: Array<readonly [method: string, ...params: ReadonlyArray<unknown>]>
  /** The number of packets with several calls. */
  packets: number
}

/** The errors of the chain, by their names in the specification. */
export const errors = {
  blockNotFound: new RemoteError({ code: 24, message: "Block not found" }),
  transactionNotFoundOld: new RemoteError({ code: 25, message: "Transaction hash not found" }),
  noSuchIndex: new RemoteError({ code: 27, message: "Invalid transaction index in a block" }),
  transactionNotFound: new RemoteError({ code: 29, message: "Transaction hash not found" }),
  contractNotFound: new RemoteError({ code: 20, message: "Contract not found" }),
  methodNotFound: new RemoteError({ code: -32601, message: "Method not found" }),
  invalidParams: new RemoteError({ code: -32602, message: "Invalid params" }),
  busy: new RemoteError({ code: -32005, message: "too many requests" })
}

export const node = (answers: Answers): Node => {
  const asked: Node["asked"] = []
  const call = ({ method, params }: Transport.WireCall): Effect.Effect<unknown, JsonRpcError> =>
    Effect.suspend(() => {
      asked.push([method.replace(/^[^_]*_/u, ""), ...params])
      const answer = answers(method, params)
      return answer instanceof RemoteError
        ? Effect.fail(new JsonRpcError({ method, reason: answer }))
        : Effect.succeed(answer)
    })
  const node: Node = {
    asked,
    packets: 0,
    transport: {
      call,
      callAll: (calls) =>
        Effect.suspend(() => {
          node.packets++
          return Transport.oneByOne(call)(calls)
        })
    },
    layer: Layer.suspend(() => Layer.succeed(Transport.Transport, node.transport))
  }
  return node
}
