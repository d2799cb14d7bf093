/** Middleware that keeps calls within a server's rate limit. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { JsonRpcError, TransportError } from "../error/JsonRpcError.ts"
import * as Monotonic from "../time/Monotonic.ts"
import type * as Transport from "../transport/Transport.ts"
import * as OptionFault from "./optionFault.ts"
import * as TokenBucket from "./tokenBucket.ts"

/** The rate at which calls may start, and the queue for calls that have to wait. */
export interface RateLimitOptions {
  /** Number of permits in each `per`. A call takes one permit unless `cost` says otherwise. May be a fraction. */
  readonly permits: number
  /** The period of `permits`, such as `"1 second"`. */
  readonly per: Duration.Input
  /** Maximum number of permits that accumulate while no calls are made. Default: `permits`, and at least 1. */
  readonly burst?: number | undefined
  /**
   * Returns the number of permits that a call takes, for servers that count in credits. Default: 1 for each call.
   *
   * The number is rounded up to a whole number from 1 to `burst`, because a call that costs more would wait for ever.
   */
  readonly cost?: ((call: Transport.WireCall) => number) | undefined
  /**
   * Maximum number of permits that calls may wait for. A packet that arrives below this bound waits as a whole, even if
   * it then exceeds the bound. Default: 1,000.
   */
  readonly maxWaiting?: number | undefined
  /**
   * The longest time for which a server's `retryAfter` may stop all calls. Zero means not at all. Default: 30 seconds.
   */
  readonly maxPause?: Duration.Input | undefined
}

/** The defaults of the options. */
export const defaults: { readonly maxWaiting: number; readonly maxPause: Duration.Input } = {
  maxWaiting: 1000,
  maxPause: "30 seconds"
}

/**
 * Lets calls start at a limited rate, in the order of their arrival.
 *
 * In any period of length `t`, at most `burst + permits * t / per` permits are taken. For a server that counts strictly
 * by the second, `burst: 1` spreads calls evenly. A packet takes the permits of all its calls. A packet that costs more
 * than `burst` is sent in pieces.
 *
 * Calls without a permit wait. If calls already wait for `maxWaiting` permits, further calls fail with a
 * `TransportError`. The error is `retryable` and `withheld`, and its `retryAfter` is the time until a permit is due. An
 * interrupted call leaves the queue.
 *
 * If the server still reports too many calls and states a wait, nothing is sent for that time, or for `maxPause`
 * if that is shorter. Then one call is sent, and the others follow at the rate. Calls in flight are not affected.
 *
 * Place it beneath `Retry`, so that each try takes a permit. Several transports to one server share a limit only if
 * they are made from one middleware. If the options are impossible, such as no permits at all, each call fails with
 * `OptionsError`.
 *
 * ```ts import.meta.vitest
 * import { RateLimit, Transport } from "@plumbline/jsonrpc-core"
 * import { Effect } from "effect"
 *
 * const call: Transport.Transport["Service"]["call"] = () => Effect.succeed("0x1")
 * const limit = RateLimit.make({ permits: 2, per: "1 hour", maxWaiting: 0 })
 * const node = limit({ call, callAll: Transport.oneByOne(call) })
 *
 * const program = Effect.result(node.call({ method: "eth_chainId", params: [] }))
 * const outcomes = await Effect.runPromise(Effect.all([program, program, program]))
 * outcomes.map((outcome) => outcome._tag) // => ["Success", "Success", "Failure"]
 * ```
 */
export const make = (options: RateLimitOptions): Transport.Middleware => {
  const { permits } = options
  const interval = Duration.toMillis(options.per) / permits
  const burst = options.burst ?? Math.max(1, Math.floor(permits))
  const maxWaiting = options.maxWaiting ?? defaults.maxWaiting
  const maxPause = Duration.toMillis(options.maxPause ?? defaults.maxPause)
  if (!(permits > 0 && interval > 0 && interval < Infinity)) {
    return () => OptionFault.transport("RateLimit", "permits and per must be finite and more than zero")
  }
  const fault = OptionFault.notPositive(burst)
  if (fault !== undefined) return () => OptionFault.transport("RateLimit.burst", fault)
  const { cost } = options
  const costOf =
    cost === undefined
      ? () => 1
      : (call: Transport.WireCall): number => {
          const permits = Math.ceil(cost(call))
          // Math.min and Math.max would return NaN if the cost is not a number.
          return permits >= 1 ? Math.min(permits, burst) : 1
        }
  return (transport) => limited(transport, TokenBucket.make(burst, interval), { burst, costOf, maxWaiting, maxPause })
}

interface Limit {
  readonly burst: number
  readonly costOf: (call: Transport.WireCall) => number
  readonly maxWaiting: number
  readonly maxPause: number
}

const limited = (
  transport: Transport.Transport["Service"],
  bucket: TokenBucket.TokenBucket,
  { burst, costOf, maxPause, maxWaiting }: Limit
): Transport.Transport["Service"] => {
  const isCrowded = (): boolean => bucket.waiting() >= maxWaiting

  const refusal = (call: Transport.WireCall, now: number): JsonRpcError =>
    new JsonRpcError({
      method: call.method,
      reason: new TransportError({
        detail: `over this client's own rate limit: ${bucket.waiting()} permits are waited for already`,
        retryable: true,
        retryAfter: Duration.millis(Math.ceil(bucket.delay(costOf(call), now))),
        withheld: true
      })
    })

  const heed = (error: JsonRpcError, clock: Clock.Clock): void => {
    if (maxPause > 0 && error.retryAfter !== undefined && isLimit(error)) {
      bucket.pause(Monotonic.millis(clock) + Math.min(maxPause, Duration.toMillis(error.retryAfter)))
    }
  }

  const send = (call: Transport.WireCall, clock: Clock.Clock): Effect.Effect<unknown, JsonRpcError> =>
    Effect.tapError(transport.call(call), (error) => Effect.sync(() => heed(error, clock)))

  const sendAll = (
    calls: ReadonlyArray<Transport.WireCall>,
    clock: Clock.Clock
  ): Effect.Effect<ReadonlyArray<Transport.WireOutcome>> =>
    Effect.map(transport.callAll(calls), (outcomes) => {
      for (const outcome of outcomes) {
        if (Result.isFailure(outcome)) {
          heed(outcome.failure, clock)
        }
      }
      return outcomes
    })

  const sendPiece = (
    { calls, permits }: Piece,
    clock: Clock.Clock
  ): Effect.Effect<ReadonlyArray<Transport.WireOutcome>> =>
    Effect.andThen(bucket.take(permits, clock), sendAll(calls, clock))

  return {
    call: (call) =>
      Clock.clockWith((clock) => {
        const now = Monotonic.millis(clock)
        const permits = costOf(call)
        if (bucket.tryTake(permits, now)) {
          return send(call, clock)
        }
        return isCrowded()
          ? Effect.fail(refusal(call, now))
          : Effect.andThen(bucket.take(permits, clock), send(call, clock))
      }),
    callAll: (calls) =>
      Clock.clockWith((clock) => {
        const now = Monotonic.millis(clock)
        const pieces = inPieces(calls, costOf, burst)
        const [first] = pieces
        if (first !== undefined && pieces.length === 1 && bucket.tryTake(first.permits, now)) {
          return sendAll(calls, clock)
        }
        if (isCrowded()) {
          return Effect.succeed(calls.map((call) => Result.fail(refusal(call, now))))
        }
        return Effect.map(
          Effect.forEach(pieces, (piece) => sendPiece(piece, clock), { concurrency: "unbounded" }),
          (outcomes) => outcomes.flat()
        )
      })
  }
}

/** True if the server says that calls come too fast. */
const isLimit = ({ reason }: JsonRpcError): boolean =>
  reason._tag === "RemoteError"
    ? reason.kind === "rateLimited"
    : reason._tag === "TransportError" && reason.status === 429

/** Calls that are sent together, and the permits they take. */
interface Piece {
  readonly calls: ReadonlyArray<Transport.WireCall>
  readonly permits: number
}

/** Returns the calls in order, in the fewest pieces that take at most `burst` permits each. */
const inPieces = (
  calls: ReadonlyArray<Transport.WireCall>,
  costOf: (call: Transport.WireCall) => number,
  burst: number
): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let start = 0
  let permits = 0
  calls.forEach((call, index) => {
    const cost = costOf(call)
    if (permits + cost > burst) {
      pieces.push({ calls: calls.slice(start, index), permits })
      start = index
      permits = 0
    }
    permits += cost
  })
  if (permits > 0) pieces.push({ calls: calls.slice(start), permits })
  return pieces
}
