/** Runs work in order, and starts a limited amount per turn of the event loop, because the work blocks the process. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** Runs a piece of work after all earlier pieces are done. */
export type OrderedScheduler = <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** Makes turns. At most `most` pieces of work start in one turn of the event loop; within a turn no piece waits. */
export const make = (most: number): OrderedScheduler => {
  // No limit is needed here, because the server limits the number of waiting requests.
  const semaphore = Semaphore.makeUnsafe(1)
  let begun = 0

  const begin: Effect.Effect<void> = Effect.suspend(() => {
    if (begun === most) return Effect.andThen(Effect.yieldNow, begin)
    if (begun === 0) {
      setImmediate(() => {
        begun = 0
      })
    }
    begun++
    return Effect.void
  })

  return (work) => semaphore.withPermit(Effect.andThen(begin, work))
}
