/**
 * A lying node on a port of this machine: JSON-RPC over HTTP at any path, single calls and batches.
 *
 * Each answer has the header `Plumbline-Tamper` with the name of the lie, so that the server cannot be mistaken for a
 * real node. The server listens on the loopback address only, and web pages may not call it unless their origins are
 * named: it passes every method to the true node.
 */
import * as http from "node:http"

import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import type { ConnectionFault } from "@plumbline/tamper/lie/Lie"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"

import * as Loopback from "../home/Loopback.ts"
import type { UsageError } from "../terminal/UsageError.ts"

export interface TamperServerOptions {
  readonly port: number
  /** The name of the lie, for the header `Plumbline-Tamper` of each answer. */
  readonly name: string
  readonly node: Transport["Service"]
  readonly fault: ConnectionFault | undefined
  /** The origins whose pages may call the node; `*` is every origin. */
  readonly origins: ReadonlyArray<string>
  /** Called once for each answer that had the fault. */
  readonly onFault: () => void
}

/** Delay in milliseconds of the fault `slow`. */
const SLOW = 60_000

const HUGE = 64 * 1024 * 1024

/** Maximum number of bytes of a request. */
const MAX_BYTES = 5 * 1024 * 1024

/** Opens a lying node until the scope is closed, and returns its URL. Port 0 means any free port. */
export const open = Effect.fnUntraced(function* (
  options: TamperServerOptions
): Effect.fn.Return<string, UsageError, Scope.Scope> {
  const { fault, name, node, onFault, origins, port } = options
  const admit = Loopback.gate(origins)
  const answer = (request: any): Effect.Effect<unknown> => {
    const { id = null, method, params = [] } = Object(request)
    if (typeof method !== "string" || !Array.isArray(params)) {
      return Effect.succeed({ jsonrpc: "2.0", id, error: { code: -32600, message: "invalid request" } })
    }
    return Effect.map(Effect.result(node.call({ method, params })), (outcome) =>
      Result.isSuccess(outcome)
        ? { jsonrpc: "2.0", id: fault === "wrong-id" ? `not ${id}` : id, result: outcome.success }
        : { jsonrpc: "2.0", id, error: errorOf(outcome.failure.reason) }
    )
  }
  const answers = (packet: unknown): Effect.Effect<unknown> =>
    Array.isArray(packet) ? Effect.forEach(packet, answer, { concurrency: 16 }) : answer(packet)

  const server = http.createServer((request, response) => {
    const { cors, refused } = admit(request)
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value)
    const refuse = (status: number, text: string): void => {
      response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(`${text}\n`)
    }
    if (refused !== undefined) return refuse(403, refused)
    if (request.method === "OPTIONS") return void response.writeHead(204, Loopback.PREFLIGHT).end()
    if (request.method !== "POST") return refuse(405, "POST a JSON-RPC request")
    if (!Loopback.JSON_TYPE.test(request.headers["content-type"] ?? "")) {
      return refuse(415, "content-type must be application/json")
    }
    Loopback.body(request, MAX_BYTES, (body) => {
      if (body === undefined) return void request.destroy()
      const packet = Result.try((): unknown => JSON.parse(body.toString("utf8")))
      if (Result.isFailure(packet)) return void response.writeHead(400).end()
      const work = Effect.map(answers(packet.success), (body) => {
        if (fault !== undefined) onFault()
        send(response, { body: JSON.stringify(body), fault, name })
      })
      const fiber = Effect.runFork(fault === "slow" ? Effect.delay(work, SLOW) : work)
      response.once("close", () => Effect.runFork(Fiber.interrupt(fiber)))
    })
  })
  return `http://${yield* Loopback.listen(server, port)}`
})

const send = (
  response: http.ServerResponse,
  { body, fault, name }: { readonly body: string; readonly fault: ConnectionFault | undefined; readonly name: string }
): void => {
  const head = { "plumbline-tamper": name, "content-type": fault === "html" ? "text/html" : "application/json" }
  switch (fault) {
    case "html":
      response.writeHead(200, head).end("<!doctype html><title>Welcome</title><p>Please log in.")
      return
    case "cut":
      response.writeHead(200, { ...head, "content-length": Buffer.byteLength(body) })
      response.write(body.slice(0, body.length / 2), () => response.destroy())
      return
    case "huge":
      // white space, which JSON allows before a value
      response.writeHead(200, head)
      response.write(Buffer.alloc(HUGE, " "))
      response.end(body)
      return
    default:
      response.writeHead(200, head).end(body)
  }
}

/** The error of the true node, or of the connection to it. */
const errorOf = (reason: { readonly _tag: string; readonly message: string }): object =>
  reason._tag === "RemoteError" && "code" in reason
    ? { code: reason.code, message: reason.message, ...("data" in reason ? { data: reason.data } : {}) }
    : { code: -32000, message: reason.message }
