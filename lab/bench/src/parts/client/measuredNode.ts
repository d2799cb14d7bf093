/**
 * The node that clients are measured against, in a separate process. It does as little work as possible, so that the
 * clients' work dominates the measured time. The parent process sends it the text of a block, and it sends the port to
 * the parent.
 *
 * The node answers every question about a slot with the slot's position, every question about a block with that one
 * block, and every question about a transaction with the first transaction of the block.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<any>
}

let block = "null"
let transaction = "null"

const resultOf = ({ method, params }: Call): string => {
  switch (method) {
    case "eth_getStorageAt":
      return `"0x${params[1].slice(2).padStart(64, "0")}"`
    case "eth_getBlockByHash":
    case "eth_getBlockByNumber":
      return block
    case "eth_chainId":
      return '"0x1"'
    case "eth_getTransactionByHash":
      return transaction
    default:
      throw new Error(`not a method of the bench: ${method}`)
  }
}

const replyTo = (call: Call): string => `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":${resultOf(call)}}`

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const packet: Call | ReadonlyArray<Call> = JSON.parse(Buffer.concat(chunks).toString())
    const body = Array.isArray(packet) ? `[${packet.map(replyTo).join(",")}]` : replyTo(packet as Call)
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    response.end(body)
  })
})
server.keepAliveTimeout = 0

process.once("message", (text: string) => {
  block = text
  transaction = JSON.stringify(JSON.parse(text).transactions[0])
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port))
})
process.once("disconnect", () => process.exit())
