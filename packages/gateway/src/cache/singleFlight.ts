/** Calls under way. Callers that make the same call at the same time share one call and its outcome. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
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
    // a caller that leaves between two steps must not leave a call behind that never began, or that nobody can end
    return Effect.uninterruptibleMask((restore) => {
      const known = this.#flights.get(key)
      const flight = known ?? { outcome: Deferred.makeUnsafe<A, E>(), fiber: undefined, waiting: 0 }
      flight.waiting++
      const landed = Effect.onExit(restore(Deferred.await(flight.outcome)), () => this.#leave(key, flight))
      if (known !== undefined) return landed
      this.#flights.set(key, flight)
      return Effect.flatMap(Effect.forkIn(work, this.#scope), (fiber) => {
        flight.fiber = fiber
        fiber.addObserver((exit) => {
          this.#drop(key, flight)
          Deferred.doneUnsafe(flight.outcome, exit)
        })
        return landed
      })
    })
  }

  #leave(key: string, flight: Flight<A, E>): Effect.Effect<void> {
    return Effect.sync(() => {
      if (--flight.waiting > 0) return
      // from now on, a caller with this key starts a new call
      this.#drop(key, flight)
      flight.fiber?.interruptUnsafe()
    })
  }

  #drop(key: string, flight: Flight<A, E>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key)
  }
}
