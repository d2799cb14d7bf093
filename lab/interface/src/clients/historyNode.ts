/** A node of the history chain that also answers `eth_call` and accepts transactions, in this process or on a port. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

import { Hex, Keccak256 } from "@plumbline/codec"
import { History } from "@plumbline/devnet"
import { Dispatcher, ErrorCode, ErrorObject, JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Effect } from "effect"

const history = await Effect.runPromise(History.make)
const decoder = new TextDecoder()
const encoder = new TextEncoder()

/**
 * Answers for the methods that the node of the finished chain refuses, because it runs no code and accepts no
 * transactions.
 */
const others: Readonly<Record<string, (params: ReadonlyArray<any>) => unknown>> = {
  eth_call: () => `0x${"00".repeat(31)}01`,
  eth_sendRawTransaction: ([raw]) => Keccak256.hashHex(Hex.toBytesUnsafe(raw))
}

/** Takes methods and returns results in wire form. */
const call = (method: string, params: ReadonlyArray<unknown>) =>
  others[method] === undefined
    ? history.call(method, params)
    : Effect.succeed(encoder.encode(JSON.stringify(others[method](params))))

const callAsClient: Transport.Transport["Service"]["call"] = ({ method, params }) =>
  call(method, params).pipe(
    Effect.map((text) => JSON.parse(decoder.decode(text))),
    Effect.mapError(
      ({ code, data, message }) =>
        new JsonRpcError.JsonRpcError({
          method,
          reason: new JsonRpcError.RemoteError({ code, message, ...(data === undefined ? {} : { data }) })
        })
    )
  )

/** The node in this process. */
export const node: Transport.Transport["Service"] = {
  call: callAsClient,
  callAll: Transport.oneByOne(callAsClient)
}

/** Returns the client's form of an error that a node sends. */
export const remoteError = (method: string, code: number, message: string): JsonRpcError.JsonRpcError =>
  new JsonRpcError.JsonRpcError({ method, reason: new JsonRpcError.RemoteError({ code, message }) })

/** Opens the node on a free port of this machine, optionally wrapped in a middleware. `await using` closes it. */
export const serve = async (
  through: Transport.Middleware = (truth) => truth
): Promise<{ readonly url: string } & AsyncDisposable> => {
  const { call } = through(node)
  const { handle } = Dispatcher.make({
    call: ({ method, params }) =>
      call({ method, params: Array.isArray(params) ? params : [] }).pipe(
        Effect.map((result) => encoder.encode(JSON.stringify(result))),
        Effect.mapError(({ reason }) =>
          reason._tag === "RemoteError"
            ? ErrorObject.make(reason.code, reason.message, reason.data)
            : ErrorObject.make(ErrorCode.INTERNAL_ERROR, reason.message)
        )
      )
  })
  const server = createServer(async (request, response) => {
    const answer = await Effect.runPromise(handle(await text(request)))
    response.writeHead(200, { "content-type": "application/json" }).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
