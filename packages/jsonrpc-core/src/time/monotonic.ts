/** A clock that is never adjusted, for durations and deadlines that must not move when the wall clock is corrected. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"

/**
 * Returns milliseconds since an arbitrary moment in the past, with fractions. Compare only times of one clock.
 *
 * Under the live clock it reads the platform's `performance`, which costs a tenth of reading nanoseconds as a bigint.
 */
export const millis = (clock: Clock.Clock): number =>
  clock === Context.get(Context.empty(), Clock.Clock)
    ? performance.now()
    : Number(clock.monotonicTimeNanosUnsafe()) / 1e6
