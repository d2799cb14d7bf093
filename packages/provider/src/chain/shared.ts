/** Work that runs while it has a listener, once for all listeners. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"

/** Events that wait for one listener. They are small: what they name is read when its turn has come. */
const MAX_EVENTS = 512

/** The events of one listener, from the moment when the effect is done. */
export type Listen<A, E> = Effect.Effect<Stream.Stream<A>, E, Scope.Scope>

/**
 * Returns the function that adds a listener. The first one starts the work, which is done starting when the effect is;
 * the work goes on in the background until the last listener's scope is closed. A listener that is so slow that its
 * queue is full is given `overflow` in the place of all that waits.
 */
export const make = <A, E>(options: {
  readonly scope: Scope.Scope
  /** Starts the work, and returns what is to be run in the background. */
  readonly start: (emit: (event: A) => void) => Effect.Effect<Effect.Effect<void>, E>
  readonly overflow: (waiting: ReadonlyArray<A>) => A
}): Listen<A, E> => {
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
