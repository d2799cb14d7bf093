/** Servers over `ws` on a free port of the loopback, closed with the scope. */
import type { IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

import type { Dispatcher } from "@plumbline/jsonrpc-core"
import { Effect, Fiber, type Scope } from "effect"
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws"

export interface Server {
  readonly url: string
  /** The sockets that are open. */
  readonly sockets: ReadonlySet<WebSocket>
}

/** A server that does what it is told with each socket. */
export const make = (
  onConnection: (socket: WebSocket, request: IncomingMessage) => void,
  options: ServerOptions = {}
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<WebSocketServer>((resume) => {
        const server = new WebSocketServer({ ...options, host: "127.0.0.1", port: 0 })
        server.on("connection", onConnection)
        server.on("listening", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.clients.forEach((socket) => socket.terminate())
          server.close(() => resume(Effect.void))
        })
    ),
    (server) => ({ url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets: server.clients })
  )

/** A server that answers with a dispatcher, and stops the work of a client that went away. */
export const dispatching = (
  handle: Dispatcher.Dispatcher<never>["handle"]
): Effect.Effect<Server, never, Scope.Scope> =>
  make((socket) => {
    const fibers = new Set<Fiber.Fiber<unknown>>()
    socket.on("message", (data: Buffer) => {
      const fiber = Effect.runFork(handle(data))
      fibers.add(fiber)
      fiber.addObserver((exit) => {
        fibers.delete(fiber)
        if (exit._tag === "Success" && exit.value !== undefined) {
          socket.send(exit.value, { binary: false })
        }
      })
    })
    socket.on("close", () => Effect.runFork(Fiber.interruptAll(fibers)))
  })
