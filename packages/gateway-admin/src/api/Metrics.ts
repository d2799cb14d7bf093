/**
 * Serves the metrics of a gateway to Prometheus: to holders of an admin token, or on a separate port.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

import { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import * as Redaction from "@plumbline/gateway/errors/Redaction"
import { TEXT, Exposition } from "@plumbline/gateway/GatewayInternals"
import type { Mount } from "@plumbline/gateway/http/Mount"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

import type { AdminToken } from "./AdminToken.ts"
import { AdminTokenCheck } from "./adminTokenCheck.ts"

/**
 * The path of the metrics, on the gateway's listener and on a separate port.
 */
export const PATH = "/metrics"

/**
 * The metrics of a gateway that may not be running yet. Until `attach` is called, a scrape is answered with 503.
 */
export interface Metrics {
  /** Serves `/metrics` to requests with `Authorization: Bearer <admin token>`. */
  readonly mount: Mount
  /** Serves the `metrics` of the `Gateway` from now on. */
  readonly attach: (text: Effect.Effect<string>) => void
  /**
   * Serves `/metrics` to everyone who can connect to this address, until the scope closes. Returns the port; the system
   * chooses one for port 0. Call this function before the gateway starts, so that the port is still open while the
   * gateway shuts down.
   */
  readonly listen: (address: {
    readonly host: string
    readonly port: number
  }) => Effect.Effect<number, GatewayError, Scope.Scope>
}

/**
 * Makes the metrics for holders of these tokens. For each address, ten wrong tokens a minute are answered with 401.
 * Further wrong tokens are answered with 429.
 */
export const make = Effect.fnUntraced(function* (options: {
  readonly tokens: ReadonlyArray<AdminToken>
}): Effect.fn.Return<Metrics> {
  const tokens = new AdminTokenCheck(options.tokens)
  const run = Effect.runForkWith(yield* Effect.context())
  let text: Effect.Effect<string> | undefined

  const scrape = (request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    if (request.method !== "GET" && request.method !== "HEAD") {
      return answer(response, 405, "method not allowed", { allow: "GET, HEAD" })
    }
    if (text === undefined) return answer(response, 503, "service unavailable", { "retry-after": "1" })
    run(text).addObserver((exit) => {
      if (exit._tag === "Failure") {
        run(Effect.logError("metrics cannot be read", Redaction.text(Cause.pretty(exit.cause))))
        return answer(response, 500, "internal error")
      }
      response.writeHead(200, { "content-type": Exposition.TYPE, "cache-control": "no-store" }).end(exit.value)
    })
  }

  const serve: Mount["handle"] = (request, response, caller) => {
    if (pathOf(request) !== PATH) return answer(response, 404, "not found")
    const verdict = tokens.check(request.headers.authorization, caller, performance.now())
    switch (verdict._tag) {
      case "Accepted":
        return scrape(request, response)
      case "TooMany":
        return answer(response, 429, "too many wrong tokens", { "retry-after": String(verdict.retryAfter) })
      default:
        return answer(response, 401, "an admin token is needed", {
          "www-authenticate": 'Bearer realm="plumbline admin"'
        })
    }
  }

  return {
    mount: { path: PATH, handle: serve },
    attach: (attached) => {
      text = attached
    },
    listen: ({ host, port }) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.callback<ReturnType<typeof createServer>, GatewayError>((resume) => {
            const server = createServer((request, response) =>
              pathOf(request) === PATH ? scrape(request, response) : answer(response, 404, "not found")
            )
            server.maxConnections = CONNECTIONS
            server.requestTimeout = REQUEST
            server.headersTimeout = REQUEST
            server.once("error", (error: NodeJS.ErrnoException) => {
              const code = error.code ?? "UNKNOWN"
              resume(Effect.fail(new GatewayError({ reason: { _tag: "CannotListen", host, port, code } })))
            })
            server.listen({ host, port }, () => resume(Effect.succeed(server)))
          }),
          (server) =>
            Effect.callback<void>((resume) => {
              server.close(() => resume(Effect.void))
              server.closeAllConnections()
            })
        ),
        (server) => (server.address() as AddressInfo).port
      )
  }
})

/** Maximum number of simultaneous connections. */
const CONNECTIONS = 64

/** Milliseconds within which the head of a request must arrive. */
const REQUEST = 5000

const pathOf = ({ url = "" }: IncomingMessage): string => url.replace(/[?#].*$/su, "")

const answer = (
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {}
): void => {
  response.writeHead(status, [...TEXT, ...Object.entries(headers).flat()]).end(`${text}\n`)
}
