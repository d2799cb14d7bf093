/** Deletes expired usage every hour. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

import type { Store } from "./MeteringStore.ts"

/**
 * The time for which usage is kept by the minute, by the hour and by the day.
 */
export interface Retention {
  /** Retention of usage by the minute (default: 8 days). Older figures are available only for full hours. */
  readonly minutes?: Duration.Input | undefined
  /** Retention of usage by the hour (default: 100 days). Older figures are available only for full days (UTC). */
  readonly hours?: Duration.Input | undefined
  /** Retention of usage by the day (default: for ever). */
  readonly days?: Duration.Input | undefined
}

const DAY = 86_400_000

/** The default retention in milliseconds. */
export const keptFor: { readonly minutes: number; readonly hours: number } = { minutes: 8 * DAY, hours: 100 * DAY }

export const keep = (store: Store, retention: Retention = {}): Effect.Effect<void> => {
  const { days, hours = keptFor.hours, minutes = keptFor.minutes } = retention
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const since = (time: Duration.Input | undefined): number | undefined =>
      time === undefined ? undefined : Math.max(0, now - Duration.toMillis(Duration.fromInputUnsafe(time)))
    yield* store.forget({ minute: since(minutes), hour: since(hours), day: since(days) }, now)
  }).pipe(
    // A failed deletion is tried again an hour later. It is not reported here: if the store is down, recording fails
    // too.
    Effect.catchCause((cause) => Effect.logDebug("old usage was not deleted", cause)),
    Effect.repeat(Schedule.spaced("1 hour")),
    Effect.asVoid
  )
}
