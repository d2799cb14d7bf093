/**
 * The HTTP side: node:http's server, and what it does with requests.
 *
 * It is not effect's HttpRouter, whose cost per request is a good part of this whole path's. What cannot wait is plain code, down to the calls themselves: those are one fiber per request.
 */
import { Buffer } from "node:buffer"
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"

import type { Settings } from "../GatewayOptions.ts"
import type { Pipeline, Session } from "../Pipeline.ts"
import * as Redaction from "../Redaction.ts"
import * as Refusal from "../Refusal.ts"
import { Budget } from "./budget.ts"
import { CORS, HttpExchange, JSON_TYPE, type Shared, TEXT } from "./httpExchange.ts"
import * as HttpTarget from "./httpTarget.ts"
import { InFlight } from "./inFlight.ts"
import * as IpfsServer from "./ipfsServer.ts"
import * as RequestBody from "./requestBody.ts"
import * as Settled from "./settled.ts"

export interface HttpServer {
  readonly server: Server
  /** Requests that are not wholly answered. */
  readonly inFlight: InFlight<HttpExchange>
  /** From now on connections are closed behind their answers. */
  readonly startDraining: () => void
  readonly isDraining: () => boolean
  /** Closes connections on which nothing was ever asked: Node takes them for busy. */
  readonly closeUnused: () => void
  readonly closeAll: () => void
}

export type Fork = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

export const make = (options: {
  readonly pipeline: Pipeline
  readonly settings: Settings
  /** Runs what waits, with the services of the gateway. */
  readonly fork: Fork
}): HttpServer => {
  const { fork, pipeline, settings } = options
  const { limits, timeouts } = settings
  const budget = new Budget(limits.bufferedBytes)
  const inFlight = new InFlight<HttpExchange>()
  let draining = false

  const shared: Shared = {
    get draining() {
      return draining
    },
    writeTimeout: timeouts.write,
    onEnd: (exchange) => {
      budget.give(exchange.held)
      inFlight.delete(exchange)
      // The caller is gone before its answer: its calls are given up.
      exchange.fiber?.interruptUnsafe()
      if (settings.accessLog) fork(logAccess(exchange))
    }
  }

  /** Runs what may have to wait, and goes on with what it gives; a failure is the answer. */
  const settle = <A>(exchange: HttpExchange, effect: Effect.Effect<A, Refusal.Refusal>, next: (value: A) => void) => {
    const onExit = (exit: Exit.Exit<A, Refusal.Refusal>) => {
      exchange.fiber = undefined
      if (exit._tag === "Success") return next(exit.value)
      const refusal = Cause.findError(exit.cause)
      if (Result.isSuccess(refusal)) return exchange.refuse(refusal.success)
      if (Cause.hasInterruptsOnly(exit.cause)) return exchange.refuse(Refusal.unavailable)
      fork(Effect.logError("request died", Redaction.text(Cause.pretty(exit.cause))))
      exchange.refuse(Refusal.failed)
    }
    const known = Settled.exitOf(effect)
    if (known !== undefined) return onExit(known)
    const fiber = fork(effect)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return onExit(exit)
    exchange.fiber = fiber
    fiber.addObserver(onExit)
  }

  const authenticate = (exchange: HttpExchange, { host, key }: HttpTarget.Keyed, next: (session: Session) => void) => {
    const { headers } = exchange.request
    settle(exchange, pipeline.open({ key, authorization: headers.authorization }, host ?? headers.host), next)
  }

  const call = (exchange: HttpExchange, session: Session) => {
    const refusal = RequestBody.inspect(exchange.request, limits.bodyBytes)
    if (refusal !== undefined) return exchange.refuse(refusal)
    if (inFlight.size > limits.requests) return exchange.refuse(Refusal.busy)
    RequestBody.read(exchange, limits.bodyBytes, budget, (body) =>
      settle(exchange, pipeline.handle(session, body), (answer) => exchange.answer(answer))
    )
  }

  const ipfs = settings.ipfs && IpfsServer.make({ settings: settings.ipfs, budget, fork })

  const command = (exchange: HttpExchange, target: HttpTarget.Ipfs) => {
    if (ipfs === undefined) return exchange.refuse(Refusal.notFound)
    ipfs.begin(exchange)
    if (exchange.request.method === "OPTIONS") return ipfs.preflight(exchange)
    settle(exchange, pipeline.openIpfs(exchange.request.headers.authorization), (project) => {
      // Nobody would end the work of a caller that left while its project was looked up.
      if (exchange.response.destroyed) return
      if (inFlight.size > limits.requests) return exchange.refuse(Refusal.busy)
      ipfs.call(exchange, project, target)
    })
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse, holdsBody: boolean) => {
    const exchange = new HttpExchange(request, response, holdsBody, shared)
    inFlight.add(exchange)
    const target = HttpTarget.parse(request.url ?? "")
    switch (target._tag) {
      case "Rpc":
        // A browser asks without its credentials whether it may ask with them; the answer is the same for all.
        return request.method === "OPTIONS"
          ? exchange.preflight()
          : authenticate(exchange, target, (session) => call(exchange, session))
      case "WebSocket":
        // Without the upgrade it is a mistake, but not one that a stranger is told of.
        return authenticate(exchange, target, () =>
          exchange.refuse(request.method === "GET" ? Refusal.upgradeRequired : Refusal.methodNotAllowed("GET"))
        )
      case "Ipfs":
        return command(exchange, target)
      case "Health":
        return request.method === "GET" || request.method === "HEAD"
          ? exchange.send(draining ? 503 : 200, JSON_TYPE, NO_STORE, health(pipeline, draining))
          : exchange.refuse(Refusal.methodNotAllowed("GET, HEAD"))
      case "Unknown":
        return exchange.refuse(Refusal.notFound)
    }
  }

  const server = createServer({
    headersTimeout: Math.min(timeouts.headers, timeouts.request),
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.idle,
    // How often Node looks for requests that are late.
    connectionsCheckingInterval: Math.max(10, Math.min(1000, timeouts.headers, timeouts.request)),
    // Java's client offers HTTP/2 with its first POST: an upgrade that is not ours is to be ignored, not refused.
    shouldUpgradeCallback: isWebSocket
  })
  server.maxConnections = limits.connections
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  server.on("request", (request, response) => onRequest(request, response, false))
  server.on("checkContinue", (request, response) => onRequest(request, response, true))
  // Such as no file descriptor for one more connection: the service goes on, and its operator is told.
  server.on("error", (error: NodeJS.ErrnoException) => {
    if (server.listening) fork(Effect.logError("server error", error.code ?? "UNKNOWN"))
  })
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const refusal = refusalOf(error.code)
    const open = [...inFlight].filter((exchange) => exchange.request.socket === socket)
    // Such a body may take its time; silence in it is seen by its reader.
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && open.some((exchange) => exchange.upload !== undefined)) return
    if (open.length === 0) refuseRaw(socket, refusal)
    // A body that is late or broken. What was asked before it on the connection would have to be answered first.
    else if (refusal !== undefined && open.length === 1 && open[0]!.isReceiving) open[0]!.reject(refusal)
    else socket.destroy()
  })

  return {
    server,
    inFlight,
    isDraining: () => draining,
    startDraining: () => {
      draining = true
    },
    closeUnused: () => {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    },
    closeAll: () => {
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** Whether a request asks for a WebSocket on the path where there are any. */
export const isWebSocket = (request: IncomingMessage): boolean =>
  request.headers.upgrade?.toLowerCase() === "websocket" && HttpTarget.parse(request.url ?? "")._tag === "WebSocket"

/** Answers on a connection that has no HTTP response, and closes it. */
export const refuseRaw = (socket: Duplex, refusal: Refusal.Refusal | undefined): void => {
  // Whatever happens to it now, nobody is interested.
  socket.on("error", () => undefined)
  if (refusal === undefined || !socket.writable) {
    socket.destroy()
    return
  }
  const body = `${refusal.text}\n`
  const length = String(Buffer.byteLength(body))
  const headers = [...TEXT, ...CORS, ...refusal.headers, "content-length", length, "connection", "close"]
  let head = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ""}\r\n`
  for (let index = 0; index < headers.length; index += 2) head += `${headers[index]}: ${headers[index + 1]}\r\n`
  socket.end(`${head}\r\n${body}`, () => socket.destroy())
}

/** What Node's HTTP parser complains of, or nothing if the connection is simply gone. */
const refusalOf = (code: string | undefined): Refusal.Refusal | undefined => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return Refusal.tooSlow
  if (code === "HPE_HEADER_OVERFLOW") return Refusal.headersTooLarge
  return code?.startsWith("HPE_") === true ? Refusal.badRequest : undefined
}

const NO_STORE: ReadonlyArray<string> = ["cache-control", "no-store"]

const health = (pipeline: Pipeline, draining: boolean): Uint8Array =>
  Buffer.from(JSON.stringify({ status: draining ? "draining" : "ok", networks: pipeline.upstreams() }))

const logAccess = ({ bytesIn, bytesOut, request, response, start }: HttpExchange): Effect.Effect<void> =>
  Effect.logInfo("request").pipe(
    Effect.annotateLogs({
      method: request.method ?? "",
      path: Redaction.path(request.url ?? ""),
      // 499 is what servers log for a caller that left before its answer.
      status: response.headersSent ? response.statusCode : 499,
      duration: `${Math.round(performance.now() - start)}ms`,
      bytesIn,
      bytesOut
    })
  )
