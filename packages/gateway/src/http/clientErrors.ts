/** Answers to the complaints of Node's HTTP parser: requests that are late, broken or too large. */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

import type { Connections } from "./connections.ts"
import type { HttpExchange } from "./exchange.ts"
import { refuseRaw } from "./rawRefusal.ts"
import * as Refusal from "./Refusal.ts"

/** Answers the complaints of a server about its connections. */
export const answer = (server: Server, connections: Connections, inFlight: Iterable<HttpExchange>): void => {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const refusal = refusalOf(error.code)
    const open = [...inFlight].filter((exchange) => exchange.request.socket === socket)
    // The client already knows that this connection gets no further answer. An upload that is answered while it arrives
    // may have lost its client.
    if (connections.isEnded(socket as Socket)) {
      if (open.some(({ request }) => !request.complete)) socket.destroy()
      return
    }
    // Such a body may take its time; its reader detects silence.
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && open.some((exchange) => exchange.upload !== undefined)) return
    if (open.length === 0) refuseRaw(socket, refusal)
    // A body that is late or broken. Earlier requests on the connection are answered first: Node keeps the order.
    else if (refusal !== undefined && open.at(-1)!.isReceiving) refuseBody(open.at(-1)!, refusal)
    else if (refusal !== undefined && open.every(({ request }) => request.complete)) {
      connections.end(open[0]!.request.socket)
      refuseBehind(socket, open, refusal)
    }
    // For example an upload whose client has left.
    else socket.destroy()
  })
}

/** Refuses a body that is late or broken. */
const refuseBody = (exchange: HttpExchange, refusal: Refusal.Refusal): void => {
  const { isAccountedFor, owner } = exchange
  if (owner === undefined) return exchange.reject(refusal)
  exchange.abandonBody()
  // Otherwise the refusal is under way already.
  if (!isAccountedFor) owner.refuse(refusal)
}

/**
 * Refuses a broken request after the complete requests before it are answered. Those were valid, and without an answer
 * their caller must assume that they may have been executed.
 */
const refuseBehind = (socket: Duplex, open: ReadonlyArray<HttpExchange>, refusal: Refusal.Refusal): void => {
  let left = open.length
  for (const { response } of open) {
    response.once("close", () => {
      left--
      if (left === 0) refuseRaw(socket, refusal)
    })
  }
}

/** Returns the refusal for an error of the parser, or undefined if the connection is simply gone. */
const refusalOf = (code: string | undefined): Refusal.Refusal | undefined => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return Refusal.tooSlow
  if (code === "HPE_HEADER_OVERFLOW") return Refusal.headersTooLarge
  return code?.startsWith("HPE_") === true ? Refusal.badRequest : undefined
}
