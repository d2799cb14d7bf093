/** A clock that is never adjusted: for durations, and for bounds that a corrected wall clock must not shift. */
import type * as Clock from "effect/Clock"

/** Returns milliseconds since an arbitrary moment in the past, with fractions. */
export const millis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
