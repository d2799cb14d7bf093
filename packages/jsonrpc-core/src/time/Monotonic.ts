/**
 * The monotonic clock, for durations and deadlines that must not move when the wall clock is corrected.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"

/**
 * Returns milliseconds since an arbitrary moment in the past, with fractions. Compare only times of one clock.
 *
 * Under the live clock it reads the platform's `performance`, which costs a tenth of reading nanoseconds as a bigint.
 *
 * ```ts import.meta.vitest
 * import { Monotonic } from "@plumbline/jsonrpc-core"
 * import { Clock, Effect } from "effect"
 *
 * const clock = await Effect.runPromise(Clock.Clock)
 * const begun = Monotonic.millis(clock)
 * Monotonic.millis(clock) >= begun // => true
 * ```
 */
export const millis = (clock: Clock.Clock): number =>
  clock === (live ??= Context.get(Context.empty(), Clock.Clock))
    ? performance.now()
    : Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/** The clock of a program that provides none. Finding it costs more than the reading. */
let live: Clock.Clock | undefined
