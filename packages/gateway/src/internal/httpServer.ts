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
import type { Mount } from "../Mount.ts"
import type { Caller, Known, Pipeline, Session } from "../Pipeline.ts"
import * as Redaction from "../Redaction.ts"
import * as Refusal from "../Refusal.ts"
import { Budget } from "./budget.ts"
import type { Live } from "./config.ts"
import { Connections } from "./connections.ts"
import * as Health from "./health.ts"
import { CORS, HttpExchange, JSON_TYPE, type Shared, TEXT } from "./httpExchange.ts"
import * as HttpFraming from "./httpFraming.ts"
import * as HttpTarget from "./httpTarget.ts"
import { InFlight } from "./inFlight.ts"
import * as IpfsServer from "./ipfsServer.ts"
import * as Mounts from "./mounts.ts"
import * as RequestBody from "./requestBody.ts"
import * as Exits from "./settled.ts"
import type { Status } from "./status.ts"
import { LEFT } from "./turningAway.ts"

export interface HttpServer {
  readonly server: Server
  /** Requests that are not wholly answered. */
  readonly inFlight: InFlight<HttpExchange>
  /** Takes over the bounds of the configuration that holds now. */
  readonly configure: () => void
  /** From now on connections are closed behind their answers, and readiness is 503. */
  readonly startDraining: () => void
  readonly isDraining: () => boolean
  /** Takes no more connections, and ends those that are idle. */
  readonly stop: () => Promise<void>
  /** True if nothing that comes on the connection is processed any more. */
  readonly isEnded: (request: IncomingMessage) => boolean
  readonly connections: Connections
  /** What the bodies of all requests together may hold. */
  readonly budget: Budget
}

export type Fork = <A, E>(
  effect: Effect.Effect<A, E>,
  options?: { readonly uninterruptible?: boolean }
) => Fiber.Fiber<A, E>

/** Of a fiber that is interrupted only where it says so itself, and then ends with what became of it. */
export const WHOLE = { uninterruptible: true }

export const make = (options: {
  readonly pipeline: Pipeline
  readonly live: Live
  /** What health says. */
  readonly status: Effect.Effect<Status>
  /** Runs what waits, with the services of the gateway. */
  readonly fork: Fork
}): HttpServer => {
  const { fork, live, pipeline, status } = options
  const budget = new Budget(() => live.current.settings.limits.bufferedBytes)
  const inFlight = new InFlight<HttpExchange>()
  let draining = false

  let held: Array<() => void> | undefined

  const shared: Shared = {
    isLast: ({ request, response }) => draining && connections.isLatest(request.socket, response),
    onClose: ({ request }) => connections.end(request.socket),
    get held() {
      return held
    },
    get writeTimeout() {
      return live.current.settings.timeouts.write
    },
    onEnd: (exchange) => {
      budget.give(exchange.held)
      inFlight.delete(exchange)
      // The caller is gone before its answer: its calls are given up.
      exchange.fiber?.interruptUnsafe()
      if (exchange.known !== undefined && !exchange.isAccountedFor) fork(settleUnasked(exchange, exchange.known))
      if (live.current.settings.accessLog) fork(logAccess(exchange))
    }
  }

  /** Of a known project, ended before anything was asked: its caller left, or the service ends. */
  const settleUnasked = (exchange: HttpExchange, known: Known) => {
    const code = exchange.isSent ? exchange.response.statusCode : exchange.interrupted()
    const { bytesOut, held } = exchange
    return pipeline.refuse(known, Refusal.make(code, ""), { bytesIn: held, bytesOut })
  }

  /**
   * Runs what may have to wait, and goes on with what it gives; a failure is the answer. Where it can be interrupted it says
   * itself: so whoever is given up hears what was recorded of it.
   */
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
    const known = Exits.exitOf(effect)
    if (known !== undefined) return onExit(known)
    const fiber = fork(effect, WHOLE)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return onExit(exit)
    exchange.fiber = fiber
    fiber.addObserver(onExit)
  }

  /** Refuses a known project, which is billed for it. */
  const refuseKnown = (exchange: HttpExchange, known: Known, refusal: Refusal.Refusal) => {
    exchange.isAccountedFor = true
    const bytesOut = exchange.request.method === "HEAD" ? 0 : undefined
    settle(exchange, pipeline.refuse(known, refusal, { bytesIn: exchange.held, bytesOut }), (answer) =>
      exchange.refuse(answer)
    )
  }

  /** Refuses a body that is late or broken. */
  const refuseBody = (exchange: HttpExchange, refusal: Refusal.Refusal) => {
    const { isAccountedFor, known } = exchange
    if (known === undefined) return exchange.reject(refusal)
    exchange.abandonBody()
    // Otherwise it is being refused already.
    if (!isAccountedFor) refuseKnown(exchange, known, refusal)
  }

  const authenticate = (exchange: HttpExchange, target: HttpTarget.Keyed, next: (session: Session) => void) => {
    const { request } = exchange
    const caller = keyedCallerOf(request, target)
    settle(exchange, pipeline.open(live.current.settings.callerOf(request), caller), (session) => {
      // Its caller may have left while it was looked up: then it has asked for nothing.
      if (exchange.response.destroyed) return
      exchange.known = session
      next(session)
    })
  }

  const call = (exchange: HttpExchange, session: Session) => {
    const { limits } = session.config.settings
    const refusal = RequestBody.inspect(exchange.request, limits.bodyBytes)
    if (refusal !== undefined) return refuseKnown(exchange, session, refusal)
    if (inFlight.size > limits.requests) return refuseKnown(exchange, session, Refusal.busy)
    const onBody = (body: Uint8Array) => {
      // It came in full after all, but too late.
      if (exchange.isAccountedFor) return
      exchange.isAccountedFor = true
      settle(exchange, pipeline.handle(session, body, exchange), (answer) =>
        answer._tag === "Answer" ? exchange.answer(answer) : exchange.refuse(answer)
      )
    }
    RequestBody.read(exchange, limits.bodyBytes, budget, onBody, (refusal) => refuseKnown(exchange, session, refusal))
  }

  /** The IPFS half of each configuration. */
  const ipfsOf = new WeakMap<Settings, IpfsServer.IpfsServer>()
  const ipfsNow = (): IpfsServer.IpfsServer | undefined => {
    const { settings } = live.current
    if (settings.ipfs === undefined) return undefined
    let ipfs = ipfsOf.get(settings)
    if (ipfs === undefined)
      ipfsOf.set(settings, (ipfs = IpfsServer.make({ settings: settings.ipfs, budget, settle: pipeline.settle, fork })))
    return ipfs
  }

  const command = (exchange: HttpExchange, target: HttpTarget.Ipfs) => {
    const ipfs = ipfsNow()
    if (ipfs === undefined) return exchange.refuse(Refusal.notFound)
    const { request } = exchange
    // Its nodes stay until it has ended.
    const { users } = live.current
    users.add(exchange)
    exchange.response.once("close", () => users.delete(exchange))
    ipfs.begin(exchange)
    if (request.method === "OPTIONS") return ipfs.preflight(exchange)
    const caller = { ...callerOf(request), key: undefined, host: request.headers.host, network: undefined }
    settle(exchange, pipeline.openIpfs(live.current.settings.callerOf(request), caller), (admitted) => {
      // Nobody would end the work of a caller that left while its project was looked up.
      if (exchange.response.destroyed) return
      if (inFlight.size > admitted.config.settings.limits.requests) return refuseKnown(exchange, admitted, Refusal.busy)
      ipfs.call(exchange, admitted, target)
    })
  }

  const serveMount = (mount: Mount, request: IncomingMessage, response: ServerResponse, holdsBody: boolean) => {
    closeBehind(request, response)
    if (holdsBody) response.writeContinue()
    try {
      mount.handle(request, response, live.current.settings.callerOf(request))
    } catch (error) {
      fork(Effect.logError("request died", Redaction.text(Cause.pretty(Cause.die(error)))))
      if (response.headersSent) response.destroy()
      else response.writeHead(Refusal.failed.status, [...TEXT]).end(Refusal.body(Refusal.failed))
    }
  }

  /** Two servers may see different requests here. So nothing behind it on the connection is looked at. */
  const refuseFraming = (request: IncomingMessage, response: ServerResponse, refusal: Refusal.Refusal) => {
    connections.end(request.socket)
    response.shouldKeepAlive = false
    response.writeHead(refusal.status, [...TEXT, ...CORS]).end(Refusal.body(refusal))
    request.resume()
  }

  /** Lets Node ask when the head is sent, which may be when the service ends: a mount writes its answer itself. */
  const closeBehind = (request: IncomingMessage, response: ServerResponse) => {
    let keeps = response.shouldKeepAlive
    Object.defineProperty(response, "shouldKeepAlive", {
      get: () => keeps && !(draining && connections.isLatest(request.socket, response)),
      set: (value: boolean) => {
        keeps = value
      }
    })
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse, holdsBody: boolean) => {
    // Behind an answer that said so, nothing is processed. Its bytes are read, so that the answer is not lost to a reset.
    if (!connections.begin(request.socket, response)) return void request.resume()
    const flaw = HttpFraming.flawOf(request)
    if (flaw !== undefined) return refuseFraming(request, response, flaw)
    const mount = Mounts.find(live.current.settings.mounts, request.url ?? "")
    if (mount !== undefined) return serveMount(mount, request, response, holdsBody)
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
        return authenticate(exchange, target, (session) =>
          refuseKnown(
            exchange,
            session,
            request.method === "GET" ? Refusal.upgradeRequired : Refusal.methodNotAllowed("GET")
          )
        )
      case "Ipfs":
        return command(exchange, target)
      case "Health":
      case "Ready":
        return request.method === "GET" || request.method === "HEAD"
          ? settle(exchange, status, (found) => {
              const { body, code } = Health.answer(target._tag, found, draining)
              exchange.send(code, JSON_TYPE, NO_STORE, Buffer.from(JSON.stringify(body)))
            })
          : exchange.refuse(Refusal.methodNotAllowed("GET, HEAD"))
      case "Unknown":
        return exchange.refuse(Refusal.notFound)
    }
  }

  /**
   * Refuses what comes behind requests that are whole, once those are answered: they were right, and a caller that hears
   * nothing of them must think that they may have been done.
   */
  const refuseBehind = (socket: Duplex, open: ReadonlyArray<HttpExchange>, refusal: Refusal.Refusal) => {
    connections.end(open[0]!.request.socket)
    let left = open.length
    for (const { response } of open) {
      response.once("close", () => {
        left--
        if (left === 0) refuseRaw(socket, refusal)
      })
    }
  }

  const { timeouts } = live.current.settings
  const server = createServer({
    // How often Node looks for requests that are late.
    connectionsCheckingInterval: Math.max(10, Math.min(1000, timeouts.headers, timeouts.request)),
    // Node refuses a missing Host header, and goes on with what stands behind it.
    requireHostHeader: false,
    // Java's client offers HTTP/2 with its first POST: an upgrade that is not ours is to be ignored, not refused.
    shouldUpgradeCallback: isWebSocket
  })
  const configure = () => {
    const { limits, timeouts } = live.current.settings
    server.headersTimeout = Math.min(timeouts.headers, timeouts.request)
    server.requestTimeout = timeouts.request
    server.keepAliveTimeout = timeouts.idle
    server.maxConnections = limits.connections
  }
  configure()
  const connections = new Connections(server)
  server.on("request", (request, response) => onRequest(request, response, false))
  server.on("checkContinue", (request, response) => onRequest(request, response, true))
  // Such as no file descriptor for one more connection: the service goes on, and its operator is told.
  server.on("error", (error: NodeJS.ErrnoException) => {
    if (server.listening) fork(Effect.logError("server error", error.code ?? "UNKNOWN"))
  })
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const refusal = refusalOf(error.code)
    const open = [...inFlight].filter((exchange) => exchange.request.socket === socket)
    // It was told already that nothing more is answered here. An upload that is answered as it comes in may have lost its
    // client.
    if (connections.isEnded(socket as Socket)) {
      if (open.some(({ request }) => !request.complete)) socket.destroy()
      return
    }
    // Such a body may take its time; silence in it is seen by its reader.
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && open.some((exchange) => exchange.upload !== undefined)) return
    if (open.length === 0) refuseRaw(socket, refusal)
    // A body that is late or broken. What was asked before it on the connection is answered first: Node keeps the order.
    else if (refusal !== undefined && open.at(-1)!.isReceiving) refuseBody(open.at(-1)!, refusal)
    else if (refusal !== undefined && open.every(({ request }) => request.complete)) refuseBehind(socket, open, refusal)
    // Such as an upload whose client has left.
    else socket.destroy()
  })

  return {
    server,
    inFlight,
    configure,
    isDraining: () => draining,
    startDraining: () => {
      draining = true
      connections.drain()
    },
    stop: async () => {
      // Whoever hears an answer opens the next connection. So none is heard until the listener is closed.
      held = []
      await connections.stop()
      const waiting = held
      held = undefined
      for (const send of waiting) send()
    },
    isEnded: ({ socket }) => connections.isEnded(socket),
    connections,
    budget
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
  const body = Refusal.body(refusal)
  const type = refusal.error === undefined ? TEXT : JSON_TYPE
  const length = String(body.length)
  const headers = [...type, ...CORS, ...refusal.headers, "content-length", length, "connection", "close"]
  let head = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ""}\r\n`
  for (let index = 0; index < headers.length; index += 2) head += `${headers[index]}: ${headers[index + 1]}\r\n`
  socket.end(Buffer.concat([Buffer.from(`${head}\r\n`), body]), () => socket.destroy())
}

/** What Node's HTTP parser complains of, or nothing if the connection is simply gone. */
const refusalOf = (code: string | undefined): Refusal.Refusal | undefined => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return Refusal.tooSlow
  if (code === "HPE_HEADER_OVERFLOW") return Refusal.headersTooLarge
  return code?.startsWith("HPE_") === true ? Refusal.badRequest : undefined
}

const NO_STORE: ReadonlyArray<string> = ["cache-control", "no-store"]

/** Reads a JSON-RPC or WebSocket request's caller from its target and headers. */
export const keyedCallerOf = (request: IncomingMessage, { host, key, network }: HttpTarget.Keyed): Caller => ({
  ...callerOf(request),
  key,
  host: host ?? request.headers.host,
  network
})

/** What a request says about its caller, beside the key, the host and the network. */
const callerOf = ({ headers, method }: IncomingMessage): Omit<Caller, "key" | "host" | "network"> => ({
  authorization: headers.authorization,
  origin: headers.origin,
  userAgent: headers["user-agent"],
  isHead: method === "HEAD"
})

const logAccess = ({ bytesIn, bytesOut, request, response, start }: HttpExchange): Effect.Effect<void> =>
  Effect.logInfo("request").pipe(
    Effect.annotateLogs({
      method: request.method ?? "",
      path: Redaction.path(request.url ?? ""),
      status: response.headersSent ? response.statusCode : LEFT,
      duration: `${Math.round(performance.now() - start)}ms`,
      bytesIn,
      bytesOut
    })
  )
