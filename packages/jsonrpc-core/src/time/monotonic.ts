/** A clock that is never set: for measuring time, and for bounds that a corrected wall clock must not shift. */
import type * as Clock from "effect/Clock"

/** Milliseconds since some moment in the past, with fractions. */
export const millis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
