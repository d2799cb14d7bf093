/**
 * A listener without a gateway: node:http reads each request and answers with prepared bytes. Its argument names the
 * question that the bytes answer. A cache hit of any gateway on node:http costs at least this.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import * as Chain from "./chain.ts"

const results = { block: Chain.wholeBlock, knownSlot: Chain.wordAt("0x0") }
const result = results[process.argv[2] as keyof typeof results]
const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`)
const headers = ["content-type", "application/json", "content-length", String(body.length)]

const server = createServer((request, response) => {
  request.resume()
  request.on("end", () => response.writeHead(200, headers).end(body))
})
server.keepAliveTimeout = 0
server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port))
process.once("disconnect", () => process.exit())
