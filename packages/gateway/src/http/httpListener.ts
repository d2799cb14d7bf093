/**
 * The listener: the server of `node:http` and its connections. Routes answer the requests; the listener knows no
 * protocol.
 *
 * Effect's HttpRouter is not used, because it would add a large part to the cost of a request. Steps that never wait
 * are plain code; the calls of a request run in one fiber.
 */
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http"
import { Server as SecureServer } from "node:https"

import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

import { GatewayError } from "../errors/GatewayError.ts"
import * as Redaction from "../errors/Redaction.ts"
import { ServiceMeters } from "../meters/serviceMeters.ts"
import * as Tracing from "../tracing/tracing.ts"
import * as AccessLog from "./accessLog.ts"
import type { ClientAddressOf } from "./clientAddress.ts"
import * as ClientErrors from "./clientErrors.ts"
import { Connections } from "./connections.ts"
import { CORS, type Exchange, type ExchangeHooks, LEFT, TEXT } from "./exchange.ts"
import * as HttpFraming from "./framing.ts"
import { HttpExchange } from "./httpExchange.ts"
import * as HttpRefusal from "./HttpRefusal.ts"
import type { HttpRoute } from "./httpRoute.ts"
import * as HttpTarget from "./httpTarget.ts"
import { InFlight } from "./inFlight.ts"
import * as LaneService from "./lane/laneService.ts"
import { MemoryBudget } from "./memoryBudget.ts"
import type { Mount } from "./Mount.ts"
import * as Mounts from "./mounts.ts"
import type { SpawnFiber } from "./requestFibers.ts"
import * as RequestId from "./requestId.ts"
import type { CheckedTls } from "./Tls.ts"

/** The part of the configuration that the listener reads. Times are in milliseconds. */
export interface HttpListenerSettings {
  readonly limits: { readonly bodyBytes: number; readonly bufferedBytes: number; readonly connections: number }
  readonly timeouts: {
    readonly headers: number
    readonly request: number
    readonly idle: number
    readonly write: number
  }
  readonly callerOf: ClientAddressOf
  readonly mounts: ReadonlyArray<Mount>
  readonly tls: CheckedTls | undefined
  readonly accessLog: boolean
  /** True if common calls are read without `node:http`. */
  readonly lane: boolean
  /** Minimum size of an answer that is compressed, in bytes. */
  readonly compressFrom: number
}

export interface HttpListener {
  readonly server: Server
  /** The requests that are not answered completely. */
  readonly inFlight: InFlight<Exchange>
  /** Sets the routes. The first route that has the path answers a request. A path without a route gets 404. */
  readonly serve: (routes: ReadonlyArray<HttpRoute>) => void
  /** Applies the limits, the timeouts and the certificate of the current configuration. */
  readonly configure: () => void
  /** Sets the certificate for new connections. */
  readonly renew: (tls: CheckedTls) => void
  /** Returns the certificate of new connections; undefined without TLS. */
  readonly certificate: () => CheckedTls | undefined
  /** Starts the drain: connections are closed after their answers, and the readiness check gets 503. */
  readonly startDraining: () => void
  readonly isDraining: () => boolean
  /** Accepts no more connections, and ends idle connections. */
  readonly stop: () => Promise<void>
  /** True if no further request is processed on the connection of this request. */
  readonly isEnded: (request: IncomingMessage) => boolean
  readonly connections: Connections
  /** The memory budget of all request bodies and IPFS answers together. */
  readonly budget: MemoryBudget
}

/** Makes a listener that reads the settings at each request. It does not listen yet. */
export const make = (
  settings: () => HttpListenerSettings,
  fork: SpawnFiber,
  meters = new ServiceMeters()
): HttpListener => {
  const budget = new MemoryBudget(() => settings().limits.bufferedBytes)
  const inFlight = new InFlight<Exchange>()
  let routes: ReadonlyArray<HttpRoute> = []
  let draining = false
  /** Answers that are held back while the listener closes. */
  let held: Array<() => void> | undefined

  // After an upgrade, an answer to an earlier request would be a part of the other protocol. So the upgrade is not made.
  const server = serverOf(
    settings(),
    (request) => !connections.isAnswering(request.socket) && routes.some(({ upgrades }) => upgrades?.(request) === true)
  )
  const connections = new Connections(server, () => settings().timeouts.write)
  const isLast = (request: IncomingMessage, response: ServerResponse): boolean =>
    draining && connections.isLatest(request.socket, response)

  const hooks: ExchangeHooks = {
    connections,
    get isDraining() {
      return draining
    },
    get held() {
      return held
    },
    get writeTimeout() {
      return settings().timeouts.write
    },
    get compressFrom() {
      return settings().compressFrom
    },
    onEnd: (exchange) => {
      budget.give(exchange.held)
      inFlight.delete(exchange)
      // If the caller disconnected before the answer, the work for its calls is interrupted.
      exchange.work?.interruptUnsafe()
      if (!exchange.isAccountedFor) exchange.owner?.recordUnasked()
      const { owner, route, span, start, status = LEFT } = exchange
      meters.requested(route, status, performance.now() - start)
      if (span !== undefined) {
        Tracing.end(span, status, owner && { "plumbline.project": owner.project, "plumbline.network": owner.network })
      }
      if (settings().accessLog) fork(AccessLog.log(exchange))
    }
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse, holdsBody: boolean) => {
    // No request is processed after an answer with `connection: close`. The bytes of a later request are read, because
    // the system would otherwise reset the connection, and the client could lose that answer.
    if (!connections.begin(request.socket, response)) return void request.resume()
    const flaw = HttpFraming.flawOf(request)
    if (flaw !== undefined) {
      // Another server may read this request differently, so everything after it on the connection is ignored.
      connections.end(request.socket)
      return refuseFraming(request, response, flaw)
    }
    const { callerOf, mounts } = settings()
    const { url = "" } = request
    const mount = Mounts.find(mounts, url)
    if (mount !== undefined && mount.isFor?.(request, callerOf(request)) !== false) {
      closeBehind(response, () => isLast(request, response))
      response.setHeader(RequestId.HEADER, RequestId.of(request))
      if (holdsBody) response.writeContinue()
      return serveMount(mount, request, response, callerOf(request), fork)
    }
    const exchange = new HttpExchange(request, response, holdsBody, hooks)
    inFlight.add(exchange)
    const target = HttpTarget.parse(url)
    for (const { name = "other", serve } of routes) {
      exchange.route = name
      if (serve(exchange, target)) return
    }
    exchange.route = "none"
    exchange.refuse(target.path === "/" && request.method === "GET" ? rootOf(request, mounts) : HttpRefusal.notFound)
  }

  let configured = settings().tls
  let certificate = configured
  const renew = (tls: CheckedTls) => {
    if (!(server instanceof SecureServer)) return
    certificate = tls
    server.setSecureContext(tls.context)
  }

  const configure = () => {
    const { limits, timeouts, tls } = settings()
    server.headersTimeout = Math.min(timeouts.headers, timeouts.request)
    server.requestTimeout = timeouts.request
    server.keepAliveTimeout = timeouts.idle
    server.maxConnections = limits.connections
    if (tls !== undefined && tls !== configured) renew(tls)
    configured = tls
  }
  configure()
  server.on("request", (request, response) => onRequest(request, response, false))
  server.on("checkContinue", (request, response) => onRequest(request, response, true))
  // For example, there is no file descriptor for another connection. The service continues and logs the error.
  server.on("error", (error: NodeJS.ErrnoException) => {
    if (server.listening) fork(Effect.logError("server error", error.code ?? "UNKNOWN"))
  })
  ClientErrors.answer(server, connections, inFlight)
  const lane = LaneService.make(server, settings, { connections, budget, inFlight, hooks })

  return {
    server,
    inFlight,
    serve: (served) => {
      routes = served
      const route = served.find(({ door }) => door !== undefined)
      lane.serve(route?.door, route?.name ?? "other")
    },
    configure: () => {
      configure()
      lane.configure()
    },
    renew,
    certificate: () => certificate,
    isDraining: () => draining,
    startDraining: () => {
      draining = true
      connections.drain()
    },
    stop: async () => {
      // A client that gets an answer may open a new connection, which would be reset. So answers are held back until
      // the listener is closed.
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

/** Returns the answer to a GET of `/`. Only browsers ask for HTML. */
const rootOf = ({ headers }: IncomingMessage, mounts: ReadonlyArray<Mount>): HttpRefusal.HttpRefusal => {
  const takesPage = /\btext\/html\b/iu.test(headers.accept ?? "")
  return HttpRefusal.root(mounts.find(({ isHome }) => isHome === true)?.path, takesPage)
}

/** The address on which a listener listens. */
export interface ListenerAddress {
  readonly host: string
  readonly port: number
  /** True if other processes listen on the same port. */
  readonly sharesPort?: boolean | undefined
  /** A Unix socket, in place of host and port. */
  readonly socketPath?: string | undefined
}

/** Listens on an address. */
export const open = (
  { server }: HttpListener,
  { host, port, sharesPort = false, socketPath }: ListenerAddress
): Effect.Effect<void, GatewayError> =>
  Effect.callback((resume) => {
    const onError = (error: NodeJS.ErrnoException) =>
      resume(
        Effect.fail(
          new GatewayError({
            reason: { _tag: "CannotListen", host: socketPath ?? host, port, code: error.code ?? "UNKNOWN" }
          })
        )
      )
    server.once("error", onError)
    server.listen(socketPath === undefined ? { host, port, reusePort: sharesPort } : { path: socketPath }, () => {
      server.off("error", onError)
      resume(Effect.void)
    })
  })

const serverOf = ({ timeouts, tls }: HttpListenerSettings, upgrades: (request: IncomingMessage) => boolean): Server => {
  const options: ServerOptions = {
    // Interval at which Node searches for late requests, in milliseconds.
    connectionsCheckingInterval: Math.max(10, Math.min(1000, timeouts.headers, timeouts.request)),
    // If Node refused a missing Host header itself, it would still process the requests after it.
    requireHostHeader: false,
    // Java's client offers an upgrade to HTTP/2 with its first POST. Such an offer must be ignored, not refused.
    shouldUpgradeCallback: upgrades
  }
  if (tls === undefined) return createServer(options)
  return new SecureServer({ ...options, ...tls.context, handshakeTimeout: timeouts.headers })
}

const refuseFraming = (request: IncomingMessage, response: ServerResponse, refusal: HttpRefusal.HttpRefusal): void => {
  response.shouldKeepAlive = false
  response.writeHead(refusal.status, [...TEXT, ...CORS]).end(HttpRefusal.body(refusal))
  request.resume()
}

const serveMount = (
  mount: Mount,
  request: IncomingMessage,
  response: ServerResponse,
  caller: string,
  fork: SpawnFiber
): void => {
  try {
    mount.handle(request, response, caller)
  } catch (error) {
    fork(Effect.logError("request died", Redaction.text(Cause.pretty(Cause.die(error)))))
    if (response.headersSent) response.destroy()
    else response.writeHead(HttpRefusal.failed.status, [...TEXT]).end(HttpRefusal.body(HttpRefusal.failed))
  }
}

/**
 * Delays Node's decision about keeping the connection open until Node sends the head, because a drain may begin before
 * that.
 */
const closeBehind = (response: ServerResponse, isLast: () => boolean): void => {
  let keeps = response.shouldKeepAlive
  Object.defineProperty(response, "shouldKeepAlive", {
    get: () => keeps && !isLast(),
    set: (value: boolean) => {
      keeps = value
    }
  })
}
