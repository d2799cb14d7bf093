import { Effect } from "effect"

/** Returns the number of turns of the event loop that some work takes. Other work can run between these turns. */
export const turnsOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let turns = 0
    let isOver = false
    const others = () => {
      turns++
      if (!isOver) setImmediate(others)
    }
    setImmediate(others)
    return Effect.map(work, (result) => {
      isOver = true
      return [turns, result] as const
    })
  })
