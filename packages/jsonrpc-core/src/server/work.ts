/** Work that is not waited for to its end. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

/** The exit of an effect that is one, as `Effect.succeed(a)` is: it needs no fiber and no timer. */
export const exitOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Exit.Exit<A, E> | undefined =>
  Exit.isExit(effect) ? (effect as Exit.Exit<A, E>) : undefined

/** When work is given up, and what then. */
export interface Terms<A> {
  /** Milliseconds; `Infinity` is for ever. */
  readonly millis: number
  /** What to go on with in place of the work's own value. */
  readonly otherwise: () => A
  /** Gets the function that gives the work up before its time. */
  readonly arm?: ((giveUp: () => void) => void) | undefined
  /** Gets the fiber of work that was given up: it is interrupted, but what cannot be interrupted ends when it ends. */
  readonly onLeft: (fiber: Fiber.Fiber<A>) => void
}

/**
 * Runs work until it ends or is given up. Whoever runs this goes on at once in both cases. Interrupting this interrupts
 * the work and waits for it.
 *
 * A timer is made only for work that does not end by itself without waiting.
 */
export const run = <A, R>(work: Effect.Effect<A, never, R>, terms: Terms<A>): Effect.Effect<A, never, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.callback<A>((resume) => {
      const fork = Effect.runForkWith(context)
      const worker = fork(work)
      const early = worker.pollUnsafe()
      if (early !== undefined) {
        return resume(early)
      }
      let over = false
      let timer: Fiber.Fiber<void> | undefined
      const giveUp = (): void => {
        if (!over) {
          over = true
          timer?.interruptUnsafe()
          terms.onLeft(worker)
          resume(Effect.succeed(terms.otherwise()))
          worker.interruptUnsafe()
        }
      }
      worker.addObserver((exit) => {
        if (!over) {
          over = true
          timer?.interruptUnsafe()
          resume(exit)
        }
      })
      terms.arm?.(giveUp)
      if (!over && Number.isFinite(terms.millis)) {
        timer = fork(Effect.sleep(terms.millis))
        timer.addObserver((exit) => {
          if (Exit.isSuccess(exit)) {
            giveUp()
          }
        })
      }
      return Effect.suspend(() => {
        over = true
        timer?.interruptUnsafe()
        return Fiber.interrupt(worker)
      })
    })
  )
