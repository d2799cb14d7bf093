/**
 * The listener: node:http's server and its connections. It knows no protocol; routes answer the requests.
 *
 * Effect's HttpRouter is not used: its cost per request is a good part of this whole path's. Steps that never wait are
 * plain code; the calls themselves are one fiber per request.
 */
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http"
import { Server as SecureServer } from "node:https"

import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

import * as Redaction from "../errors/Redaction.ts"
import { Meters } from "../meters/meters.ts"
import * as Tracing from "../tracing/tracing.ts"
import * as AccessLog from "./accessLog.ts"
import { Budget } from "./budget.ts"
import type { CallerOf } from "./callers.ts"
import * as ClientErrors from "./clientErrors.ts"
import { Connections } from "./connections.ts"
import { CORS, HttpExchange, LEFT, type Shared, TEXT } from "./exchange.ts"
import type { Fork } from "./fork.ts"
import * as HttpFraming from "./framing.ts"
import { InFlight } from "./inFlight.ts"
import type { Mount } from "./Mount.ts"
import * as Mounts from "./mounts.ts"
import * as Refusal from "./Refusal.ts"
import * as RequestId from "./requestId.ts"
import type { Route } from "./route.ts"
import * as HttpTarget from "./target.ts"
import type { Checked } from "./Tls.ts"

/** The part of the configuration that the listener reads. Times are milliseconds. */
export interface Settings {
  readonly limits: { readonly bufferedBytes: number; readonly connections: number }
  readonly timeouts: {
    readonly headers: number
    readonly request: number
    readonly idle: number
    readonly write: number
  }
  readonly callerOf: CallerOf
  readonly mounts: ReadonlyArray<Mount>
  readonly tls: Checked | undefined
  readonly accessLog: boolean
  /** Bytes from which an answer is compressed. */
  readonly compressFrom: number
}

export interface Listener {
  readonly server: Server
  /** Requests that are not fully answered. */
  readonly inFlight: InFlight<HttpExchange>
  /** Answers requests by these routes: the first one that has the path. A path without a route gets 404. */
  readonly serve: (routes: ReadonlyArray<Route>) => void
  /** Applies the bounds of the current configuration. */
  readonly configure: () => void
  /** Uses a certificate for connections that are opened from now on. */
  readonly renew: (tls: Checked) => void
  /** Returns the certificate of new connections; undefined without TLS. */
  readonly certificate: () => Checked | undefined
  /** Makes connections close after their answers, and readiness 503, from now on. */
  readonly startDraining: () => void
  readonly isDraining: () => boolean
  /** Accepts no more connections, and ends idle ones. */
  readonly stop: () => Promise<void>
  /** True if nothing more is processed on the connection. */
  readonly isEnded: (request: IncomingMessage) => boolean
  readonly connections: Connections
  /** The memory budget of all request bodies together. */
  readonly budget: Budget
}

/** Makes a listener that reads the settings at each request. It does not listen yet. */
export const make = (settings: () => Settings, fork: Fork, meters = new Meters()): Listener => {
  const budget = new Budget(() => settings().limits.bufferedBytes)
  const inFlight = new InFlight<HttpExchange>()
  let routes: ReadonlyArray<Route> = []
  let draining = false
  /** Answers that wait until the listener is closed. */
  let held: Array<() => void> | undefined

  const server = serverOf(settings(), (request) => routes.some(({ upgrades }) => upgrades?.(request) === true))
  const connections = new Connections(server)
  const isLast = (request: IncomingMessage, response: ServerResponse): boolean =>
    draining && connections.isLatest(request.socket, response)

  const shared: Shared = {
    isLast: ({ request, response }) => isLast(request, response),
    onClose: ({ request }) => connections.end(request.socket),
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
      // The caller has left before its answer: its calls are given up.
      exchange.work?.interruptUnsafe()
      if (!exchange.isAccountedFor) exchange.owner?.recordUnasked()
      const { owner, response, route, span, start } = exchange
      const status = response.headersSent ? response.statusCode : LEFT
      meters.requested(route, status, performance.now() - start)
      if (span !== undefined) {
        Tracing.end(span, status, owner && { "plumbline.project": owner.project, "plumbline.network": owner.network })
      }
      if (settings().accessLog) fork(AccessLog.log(exchange))
    }
  }

  const onRequest = (request: IncomingMessage, response: ServerResponse, holdsBody: boolean) => {
    // Nothing is processed after an answer with `connection: close`. The bytes are read, so that a reset does not
    // destroy the answer.
    if (!connections.begin(request.socket, response)) return void request.resume()
    const flaw = HttpFraming.flawOf(request)
    if (flaw !== undefined) {
      // Two servers may see different requests here. So everything after it on the connection is ignored.
      connections.end(request.socket)
      return refuseFraming(request, response, flaw)
    }
    const { callerOf, mounts } = settings()
    const { url = "" } = request
    const mount = Mounts.find(mounts, url)
    if (mount !== undefined) {
      closeBehind(response, () => isLast(request, response))
      response.setHeader(RequestId.HEADER, RequestId.of(request))
      if (holdsBody) response.writeContinue()
      return serveMount(mount, request, response, callerOf(request), fork)
    }
    const exchange = new HttpExchange(request, response, holdsBody, shared)
    inFlight.add(exchange)
    const target = HttpTarget.parse(url)
    for (const { name = "other", serve } of routes) {
      exchange.route = name
      if (serve(exchange, target)) return
    }
    exchange.route = "none"
    exchange.refuse(Refusal.notFound)
  }

  let configured = settings().tls
  let certificate = configured
  const renew = (tls: Checked) => {
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
  // For example no file descriptor for one more connection: the service continues, and the log tells the operator.
  server.on("error", (error: NodeJS.ErrnoException) => {
    if (server.listening) fork(Effect.logError("server error", error.code ?? "UNKNOWN"))
  })
  ClientErrors.answer(server, connections, inFlight)

  return {
    server,
    inFlight,
    serve: (served) => {
      routes = served
    },
    configure,
    renew,
    certificate: () => certificate,
    isDraining: () => draining,
    startDraining: () => {
      draining = true
      connections.drain()
    },
    stop: async () => {
      // A client that receives an answer opens its next connection. So answers are held until the listener is closed.
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

const serverOf = ({ timeouts, tls }: Settings, upgrades: (request: IncomingMessage) => boolean): Server => {
  const options: ServerOptions = {
    // Interval at which Node looks for late requests.
    connectionsCheckingInterval: Math.max(10, Math.min(1000, timeouts.headers, timeouts.request)),
    // Node refuses a missing Host header, and still processes the requests after it.
    requireHostHeader: false,
    // Java's client offers HTTP/2 with its first POST. An upgrade to a foreign protocol must be ignored, not refused.
    shouldUpgradeCallback: upgrades
  }
  if (tls === undefined) return createServer(options)
  return new SecureServer({ ...options, ...tls.context, handshakeTimeout: timeouts.headers })
}

const refuseFraming = (request: IncomingMessage, response: ServerResponse, refusal: Refusal.Refusal): void => {
  response.shouldKeepAlive = false
  response.writeHead(refusal.status, [...TEXT, ...CORS]).end(Refusal.body(refusal))
  request.resume()
}

const serveMount = (
  mount: Mount,
  request: IncomingMessage,
  response: ServerResponse,
  caller: string,
  fork: Fork
): void => {
  try {
    mount.handle(request, response, caller)
  } catch (error) {
    fork(Effect.logError("request died", Redaction.text(Cause.pretty(Cause.die(error)))))
    if (response.headersSent) response.destroy()
    else response.writeHead(Refusal.failed.status, [...TEXT]).end(Refusal.body(Refusal.failed))
  }
}

/** Lets Node ask when the head is sent, which may be during the drain: a mount writes its answer itself. */
const closeBehind = (response: ServerResponse, isLast: () => boolean): void => {
  let keeps = response.shouldKeepAlive
  Object.defineProperty(response, "shouldKeepAlive", {
    get: () => keeps && !isLast(),
    set: (value: boolean) => {
      keeps = value
    }
  })
}
