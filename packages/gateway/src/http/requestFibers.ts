/** Runs effects for requests in fibers. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"

import * as Redaction from "../errors/Redaction.ts"
import type { CallExchange, RequestWork } from "./callDoor.ts"
import * as Exits from "./exits.ts"
import * as HttpRefusal from "./HttpRefusal.ts"
import { observe, type WorkEnd } from "./workEnd.ts"

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
  const end = new RequestEnd(fork, exchange, next)
  const known = Exits.exitOf(effect)
  if (known === undefined) end.waitFor(observe(fork(effect, WHOLE), end))
  else if (known._tag === "Success") end.succeeded(known.value)
  else end.failed(known.cause)
}

/** The end of the work for a request: its value goes to `next`, and a failure becomes the answer. */
export class RequestEnd<A, X extends RequestExchange> implements WorkEnd<A, HttpRefusal.HttpRefusal> {
  readonly #fork: SpawnFiber
  readonly #exchange: X
  readonly #next: (value: A, exchange: X) => void
  #isOver = false

  constructor(fork: SpawnFiber, exchange: X, next: (value: A, exchange: X) => void) {
    this.#fork = fork
    this.#exchange = exchange
    this.#next = next
  }

  /** Makes this the work of the request, unless it has already ended. */
  waitFor(work: RequestWork): void {
    if (!this.#isOver) this.#exchange.work = work
  }

  succeeded(value: A): void {
    this.#over()
    try {
      this.#next(value, this.#exchange)
    } catch (defect) {
      // For example, the answer cannot be sent. Usage may be told to other calls in this turn, so nothing is thrown.
      died(this.#fork, this.#exchange, Cause.die(defect))
    }
  }

  failed(cause: Cause.Cause<HttpRefusal.HttpRefusal>): void {
    this.#over()
    const refusal = Cause.findError(cause)
    if (Result.isSuccess(refusal)) this.#exchange.refuse(refusal.success)
    else if (Cause.hasInterruptsOnly(cause)) this.#exchange.refuse(HttpRefusal.unavailable)
    else died(this.#fork, this.#exchange, cause)
  }

  /** Ends the request with a defect that was thrown before its work began. */
  threw(defect: unknown): void {
    if (this.#isOver) throw defect
    this.failed(Cause.die(defect))
  }

  #over(): void {
    this.#isOver = true
    this.#exchange.work = undefined
  }
}

const died = (fork: SpawnFiber, exchange: RequestExchange, cause: Cause.Cause<unknown>): void => {
  const { requestId } = exchange
  fork(Effect.annotateLogs(Effect.logError("request died", Redaction.text(Cause.pretty(cause))), { requestId }))
  exchange.refuse(HttpRefusal.failed)
}
