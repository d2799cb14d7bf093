import { Effect } from "effect"

/** In how many turns of the event loop something is done: in each of them others can be. */
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
