/** Starts a server on a port of this machine and reads request bodies, for `proxy` and `tamper`. */
import type * as http from "node:http"
import type { AddressInfo } from "node:net"

import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

import { UsageError } from "../terminal/UsageError.ts"

/**
 * Listens on the loopback address until the scope is closed, and returns the address with its port, such as
 * `127.0.0.1:8545`. Port 0 means any free port. Closing the scope ends all connections.
 */
export const listen = (server: http.Server, port: number): Effect.Effect<string, UsageError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<string, UsageError>((resume) => {
      server.once("error", (error: NodeJS.ErrnoException) => {
        const problem =
          error.code === "EADDRINUSE" ? `${port} is taken; 0 means any free port` : `cannot listen on ${port}`
        resume(Effect.fail(new UsageError({ problem: `--port: ${problem}` })))
      })
      server.listen(port, "127.0.0.1", () =>
        resume(Effect.succeed(`127.0.0.1:${(server.address() as AddressInfo).port}`))
      )
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

/**
 * Reads a body, and passes undefined to the callback as soon as the body exceeds `maxBytes`. The callback runs at most
 * once; it does not run for a request that breaks off, because its caller no longer waits for an answer.
 */
export const body = (
  request: http.IncomingMessage,
  maxBytes: number,
  done: (body: Buffer | undefined) => void
): void => {
  const chunks: Array<Buffer> = []
  let length = 0
  request.on("data", (chunk: Buffer) => {
    length += chunk.length
    if (length <= maxBytes) chunks.push(chunk)
    else if (length - chunk.length <= maxBytes) done(undefined)
  })
  request.once("end", () => {
    if (length <= maxBytes) done(Buffer.concat(chunks))
  })
  request.once("error", () => request.destroy())
}
