/** A transport to a server in the same process, with the whole wire format but without a network. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"

import * as HttpEndpoint from "../http/httpEndpoint.ts"
import type * as Connection from "../server/Connection.ts"
import type * as Dispatcher from "../server/Dispatcher.ts"
import type { Subscriptions } from "../transport/Subscriptions.ts"
import type { Transport } from "../transport/Transport.ts"
import * as WebSocketReconnection from "../webSocket/reconnection.ts"
import * as SocketTransport from "../webSocket/socketTransport.ts"
import * as MemorySocket from "./memorySocket.ts"

/**
 * Bounds of server and client. `limits` and `onSlowReader` are for the server, as in `Connection`; the others are for
 * the client.
 */
export interface MemoryTransportOptions extends Pick<Connection.ConnectionOptions, "limits" | "onSlowReader"> {
  /** Maximum number of notifications that wait for each subscriber, besides a bound of 32 MiB. Default: 1024. */
  readonly buffer?: number | undefined
  /** The policy for notifications beyond these bounds, as in `WebSocketTransport`. Default: `gap`. */
  readonly overflow?: "gap" | "wait" | undefined
}

/** The defaults of the client's options. Those of the server are in `Connection`. */
export const defaults: { readonly buffer: number; readonly overflow: "gap" | "wait" } = {
  buffer: SocketTransport.defaults.buffer,
  overflow: SocketTransport.defaults.overflow
}

/**
 * Provides a transport to a server, and subscriptions over the same connection.
 *
 * Requests are written and answers read as on the wire, by the same code as for a WebSocket, over a `Connection`. So a
 * test over this transport tests client and server. The transport connects with the first call. When the server ends
 * the connection, the transport reconnects after a wait and makes the subscriptions again.
 *
 * Only the server sets a deadline for a call. As over a socket, `limits` says how many packets the server works on at a
 * time. The client forgets an interrupted call, but the server continues its work for it. Closing the scope ends all
 * work.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcClient, JsonRpcServer, MemoryTransport, Method, MethodGroup } from "@plumbline/jsonrpc-core"
 * import { Effect, Schema } from "effect"
 *
 * const group = MethodGroup.make(Method.make("ping", { params: [], result: Schema.String }))
 * const server = JsonRpcServer.make(group, { ping: () => Effect.succeed("pong") })
 * const program = Effect.flatMap(JsonRpcClient.make(group), (client) => client.ping())
 * await Effect.runPromise(Effect.provide(program, MemoryTransport.layer(server))) // => "pong"
 * ```
 */
export const layer = <R = never>(
  server: Pick<Dispatcher.Dispatcher<R>, "exchange">,
  options?: MemoryTransportOptions
): Layer.Layer<Transport | Subscriptions, never, Exclude<R, Scope.Scope>> =>
  SocketTransport.layer(make(server, options))

/** Returns the transport as a value, for a program with several transports. Closing the scope closes the connection. */
export const make = <R = never>(
  server: Pick<Dispatcher.Dispatcher<R>, "exchange">,
  options: MemoryTransportOptions = {}
): Effect.Effect<Transport["Service"] & Subscriptions["Service"], never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const runFork = Effect.runForkWith(yield* Effect.context<R>())
    const served = new Set<Fiber.Fiber<void>>()
    // The finalizer that is added first runs last, so the client ends before the server.
    yield* Effect.addFinalizer(() => Fiber.interruptAll(served))
    const fork = (work: Effect.Effect<void, never, R>): Fiber.Fiber<void> => {
      const fiber = runFork(work)
      served.add(fiber)
      fiber.addObserver(() => served.delete(fiber))
      return fiber
    }
    const { buffer = defaults.buffer, overflow = defaults.overflow, ...ofServer } = options
    return yield* SocketTransport.make({
      open: () => Result.succeed(MemorySocket.make({ ...ofServer, server, fork })),
      redact: (text) => text,
      timeout: Duration.infinity,
      maxBytes: Infinity,
      unread: { items: Math.max(1, buffer), bytes: HttpEndpoint.defaults.maxBytes },
      mayPause: overflow === "wait",
      // Sent packets stay in this process too, so bounding unsent packets would save no memory.
      maxBufferedBytes: Infinity,
      connectTimeout: Duration.fromInputUnsafe(SocketTransport.defaults.connectTimeout),
      backoff: WebSocketReconnection.DEFAULT_BACKOFF,
      // The peer is in the same process, so it cannot die silently.
      heartbeat: undefined,
      pingMethod: ""
    })
  })
