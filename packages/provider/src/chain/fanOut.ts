/** Runs one task for all listeners, as long as there is at least one listener. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"

/**
 * Maximum number of events that wait for one listener. Events are small, because they contain only names of data that
 * is read later.
 */
const MAX_EVENTS = 512

/** Adds a listener. Its stream has all events from the moment when this effect ends. */
export type AddListener<A, E> = Effect.Effect<Stream.Stream<A>, E, Scope.Scope>

/**
 * Returns the function that adds a listener. The first listener starts the work; the Effect ends when the work has
 * started. The work runs in the background until the scope of the last listener closes. If the queue of a slow listener
 * is full, the listener gets `overflow` instead of the waiting events.
 */
export const make = <A, E>(options: {
  readonly scope: Scope.Scope
  /** Starts the work, and returns the Effect to run in the background. */
  readonly start: (emit: (event: A) => void) => Effect.Effect<Effect.Effect<void>, E>
  readonly overflow: (waiting: ReadonlyArray<A>) => A
}): AddListener<A, E> => {
  const listeners = new Set<Queue.Queue<A>>()
  const starting = Semaphore.makeUnsafe(1)
  let running: Scope.Closeable | undefined

  const emit = (event: A): void => {
    for (const queue of listeners) {
      if (Queue.offerUnsafe(queue, event)) continue
      const waiting = Effect.runSync(Queue.clear(queue))
      Queue.offerUnsafe(queue, options.overflow([...waiting, event]))
    }
  }

  const start = Effect.suspend(() => {
    if (running !== undefined) return Effect.void
    return Effect.flatMap(options.start(emit), (work) => {
      const scope = Effect.runSync(Scope.fork(options.scope))
      running = scope
      return Effect.forkIn(work, scope)
    })
  })

  const leave = (queue: Queue.Queue<A>): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!listeners.delete(queue) || listeners.size > 0 || running === undefined) return Effect.void
      const scope = running
      running = undefined
      return Scope.close(scope, Exit.void)
    })

  return Effect.gen(function* () {
    const queue = yield* Effect.acquireRelease(
      Effect.tap(Queue.dropping<A>(MAX_EVENTS), (queue) => {
        listeners.add(queue)
        return Effect.void
      }),
      leave
    )
    yield* starting.withPermit(start)
    return Stream.fromQueue(queue)
  })
}
