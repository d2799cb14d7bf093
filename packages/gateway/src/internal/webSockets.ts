/** The WebSocket side: which upgrades become sockets, and what all sockets share. */
import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"

import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { WebSocketServer } from "ws"

import type { Settings } from "../GatewayOptions.ts"
import type { Pipeline, Session } from "../Pipeline.ts"
import * as Redaction from "../Redaction.ts"
import * as Refusal from "../Refusal.ts"
import { type Fork, isWebSocket, refuseRaw } from "./httpServer.ts"
import * as HttpTarget from "./httpTarget.ts"
import { InFlight } from "./inFlight.ts"
import { WebSocketConnection } from "./webSocketConnection.ts"

export interface WebSockets {
  readonly connections: InFlight<WebSocketConnection>
  /** Pings every socket, for ever. */
  readonly heartbeat: Effect.Effect<never>
}

export const make = (options: {
  readonly server: Server
  readonly isDraining: () => boolean
  readonly pipeline: Pipeline
  readonly settings: Settings
  readonly fork: Fork
}): WebSockets => {
  const { fork, isDraining, pipeline, settings } = options
  const { limits } = settings
  const connections = new InFlight<WebSocketConnection>()
  const perProject = new Map<string, number>()
  const acceptor = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: limits.bodyBytes,
    // Compressed messages cost memory per socket, and a small one can hold a large one.
    perMessageDeflate: false
  })

  const open = (session: Session, request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { id } = session.project
    const count = perProject.get(id) ?? 0
    if (isDraining()) return refuseRaw(socket, Refusal.unavailable)
    if (count >= limits.socketsPerProject) return refuseRaw(socket, Refusal.tooManySockets)
    if (connections.size >= limits.sockets) return refuseRaw(socket, Refusal.busy)
    acceptor.handleUpgrade(request, socket, head, (webSocket) => {
      perProject.set(id, count + 1)
      connections.add(
        new WebSocketConnection({
          socket: webSocket,
          transport: request.socket,
          session,
          pipeline,
          settings,
          fork,
          onClose: (connection) => {
            connections.delete(connection)
            const left = (perProject.get(id) ?? 1) - 1
            if (left === 0) perProject.delete(id)
            else perProject.set(id, left)
          }
        })
      )
    })
  }

  options.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const target = HttpTarget.parse(request.url ?? "")
    // Node before 24.9 does not ask which upgrades are wanted.
    if (target._tag !== "WebSocket" || !isWebSocket(request)) return refuseRaw(socket, Refusal.badRequest)
    const gone = () => socket.destroy()
    socket.on("error", gone)
    const { headers } = request
    const session = pipeline.open(
      { key: target.key, authorization: headers.authorization },
      target.host ?? headers.host
    )
    fork(session).addObserver((exit) => {
      socket.off("error", gone)
      if (exit._tag === "Success") return open(exit.value, request, socket, head)
      const refusal = Cause.findError(exit.cause)
      if (Result.isSuccess(refusal)) return refuseRaw(socket, refusal.success)
      fork(Effect.logError("upgrade died", Redaction.text(Cause.pretty(exit.cause))))
      refuseRaw(socket, Refusal.failed)
    })
  })

  const beat = Effect.sync(() => {
    for (const connection of connections) connection.beat()
  })
  return {
    connections,
    heartbeat: Effect.forever(Effect.andThen(Effect.sleep(settings.timeouts.heartbeat), beat))
  }
}
