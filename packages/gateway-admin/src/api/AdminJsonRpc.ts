/**
 * JSON-RPC through the admin API. An operator uses it to read a chain without the key of a project.
 */
import * as Schema from "effect/Schema"

const version = Schema.Literal("2.0").annotate({ description: "The version of JSON-RPC" })

const call = Schema.Struct({
  jsonrpc: version,
  id: Schema.Union([Schema.String, Schema.Finite]).annotate({ description: "Repeated in the answer" }),
  method: Schema.String.annotate({ description: "A method of the network that changes nothing, such as eth_getProof" }),
  params: Schema.optionalKey(Schema.Unknown.annotate({ description: "The parameters, as a list" }))
}).annotate({ identifier: "RpcCall" })

/**
 * One call, or a batch of at most 100.
 */
export const Request = Schema.Union([
  call,
  Schema.Array(call).check(Schema.isMinLength(1), Schema.isMaxLength(100))
]).annotate({ identifier: "RpcRequest", examples: [{ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }] })

const answer = Schema.Struct({
  jsonrpc: version,
  id: Schema.Union([Schema.String, Schema.Finite, Schema.Null]).annotate({ description: "The id of the call" }),
  result: Schema.optionalKey(Schema.Unknown.annotate({ description: "The result; absent if there is an error" })),
  error: Schema.optionalKey(
    Schema.Struct({
      code: Schema.Int.annotate({ description: "The code" }),
      message: Schema.String.annotate({ description: "The problem" }),
      data: Schema.optionalKey(Schema.Unknown.annotate({ description: "Details of the error, if there are any" }))
    }).annotate({ description: "The error; absent if there is a result" })
  )
}).annotate({ identifier: "RpcAnswer" })

/**
 * The answer to a call, or the answers to a batch in the order of its calls.
 */
export const Response = Schema.Union([answer, Schema.Array(answer)])
