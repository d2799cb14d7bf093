/**
 * Middleware that gives up on calls that take too long.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"

import { JsonRpcError, TimeoutError } from "../error/JsonRpcError.ts"
import * as Deadline from "../time/deadline.ts"
import * as Bound from "../transport/bound.ts"
import type * as Transport from "../transport/Transport.ts"

/**
 * Ends each call, and each packet of calls, that has no answer after `duration`.
 *
 * The call fails with `TimeoutError`; if a packet times out, all its calls fail. The work beneath is interrupted, which
 * aborts an HTTP request. Under `Retry` the timeout bounds each try; over `Retry` it bounds all tries and the waits
 * between them. An infinite duration means no timeout.
 *
 * ```ts import.meta.vitest
 * import { Timeout, Transport } from "@plumbline/jsonrpc-core"
 * import { Effect } from "effect"
 *
 * const silent = Transport.Transport.of({ call: () => Effect.never, callAll: () => Effect.never })
 * const node = Timeout.make("10 millis")(silent)
 *
 * const error = await Effect.runPromise(Effect.flip(node.call({ method: "eth_chainId", params: [] })))
 * error.message // => "eth_chainId: no answer within 10ms"
 * ```
 */
export const make = (duration: Duration.Input): Transport.Middleware => {
  const after = Duration.fromInputUnsafe(duration)
  if (!Duration.isFinite(after)) {
    return (transport) => transport
  }
  const failure = ({ method }: Transport.WireCall): JsonRpcError =>
    new JsonRpcError({ method, reason: new TimeoutError({ after }) })

  const limited: Transport.Middleware = (transport) => ({
    call: (call) => within(transport.call(call), after, () => Exit.fail(failure(call))),
    callAll: (calls) =>
      within(transport.callAll(calls), after, () => Exit.succeed(calls.map((call) => Result.fail(failure(call)))))
  })
  return (transport) => {
    const bound = Bound.of(transport)
    // An HTTP transport has its own time limit. If that limit always ends first, a second timer is useless.
    return bound !== undefined && Duration.isLessThanOrEqualTo(bound, after) ? transport : limited(transport)
  }
}

/** Does the work of `Effect.timeoutOrElse` with one fiber instead of two, at less than half the cost. */
const within = <A, E>(
  work: Effect.Effect<A, E>,
  duration: Duration.Duration,
  orElse: () => Exit.Exit<A, E>
): Effect.Effect<A, E> =>
  Effect.withFiber((parent) => {
    const fiber = Effect.runForkWith(parent.context)(work)
    return (
      fiber.pollUnsafe() ??
      Effect.callback<A, E>((resume) => {
        let isLate = false
        const cancel = Deadline.after(parent, duration, () => {
          isLate = true
          fiber.interruptUnsafe()
        })
        fiber.addObserver((exit) => {
          cancel()
          resume(isLate ? orElse() : exit)
        })
        return Effect.suspend(() => {
          cancel()
          return Fiber.interrupt(fiber)
        })
      })
    )
  })
