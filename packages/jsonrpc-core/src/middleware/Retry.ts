/**
 * Middleware that retries calls that may succeed later.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"

import type { JsonRpcError } from "../error/JsonRpcError.ts"
import * as Monotonic from "../time/Monotonic.ts"
import type * as Transport from "../transport/Transport.ts"
import * as OptionFault from "./optionFault.ts"

/** The failures to retry, the number of tries, and the waits between them. */
export interface RetryOptions {
  /** Maximum number of tries after the first one. Default: 3. */
  readonly times?: number | undefined
  /** The longest wait before the second try. Default: 100 milliseconds. */
  readonly initial?: Duration.Input | undefined
  /** The factor by which the longest wait grows from try to try. Default: 2. */
  readonly factor?: number | undefined
  /** The longest wait. If a server asks for a longer one, the call is not tried again. Default: 10 seconds. */
  readonly maxDelay?: Duration.Input | undefined
  /**
   * The number of tries and the waits between them as a `Schedule`, in place of `times`, `initial` and `factor`. Each
   * call, or packet of calls, begins it anew, and its input is the error. A wait that a server asks for is added to the
   * schedule's own. Default: none.
   */
  readonly schedule?: Schedule.Schedule<unknown, JsonRpcError> | undefined
  /** Returns true for failures to retry. Default: failures that are `retryable`. */
  readonly while?: ((error: JsonRpcError, call: Transport.WireCall) => boolean) | undefined
  /**
   * Time within which tries begin, counted from the first one. If a wait would end later, the error is returned at once
   * instead. Default: no limit.
   */
  readonly within?: Duration.Input | undefined
  /** Runs before each wait, with the reason for it: for a log, or for a person who watches. */
  readonly onWait?: ((wait: RetryWait) => Effect.Effect<void>) | undefined
}

/** The defaults of the options. */
export const defaults: {
  readonly times: number
  readonly initial: Duration.Input
  readonly factor: number
  readonly maxDelay: Duration.Input
} = { times: 3, initial: "100 millis", factor: 2, maxDelay: "10 seconds" }

/**
 * A wait before another try. In a packet all failed calls share one wait, and `error` is the error of the first failed
 * call.
 */
export interface RetryWait {
  readonly error: JsonRpcError
  /** Number of tries that have failed. */
  readonly tried: number
  /** Number of tries that may follow; Infinity with a `schedule`, which alone knows its end. */
  readonly left: number
  readonly duration: Duration.Duration
}

/**
 * Tries a failed call again, up to `times` times, if that can help.
 *
 * Each wait is a random time up to a maximum. The maximum is `initial` before the second try, and is multiplied by
 * `factor` after each further try. If the server's error has a `retryAfter`, the random time is added to it, which
 * spreads out callers that were refused together. If `retryAfter` is more than `maxDelay`, the error is returned at
 * once.
 *
 * A call that is not idempotent is sent again only if it certainly was not done (`JsonRpcError.notDone`), even if
 * `while` returns true. If calls of a packet fail, those that may be retried are sent again in one packet, after the
 * longest of their waits. If `times` is negative, each call fails with `OptionsError`. A `schedule` decides only when
 * and how often a call is tried again: which calls may be, stays as described.
 *
 * Each try of a silent node takes the full `Timeout`; `within` bounds all tries together.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcError, Retry, Transport } from "@plumbline/jsonrpc-core"
 * import { Effect } from "effect"
 *
 * let tries = 0
 * const busy = new JsonRpcError.RemoteError({ code: -32005, message: "rate limit exceeded" })
 * const call: Transport.Transport["Service"]["call"] = ({ method }) =>
 *   Effect.suspend(() =>
 *     ++tries < 3 ? Effect.fail(new JsonRpcError.JsonRpcError({ method, reason: busy })) : Effect.succeed("0x1")
 *   )
 * const node = Retry.make({ times: 2, initial: "1 millis" })({ call, callAll: Transport.oneByOne(call) })
 *
 * await Effect.runPromise(node.call({ method: "eth_chainId", params: [] })) // => "0x1"
 * tries // => 3
 * ```
 */
export const make = (options: RetryOptions = {}): Transport.Middleware => {
  const { schedule } = options
  const times = schedule === undefined ? (options.times ?? defaults.times) : Infinity
  const initial = Duration.toMillis(options.initial ?? defaults.initial)
  const factor = options.factor ?? defaults.factor
  const maxDelay = Duration.toMillis(options.maxDelay ?? defaults.maxDelay)
  if (!(times >= 0)) {
    return () => OptionFault.transport("Retry.times", `must be a number, zero or more, not ${times}`)
  }
  const within = Duration.toMillis(options.within ?? Duration.infinity)
  const isWorthIt = options.while ?? ((error: JsonRpcError) => error.retryable)

  const qualifies = (error: JsonRpcError, call: Transport.WireCall): boolean =>
    askedWait(error) <= maxDelay && (call.idempotent !== false || error.notDone) && isWorthIt(error, call)

  /** The waits of the options without a schedule. */
  const usual: Waits = (_, atLeast, tried) =>
    Effect.map(Random.next, (part) => {
      const longest = Math.min(maxDelay, initial * factor ** (tried - 1))
      return Math.min(maxDelay, atLeast + part * longest)
    })

  /**
   * Returns the wait, or `undefined` if there is no time left for another one. `tried` is the number of tries that
   * failed.
   */
  const waitFor = (
    error: JsonRpcError,
    atLeast: number,
    tried: number,
    { since, waits }: Begun
  ): Effect.Effect<Effect.Effect<void> | undefined> =>
    Effect.clockWith((clock) =>
      Effect.map(waits(error, atLeast, tried), (wait) => {
        if (wait === undefined) {
          return undefined
        }
        const millis = Math.ceil(wait)
        if (within !== Infinity && Monotonic.millis(clock) - since + millis > within) {
          return undefined
        }
        const duration = Duration.millis(millis)
        const sleep = Effect.sleep(duration)
        return options.onWait === undefined
          ? sleep
          : Effect.andThen(options.onWait({ error, tried, left: times - tried + 1, duration }), sleep)
      })
    )

  const begun: Effect.Effect<Begun> =
    within === Infinity && schedule === undefined
      ? Effect.succeed({ since: 0, waits: usual })
      : Effect.clockWith((clock) =>
          Effect.map(schedule === undefined ? Effect.succeed(usual) : waitsOf(schedule), (waits) => ({
            since: Monotonic.millis(clock),
            waits
          }))
        )

  return (transport) => {
    const call = (request: Transport.WireCall, tried: number, began: Begun): Effect.Effect<unknown, JsonRpcError> =>
      tried > times
        ? transport.call(request)
        : Effect.catch(transport.call(request), (error) =>
            qualifies(error, request)
              ? Effect.flatMap(waitFor(error, askedWait(error), tried, began), (wait) =>
                  wait === undefined ? Effect.fail(error) : Effect.flatMap(wait, () => call(request, tried + 1, began))
                )
              : Effect.fail(error)
          )

    const callAll = (
      calls: ReadonlyArray<Transport.WireCall>,
      tried: number,
      began: Begun
    ): Effect.Effect<ReadonlyArray<Transport.WireOutcome>> =>
      tried > times
        ? transport.callAll(calls)
        : Effect.flatMap(transport.callAll(calls), (outcomes) => {
            const again: Array<number> = []
            let first: JsonRpcError | undefined
            let atLeast = 0
            outcomes.forEach((outcome, index) => {
              if (Result.isFailure(outcome) && qualifies(outcome.failure, calls[index]!)) {
                again.push(index)
                first ??= outcome.failure
                atLeast = Math.max(atLeast, askedWait(outcome.failure))
              }
            })
            if (first === undefined) {
              return Effect.succeed(outcomes)
            }
            const failed = again.map((index) => calls[index]!)
            return Effect.flatMap(waitFor(first, atLeast, tried, began), (wait) =>
              wait === undefined
                ? Effect.succeed(outcomes)
                : Effect.map(
                    Effect.flatMap(wait, () => callAll(failed, tried + 1, began)),
                    (later) => replaced(outcomes, again, later)
                  )
            )
          })

    return {
      call: (request) => Effect.flatMap(begun, (began) => call(request, 1, began)),
      callAll: (calls) => Effect.flatMap(begun, (began) => callAll(calls, 1, began))
    }
  }
}

/**
 * Returns the milliseconds until the next try, or `undefined` after the last one. `atLeast` is the wait that the server
 * asked for, and `tried` the number of tries that failed.
 */
type Waits = (error: JsonRpcError, atLeast: number, tried: number) => Effect.Effect<number | undefined>

/** A call, or a packet of calls, that was tried for the first time at `since`, in milliseconds of the monotonic clock. */
interface Begun {
  readonly since: number
  readonly waits: Waits
}

/** Begins a schedule. */
const waitsOf = (schedule: Schedule.Schedule<unknown, JsonRpcError>): Effect.Effect<Waits> =>
  Effect.map(
    Schedule.toStep(schedule),
    (step): Waits =>
      (error, atLeast) =>
        Effect.clockWith((clock) =>
          Pull.catchDone(
            Effect.map(step(clock.currentTimeMillisUnsafe(), error), ([, delay]) => atLeast + Duration.toMillis(delay)),
            () => Effect.succeed(undefined)
          )
        )
  )

/** Returns a copy of the list with the values at `places` replaced. */
const replaced = <A>(
  items: ReadonlyArray<A>,
  places: ReadonlyArray<number>,
  others: ReadonlyArray<A>
): ReadonlyArray<A> => {
  const all = items.slice()
  places.forEach((place, index) => {
    all[place] = others[index]!
  })
  return all
}

/** Milliseconds that the server asked to wait; 0 if it did not ask. */
const askedWait = ({ retryAfter }: JsonRpcError): number =>
  retryAfter === undefined ? 0 : Math.max(0, Duration.toMillis(retryAfter))
