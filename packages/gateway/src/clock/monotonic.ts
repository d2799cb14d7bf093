/** The monotonic clock. Pauses are measured with it, because the wall clock may be set back, and a pause must still end. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"

/**
 * Returns milliseconds since an arbitrary moment in the past, which no correction of the wall clock shifts. Under the
 * live clock it reads `performance`, at a tenth of the cost of nanoseconds as a bigint.
 */
export const millisOf = (clock: Clock.Clock): number =>
  clock === live ? performance.now() : Number(clock.monotonicTimeNanosUnsafe()) / 1e6

const live = Context.get(Context.empty(), Clock.Clock)
