/** Work that is done in order and holds the process while it is: so much of it at a time, and then others run. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** Does a piece of work when all that were given before are done. */
export type Turns = <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** At most so many pieces are begun in one turn of the event loop; within a turn a piece waits for nothing. */
export const make = (most: number): Turns => {
  // Those who wait are requests, which the server has bounded.
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
