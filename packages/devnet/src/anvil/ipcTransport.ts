/** Calls a node over its Unix socket, or its named pipe on Windows. Each message is one line of JSON. */
import { connect } from "node:net"

import * as JsonRpcError from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as Effect from "effect/Effect"

/** Makes the transport of a path. Each call takes a connection of its own, which costs less than 0.1 ms. */
export const make = (path: string): Transport.Transport["Service"] => {
  const call = ({ method, params }: Transport.WireCall): Effect.Effect<unknown, JsonRpcError.JsonRpcError> =>
    Effect.callback((resume) => {
      const fail = (reason: JsonRpcError.Reason): void =>
        resume(Effect.fail(new JsonRpcError.JsonRpcError({ method, reason })))
      const lost = (detail: string): void => fail(new JsonRpcError.TransportError({ detail, retryable: true }))
      const chunks: Array<Buffer> = []
      const socket = connect(path)
        .on("error", (error: NodeJS.ErrnoException) => lost(error.code ?? "UNKNOWN"))
        .on("close", () => lost("the connection was closed"))
        .on("data", (chunk) => {
          chunks.push(chunk)
          if (!chunk.includes(LINE_END)) return
          socket.removeAllListeners("close").destroy()
          const answer = parse(Buffer.concat(chunks).toString("utf8"))
          if (typeof answer !== "object" || answer === null) {
            fail(new JsonRpcError.ProtocolError({ detail: "not JSON-RPC" }))
          } else if ("error" in answer) {
            const { code = 0, data, message = "" } = Object(answer.error)
            fail(new JsonRpcError.RemoteError({ code, message, ...(data === undefined ? {} : { data }) }))
          } else resume(Effect.succeed("result" in answer ? answer.result : null))
        })
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`)
      return Effect.sync(() => socket.destroy())
    })
  return { call, callAll: Transport.oneByOne(call) }
}

const LINE_END = 0x0a

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
