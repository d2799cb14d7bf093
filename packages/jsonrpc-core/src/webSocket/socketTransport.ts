/** A transport over successive sockets of one kind. It runs the session, reconnects it, and closes it. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

import { TransportError } from "../error/JsonRpcError.ts"
import * as CallSession from "../session/callSession.ts"
import * as SessionServices from "../session/services.ts"
import * as Deadline from "../time/deadline.ts"
import { Subscriptions } from "../transport/Subscriptions.ts"
import { Transport } from "../transport/Transport.ts"
import * as WebSocketReconnection from "./reconnection.ts"

export interface SocketTransportOptions
  extends
    Pick<CallSession.SessionOptions, "maxBytes" | "redact" | "timeout" | "unread">,
    Omit<WebSocketReconnection.ReconnectionOptions, "after" | "clock" | "session" | "wanted"> {
  readonly maxInFlight?: number | undefined
}

export type SocketServices = Transport["Service"] & Subscriptions["Service"]

/** The defaults that every kind of socket has. */
export const defaults: {
  readonly buffer: number
  readonly maxInFlight: number
  readonly connectTimeout: Duration.Input
  readonly overflow: "gap" | "wait"
} = { buffer: 1024, maxInFlight: 1024, connectTimeout: "10 seconds", overflow: "gap" }

/**
 * Makes a transport that dials when it is first needed. Closing the scope closes the connection and fails the calls in
 * flight.
 */
export const make = (options: SocketTransportOptions): Effect.Effect<SocketServices, never, Scope.Scope> =>
  Effect.withFiber((fiber) => {
    const wanted = Latch.makeUnsafe()
    const after = (duration: Duration.Duration, work: () => void) => Deadline.after(fiber, duration, work)
    const session = CallSession.make({
      ...options,
      maxInFlight: options.maxInFlight ?? defaults.maxInFlight,
      after,
      onWanted: () => wanted.openUnsafe()
    })
    const connection = WebSocketReconnection.run({
      ...options,
      session,
      wanted,
      clock: fiber.getRef(Clock.Clock),
      after
    })
    const close = Effect.sync(() =>
      session.close(new TransportError({ detail: "the transport is closed", retryable: false }))
    )
    return Effect.forkScoped(connection).pipe(
      Effect.andThen(Effect.addFinalizer(() => close)),
      Effect.as(SessionServices.make(session))
    )
  })

export const layer = <R>(
  made: Effect.Effect<SocketServices, never, R>
): Layer.Layer<Transport | Subscriptions, never, Exclude<R, Scope.Scope>> =>
  Layer.effectContext(
    Effect.map(made, (services) => Context.make(Transport, services).pipe(Context.add(Subscriptions, services)))
  )
