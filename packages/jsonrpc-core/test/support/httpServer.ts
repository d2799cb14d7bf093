/** Servers on a free port of the loopback address, until the scope closes. */
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import * as net from "node:net"

import type { Dispatcher } from "@plumbline/jsonrpc-core"
import { Effect, Fiber, type Scope } from "effect"

/** Returns the URL of a server with this listener. */
export const make = (listener: RequestListener): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(listener)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/`
  )

/** Returns the URL of a server that answers with a dispatcher, and stops the work of a client that disconnected. */
export const dispatching = (
  handle: Dispatcher.Dispatcher<never>["handle"]
): Effect.Effect<string, never, Scope.Scope> =>
  make((request, response) => {
    void body(request).then((bytes) => {
      const fiber = Effect.runFork(handle(bytes))
      response.once("close", () => Effect.runFork(Fiber.interrupt(fiber)))
      fiber.addObserver((exit) => {
        if (exit._tag === "Success") {
          response.writeHead(exit.value === undefined ? 204 : 200, { "content-type": "application/json" })
          response.end(exit.value)
        }
      })
    })
  })

/** A request that a server received. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly text: string
  /** The body as JSON, if there is a body. */
  readonly json: any
}

/** Returns the URL of a server that answers each request with a `Response`. */
export const responding = (
  respond: (asked: Asked) => Response | Promise<Response>
): Effect.Effect<string, never, Scope.Scope> =>
  make((request, response) => {
    void (async () => {
      const text = new TextDecoder().decode(await body(request))
      const answer = await respond({
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        text,
        json: text === "" ? undefined : JSON.parse(text)
      })
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (answer.body !== null) {
        for await (const chunk of answer.body) {
          if (response.destroyed) {
            break
          }
          response.write(chunk)
        }
      }
      response.end()
    })()
  })

/**
 * Returns the URL of a plain TCP server. `listener` is called for each request once its whole body has arrived.
 *
 * A socket stays half open until `listener` ends it.
 */
export const raw = (
  listener: (
    socket: net.Socket,
    request: { readonly nth: number; readonly id: number; readonly ids: ReadonlyArray<number> }
  ) => void
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ server: net.Server; sockets: Set<net.Socket> }>((resume) => {
        const sockets = new Set<net.Socket>()
        let requests = 0
        const server = net.createServer({ allowHalfOpen: true }, (socket) => {
          sockets.add(socket)
          let seen = ""
          socket.on("data", (bytes) => {
            seen += bytes.toString("latin1")
            const body = seen.indexOf("\r\n\r\n") + 4
            const end = body + Number(/content-length: ([0-9]+)/i.exec(seen)?.[1])
            if (body > 4 && seen.length >= end) {
              const ids = [...seen.slice(0, end).matchAll(/"id":([0-9]+)/g)].map(([, id]) => Number(id))
              seen = seen.slice(end)
              listener(socket, { nth: requests++, id: ids[0] ?? Number.NaN, ids })
            }
          })
          socket.on("error", () => {})
          socket.on("close", () => sockets.delete(socket))
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ server, sockets })))
      }),
      ({ server, sockets }) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          sockets.forEach((socket) => socket.destroy())
        })
    ),
    ({ server }) => `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/`
  )

const body = async (request: IncomingMessage): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) {
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
