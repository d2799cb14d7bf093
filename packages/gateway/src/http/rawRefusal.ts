/** Sends refusals on a connection for which Node has no HTTP response. */
import { Buffer } from "node:buffer"
import { STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"

import { CORS, JSON_TYPE, TEXT } from "./exchange.ts"
import * as HttpRefusal from "./HttpRefusal.ts"

/** Sends the refusal, if there is one, and closes the connection. */
export const refuseRaw = (socket: Duplex, refusal: HttpRefusal.HttpRefusal | undefined): void => {
  // An error event without a listener would end the process.
  socket.on("error", () => undefined)
  if (refusal === undefined || !socket.writable) {
    socket.destroy()
    return
  }
  const body = HttpRefusal.body(refusal)
  const type = refusal.error === undefined ? TEXT : JSON_TYPE
  const length = String(body.length)
  const headers = [...type, ...CORS, ...refusal.headers, "content-length", length, "connection", "close"]
  let head = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ""}\r\n`
  for (let index = 0; index < headers.length; index += 2) head += `${headers[index]}: ${headers[index + 1]}\r\n`
  socket.end(Buffer.concat([Buffer.from(`${head}\r\n`), body]), () => socket.destroy())
}
