/**
 * A door on a port of this machine: JSON-RPC over HTTP and WebSocket at any path, for unchanged programs.
 *
 * It listens on the loopback address only, because it asks the node with its owner's key. Pages of any origin may ask
 * it: it has no private keys, and what it reads is public.
 *
 * - HTTP: POST, `application/json`, at most 2 MB and 100 calls. The answer to a single call carries
 *   `Plumbline-Verdict: VERIFIED | CLAIMED | REFUTED`, and `Plumbline-Claimed` lists the fields of it that are only
 *   claimed, such as `totalDifficulty`; it is missing if there are none. A refusal is an error object with status 200, as of a node:
 *   clients send a call again after a status of 5xx, and a lie is told once.
 * - WebSocket: the same calls, without subscriptions.
 */
import * as http from "node:http"

import * as Connection from "@plumbline/jsonrpc-core/server/Connection"
import type { ProvingNode } from "@plumbline/provider/node/ProvingNode"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { type RawData, type WebSocket, WebSocketServer } from "ws"

import * as Loopback from "../home/Loopback.ts"
import type { UsageError } from "../terminal/UsageError.ts"
import * as Calls from "./Calls.ts"
import type { Tally } from "./Tally.ts"

/** A door that is open. */
export interface Door {
  readonly url: string
  readonly wsUrl: string
}

/** Milliseconds for a request to arrive whole. */
const ARRIVAL = 30_000

/** Connections at a time: file descriptors are few, and one program needs some dozens. */
const MAX_CONNECTIONS = 1000

/** Opens a door until the scope is closed. Port 0 is any free one. */
export const open = Effect.fnUntraced(function* (
  node: ProvingNode["Service"],
  { port, tally }: { readonly port: number; readonly tally: Tally }
): Effect.fn.Return<Door, UsageError, Scope.Scope> {
  const calls = Calls.make(node)
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(yield* Effect.context())

  /** Work for a client, which ends with the door. */
  const run = <A>(work: Effect.Effect<A>): Fiber.Fiber<A> => {
    const fiber = fork(work)
    const ended = Effect.runSync(Scope.fork(scope))
    Effect.runSync(Scope.addFinalizer(ended, Fiber.interrupt(fiber)))
    fiber.addObserver(() => Effect.runFork(Scope.close(ended, Exit.void)))
    return fiber
  }

  const server = http.createServer({ requestTimeout: ARRIVAL }, (request, response) => {
    if (request.method === "OPTIONS") return void response.writeHead(204, preflight).end()
    if (request.method !== "POST") return refuse(response, 405, "POST a JSON-RPC request")
    if (!JSON_TYPE.test(request.headers["content-type"] ?? "")) {
      return refuse(response, 415, "content-type must be application/json")
    }
    Loopback.body(request, Calls.MAX_BYTES, (body) => {
      if (body === undefined) return refuse(response, 413, `a request has at most ${Calls.MAX_BYTES} bytes`)
      const told: Array<Calls.Told> = []
      const answer = Effect.provideService(calls.handle(body), Calls.Listener, (one) => {
        told.push(one)
        tally.count(one.fate, one.check)
      })
      const fiber = run(answer)
      response.once("close", () => response.writableFinished || fiber.interruptUnsafe())
      fiber.addObserver((exit) => {
        if (Exit.isSuccess(exit)) send(response, body, told, exit.value)
        else response.destroy()
      })
    })
  })
  server.maxConnections = MAX_CONNECTIONS

  const sockets = new WebSocketServer({ noServer: true, maxPayload: Calls.MAX_BYTES, perMessageDeflate: false })
  server.on("upgrade", (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on("error", () => webSocket.terminate())
      // until somebody listens to its messages
      webSocket.pause()
      run(talk(webSocket))
    })
  })

  /** Answers a socket until it is closed. */
  const talk = (webSocket: WebSocket): Effect.Effect<void> => {
    const conversation = Effect.gen(function* () {
      const { ended, receive } = yield* Connection.make(calls, {
        send: (packet) =>
          Effect.callback<void>((resume) => {
            // text, because browsers hand out binary messages as blobs
            webSocket.send(packet, { binary: false }, () => resume(Effect.void))
          })
      })
      webSocket.on("message", (data: RawData) => {
        webSocket.pause()
        fork(
          Effect.ensuring(
            receive(bytesOf(data)),
            Effect.sync(() => webSocket.resume())
          )
        )
      })
      webSocket.resume()
      yield* Effect.raceFirst(
        ended,
        Effect.callback<void>((resume) => {
          if (webSocket.readyState === webSocket.CLOSED) return resume(Effect.void)
          webSocket.once("close", () => resume(Effect.void))
        })
      )
    })
    return conversation.pipe(
      Effect.scoped,
      Effect.provideService(Calls.Listener, ({ check, fate }) => tally.count(fate, check)),
      Effect.ensuring(Effect.sync(() => webSocket.close(GOING_AWAY)))
    )
  }

  const address = yield* Loopback.listen(server, port)
  // a client that does not answer the end of its socket would hold the end of the door
  yield* Effect.addFinalizer(() => Effect.sync(() => sockets.clients.forEach((webSocket) => webSocket.terminate())))
  return { url: `http://${address}`, wsUrl: `ws://${address}` }
})

/** RFC 6455, section 7.4.1: the endpoint goes down. */
const GOING_AWAY = 1001

const JSON_TYPE = /^application\/(?:json|[\w.-]+\+json)\s*(?:;|$)/iu

const cors = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "plumbline-verdict, plumbline-claimed"
} as const

const preflight = {
  ...cors,
  "access-control-allow-methods": "POST",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "600"
} as const

const refuse = (response: http.ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { ...cors, "content-type": "text/plain", connection: "close" }).end(`${text}\n`)
}

const send = (
  response: http.ServerResponse,
  body: Uint8Array,
  told: ReadonlyArray<Calls.Told>,
  answer: Uint8Array | undefined
): void => {
  // only notifications: JSON-RPC has no answer to them
  if (answer === undefined) return void response.writeHead(204, cors).end()
  const [only] = isBatch(body) ? [] : told
  response
    .writeHead(200, {
      ...cors,
      "content-type": "application/json",
      "content-length": answer.length,
      ...(only === undefined || only.fate === "FAILED" ? {} : verdictHeaders(only))
    })
    .end(answer)
}

/** A refused answer was only claimed. */
const verdictHeaders = ({ claimed, fate }: Calls.Told): Record<string, string> => ({
  "plumbline-verdict": fate === "REFUSED" ? "CLAIMED" : fate,
  ...(claimed.length === 0 ? {} : { "plumbline-claimed": listed(claimed) })
})

/** The most fields that are listed by name; a node may send any number, by any names. */
const MAX_LISTED = 32

const listed = (fields: ReadonlyArray<string>): string => {
  const names = fields.slice(0, MAX_LISTED).map((field) => (/^[\w.[\]-]{1,64}$/u.test(field) ? field : "?"))
  return [...new Set(names), ...(fields.length > MAX_LISTED ? ["..."] : [])].join(", ")
}

const isBatch = (body: Uint8Array): boolean => {
  for (const byte of body) if (byte > 0x20) return byte === 0x5b
  return false
}

const bytesOf = (data: RawData): Uint8Array =>
  Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? new Uint8Array(data) : data
