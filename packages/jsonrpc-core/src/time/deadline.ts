/** A deadline that costs only a timer, and still follows the clock of the program. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** The longest time of a platform timer in milliseconds: about 24 days. */
const MAX_TIMER = 2 ** 31 - 1

/**
 * Runs `expire` after `duration`, unless the returned function is called before.
 *
 * With the live clock, `after` uses a timer of the platform, which costs a tenth as much as a sleeping fiber. With any
 * other clock, as in tests, that clock measures the time.
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
