/** Repeats a task for the store until it succeeds. Callers may stop waiting for the task. */
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"

import * as Running from "../clock/running.ts"
import { StateError } from "../state/StateError.ts"

export interface StoreDelivery {
  /** Begins the work. The fiber ends when a try has succeeded, or when its parent fiber ends. */
  readonly start: (work: Effect.Effect<void, StateError>) => Effect.Effect<Fiber.Fiber<void>>
  /** Tries the work once. Returns true if it succeeded. */
  readonly once: (work: Effect.Effect<void, StateError>) => Effect.Effect<boolean>
  /** Returns the reason why the last try failed. */
  readonly why: () => string
}

/** Makes a delivery. `timeout` is the maximum time of each try, without the time in which this process did not run. */
export const make = (timeout: Duration.Duration): StoreDelivery => {
  let last = NO_ANSWER

  const attempt = (work: Effect.Effect<void, StateError>): Effect.Effect<void, "failed"> =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkDetach(work)
      const exit = yield* Fiber.await(fiber).pipe(
        (ended) => Running.timeoutOption(ended, timeout),
        Effect.onInterrupt(() => abandon(fiber))
      )
      if (Option.isNone(exit)) {
        last = NO_ANSWER
        yield* abandon(fiber)
      } else if (Exit.isSuccess(exit.value)) {
        return
      } else {
        // A connection that breaks while a transaction ends causes a defect. The defect counts as a failure of the
        // store too.
        const error = Cause.squash(exit.value.cause)
        last = error instanceof StateError ? error.message : "its connection broke"
      }
      return yield* Effect.fail("failed" as const)
    })

  return {
    start: (work) => Effect.forkChild(Effect.orDie(Effect.retry(attempt(work), PAUSES))),
    once: (work) =>
      Effect.match(attempt(work), {
        onSuccess: () => true,
        onFailure: () => false
      }),
    why: () => last
  }
}

/**
 * Interrupts a fiber without waiting for its end. A commit cannot be interrupted, and can hang until its connection
 * closes.
 */
export const abandon = (fiber: Fiber.Fiber<unknown, unknown>): Effect.Effect<void> =>
  Effect.asVoid(Effect.forkDetach(Fiber.interrupt(fiber)))

/** Returns true if the fiber ends within the time, without the time in which this process did not run. */
export const within = (fiber: Fiber.Fiber<unknown>, time: Duration.Duration): Effect.Effect<boolean> =>
  Effect.map(Running.timeoutOption(Fiber.await(fiber), time), Option.isSome)

const NO_ANSWER = "it does not answer in time"

/** Pauses between tries. The first is 25 milliseconds, and each further pause is twice as long, up to one second. */
const PAUSES = Schedule.min([Schedule.exponential("25 millis"), Schedule.spaced("1 second")])
