/** A token bucket with a queue: permits come at a rate, some are saved up, and who finds none waits in line. */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

import * as Monotonic from "../time/monotonic.ts"

/** All times are milliseconds of the monotonic clock. */
export interface TokenBucket {
  /** Takes permits if they are there and nobody waits for them. At most `burst` at once. */
  readonly tryTake: (count: number, now: number) => boolean
  /** Takes permits when it is its turn. Interrupted, it gives its place to the next in line. */
  readonly take: (count: number, clock: Clock.Clock) => Effect.Effect<void>
  /** How many permits others wait for. */
  readonly waiting: () => number
  /** How long until so many more permits would be there, behind all who wait. */
  readonly delay: (count: number, now: number) => number
  /** No permit comes before `until`, then one, and the next ones at the rate. */
  readonly pause: (until: number) => void
}

interface Waiter {
  readonly count: number
  /** Opens when it is the first in line. */
  readonly first: Latch.Latch
}

/** A bucket that holds up to `burst` permits, full at first, with a new one after each `interval`. */
export const make = (burst: number, interval: number): TokenBucket => {
  /** When the bucket will be full, if no more is taken: all there is to know about it. */
  let fullAt = -Infinity
  /** In the order of their coming. */
  const line = new Set<Waiter>()
  let waiting = 0

  const dueAt = (count: number): number => fullAt + (count - burst) * interval

  const takeNow = (count: number, now: number): boolean => {
    if (dueAt(count) > now + TOLERANCE) {
      return false
    }
    fullAt = Math.max(fullAt, now) + count * interval
    return true
  }

  const takeWhenDue = (count: number, clock: Clock.Clock): Effect.Effect<void> =>
    Effect.suspend(() => {
      const now = Monotonic.millis(clock)
      return takeNow(count, now)
        ? Effect.void
        : Effect.flatMap(clock.sleep(Duration.millis(Math.ceil(dueAt(count) - now - TOLERANCE))), () =>
            takeWhenDue(count, clock)
          )
    })

  const leave = (waiter: Waiter): void => {
    line.delete(waiter)
    waiting -= waiter.count
    for (const next of line) {
      next.first.openUnsafe()
      break
    }
  }

  return {
    tryTake: (count, now) => line.size === 0 && takeNow(count, now),
    take: (count, clock) =>
      Effect.suspend(() => {
        const waiter: Waiter = { count, first: Latch.makeUnsafe(line.size === 0) }
        line.add(waiter)
        waiting += count
        return Effect.ensuring(
          Effect.andThen(waiter.first.await, takeWhenDue(count, clock)),
          Effect.sync(() => leave(waiter))
        )
      }),
    waiting: () => waiting,
    delay: (count, now) => Math.max(0, dueAt(waiting + count) - now),
    pause: (until) => {
      fullAt = Math.max(fullAt, until + (burst - 1) * interval)
    }
  }
}

/** A nanosecond: what sums of fractions may be off. */
const TOLERANCE = 1e-6
