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
    // It was told already that nothing more is answered here. An upload that is answered as it comes in may have lost its
    // client.
    if (connections.isEnded(socket as Socket)) {
      if (open.some(({ request }) => !request.complete)) socket.destroy()
      return
    }
    // Such a body may take its time; silence in it is seen by its reader.
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && open.some((exchange) => exchange.upload !== undefined)) return
    if (open.length === 0) refuseRaw(socket, refusal)
    // A body that is late or broken. What was asked before it on the connection is answered first: Node keeps the order.
    else if (refusal !== undefined && open.at(-1)!.isReceiving) refuseBody(open.at(-1)!, refusal)
    else if (refusal !== undefined && open.every(({ request }) => request.complete)) {
      connections.end(open[0]!.request.socket)
      refuseBehind(socket, open, refusal)
    }
    // Such as an upload whose client has left.
    else socket.destroy()
  })
}

/** Refuses a body that is late or broken. */
const refuseBody = (exchange: HttpExchange, refusal: Refusal.Refusal): void => {
  const { isAccountedFor, owner } = exchange
  if (owner === undefined) return exchange.reject(refusal)
  exchange.abandonBody()
  // Otherwise it is being refused already.
  if (!isAccountedFor) owner.refuse(refusal)
}

/**
 * Refuses what comes behind requests that are whole, once those are answered: they were right, and a caller that hears
 * nothing of them must think that they may have been done.
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

/** The refusal of what the parser complains of, or undefined if the connection is simply gone. */
const refusalOf = (code: string | undefined): Refusal.Refusal | undefined => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return Refusal.tooSlow
  if (code === "HPE_HEADER_OVERFLOW") return Refusal.headersTooLarge
  return code?.startsWith("HPE_") === true ? Refusal.badRequest : undefined
}
