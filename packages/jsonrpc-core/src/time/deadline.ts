/** A deadline that costs a timer, and still follows the clock of the program. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** What timers of the platform can wait: some 24 days. */
const MAX_TIMER = 2 ** 31 - 1

/**
 * Runs `expire` after `duration`, unless the function that comes back is called before.
 *
 * Under the live clock it is a timer of the platform, which costs a tenth of a sleeping fiber; under any other clock, as
 * in tests, that clock decides.
 */
export const after = (
  fiber: Fiber.Fiber<unknown, unknown>,
  duration: Duration.Duration,
  expire: () => void
): (() => void) => {
  const millis = Duration.toMillis(duration)
  if (millis === Infinity) {
    return () => {}
  }
  const clock = fiber.getRef(Clock.Clock)
  if (clock === Context.get(Context.empty(), Clock.Clock) && millis <= MAX_TIMER) {
    const timer = setTimeout(expire, millis)
    return () => clearTimeout(timer)
  }
  const sleeper = Effect.runForkWith(fiber.context)(Effect.andThen(clock.sleep(duration), Effect.sync(expire)))
  return () => sleeper.interruptUnsafe()
}
