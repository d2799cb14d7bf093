/** The WebSocket side of JSON-RPC: admits upgrades, and holds the state that all sockets share. */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"

import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { WebSocketServer } from "ws"

import * as Redaction from "../errors/Redaction.ts"
import * as HttpFraming from "../http/framing.ts"
import type { HttpListener } from "../http/httpListener.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import * as HttpTarget from "../http/httpTarget.ts"
import { InFlight } from "../http/inFlight.ts"
import { refuseRaw } from "../http/rawRefusal.ts"
import type { SpawnFiber } from "../http/requestFibers.ts"
import * as RequestId from "../http/requestId.ts"
import type { EventSettlement } from "../pipeline/eventSettlement.ts"
import type { KnownProject, Pipeline, CallerSession } from "../pipeline/Pipeline.ts"
import type { CurrentConfig } from "../pipeline/runtimeConfig.ts"
import type { StepScheduler } from "../pipeline/stepScheduler.ts"
import { LargeMessages } from "./largeMessages.ts"
import { isWebSocket, keyedCallerOf, keyedOf } from "./rpcPaths.ts"
import { WebSocketConnection } from "./webSocketConnection.ts"

export interface WebSockets {
  readonly connections: InFlight<WebSocketConnection>
  /** Pings every socket at the configured interval, for ever. */
  readonly heartbeat: Effect.Effect<never>
  /** Checks sockets for ever, and closes those whose callers would no longer be admitted. */
  readonly watch: Effect.Effect<never>
}

export const make = (options: {
  readonly listener: HttpListener
  readonly pipeline: Pipeline
  readonly live: CurrentConfig
  readonly fork: SpawnFiber
  readonly events: EventSettlement
  readonly turns: StepScheduler
}): WebSockets => {
  const { events, fork, listener, live, pipeline } = options
  const large = new LargeMessages(options.turns)
  const connections = new InFlight<WebSocketConnection>()
  const perProject = new Map<string, number>()
  const acceptor = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression needs memory for each socket, and a small message can expand to a large one.
    perMessageDeflate: false
  })
  const ids = new WeakMap<IncomingMessage, string>()
  acceptor.on("headers", (headers, request) => headers.push(`${RequestId.HEADER}: ${ids.get(request) ?? ""}`))

  /** Returns the refusal if there is no room for one more socket. Returns undefined if there is room. */
  const full = (project: string): HttpRefusal.HttpRefusal | undefined => {
    const { limits } = live.current.settings
    if (listener.isDraining()) return HttpRefusal.unavailable
    if ((perProject.get(project) ?? 0) >= limits.socketsPerProject) return HttpRefusal.tooManySockets
    return connections.size >= limits.sockets ? HttpRefusal.busy : undefined
  }

  const open = (session: CallerSession, annotates: boolean, request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { id } = session.holder.project
    acceptor.options.maxPayload = live.current.settings.limits.bodyBytes
    const requestId = RequestId.of(request)
    ids.set(request, requestId)
    acceptor.handleUpgrade(request, socket, head, (webSocket) => {
      perProject.set(id, (perProject.get(id) ?? 0) + 1)
      large.follow(webSocket, request.socket)
      connections.add(
        new WebSocketConnection({
          socket: webSocket,
          transport: request.socket,
          session,
          requestId,
          annotates,
          headers: request.headers,
          pipeline,
          live,
          budget: listener.budget,
          fork,
          events,
          onClose: (connection) => {
            connections.delete(connection)
            const left = (perProject.get(id) ?? 1) - 1
            if (left === 0) perProject.delete(id)
            else perProject.set(id, left)
          }
        })
      )
    })
  }

  const refuseKnown = (known: KnownProject, refusal: HttpRefusal.HttpRefusal, socket: Duplex) =>
    fork(pipeline.refuse(known, refusal, { bytesIn: 0 })).addObserver((exit) =>
      refuseRaw(socket, exit._tag === "Success" ? exit.value : HttpRefusal.failed)
    )

  listener.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (listener.isEnded(request)) return void socket.resume()
    const target = keyedOf(HttpTarget.parse(request.url ?? ""))
    const flaw = HttpFraming.flawOf(request)
    if (flaw !== undefined) return refuseRaw(socket, flaw)
    // Before version 24.9, Node passes all upgrades to this function, whatever their protocol.
    if (target?._tag !== "WebSocket" || !isWebSocket(request)) return refuseRaw(socket, HttpRefusal.badRequest)
    const gone = () => socket.destroy()
    socket.on("error", gone)
    const caller = keyedCallerOf(request.headers, target, request.method)
    fork(pipeline.open(live.current.settings.callerOf(request), caller)).addObserver((exit) => {
      if (exit._tag === "Success") {
        const refusal = full(exit.value.holder.project.id)
        if (refusal !== undefined) return refuseKnown(exit.value, refusal, socket)
        socket.off("error", gone)
        return open(exit.value, target.annotates, request, socket, head)
      }
      const refusal = Cause.findError(exit.cause)
      if (Result.isSuccess(refusal)) return refuseRaw(socket, refusal.success)
      fork(Effect.logError("upgrade died", Redaction.text(Cause.pretty(exit.cause))))
      refuseRaw(socket, HttpRefusal.failed)
    })
  })

  const beat = Effect.sync(() => {
    for (const connection of connections) connection.beat()
  })

  const look = Effect.suspend(() =>
    Effect.forEach([...connections], (connection) => connection.look, { concurrency: LOOKS, discard: true })
  )

  return {
    connections,
    heartbeat: Effect.forever(
      Effect.andThen(
        Effect.suspend(() => Effect.sleep(live.current.settings.timeouts.heartbeat)),
        beat
      )
    ),
    watch: Effect.forever(Effect.andThen(Effect.sleep(WATCH), look))
  }
}

/**
 * A change takes effect within a second: half a second until the store sees it, plus this interval and the check
 * itself.
 */
const WATCH = Duration.millis(300)

/**
 * Number of sockets checked at a time, so that the store does not get all queries at once. Cached holders take no time.
 */
const LOOKS = 16
