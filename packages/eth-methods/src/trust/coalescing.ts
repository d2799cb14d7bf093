/** Asks a question once for all callers that ask it at the same time. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Works as `read`, or takes the outcome of a read of the same name that another caller has begun. */
export type Coalescing<A, E> = (name: string, read: Effect.Effect<A, E>) => Effect.Effect<A, E>

/**
 * Returns reads of which those of the same name are one. A read can be joined for as long as it is `underWay`, or in the
 * `turn` of the event loop in which it begins. Take `turn` for an answer that can change, because a caller must not get
 * an answer that is older than its question.
 *
 * If the caller that began a read is interrupted, the others ask anew.
 */
export const make = <A, E>(during: "underWay" | "turn"): Coalescing<A, E> => {
  const open = new Map<string, Deferred.Deferred<Exit.Exit<A, E>>>()

  const read: Coalescing<A, E> = (name, ask) =>
    Effect.uninterruptibleMask((restore) => {
      const other = open.get(name)
      if (other !== undefined) {
        return restore(
          Effect.flatMap(Deferred.await(other), (exit) => (Exit.hasInterrupts(exit) ? read(name, ask) : exit))
        )
      }
      const own = Deferred.makeUnsafe<Exit.Exit<A, E>>()
      open.set(name, own)
      const close = Effect.sync(() => {
        if (open.get(name) === own) open.delete(name)
      })
      const begun = during === "turn" ? Effect.forkDetach(Effect.andThen(Effect.yieldNow, close)) : Effect.void
      return Effect.onExit(Effect.andThen(begun, restore(ask)), (exit) => {
        Deferred.doneUnsafe(own, Effect.succeed(exit))
        return close
      })
    })

  return read
}
