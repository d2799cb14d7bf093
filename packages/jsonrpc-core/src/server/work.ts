/** Runs work that can be given up before its end. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

/**
 * Returns the exit of an effect that is already an exit, such as `Effect.succeed(a)`. Such an effect needs no fiber and
 * no timer.
 */
export const exitOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Exit.Exit<A, E> | undefined =>
  Exit.isExit(effect) ? (effect as Exit.Exit<A, E>) : undefined

/** The time after which work is given up, and the value to use instead. */
export interface WorkLimit<A> {
  /** Milliseconds; `Infinity` means no limit. */
  readonly millis: number
  /** Returns the value that replaces the work's own value. */
  readonly otherwise: () => A
  /** Receives a function that gives the work up early. */
  readonly arm?: ((giveUp: () => void) => void) | undefined
  /**
   * Receives the fiber of work that was given up. The fiber is interrupted, but uninterruptible work runs to its end.
   */
  readonly onLeft: (fiber: Fiber.Fiber<A>) => void
}

/**
 * Runs work until it ends or is given up. The calling fiber continues at once in both cases. Interrupting this effect
 * interrupts the work and waits for it.
 *
 * A timer is made only if the work has to wait.
 */
export const run = <A, R>(work: Effect.Effect<A, never, R>, terms: WorkLimit<A>): Effect.Effect<A, never, R> =>
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
