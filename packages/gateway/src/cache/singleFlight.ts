/** Calls under way. Callers that make the same call at the same time share one call and its outcome. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"

interface Flight<A, E> {
  readonly outcome: Deferred.Deferred<A, E>
  fiber: Fiber.Fiber<A, E> | undefined
  /** Number of callers that wait. */
  waiting: number
}

export class SingleFlight<A, E> {
  readonly #scope: Scope.Scope
  readonly #flights = new Map<string, Flight<A, E>>()

  constructor(scope: Scope.Scope) {
    this.#scope = scope
  }

  /** True if a call with this key is under way. */
  has(key: string): boolean {
    return this.#flights.has(key)
  }

  /**
   * Waits for the call with this key if one is under way, otherwise starts it. The call is interrupted when the last
   * waiting caller is interrupted.
   */
  join(key: string, work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const known = this.#flights.get(key)
      if (known !== undefined) return this.#wait(key, known)
      const flight: Flight<A, E> = { outcome: Deferred.makeUnsafe(), fiber: undefined, waiting: 0 }
      this.#flights.set(key, flight)
      const landing = Effect.onExit(work, (exit) =>
        Effect.sync(() => {
          if (this.#flights.get(key) === flight) this.#flights.delete(key)
          Deferred.doneUnsafe(flight.outcome, exit)
        })
      )
      return Effect.flatMap(Effect.forkIn(Effect.interruptible(landing), this.#scope), (fiber) => {
        flight.fiber = fiber
        return this.#wait(key, flight)
      })
    })
  }

  #wait(key: string, flight: Flight<A, E>): Effect.Effect<A, E> {
    flight.waiting++
    return Effect.onExit(Deferred.await(flight.outcome), () => {
      if (--flight.waiting > 0) return Exit.void
      // from now on, a caller with this key starts a new call
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
      return Effect.sync(() => flight.fiber?.interruptUnsafe())
    })
  }
}
