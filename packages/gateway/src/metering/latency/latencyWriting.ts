/** Writes the response times of calls to the store. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

import type { StateError } from "../../state/StateError.ts"
import type { LatencyRecorder, LatencyRow } from "./latencyRecorder.ts"

interface Store {
  readonly addLatencies: (minute: number, rows: ReadonlyArray<LatencyRow>) => Effect.Effect<void, StateError>
}

/** The time between two writes. */
export const EVERY: Duration.Duration = Duration.seconds(10)

/**
 * Writes the counts since the last write, at the current minute. If the store fails, the counts are kept for the next
 * write.
 */
export const of = (store: Store, latencies: LatencyRecorder): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const rows = latencies.take()
    if (rows.length === 0) return Effect.void
    return store.addLatencies(now - (now % MINUTE), rows).pipe(
      Effect.catch((error) => {
        latencies.giveBack(rows)
        return Effect.logDebug("times of calls were not written", error.message)
      })
    )
  })

const MINUTE = 60_000
