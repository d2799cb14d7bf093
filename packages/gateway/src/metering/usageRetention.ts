/** Deletes expired usage every hour. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

import type { UsageStore } from "./MeteringStore.ts"

/** The times in milliseconds for which usage is kept; undefined means for ever. */
interface UsageRetention {
  readonly minutes: number
  readonly hours: number
  readonly days?: number | undefined
}

export const keep = (store: UsageStore, { days, hours, minutes }: UsageRetention): Effect.Effect<void> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const since = (time: number | undefined): number | undefined =>
      time === undefined ? undefined : Math.max(0, now - time)
    yield* store.forget({ minute: since(minutes), hour: since(hours), day: since(days) }, now)
  }).pipe(
    // A failed deletion is tried again an hour later. It is not reported here: if the store is down, recording fails
    // too.
    Effect.catchCause((cause) => Effect.logDebug("old usage was not deleted", cause)),
    Effect.repeat(Schedule.spaced("1 hour")),
    Effect.asVoid
  )
