/**
 * A token bucket with a queue: permits arrive at a rate, up to `burst` accumulate, and callers without a permit wait in
 * line.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

import * as Monotonic from "../time/Monotonic.ts"

/** A token bucket. All times are milliseconds of the monotonic clock. */
export interface TokenBucket {
  /**
   * Takes up to `burst` permits if they are available and no caller is waiting. Returns true if the permits were taken.
   */
  readonly tryTake: (count: number, now: number) => boolean
  /** Takes permits when the caller's turn comes. An interrupted caller gives up its place in the queue. */
  readonly take: (count: number, clock: Clock.Clock) => Effect.Effect<void>
  /** Returns the number of permits that callers wait for. */
  readonly waiting: () => number
  /** Returns the time until `count` more permits would be available, after all waiting callers have their permits. */
  readonly delay: (count: number, now: number) => number
  /** Gives no permits until `until`. Then one permit is given, and the next ones follow at the rate. */
  readonly pause: (until: number) => void
}

interface Waiter {
  readonly count: number
  /** Opens when this waiter is the first in line. */
  readonly first: Latch.Latch
}

/** Makes a bucket that holds up to `burst` permits. It starts full and gets a new permit after each `interval`. */
export const make = (burst: number, interval: number): TokenBucket => {
  /** The time at which the bucket will be full if no more permits are taken. This is the whole state of the bucket. */
  let fullAt = -Infinity
  /** The waiting callers, in the order of arrival. */
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

/** A nanosecond, which covers the rounding error of sums of fractions. */
const TOLERANCE = 1e-6
