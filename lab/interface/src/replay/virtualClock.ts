/** A clock whose time passes only when every reader waits for a node, so that slow and silent nodes cost no real time. */
import { type Clock, Duration, Effect } from "effect"

export interface VirtualClock extends Clock.Clock {
  /** Moves the time forward, and wakes the sleepers whose time has come. */
  readonly advance: (millis: number) => void
  /** Moves the time to the next sleeper. Returns false if there is none. */
  readonly jump: () => boolean
}

/** Starts a clock at this time, in milliseconds since 1970. */
export const make = (start: number): VirtualClock => {
  let now = start
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const nanos = (): bigint => BigInt(Math.round(now * 1000)) * 1000n
  /** Sets the time, and wakes everything that sleeps until then: once, however long the way. */
  const moveTo = (time: number): void => {
    now = Math.max(now, time)
    const due = [...sleepers].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)
    for (const sleeper of due) {
      sleepers.delete(sleeper)
      sleeper.wake()
    }
  }
  return {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const sleeper = { at: now + Duration.toMillis(duration), wake: () => resume(Effect.void) }
        sleepers.add(sleeper)
        return Effect.sync(() => void sleepers.delete(sleeper))
      }),
    advance: (millis) => moveTo(now + millis),
    jump: () => {
      const next = Math.min(...[...sleepers].map(({ at }) => at))
      if (next === Infinity) return false
      moveTo(next)
      return true
    }
  }
}
