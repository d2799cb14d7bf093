/**
 * The yardsticks of a gateway, as a program. With the URL of a node: the simplest proxy, `node:http` in front and undici
 * behind. With `result` and the JSON text of a result: `node:http` that answers every call with it. The program sends its
 * port to its parent, and its processor time on request, and ends with the parent.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

import { Pool } from "undici"

const [target = "", result] = process.argv.slice(2)
const pool = result === undefined ? new Pool(target, { connections: 64 }) : undefined
const prepared = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}`)
const headers = { "content-type": "application/json" }

const send = (response: ServerResponse, status: number, body: Buffer): void =>
  void response.writeHead(status, ["content-type", "application/json", "content-length", String(body.length)]).end(body)

const pass = async (from: Pool, response: ServerResponse, body: Buffer): Promise<void> => {
  const answer = await from.request({ path: "/", method: "POST", headers, body })
  send(response, answer.statusCode, Buffer.from(await answer.body.arrayBuffer()))
}

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    if (pool === undefined) send(response, 200, prepared)
    else void pass(pool, response, Buffer.concat(chunks))
  })
})
server.keepAliveTimeout = 0
process.once("disconnect", () => process.exit())
process.on("message", () => process.send!(process.cpuUsage()))
server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port))
