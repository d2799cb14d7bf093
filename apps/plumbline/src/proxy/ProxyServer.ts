/**
 * The proving proxy's server on a port of this machine: JSON-RPC over HTTP and WebSocket at any path, for unchanged
 * programs.
 *
 * The proxy listens on the loopback address only, because it asks the node with its owner's API key. For the same
 * reason web pages may not call it, unless the operator names their origins.
 *
 * - HTTP: POST, `application/json`, at most 2 MB and 100 calls. The answer to a single call carries
 *   `Plumbline-Verdict: VERIFIED | CLAIMED | REFUTED`, `Plumbline-Anchor` names its anchor, and `Plumbline-Claimed` lists its claimed fields, such as
 *   `totalDifficulty`. The header is absent if no field is claimed. For a batch, `Plumbline-Verdict` is the worst
 *   verdict of its answers, and `Plumbline-Verdicts` has a letter for each. A refusal is an error object with status
 *   200, as from a node: clients would repeat a call after status 5xx, but a refusal is final. Answers above 1 kB are
 *   compressed for clients that accept gzip.
 * - WebSocket: the same calls, and subscriptions, at most 100 for each socket. The proxy closes a socket if its client
 *   reads too slowly, or if blocks were missed. A missed block thus makes the client connect again and read the missing
 *   blocks.
 * - `?annotate` in the URL of a request or a WebSocket adds a verdict to each answer.
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
import type { AnswerTally } from "./AnswerTally.ts"
import * as ProxyCalls from "./ProxyCalls.ts"
import * as ProxyVerdictHeaders from "./ProxyVerdictHeaders.ts"

export interface RunningProxy {
  readonly url: string
  readonly wsUrl: string
}

/** Maximum time in milliseconds for a whole request to arrive. */
const ARRIVAL = 30_000

/** Maximum number of connections at a time. File descriptors are scarce, and one program needs only some dozens. */
const MAX_CONNECTIONS = 1000

/** The proxy's port, and the options of its answers. */
export interface ProxyServerOptions {
  /** 0 means any free port. */
  readonly port: number
  readonly tally: AnswerTally
  /** True to add the verdict to each answer, as the member `plumbline`. */
  readonly annotate: boolean
  /** The origins whose pages may call the proxy; `*` is every origin. */
  readonly origins: ReadonlyArray<string>
  /**
   * Receives lines for the operator, each line once: notifications that are held back, and a node that gives no proofs.
   */
  readonly say: (line: string) => void
}

/** Runs a proxy until the scope is closed. */
export const open = Effect.fnUntraced(function* (
  node: ProvingNode["Service"],
  { annotate, origins, port, say, tally }: ProxyServerOptions
): Effect.fn.Return<RunningProxy, UsageError, Scope.Scope> {
  const calls = ProxyCalls.make(node, { count: tally.count, say })
  const fork = Effect.runForkWith(yield* Effect.context())
  const run = runnerIn(yield* Effect.scope, fork)
  const annotates = ({ url = "" }: http.IncomingMessage): boolean => annotate || Annotation.isAsked(url)

  const admit = Loopback.gate(origins)

  const server = http.createServer({ requestTimeout: ARRIVAL }, (request, response) => {
    const { cors: admitted, refused } = admit(request)
    const cors = { ...admitted, "access-control-expose-headers": ProxyVerdictHeaders.exposed }
    const refuse = (status: number, text: string): void => {
      response.writeHead(status, { ...cors, "content-type": "text/plain", connection: "close" }).end(`${text}\n`)
    }
    if (refused !== undefined) return refuse(403, refused)
    if (request.method === "OPTIONS") return void response.writeHead(204, { ...cors, ...Loopback.PREFLIGHT }).end()
    if (request.method !== "POST") return refuse(405, "POST a JSON-RPC request")
    if (!Loopback.JSON_TYPE.test(request.headers["content-type"] ?? "")) {
      return refuse(415, "content-type must be application/json")
    }
    Loopback.body(request, ProxyCalls.MAX_BYTES, (body) => {
      if (body === undefined) return refuse(413, `a request has at most ${ProxyCalls.MAX_BYTES} bytes`)
      const told: Array<ProxyCalls.CallVerdict> = []
      const fiber = run(Effect.scoped(listening(calls.handle(body), told, tally)))
      response.once("close", () => response.writableFinished || fiber.interruptUnsafe())
      fiber.addObserver((exit) => {
        if (!Exit.isSuccess(exit)) return void response.destroy()
        const answer = exit.value
        // a packet of notifications gets no answer in JSON-RPC
        if (answer === undefined) return void response.writeHead(204, cors).end()
        const answered = Annotation.answered(body, told, OVER_HTTP)
        send(response, annotates(request) ? Annotation.add(answer, answered) : answer, {
          cors,
          verdict: answered.isBatch
            ? ProxyVerdictHeaders.ofBatch(answered.told)
            : ProxyVerdictHeaders.ofOne(answered.told[0]),
          takesGzip: GZIP.test(request.headers["accept-encoding"] ?? "")
        })
      })
    })
  })
  server.maxConnections = MAX_CONNECTIONS

  const sockets = new WebSocketServer({ noServer: true, maxPayload: ProxyCalls.MAX_BYTES, perMessageDeflate: false })
  server.on("upgrade", (request, socket, head) => {
    if (admit(request).refused !== undefined) {
      socket.on("error", () => socket.destroy())
      return void socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on("error", () => webSocket.terminate())
      // the socket is paused until a listener for its messages is set
      webSocket.pause()
      run(talk(webSocket, exchanging(annotates(request)), fork))
    })
  })

  /** Makes the server of a socket, which processes several packets at once. */
  const exchanging =
    (isAnnotated: boolean): Dispatcher.Dispatcher<Scope.Scope>["exchange"] =>
    (packet, peer) =>
      Effect.suspend(() => {
        const told: Array<ProxyCalls.CallVerdict> = []
        const bytes = typeof packet === "string" ? new TextEncoder().encode(packet) : packet
        const answering = {
          ...peer,
          send: (answer: Uint8Array) => peer.send(Annotation.add(answer, Annotation.answered(bytes, told, OVER_SOCKET)))
        }
        return listening(calls.exchange(packet, isAnnotated ? answering : peer), told, tally)
      })

  const address = yield* Loopback.listen(server, port)
  // a client that does not answer the closing handshake would delay the proxy's shutdown
  yield* Effect.addFinalizer(() => Effect.sync(() => sockets.clients.forEach((webSocket) => webSocket.terminate())))
  return { url: `http://${address}`, wsUrl: `ws://${address}` }
})

type Fork = <A>(work: Effect.Effect<A>) => Fiber.Fiber<A>

/** Returns a function that runs work for a client. The work is interrupted when the scope closes. */
const runnerIn =
  (scope: Scope.Scope, fork: Fork) =>
  <A>(work: Effect.Effect<A>): Fiber.Fiber<A> => {
    const fiber = fork(work)
    const ended = Effect.runSync(Scope.fork(scope))
    Effect.runSync(Scope.addFinalizer(ended, Fiber.interrupt(fiber)))
    fiber.addObserver(() => Effect.runFork(Scope.close(ended, Exit.void)))
    return fiber
  }

/** Runs the work for one packet, and records and counts the outcomes of its calls. */
const listening = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  told: Array<ProxyCalls.CallVerdict>,
  tally: AnswerTally
): Effect.Effect<A, E, Exclude<R, ProxyCalls.CallListener>> =>
  Effect.provideService(work, ProxyCalls.CallListener, (one) => {
    told.push(one)
    tally.count(one.fate, one.check)
  })

/** Answers a socket until it is closed. */
const talk = (
  webSocket: WebSocket,
  exchange: Dispatcher.Dispatcher<Scope.Scope>["exchange"],
  fork: Fork
): Effect.Effect<void> => {
  const conversation = Effect.gen(function* () {
    const { ended, receive } = yield* Connection.make<Scope.Scope>(
      { exchange },
      {
        send: (packet) =>
          Effect.callback<void>((resume) => {
            // the packet is sent as text, because browsers deliver binary messages as blobs
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
      Effect.callback<Connection.ConnectionEnd>((resume) => {
        const closed = Effect.succeed<Connection.ConnectionEnd>({ _tag: "Closed" })
        if (webSocket.readyState === webSocket.CLOSED) return resume(closed)
        webSocket.once("close", () => resume(closed))
      })
    )
    webSocket.close(...CLOSING[why._tag])
  })
  return conversation.pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => webSocket.close(...CLOSING.Closed))))
}

/** Codes (RFC 6455, section 7.4.1) and reasons for closing a socket, by the cause of its end. */
const CLOSING: Readonly<Record<Connection.ConnectionEnd["_tag"], readonly [code: number, reason: string]>> = {
  Closed: [1001, ""],
  SlowReader: [1008, "notifications were not read in time"],
  SourceDied: [1011, "blocks were missed"],
  SendDied: [1011, ""]
}

/**
 * The kinds of messages that get an answer over HTTP although they are not requests. Over a socket, a client may send a
 * response to a request of the server.
 */
const OVER_HTTP: ReadonlySet<Message.PacketEntry["_tag"]> = new Set(["Invalid", "Response"])
const OVER_SOCKET: ReadonlySet<Message.PacketEntry["_tag"]> = new Set(["Invalid"])

/** Minimum number of bytes of an answer to compress. Below it, compression saves less than a network packet. */
const MIN_GZIP = 1024

/** Matches an `Accept-Encoding` that accepts gzip and does not refuse it with `q=0`. */
const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/iu

const send = (
  response: http.ServerResponse,
  answer: Uint8Array,
  { cors, takesGzip, verdict }: { readonly cors: Headers; readonly verdict: Headers; readonly takesGzip: boolean }
): void => {
  const write = (body: Uint8Array, encoding: Record<string, string>): void =>
    void response
      .writeHead(200, {
        ...cors,
        "content-type": "application/json",
        "content-length": body.length,
        vary: "vary" in cors ? "accept-encoding, origin" : "accept-encoding",
        ...encoding,
        ...verdict
      })
      .end(body)
  if (!takesGzip || answer.length < MIN_GZIP) return write(answer, {})
  gzip(answer, (error, body) => (error === null ? write(body, { "content-encoding": "gzip" }) : write(answer, {})))
}

type Headers = Readonly<Record<string, string>>

const bytesOf = (data: RawData): Uint8Array =>
  Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? new Uint8Array(data) : data
