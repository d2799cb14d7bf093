/**
 * The node behind every gateway, in a separate process. It answers a question about a slot with the slot's position. The
 * answers that a gateway can prove come from the chain of `provableChain.ts`. The node does as little work as possible. It
 * sends its port to its parent, and ends with the parent.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import * as Chain from "./provableChain.ts"

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<any>
}

const block = ([, whole]: Call["params"]): string => (whole === true ? Chain.wholeBlock : Chain.shortBlock)

const methods: Readonly<Record<string, (params: Call["params"]) => string>> = {
  eth_getStorageAt: ([address, position]) =>
    address === Chain.address ? Chain.wordAt(position) : JSON.stringify(position),
  eth_getProof: ([, positions]) => Chain.proofAt(positions),
  eth_getBlockByHash: block,
  eth_getBlockByNumber: block,
  eth_getTransactionByHash: ([hash]) => Chain.transactionTexts.get(hash) ?? "null",
  // Gateways use these methods to check that the node works, and which chain it serves.
  eth_blockNumber: () => `"${Chain.blockNumber}"`,
  eth_chainId: () => '"0x1"',
  eth_syncing: () => "false",
  net_version: () => '"1"'
}

const replyTo = ({ id, method, params }: Call): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"result":${methods[method]?.(params) ?? "null"}}`

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const packet: Call | ReadonlyArray<Call> = JSON.parse(Buffer.concat(chunks).toString("latin1"))
    const body = Array.isArray(packet) ? `[${packet.map(replyTo).join(",")}]` : replyTo(packet as Call)
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length })
    response.end(body)
  })
})
server.keepAliveTimeout = 0
server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port))
process.once("disconnect", () => process.exit())
