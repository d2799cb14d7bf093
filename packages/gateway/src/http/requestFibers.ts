/** Runs effects for requests in fibers. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"

import * as Redaction from "../errors/Redaction.ts"
import type { CallExchange, RequestWork } from "./callDoor.ts"
import * as Exits from "./exits.ts"
import * as HttpRefusal from "./HttpRefusal.ts"

/** The part of an exchange that its work needs. */
type RequestExchange = Pick<CallExchange, "refuse" | "requestId" | "work">

/** Runs an effect with the services of the gateway. */
export type SpawnFiber = <A, E>(
  effect: Effect.Effect<A, E>,
  options?: { readonly uninterruptible?: boolean }
) => Fiber.Fiber<A, E>

/**
 * Options of a fiber that can be interrupted only where its effect allows it. Its exit is always the effect's outcome.
 */
export const WHOLE = { uninterruptible: true }

/**
 * Runs an effect that may have to wait, and calls `next` with its value. If the effect fails, the refusal is sent. The
 * effect marks where it can be interrupted, so the answer of an abandoned request still matches its recorded outcome.
 */
export const proceed = <A>(
  fork: SpawnFiber,
  exchange: RequestExchange,
  effect: Effect.Effect<A, HttpRefusal.HttpRefusal>,
  next: (value: A) => void
): void => {
  const known = Exits.exitOf(effect)
  if (known !== undefined) return ended(fork, exchange, known, next)
  const fiber = fork(effect, WHOLE)
  return proceedWith(
    fork,
    exchange,
    (onExit) => {
      fiber.addObserver(onExit)
      return fiber
    },
    next
  )
}

/** Does the same as `proceed` for work that calls `onExit` once. `begin` may call `onExit` before it returns. */
export const proceedWith = <A>(
  fork: SpawnFiber,
  exchange: RequestExchange,
  begin: (onExit: (exit: Exit.Exit<A, HttpRefusal.HttpRefusal>) => void) => RequestWork,
  next: (value: A) => void
): void => {
  let isOver = false
  const onExit = (exit: Exit.Exit<A, HttpRefusal.HttpRefusal>) => {
    isOver = true
    exchange.work = undefined
    ended(fork, exchange, exit, next)
  }
  try {
    const work = begin(onExit)
    if (!isOver) exchange.work = work
  } catch (defect) {
    if (isOver) throw defect
    onExit(Exit.die(defect))
  }
}

const ended = <A>(
  fork: SpawnFiber,
  exchange: RequestExchange,
  exit: Exit.Exit<A, HttpRefusal.HttpRefusal>,
  next: (value: A) => void
): void => {
  if (exit._tag === "Success") return next(exit.value)
  const refusal = Cause.findError(exit.cause)
  if (Result.isSuccess(refusal)) return exchange.refuse(refusal.success)
  if (Cause.hasInterruptsOnly(exit.cause)) return exchange.refuse(HttpRefusal.unavailable)
  const { requestId } = exchange
  fork(Effect.annotateLogs(Effect.logError("request died", Redaction.text(Cause.pretty(exit.cause))), { requestId }))
  exchange.refuse(HttpRefusal.failed)
}
