/** Answers requests that Node's HTTP parser reports as late, broken or too large. */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

import type { Connections } from "./connections.ts"
import type { Exchange } from "./exchange.ts"
import { HttpExchange } from "./httpExchange.ts"
import * as HttpRefusal from "./HttpRefusal.ts"
import { refuseRaw } from "./rawRefusal.ts"

/** Answers the errors that the server reports about connections. */
export const answer = (server: Server, connections: Connections, inFlight: Iterable<Exchange>): void => {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const refusal = refusalOf(error.code)
    const open = [...inFlight].filter(
      (exchange): exchange is HttpExchange => exchange instanceof HttpExchange && exchange.request.socket === socket
    )
    // An upload may take longer than this timeout, also one that is answered while it arrives. Its reader detects silence.
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && open.some((exchange) => exchange.upload !== undefined)) return
    // The client has been told that this connection gets no further answer. If an upload is still arriving, its client
    // may have disconnected.
    if (connections.isEnded(socket as Socket)) {
      if (open.some(({ request }) => !request.complete)) socket.destroy()
      return
    }
    if (open.length === 0) {
      // Each further piece of a broken request is an error too, and must not destroy the socket before this refusal.
      connections.end(socket as Socket)
      refuseRaw(socket, refusal)
    }
    // The body of the last request is late or broken. Node sends the answers to earlier requests first.
    else if (refusal !== undefined && open.at(-1)!.isReceiving) refuseBody(open.at(-1)!, refusal)
    else if (refusal !== undefined && open.every(({ request }) => request.complete)) {
      connections.end(open[0]!.request.socket)
      refuseBehind(socket, open, refusal)
    }
    // No refusal can be sent, for example because the client of an upload has disconnected.
    else socket.destroy()
  })
}

/** Refuses a body that is late or broken. */
const refuseBody = (exchange: HttpExchange, refusal: HttpRefusal.HttpRefusal): void => {
  const { isAccountedFor, owner } = exchange
  if (owner === undefined) return exchange.reject(refusal)
  exchange.abandonBody()
  // If the exchange is already accounted for, its answer is under way.
  if (!isAccountedFor) owner.refuse(refusal)
}

/**
 * Refuses a broken request. The refusal comes after the answers to the complete requests before the broken one. Those
 * requests were valid: without an answer the caller would not know whether they were executed.
 */
const refuseBehind = (socket: Duplex, open: ReadonlyArray<HttpExchange>, refusal: HttpRefusal.HttpRefusal): void => {
  let left = open.length
  for (const { response } of open) {
    response.once("close", () => {
      left--
      if (left === 0) refuseRaw(socket, refusal)
    })
  }
}

/** Returns the refusal for an error of the parser; undefined if the connection was lost. */
const refusalOf = (code: string | undefined): HttpRefusal.HttpRefusal | undefined => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return HttpRefusal.tooSlow
  if (code === "HPE_HEADER_OVERFLOW") return HttpRefusal.headersTooLarge
  return code?.startsWith("HPE_") === true ? HttpRefusal.badRequest : undefined
}
