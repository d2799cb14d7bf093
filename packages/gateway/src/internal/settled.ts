/** Effects that are done before they are run. */
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/**
 * The exit of an effect that is one, as `Effect.succeed(a)` is: it can be read without a fiber. Where a store answers from
 * memory that saves a request its fiber (about 2 us).
 */
export const exitOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Exit.Exit<A, E> | undefined =>
  Exit.isExit(effect) ? (effect as Exit.Exit<A, E>) : undefined
