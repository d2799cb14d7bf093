/** A server that answers every request with the given function. It is closed with the scope. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

import { Effect, type Scope } from "effect"

/** Starts the server and returns its URL. The server reads the body of a request before it answers. */
export const make = (
  answer: (request: IncomingMessage, response: ServerResponse) => void
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((request, response) => {
          response.on("error", () => {})
          request.on("error", () => {})
          request.on("end", () => answer(request, response))
          request.resume()
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )
