/** A lying node: it returns one block with a changed state root, so that the block's hash does not match its header. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"

/** A running node. */
export interface Lying {
  readonly url: string
  readonly stop: () => Promise<void>
}

interface Call {
  readonly id: unknown
  readonly method: string
}

const HEAD = HistoryChain.head

/** Starts the node on a free port. `block` is the answer of an honest node to `eth_getBlockByNumber`. */
export const start = async (block: () => object): Promise<Lying> => {
  const answers: Readonly<Record<string, () => unknown>> = {
    eth_chainId: () => "0x1",
    eth_blockNumber: () => `0x${HEAD.number.toString(16)}`,
    eth_getBlockByNumber: () => ({ ...block(), stateRoot: `0x${"11".repeat(32)}` })
  }
  const one = ({ id, method }: Call) => ({ jsonrpc: "2.0", id, result: answers[method]?.() ?? null })
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const calls = JSON.parse(Buffer.concat(chunks).toString()) as Call | ReadonlyArray<Call>
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify(Array.isArray(calls) ? calls.map(one) : one(calls as Call)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
