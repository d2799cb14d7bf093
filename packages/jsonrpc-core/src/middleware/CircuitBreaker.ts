/**
 * Middleware that stops calling a server that is down.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

import { JsonRpcError, TransportError } from "../error/JsonRpcError.ts"
import * as Monotonic from "../time/Monotonic.ts"
import type * as Transport from "../transport/Transport.ts"
import * as OptionFault from "./optionFault.ts"

/** The state of the circuit. Calls are sent while it is closed. */
export type CircuitState = "closed" | "open"

/** The failures that open the circuit, its cooldown, and a hook. */
export interface CircuitBreakerOptions {
  /** Number of consecutive failures that open the circuit. Default: 5. */
  readonly failures?: number | undefined
  /** Time for which an open circuit sends nothing. Default: 10 seconds. */
  readonly cooldown?: Duration.Input | undefined
  /** Returns true for failures that show an unhealthy server. Default: `isIllness`. */
  readonly counts?: ((error: JsonRpcError) => boolean) | undefined
  /**
   * Called when the circuit opens or closes, for a log or a health page. The call that caused the change waits for the
   * returned effect.
   */
  readonly onChange?: ((state: CircuitState) => Effect.Effect<void>) | undefined
}

/** The defaults of the options. */
export const defaults: { readonly failures: number; readonly cooldown: Duration.Input } = {
  failures: 5,
  cooldown: "10 seconds"
}

/**
 * Stops sending after `failures` consecutive failures, and tries again with one call after each cooldown.
 *
 * While the circuit is open, calls fail at once with a `TransportError`. The error is `retryable` and `withheld`, and
 * its `retryAfter` is the rest of the cooldown. After the cooldown the next call is sent as a probe. Any success closes
 * the circuit, including the success of an earlier call. If the probe fails, another cooldown begins. If the probe is
 * interrupted, the next call becomes the probe.
 *
 * A failure that does not count resets the number of failures if the server answered, as with a revert. A packet counts
 * as one call, and as a failure if none of its calls was answered. Put a `Timeout` beneath, so that silence is a
 * failure too. Calls that this client's own limits withhold further down do not count at all. If `failures` is below 1,
 * each call fails with `OptionsError`.
 *
 * ```ts import.meta.vitest
 * import { CircuitBreaker, JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
 * import { Effect } from "effect"
 *
 * const refused = new JsonRpcError.TransportError({ detail: "connection failed (ECONNREFUSED)", retryable: true })
 * const call: Transport.Transport["Service"]["call"] = ({ method }) =>
 *   Effect.fail(new JsonRpcError.JsonRpcError({ method, reason: refused }))
 * const node = CircuitBreaker.make({ failures: 1 })({ call, callAll: Transport.oneByOne(call) })
 *
 * const sentence = Effect.map(Effect.flip(node.call({ method: "eth_chainId", params: [] })), (error) => error.message)
 * await Effect.runPromise(sentence) // => "eth_chainId: connection failed (ECONNREFUSED)"
 * await Effect.runPromise(sentence) // => "eth_chainId: the circuit is open (failures in a row: 1)"
 * ```
 */
export const make = (options: CircuitBreakerOptions = {}): Transport.Middleware => {
  const settings: CircuitBreakerSettings = {
    failures: options.failures ?? defaults.failures,
    cooldown: Duration.toMillis(options.cooldown ?? defaults.cooldown),
    counts: options.counts ?? isIllness,
    onChange: options.onChange
  }
  const fault = OptionFault.notPositive(settings.failures)
  return fault === undefined
    ? (transport) => guarded(transport, settings)
    : () => OptionFault.transport("CircuitBreaker.failures", fault)
}

/**
 * True if a failure shows an unhealthy server: no connection, HTTP 5xx, no answer in time, an invalid answer, or an
 * error of the kind `unavailable`. False for faults of the call itself, for limits, and for calls that were never sent.
 */
export const isIllness = ({ reason }: JsonRpcError): boolean => {
  switch (reason._tag) {
    case "TransportError":
      return reason.withheld !== true && (reason.status === undefined ? reason.retryable : reason.status >= 500)
    case "RemoteError":
      return reason.kind === "unavailable"
    case "TimeoutError":
    case "ProtocolError":
      return true
    default:
      return false
  }
}

interface CircuitBreakerSettings {
  readonly failures: number
  /** The length of a cooldown, in milliseconds. */
  readonly cooldown: number
  readonly counts: (error: JsonRpcError) => boolean
  readonly onChange: CircuitBreakerOptions["onChange"]
}

/** The health of the server, as shown by the outcome of a call. */
type ServerHealth = "ill" | "well" | "unknown"

const guarded = (
  transport: Transport.Transport["Service"],
  settings: CircuitBreakerSettings
): Transport.Transport["Service"] => {
  let failuresInARow = 0
  /** While the circuit is open: the time at which the next call may try, in milliseconds of the monotonic clock. */
  let openUntil: number | undefined
  /** The call that probes the server. */
  let probe: object | undefined

  /** Returns the current time; undefined if the circuit is closed, because a closed circuit needs no clock. */
  const nowIfOpened = (clock: Clock.Clock): number | undefined =>
    openUntil === undefined ? undefined : Monotonic.millis(clock)

  const isOpen = (now: number): boolean => openUntil !== undefined && now < openUntil

  const refusal = ({ method }: Transport.WireCall, now: number): JsonRpcError =>
    new JsonRpcError({
      method,
      reason: new TransportError({
        detail: `the circuit is open (failures in a row: ${settings.failures})`,
        retryable: true,
        retryAfter: Duration.millis(Math.ceil(openUntil! - now)),
        withheld: true
      })
    })

  /** Admits the first call after the cooldown as the probe. Other calls wait for another cooldown. */
  const admit = (now: number): object => {
    openUntil = now + settings.cooldown
    probe = {}
    return probe
  }

  const tell = (state: CircuitState): Effect.Effect<void> | undefined =>
    settings.onChange === undefined ? undefined : Effect.ignoreCause(settings.onChange(state))

  const judge = (
    verdict: ServerHealth,
    admitted: object | undefined,
    clock: Clock.Clock
  ): Effect.Effect<void> | undefined => {
    const wasOpen = openUntil !== undefined
    if (verdict === "well") {
      failuresInARow = 0
      openUntil = undefined
      probe = undefined
      return wasOpen ? tell("closed") : undefined
    }
    if (!wasOpen) {
      if (verdict === "ill" && ++failuresInARow >= settings.failures) {
        openUntil = Monotonic.millis(clock) + settings.cooldown
        return tell("open")
      }
    } else if (admitted !== undefined && admitted === probe) {
      probe = undefined
      openUntil = Monotonic.millis(clock) + (verdict === "ill" ? settings.cooldown : 0)
    }
    return undefined
  }

  const verdictOn = (error: JsonRpcError): ServerHealth =>
    settings.counts(error) ? "ill" : isAnswer(error) ? "well" : "unknown"

  const verdictOnAll = (outcomes: ReadonlyArray<Transport.WireOutcome>): ServerHealth => {
    let overall: ServerHealth = "unknown"
    for (const outcome of outcomes) {
      const verdict = Result.isSuccess(outcome) ? "well" : verdictOn(outcome.failure)
      if (verdict === "well") {
        return verdict
      }
      overall = verdict === "ill" ? verdict : overall
    }
    return overall
  }

  return {
    call: (call) =>
      Clock.clockWith((clock) => {
        const now = nowIfOpened(clock)
        if (now !== undefined && isOpen(now)) {
          return Effect.fail(refusal(call, now))
        }
        const admitted = now === undefined ? undefined : admit(now)
        return Effect.onExitPrimitive(transport.call(call), (exit) => {
          if (Exit.isSuccess(exit)) {
            return judge("well", admitted, clock)
          }
          const error = Cause.findError(exit.cause)
          return judge(Result.isSuccess(error) ? verdictOn(error.success) : "unknown", admitted, clock)
        })
      }),
    callAll: (calls) =>
      Clock.clockWith((clock) => {
        const now = nowIfOpened(clock)
        if (now !== undefined && isOpen(now)) {
          return Effect.succeed(calls.map((call) => Result.fail(refusal(call, now))))
        }
        const admitted = now === undefined ? undefined : admit(now)
        return Effect.onExitPrimitive(transport.callAll(calls), (exit) =>
          judge(Exit.isSuccess(exit) ? verdictOnAll(exit.value) : "unknown", admitted, clock)
        )
      })
  }
}

/** True if a failure is an answer of the server, whatever the answer contains. */
const isAnswer = ({ reason }: JsonRpcError): boolean =>
  reason._tag === "RemoteError" ||
  reason._tag === "DecodeError" ||
  (reason._tag === "TransportError" && reason.status !== undefined)
