/** Forgets, every hour, what is older than it is kept. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

import type { Store } from "./MeteringStore.ts"

/**
 * How long usage is kept by the minute, by the hour and by the day.
 *
 * @since 0.1.0
 */
export interface Retention {
  /** 8 days if not said: figures of older days have a border at a full hour. */
  readonly minutes?: Duration.Input | undefined
  /** 100 days if not said: figures of older days have a border at midnight UTC. */
  readonly hours?: Duration.Input | undefined
  /** For ever if not said. */
  readonly days?: Duration.Input | undefined
}

export const keep = (store: Store, retention: Retention = {}): Effect.Effect<void> => {
  const { days, hours = "100 days", minutes = "8 days" } = retention
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const since = (time: Duration.Input | undefined): number | undefined =>
      time === undefined ? undefined : Math.max(0, now - Duration.toMillis(Duration.fromInputUnsafe(time)))
    yield* store.forget({ minute: since(minutes), hour: since(hours), day: since(days) }, now)
  }).pipe(
    // What could not be forgotten is forgotten an hour later; a store that is down is told by whoever records.
    Effect.catchCause((cause) => Effect.logDebug("old usage was not forgotten", cause)),
    Effect.repeat(Schedule.spaced("1 hour")),
    Effect.asVoid
  )
}
