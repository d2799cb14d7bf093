/**
 * A door on a port of this machine: JSON-RPC over HTTP and WebSocket at any path, for unchanged programs.
 *
 * It listens on the loopback address only, because it asks the node with its owner's key. Pages of any origin may ask
 * it: it has no private keys, and what it reads is public.
 *
 * - HTTP: POST, `application/json`, at most 2 MB and 100 calls. The answer to a single call carries
 *   `Plumbline-Verdict: VERIFIED | CLAIMED | REFUTED`, and `Plumbline-Claimed` lists the fields of it that are only
 *   claimed, such as `totalDifficulty`; it is missing if there are none. A batch carries the worst verdict of its answers,
 *   and `Plumbline-Verdicts` a letter for each. A refusal is an error object with status 200, as of a node:
 *   clients send a call again after a status of 5xx, and a lie is told once.
 *   A client that accepts gzip gets it above 1 kB.
 * - WebSocket: the same calls, and subscriptions, at most 100 for each socket. A socket is closed if its client reads too
 *   slowly, or if blocks were missed: then the client knows that it must read what it missed.
 * - `?annotate` in the URL of either puts the verdict of each answer beside it.
 */
import * as http from "node:http"
import { gzip } from "node:zlib"

import type * as Message from "@plumbline/jsonrpc-core/message/Message"
import * as Connection from "@plumbline/jsonrpc-core/server/Connection"
import type * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
import type { ProvingNode } from "@plumbline/provider/node/ProvingNode"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { type RawData, type WebSocket, WebSocketServer } from "ws"

import * as Loopback from "../home/Loopback.ts"
import type { UsageError } from "../terminal/UsageError.ts"
import * as Annotation from "./Annotation.ts"
import * as Calls from "./Calls.ts"
import type { Tally } from "./Tally.ts"
import * as VerdictHeaders from "./VerdictHeaders.ts"

/** A door that is open. */
export interface Door {
  readonly url: string
  readonly wsUrl: string
}

/** Milliseconds for a request to arrive whole. */
const ARRIVAL = 30_000

/** Maximum number of connections at a time. File descriptors are scarce, and one program needs only some dozens. */
const MAX_CONNECTIONS = 1000

/** The address of a door, and the options of its answers. */
export interface Options {
  /** 0 means any free port. */
  readonly port: number
  readonly tally: Tally
  /** True to add the verdict to each answer, as the member `plumbline`. */
  readonly annotate: boolean
  /** Receives lines for the operator, each once: what subscriptions hold back, and that the node gives no proofs. */
  readonly say: (line: string) => void
}

/** Opens a door until the scope is closed. */
export const open = Effect.fnUntraced(function* (
  node: ProvingNode["Service"],
  { annotate, port, say, tally }: Options
): Effect.fn.Return<Door, UsageError, Scope.Scope> {
  const calls = Calls.make(node, { count: tally.count, say })
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

  const annotates = ({ url = "" }: http.IncomingMessage): boolean => annotate || Annotation.isAsked(url)

  const server = http.createServer({ requestTimeout: ARRIVAL }, (request, response) => {
    if (request.method === "OPTIONS") return void response.writeHead(204, preflight).end()
    if (request.method !== "POST") return refuse(response, 405, "POST a JSON-RPC request")
    if (!JSON_TYPE.test(request.headers["content-type"] ?? "")) {
      return refuse(response, 415, "content-type must be application/json")
    }
    Loopback.body(request, Calls.MAX_BYTES, (body) => {
      if (body === undefined) return refuse(response, 413, `a request has at most ${Calls.MAX_BYTES} bytes`)
      const told: Array<Calls.Told> = []
      const fiber = run(Effect.scoped(listening(calls.handle(body), told)))
      response.once("close", () => response.writableFinished || fiber.interruptUnsafe())
      fiber.addObserver((exit) => {
        if (!Exit.isSuccess(exit)) return void response.destroy()
        const answer = exit.value
        // only notifications: JSON-RPC has no answer to them
        if (answer === undefined) return void response.writeHead(204, cors).end()
        const answered = Annotation.answered(body, told, OVER_HTTP)
        send(response, annotates(request) ? Annotation.add(answer, answered) : answer, {
          verdict: answered.isBatch ? VerdictHeaders.ofBatch(answered.told) : VerdictHeaders.ofOne(answered.told[0]),
          takesGzip: GZIP.test(request.headers["accept-encoding"] ?? "")
        })
      })
    })
  })
  server.maxConnections = MAX_CONNECTIONS

  const sockets = new WebSocketServer({ noServer: true, maxPayload: Calls.MAX_BYTES, perMessageDeflate: false })
  server.on("upgrade", (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on("error", () => webSocket.terminate())
      // until its messages have a listener
      webSocket.pause()
      run(talk(webSocket, exchanging(annotates(request))))
    })
  })

  /** Records and counts the outcomes of the calls of one packet. */
  const listening = <A, E, R>(
    work: Effect.Effect<A, E, R>,
    told: Array<Calls.Told>
  ): Effect.Effect<A, E, Exclude<R, Calls.Listener>> =>
    Effect.provideService(work, Calls.Listener, (one) => {
      told.push(one)
      tally.count(one.fate, one.check)
    })

  /** The server of a socket, whose packets are worked on side by side. */
  const exchanging =
    (isAnnotated: boolean): Dispatcher.Dispatcher<Scope.Scope>["exchange"] =>
    (packet, peer) =>
      Effect.suspend(() => {
        const told: Array<Calls.Told> = []
        const bytes = typeof packet === "string" ? new TextEncoder().encode(packet) : packet
        const answering = {
          ...peer,
          send: (answer: Uint8Array) => peer.send(Annotation.add(answer, Annotation.answered(bytes, told, OVER_SOCKET)))
        }
        return listening(calls.exchange(packet, isAnnotated ? answering : peer), told)
      })

  /** Answers a socket until it is closed. */
  const talk = (
    webSocket: WebSocket,
    exchange: Dispatcher.Dispatcher<Scope.Scope>["exchange"]
  ): Effect.Effect<void> => {
    const conversation = Effect.gen(function* () {
      const { ended, receive } = yield* Connection.make<Scope.Scope>(
        { exchange },
        {
          send: (packet) =>
            Effect.callback<void>((resume) => {
              // text, because browsers hand out binary messages as blobs
              webSocket.send(packet, { binary: false }, () => resume(Effect.void))
            })
        }
      )
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
      const why = yield* Effect.raceFirst(
        ended,
        Effect.callback<Connection.Ended>((resume) => {
          const closed = Effect.succeed<Connection.Ended>({ _tag: "Closed" })
          if (webSocket.readyState === webSocket.CLOSED) return resume(closed)
          webSocket.once("close", () => resume(closed))
        })
      )
      webSocket.close(...CLOSING[why._tag])
    })
    return conversation.pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => webSocket.close(...CLOSING.Closed))))
  }

  const address = yield* Loopback.listen(server, port)
  // a client that does not answer the end of its socket would hold the end of the door
  yield* Effect.addFinalizer(() => Effect.sync(() => sockets.clients.forEach((webSocket) => webSocket.terminate())))
  return { url: `http://${address}`, wsUrl: `ws://${address}` }
})

/** Codes and reasons of RFC 6455, section 7.4.1, by why a conversation ended. */
const CLOSING: Readonly<Record<Connection.Ended["_tag"], readonly [code: number, reason: string]>> = {
  Closed: [1001, ""],
  SlowReader: [1008, "notifications were not read in time"],
  SourceDied: [1011, "blocks were missed"],
  SendDied: [1011, ""]
}

/**
 * The messages that get an answer although they are not requests. On a socket, a response may belong to the other end.
 */
const OVER_HTTP: ReadonlySet<Message.Entry["_tag"]> = new Set(["Invalid", "Response"])
const OVER_SOCKET: ReadonlySet<Message.Entry["_tag"]> = new Set(["Invalid"])

/** Bytes from which an answer is compressed: below, the saving is less than a network packet. */
const MIN_GZIP = 1024

/** An `Accept-Encoding` that takes gzip, and does not refuse it with `q=0`. */
const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/iu

const JSON_TYPE = /^application\/(?:json|[\w.-]+\+json)\s*(?:;|$)/iu

const cors = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": VerdictHeaders.exposed
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
  answer: Uint8Array,
  { takesGzip, verdict }: { readonly verdict: Readonly<Record<string, string>>; readonly takesGzip: boolean }
): void => {
  const write = (body: Uint8Array, encoding: Record<string, string>): void =>
    void response
      .writeHead(200, {
        ...cors,
        "content-type": "application/json",
        "content-length": body.length,
        vary: "accept-encoding",
        ...encoding,
        ...verdict
      })
      .end(body)
  if (!takesGzip || answer.length < MIN_GZIP) return write(answer, {})
  gzip(answer, (error, body) => (error === null ? write(body, { "content-encoding": "gzip" }) : write(answer, {})))
}

const bytesOf = (data: RawData): Uint8Array =>
  Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? new Uint8Array(data) : data
