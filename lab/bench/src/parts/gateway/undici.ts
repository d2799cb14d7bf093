/**
 * The simplest proxy that a program could use: node:http in front, a pool of undici behind. Its argument is the
 * upstream's port.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

import { Pool } from "undici"

const pool = new Pool(`http://127.0.0.1:${process.argv[2]}`, { connections: 64 })
const headers = { "content-type": "application/json" }

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    void pool
      .request({ path: "/", method: "POST", headers, body: Buffer.concat(chunks) })
      .then(async ({ body, statusCode }) => {
        const answer = Buffer.from(await body.arrayBuffer())
        response.writeHead(statusCode, { "content-type": "application/json", "content-length": answer.length })
        response.end(answer)
      })
  })
})
server.keepAliveTimeout = 0
server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port))
process.once("disconnect", () => process.exit())
