/**
 * Divides the work of a node in this process into turns. The work blocks the process, so only a limited amount starts
 * in one turn of the event loop; then sockets and timers run.
 *
 * The time of work is estimated, not measured: each piece of work states its weight, and the weights of one turn add up
 * to at most `TURN`.
 */
import * as Effect from "effect/Effect"

/** Weight of one turn, about ten milliseconds. */
export const TURN = 16

export interface EventLoopScheduler {
  /**
   * Runs a piece of work when a turn has enough weight left, in the order of the calls. It runs immediately if nothing
   * waits and the current turn has enough weight left. A piece that is heavier than a turn gets a whole turn.
   */
  readonly take: <A, E>(weight: number, work: () => Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Maps items in groups of `size`, each of weight `TURN`. */
  readonly map: <A, B>(items: ReadonlyArray<A>, size: number, f: (item: A) => B) => Effect.Effect<ReadonlyArray<B>>
}

interface Waiting {
  readonly weight: number
  readonly begin: () => void
}

/** Makes turns. `later` calls its argument back in the next turn. */
export const make = (
  later: (callback: () => void) => void = (callback) => void setImmediate(callback)
): EventLoopScheduler => {
  // No limit is needed here, because the server limits the number of waiting requests.
  const waiting = new Set<Waiting>()
  let used = 0
  let isScheduled = false

  const hasRoom = (weight: number): boolean => used === 0 || used + weight <= TURN

  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    later(() => {
      isScheduled = false
      used = 0
      for (const next of waiting) {
        if (!hasRoom(next.weight)) break
        waiting.delete(next)
        used += next.weight
        next.begin()
      }
      if (waiting.size > 0 || used > 0) schedule()
    })
  }

  const take: EventLoopScheduler["take"] = (weight, work) => {
    if (waiting.size === 0 && hasRoom(weight)) {
      used += weight
      schedule()
      return work()
    }
    const turn = Effect.callback<void>((resume) => {
      const next = { weight, begin: () => resume(Effect.void) }
      waiting.add(next)
      schedule()
      return Effect.sync(() => void waiting.delete(next))
    })
    return Effect.flatMap(turn, work)
  }

  const map: EventLoopScheduler["map"] = (items, size, f) => {
    type B = ReturnType<typeof f>
    const done: Array<B> = []
    const next = (): Effect.Effect<ReadonlyArray<B>> => {
      for (const item of items.slice(done.length, done.length + size)) done.push(f(item))
      return done.length < items.length ? take(TURN, next) : Effect.succeed(done)
    }
    // The caller already has a turn.
    return next()
  }

  return { take, map }
}

/** Returns the same handlers, each of which waits for its turn. A handler whose weight is not given weighs 1. */
export const inTurns = <Handlers extends Readonly<Record<keyof Handlers, Handler>>>(
  turns: EventLoopScheduler,
  weights: Partial<Readonly<Record<keyof Handlers, number>>>,
  handlers: Handlers
): Handlers => {
  const waiting = { ...handlers }
  for (const name of Object.keys(handlers) as Array<keyof Handlers>) {
    const work: Handler = handlers[name]
    const weight = weights[name] ?? 1
    waiting[name] = ((...args) => turns.take(weight, () => work(...args))) as Handlers[typeof name]
  }
  return waiting
}

type Handler = (...args: ReadonlyArray<any>) => Effect.Effect<any, any>
