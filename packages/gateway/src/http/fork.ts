/** Fibers of requests. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"

import * as Redaction from "../errors/Redaction.ts"
import type { HttpExchange } from "./exchange.ts"
import * as Exits from "./exits.ts"
import * as Refusal from "./Refusal.ts"

/** Runs an effect with the services of the gateway. */
export type Fork = <A, E>(
  effect: Effect.Effect<A, E>,
  options?: { readonly uninterruptible?: boolean }
) => Fiber.Fiber<A, E>

/** Options of a fiber that can be interrupted only where its effect allows it. Such a fiber ends with its outcome. */
export const WHOLE = { uninterruptible: true }

/**
 * Runs an effect that may have to wait, and continues with its value; a failure is the answer. The effect itself marks
 * where it can be interrupted, so an abandoned request still learns its recorded outcome.
 */
export const proceed = <A>(
  fork: Fork,
  exchange: HttpExchange,
  effect: Effect.Effect<A, Refusal.Refusal>,
  next: (value: A) => void
): void => {
  const onExit = (exit: Exit.Exit<A, Refusal.Refusal>) => {
    exchange.fiber = undefined
    if (exit._tag === "Success") return next(exit.value)
    const refusal = Cause.findError(exit.cause)
    if (Result.isSuccess(refusal)) return exchange.refuse(refusal.success)
    if (Cause.hasInterruptsOnly(exit.cause)) return exchange.refuse(Refusal.unavailable)
    const { requestId } = exchange
    fork(Effect.annotateLogs(Effect.logError("request died", Redaction.text(Cause.pretty(exit.cause))), { requestId }))
    exchange.refuse(Refusal.failed)
  }
  const known = Exits.exitOf(effect)
  if (known !== undefined) return onExit(known)
  const fiber = fork(effect, WHOLE)
  const exit = fiber.pollUnsafe()
  if (exit !== undefined) return onExit(exit)
  exchange.fiber = fiber
  fiber.addObserver(onExit)
}
