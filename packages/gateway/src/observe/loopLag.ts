/** Measures the lag of the event loop. A timer that fires late shows how long every request waits. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

import { MetricHistogram } from "../meters/metricHistogram.ts"

/** Milliseconds between two measurements. */
const EVERY = 100

/** Upper bounds of the histogram, in seconds. */
const BOUNDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5]

/** Measures the lag until the scope closes. The timer does not keep the process alive. */
export const measure: Effect.Effect<MetricHistogram, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const histogram = new MetricHistogram(BOUNDS)
      let due = performance.now() + EVERY
      const timer = setInterval(() => {
        const now = performance.now()
        histogram.add(Math.max(0, now - due) / 1000)
        due = now + EVERY
      }, EVERY).unref()
      return { histogram, timer }
    }),
    ({ timer }) => Effect.sync(() => clearInterval(timer))
  ),
  ({ histogram }) => histogram
)
