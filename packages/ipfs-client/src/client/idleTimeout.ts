/** Detects that neither side has sent anything for too long. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** Measures the time since the last byte in either direction. Both the upload and the answer reset it. */
export class IdleTimeout<E> {
  readonly #clock: Clock.Clock
  readonly #millis: number
  readonly #error: () => E
  #since: number

  constructor(clock: Clock.Clock, longest: Duration.Duration, error: () => E) {
    this.#clock = clock
    this.#millis = Duration.toMillis(longest)
    this.#error = error
    this.#since = this.#now()
  }

  /** Records that one side sent something. */
  broken(): void {
    this.#since = this.#now()
  }

  /** Fails if the silence grows too long while the effect runs. This costs half as much as a race with a sleep. */
  bound<A, E2, R>(effect: Effect.Effect<A, E2, R>): Effect.Effect<A, E | E2, R> {
    if (this.#millis === Infinity) {
      return effect
    }
    return Effect.withFiber((parent): Effect.Effect<A, E | E2> => {
      const fiber = Effect.runForkWith(parent.context as Context.Context<R>)(effect)
      return (
        fiber.pollUnsafe() ??
        Effect.callback<A, E | E2>((resume) => {
          let isLate = false
          let cancel = (): void => {}
          const watch = (): void => {
            const left = this.#millis - (this.#now() - this.#since)
            if (left > 0) {
              cancel = after(parent, this.#clock, left, watch)
            } else {
              isLate = true
              fiber.interruptUnsafe()
            }
          }
          fiber.addObserver((exit) => {
            cancel()
            resume(isLate ? Effect.fail(this.#error()) : exit)
          })
          watch()
          return Effect.suspend(() => {
            cancel()
            return Fiber.interrupt(fiber)
          })
        })
      )
    })
  }

  /** Returns the time by a monotonic clock. */
  #now(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe()) / 1e6
  }
}

/** The longest wait of the platform's timers in milliseconds: about 24 days. */
const MAX_TIMER = 2 ** 31 - 1

/**
 * Waits with a timer of the platform under the live clock, because such a timer is cheap. Under any other clock, as in
 * tests, that clock's own sleep is used.
 */
const after = (
  fiber: Fiber.Fiber<unknown, unknown>,
  clock: Clock.Clock,
  millis: number,
  expire: () => void
): (() => void) => {
  if (clock === Context.get(Context.empty(), Clock.Clock)) {
    const timer = setTimeout(expire, Math.min(Math.ceil(millis), MAX_TIMER))
    return () => clearTimeout(timer)
  }
  const sleep = clock.sleep(Duration.millis(Math.ceil(millis)))
  const sleeper = Effect.runForkWith(fiber.context)(Effect.andThen(sleep, Effect.sync(expire)))
  return () => sleeper.interruptUnsafe()
}
