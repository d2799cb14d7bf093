/**
 * The node behind every gateway, in a process of its own: it answers a slot with its own position, and does as little
 * as it can. It sends its parent the port, and ends with it.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

interface Call {
  readonly id: unknown
  readonly method?: string
  readonly params?: ReadonlyArray<string>
}

/** Answers by which gateways tell that the node is well, and of which chain. */
const known: Readonly<Record<string, string>> = {
  eth_blockNumber: '"0x10"',
  eth_chainId: '"0x1"',
  eth_syncing: "false",
  net_version: '"1"'
}

const replyTo = ({ id, method, params }: Call): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"result":${known[method ?? ""] ?? JSON.stringify(params?.[1] ?? null)}}`

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
