/**
 * Ends the service without losing a request: every request that was read is answered.
 *
 * The reasons for this order are in docs/decisions/http.md.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

import type * as HttpListener from "./http/httpListener.ts"
import type { EventSettlement } from "./pipeline/eventSettlement.ts"
import type * as Pipeline from "./pipeline/Pipeline.ts"
import type * as RuntimeConfig from "./pipeline/runtimeConfig.ts"
import type * as WebSockets from "./rpc/webSockets.ts"

/** The parts of a running service that have work to finish. */
export interface RunningGateway {
  readonly listener: HttpListener.HttpListener
  readonly webSockets: WebSockets.WebSockets
  readonly pipeline: Pipeline.Pipeline
  readonly live: RuntimeConfig.CurrentConfig
  readonly events: EventSettlement
}

/** Drains the service. The effect ends when the last connection has closed. */
export const drain = Effect.fnUntraced(function* ({ events, listener, live, pipeline, webSockets }: RunningGateway) {
  const { connections: transport, inFlight } = listener
  const { connections } = webSockets
  listener.startDraining()
  const { grace } = live.current.settings.timeouts
  // Finalizers cannot be interrupted. That is acceptable here, because a second signal ends the process.
  if (grace > 0) yield* Effect.sleep(grace)
  yield* Effect.promise(() => listener.stop())
  for (const connection of connections) connection.drain()
  const finished = Effect.all([inFlight.idle, connections.idle, Effect.promise(() => transport.closed)], {
    concurrency: "unbounded",
    discard: true
  })
  // Code in a finalizer cannot be interrupted. The loser of this race must be interrupted, so both sides are made
  // interruptible.
  const within = (work: Effect.Effect<void>, time: Duration.Input) =>
    Effect.raceFirst(Effect.interruptible(work), Effect.interruptible(Effect.sleep(time)))
  yield* within(finished, live.current.settings.timeouts.drain)
  for (const exchange of inFlight) exchange.giveUp()
  for (const connection of connections) connection.giveUp()
  // Records and settles the work that was given up. Its fibers answer 503 as they end.
  yield* Effect.yieldNow
  yield* within(Effect.andThen(events.flush, pipeline.idle), LAST_RECORDS)
  yield* Effect.yieldNow
  // Waits before destroying connections: a reset could reach the client before the last answers.
  yield* within(
    Effect.promise(() => transport.closed),
    LAST_ANSWERS
  )
  transport.destroyAll()
  yield* Effect.promise(() => transport.closed)
})

/** Maximum time to write the outstanding records: the usual timeout of metering. */
const LAST_RECORDS = Duration.seconds(5)

/** Maximum time for clients to read the answers of work that was given up, and to close their connections. */
const LAST_ANSWERS = Duration.seconds(2)
