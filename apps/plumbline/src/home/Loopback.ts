/**
 * Starts a server on a port of this machine, keeps web pages out of it, and reads request bodies, for `proxy` and
 * `tamper`.
 */
import type * as http from "node:http"
import type { AddressInfo } from "node:net"

import * as Flag from "effect/cli/Flag"
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

/** The outcome of the check of a request: a reason to refuse it, and the CORS headers of every answer to it. */
export interface LoopbackAdmission {
  readonly refused: string | undefined
  readonly cors: Readonly<Record<string, string>>
}

/**
 * Returns a function that admits requests of programs of this machine, and of pages of the named origins; `*` names
 * every origin.
 *
 * A browser sends every page's requests to a loopback port. It names the page's origin in each POST and in each
 * WebSocket handshake. A page whose host name was made to lead to this machine names that host. So both headers are
 * checked. Browser extensions, such as wallets, are programs that the user installed, and not pages.
 */
export const gate = (origins: ReadonlyArray<string>): ((request: http.IncomingMessage) => LoopbackAdmission) => {
  const allowed = new Set(origins)
  return ({ headers }) => {
    const { host, origin } = headers
    if (host !== undefined && !isLoopback(host)) {
      return { refused: "this port answers to localhost only, not to another name", cors: {} }
    }
    if (origin === undefined) {
      const site = headers["sec-fetch-site"]
      return { refused: site === "cross-site" || site === "same-site" ? CLOSED : undefined, cors: {} }
    }
    if (!allowed.has("*") && !allowed.has(origin.toLowerCase()) && !EXTENSION.test(origin)) {
      return { refused: CLOSED, cors: {} }
    }
    return { refused: undefined, cors: { "access-control-allow-origin": origin, vary: "origin" } }
  }
}

const CLOSED = "web pages may not call this port; --allow-origin names the origin of a page that may"

const EXTENSION = /^(?:chrome|moz|safari-web)-extension:\/\/[\w.-]+$/u

/** True if a Host header names this machine: `localhost`, a name below it, or a loopback address, with any port. */
export const isLoopback = (host: string): boolean =>
  /^(?:(?:[\w-]+\.)*localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/iu.test(host)

/** Reads the origins of a flag: each is `*`, or exactly what a browser sends, such as `http://localhost:5173`. */
export const originsOf = (flags: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, UsageError> => {
  const wrong = flags.find((text) => text !== "*" && !ORIGIN.test(text))
  return wrong === undefined
    ? Effect.succeed(flags.map((origin) => origin.toLowerCase()))
    : Effect.fail(
        new UsageError({
          problem: "--allow-origin must be an origin such as http://localhost:5173, without a path, or *"
        })
      )
}

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:[\w-]+(?:\.[\w-]+)*|\[[0-9a-f:]+\])(?::\d{1,5})?$/iu

/** The flag of the origins whose pages may call a port. */
export const originFlag: Flag.Flag<ReadonlyArray<string>> = Flag.String("allow-origin").pipe(
  Flag.withMetavar("origin"),
  Flag.withDescription(
    "Let web pages of this origin call the port, such as http://localhost:5173, or * for all; may be repeated (default: no pages)"
  ),
  Flag.atLeast(0)
)

/** Matches the content types of JSON. A page can send any other type to another origin without asking first. */
export const JSON_TYPE: RegExp = /^application\/(?:json|[\w.-]+\+json)\s*(?:;|$)/iu

/** The answer to a preflight of an admitted page, on top of its CORS headers. */
export const PREFLIGHT: Readonly<Record<string, string>> = {
  "access-control-allow-methods": "POST",
  "access-control-allow-headers": "content-type",
  "access-control-allow-private-network": "true",
  "access-control-max-age": "600"
}
