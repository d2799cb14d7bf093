/**
 * Middleware that tries again what may succeed later.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"

import type { JsonRpcError } from "../error/JsonRpcError.ts"
import * as Monotonic from "../time/monotonic.ts"
import type * as Transport from "../transport/Transport.ts"

/** What to try again, how often, and how long to wait before. */
export interface Options {
  /** How many tries may follow the first one. Default: 3. */
  readonly times?: number | undefined
  /** The longest wait before the second try. Default: 100 milliseconds. */
  readonly initial?: Duration.Input | undefined
  /** By how much the longest wait grows from try to try. Default: 2. */
  readonly factor?: number | undefined
  /** No wait is longer. A server that asks for a longer one gets no other try. Default: 10 seconds. */
  readonly maxDelay?: Duration.Input | undefined
  /** Which failures are worth another try. Default: those that are `retryable`. */
  readonly while?: ((error: JsonRpcError, call: Transport.Call) => boolean) | undefined
  /**
   * The time within which tries begin, counted from the first one. A wait that would end later is not begun: the error
   * is given back at once. Default: no end.
   */
  readonly within?: Duration.Input | undefined
  /** Runs before each wait, and is told why there is one: for a log, or for a person who watches. */
  readonly onWait?: ((wait: Wait) => Effect.Effect<void>) | undefined
}

/** A wait before another try. Of a packet it is the wait of all its calls, and `error` that of the first of them. */
export interface Wait {
  readonly error: JsonRpcError
  /** How many tries have failed. */
  readonly tried: number
  /** How many more may follow. */
  readonly left: number
  readonly duration: Duration.Duration
}

/**
 * Tries a failed call again, up to `times` times, where that can help.
 *
 * The wait is a random part of `initial`, of twice as much the next time, and so on. A server that says how long to wait
 * is taken at its word: its `retryAfter` comes in full before the random part, which keeps those apart that were sent
 * away together. If it asks for more than `maxDelay`, the error is given back at once, `retryAfter` and all.
 *
 * A call that is not idempotent is sent again only when it is known that it was not done (`JsonRpcError.notDone`),
 * whatever `while` says. Of a packet only the calls that qualify are sent again, in one packet, after the longest of
 * their waits. Negative `times` throw.
 *
 * A node that is silent costs a `Timeout` for every try; `within` bounds all of them.
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
export const make = (options: Options = {}): Transport.Middleware => {
  const times = options.times ?? 3
  const initial = Duration.toMillis(options.initial ?? "100 millis")
  const factor = options.factor ?? 2
  const maxDelay = Duration.toMillis(options.maxDelay ?? "10 seconds")
  if (!(times >= 0)) {
    throw new RangeError(`Retry: times must be a number, zero or more, not ${times}`)
  }
  const within = Duration.toMillis(options.within ?? Duration.infinity)
  const isWorthIt = options.while ?? ((error: JsonRpcError) => error.retryable)

  const qualifies = (error: JsonRpcError, call: Transport.Call): boolean =>
    askedWait(error) <= maxDelay && (call.idempotent !== false || error.notDone) && isWorthIt(error, call)

  /** `tried` is the number of tries that failed. Without a wait there is no time left for another one. */
  const waitFor = (
    error: JsonRpcError,
    atLeast: number,
    tried: number,
    since: number
  ): Effect.Effect<Effect.Effect<void> | undefined> =>
    Effect.clockWith((clock) =>
      Effect.map(Random.next, (part) => {
        const longest = Math.min(maxDelay, initial * factor ** (tried - 1))
        const millis = Math.ceil(Math.min(maxDelay, atLeast + part * longest))
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

  /** When the first try began. */
  const begun =
    within === Infinity ? Effect.succeed(0) : Effect.clockWith((clock) => Effect.succeed(Monotonic.millis(clock)))

  return (transport) => {
    const call = (request: Transport.Call, tried: number, since: number): Effect.Effect<unknown, JsonRpcError> =>
      tried > times
        ? transport.call(request)
        : Effect.catch(transport.call(request), (error) =>
            qualifies(error, request)
              ? Effect.flatMap(waitFor(error, askedWait(error), tried, since), (wait) =>
                  wait === undefined ? Effect.fail(error) : Effect.flatMap(wait, () => call(request, tried + 1, since))
                )
              : Effect.fail(error)
          )

    const callAll = (
      calls: ReadonlyArray<Transport.Call>,
      tried: number,
      since: number
    ): Effect.Effect<ReadonlyArray<Transport.Outcome>> =>
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
            return Effect.flatMap(waitFor(first, atLeast, tried, since), (wait) =>
              wait === undefined
                ? Effect.succeed(outcomes)
                : Effect.map(
                    Effect.flatMap(wait, () => callAll(failed, tried + 1, since)),
                    (later) => replaced(outcomes, again, later)
                  )
            )
          })

    return {
      call: (request) => Effect.flatMap(begun, (since) => call(request, 1, since)),
      callAll: (calls) => Effect.flatMap(begun, (since) => callAll(calls, 1, since))
    }
  }
}

/** The same, with those at `places` replaced. */
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

/** In milliseconds; 0 where the server did not ask for any. */
const askedWait = ({ retryAfter }: JsonRpcError): number =>
  retryAfter === undefined ? 0 : Math.max(0, Duration.toMillis(retryAfter))
