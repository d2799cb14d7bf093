/** Servers of node:http on a free port of the loopback, closed with the scope. */
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

import type { Dispatcher } from "@plumbline/jsonrpc-core"
import { Effect, Fiber, type Scope } from "effect"

/** The URL of a server that does what it is told. */
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
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  )

/** The URL of a server that answers with a dispatcher, and stops the work of a client that went away. */
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

const body = async (request: IncomingMessage): Promise<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) {
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
