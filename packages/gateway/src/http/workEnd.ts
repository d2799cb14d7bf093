/** The ends of work that runs without a fiber. Objects that exist anyway implement them, so a call needs no closures. */
import type * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

import type { RequestWork } from "./callDoor.ts"

/** Takes the outcome of work. One of the two functions is called, once. */
export interface WorkEnd<A, E = never> {
  readonly succeeded: (value: A) => void
  readonly failed: (cause: Cause.Cause<E>) => void
}

/** Takes the outcome of a step, or an effect that still has to run. One of the two functions is called, once. */
export interface StepEnd<A> {
  readonly succeeded: (value: A) => void
  readonly continued: (rest: Effect.Effect<A>) => void
}

/** Gives the outcome of a fiber to `end`. */
export const observe = <A, E>(fiber: Fiber.Fiber<A, E>, end: WorkEnd<A, E>): RequestWork => {
  fiber.addObserver((exit) => (exit._tag === "Success" ? end.succeeded(exit.value) : end.failed(exit.cause)))
  return fiber
}
