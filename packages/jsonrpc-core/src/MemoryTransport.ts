/**
 * A transport to a dispatcher in the same process: the whole envelope, no network.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import type * as Dispatcher from "./Dispatcher.ts"
import * as PacketTransport from "./internal/packetTransport.ts"
import { Transport } from "./Transport.ts"

/**
 * A transport to `handle` of a dispatcher.
 *
 * Requests are written and answers read as they are on the wire, so that a test over it tests the wire.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcClient, JsonRpcServer, MemoryTransport, Method, MethodGroup } from "@plumbline/jsonrpc-core"
 * import { Effect, Schema } from "effect"
 *
 * const group = MethodGroup.make(Method.make("ping", { params: [], result: Schema.String }))
 * const server = JsonRpcServer.make(group, { ping: () => Effect.succeed("pong") })
 * const program = Effect.flatMap(JsonRpcClient.make(group), (client) => client.ping())
 * await Effect.runPromise(Effect.provide(program, MemoryTransport.layer(server.handle))) // => "pong"
 * ```
 */
export const layer = <R>(handle: Dispatcher.Dispatcher<R>["handle"]): Layer.Layer<Transport, never, R> =>
  Layer.effect(Transport, make(handle))

/** The same as a value, for a program with several transports. */
export const make = <R>(handle: Dispatcher.Dispatcher<R>["handle"]): Effect.Effect<Transport["Service"], never, R> =>
  Effect.map(Effect.context<R>(), (context) =>
    PacketTransport.make({
      exchange: (text) =>
        Effect.map(Effect.provideContext(handle(text), context), (bytes) => ({ text: decoder.decode(bytes) })),
      redact: (text) => text
    })
  )

const decoder = /* @__PURE__ */ new TextDecoder()
