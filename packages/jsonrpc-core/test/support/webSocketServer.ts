/** Servers with `ws` on a free port of the loopback address, until the scope closes. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

import { Connection, type Dispatcher } from "@plumbline/jsonrpc-core"
import { Effect, Fiber, type Scope } from "effect"
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws"

export interface Server {
  readonly url: string
  /** The open sockets. */
  readonly sockets: ReadonlySet<WebSocket>
}

/** Starts a server with this handler for each socket. */
export const make = (
  onConnection: (socket: WebSocket, request: IncomingMessage) => void,
  options: ServerOptions = {}
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly http: ReturnType<typeof createServer>; readonly server: WebSocketServer }>(
        (resume) => {
          const http = createServer((_, response) => response.writeHead(426).end())
          const server = new WebSocketServer({ ...options, server: http })
          server.on("connection", onConnection)
          http.listen(0, "127.0.0.1", () => resume(Effect.succeed({ http, server })))
        }
      ),
      ({ http, server }) =>
        Effect.callback<void>((resume) => {
          server.clients.forEach((socket) => socket.terminate())
          server.close()
          http.close(() => resume(Effect.void))
          // A socket without a finished handshake would keep the server open for a minute.
          http.closeAllConnections()
        })
    ),
    ({ http, server }) => ({ url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}/`, sockets: server.clients })
  )

/** Starts a server with a `Connection` for each socket. It closes the socket when the connection ends. */
export const connecting = (
  server: Dispatcher.Dispatcher<never>,
  options?: Partial<Connection.ConnectionOptions>
): Effect.Effect<Server, never, Scope.Scope> =>
  make((socket) => {
    const serve = Effect.gen(function* () {
      const { ended, receive } = yield* Connection.make(server, {
        ...options,
        send: (packet) => Effect.callback((resume) => socket.send(packet, { binary: false }, () => resume(Effect.void)))
      })
      socket.on("message", (data: Buffer) => {
        const taking = Effect.runFork(receive(data))
        if (taking.pollUnsafe() === undefined) {
          socket.pause()
          taking.addObserver(() => socket.resume())
        }
      })
      yield* ended
      socket.close(1013)
    })
    const fiber = Effect.runFork(Effect.scoped(serve))
    socket.on("close", () => fiber.interruptUnsafe())
  })

/** Starts a server that answers with a dispatcher, and stops the work of a client that disconnected. */
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
