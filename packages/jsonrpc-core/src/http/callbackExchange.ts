/** Wraps one request and its answer, which use callbacks, in an Effect. */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { type Reason, TimeoutError } from "../error/JsonRpcError.ts"
import * as Deadline from "../time/deadline.ts"
import type * as Envelope from "../transport/envelope.ts"
import * as Traceparent from "../transport/Traceparent.ts"
import * as HttpConnectFailure from "./connectFailure.ts"

/** The outcome of an exchange. */
export type ExchangeOutcome = Result.Result<Envelope.EnvelopeAnswer, Reason>

/**
 * Begins an exchange, and returns a function that abandons it.
 *
 * `traceparent` is the header of a traced call. `settle` receives the outcome. Only the first outcome counts; outcomes
 * after the exchange was abandoned are ignored.
 */
export type StartExchange = (
  settle: (outcome: ExchangeOutcome) => void,
  clock: Clock.Clock,
  traceparent: string | undefined
) => () => void

/**
 * Returns an exchange that is abandoned when its time has run out or the caller is interrupted.
 *
 * If `isRepeatable` and the server closed the connection before its answer began, the exchange is started once more
 * within the same time: the server may have closed a kept connection at the moment of its reuse.
 */
export const make = (
  start: StartExchange,
  timeout: Duration.Duration,
  isRepeatable: boolean
): Effect.Effect<Envelope.EnvelopeAnswer, Reason> =>
  Effect.withFiber((fiber) =>
    Effect.callback((resume) => {
      let isOpen = true
      let mayRepeat = isRepeatable
      let cancelDeadline: (() => void) | undefined
      const close = (): void => {
        isOpen = false
        cancelDeadline?.()
      }
      const settle = (outcome: ExchangeOutcome): void => {
        if (!isOpen) return
        if (mayRepeat && Result.isFailure(outcome) && HttpConnectFailure.isClosed(outcome.failure)) {
          mayRepeat = false
          // In a later turn, so that the platform has noticed other kept connections that were closed too.
          setTimeout(() => {
            if (isOpen) abandon = begin()
          }, 0)
        } else {
          close()
          resume(Effect.fromResult(outcome))
        }
      }
      const begin = () => start(settle, fiber.getRef(Clock.Clock), Traceparent.of(fiber))
      let abandon = begin()
      if (isOpen) {
        cancelDeadline = Deadline.after(fiber, timeout, () => {
          close()
          abandon()
          resume(Effect.fail(new TimeoutError({ after: timeout })))
        })
      }
      return Effect.sync(() => {
        close()
        abandon()
      })
    })
  )
