/**
 * Middleware that keeps within a server's limit, instead of finding out about it.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as Monotonic from "./internal/monotonic.ts"
import * as TokenBucket from "./internal/tokenBucket.ts"
import { JsonRpcError, TransportError } from "./JsonRpcError.ts"
import type * as Transport from "./Transport.ts"

/** How many calls may start, and what becomes of the others. */
export interface Options {
  /** How many calls may start in each `per`. May be a fraction. */
  readonly permits: number
  /** The time in which so many calls may start, such as `"1 second"`. */
  readonly per: Duration.Input
  /** How many calls may start at once after a quiet time. Default: `permits`, and at least 1. */
  readonly burst?: number | undefined
  /** How many calls may wait for their turn. A packet that comes while fewer wait, waits as a whole. Default: 1,000. */
  readonly maxWaiting?: number | undefined
  /** For how long a server's `retryAfter` may stop all calls; zero for not at all. Default: 30 seconds. */
  readonly maxPause?: Duration.Input | undefined
}

/**
 * Lets calls start at a limited rate, in the order in which they come.
 *
 * In any stretch of time of length `t`, at most `burst + permits * t / per` calls start. For a server that counts by
 * the second and forgives nothing, `burst: 1` spreads them evenly. A packet of calls takes a permit for each; one of
 * more than `burst` goes in pieces of `burst`.
 *
 * Calls without a permit wait. When `maxWaiting` wait already, more of them fail with a `TransportError` that is
 * `retryable` and `withheld`, with the time until a permit is due as `retryAfter`. An interrupted call gives its place
 * back.
 *
 * When the server says all the same that it is too much, and when to come back, nothing is sent until then (but no
 * longer than `maxPause`): then one call, and the others at the rate. Those already under way are not held back.
 *
 * Beneath `Retry`, where each try takes a permit. Several transports to one server share a limit only if they are made
 * from one. Options that make no sense, such as no permits at all, throw.
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
export const make = (options: Options): Transport.Middleware => {
  const { permits } = options
  const interval = Duration.toMillis(options.per) / permits
  const burst = options.burst ?? Math.max(1, Math.floor(permits))
  const maxWaiting = options.maxWaiting ?? 1000
  const maxPause = Duration.toMillis(options.maxPause ?? "30 seconds")
  if (!(permits > 0 && interval > 0 && interval < Infinity)) {
    throw new RangeError("RateLimit: permits and per must be finite and more than zero")
  }
  if (!Number.isSafeInteger(burst) || burst < 1) {
    throw new RangeError(`RateLimit: burst must be a whole number above zero, not ${burst}`)
  }
  return (transport) => limited(transport, TokenBucket.make(burst, interval), { burst, maxWaiting, maxPause })
}

const limited = (
  transport: Transport.Transport["Service"],
  bucket: TokenBucket.TokenBucket,
  { burst, maxWaiting, maxPause }: { readonly burst: number; readonly maxWaiting: number; readonly maxPause: number }
): Transport.Transport["Service"] => {
  const isCrowded = (): boolean => bucket.waiting() >= maxWaiting

  const refusal = ({ method }: Transport.Call, now: number): JsonRpcError =>
    new JsonRpcError({
      method,
      reason: new TransportError({
        detail: `over this client's own rate limit: ${bucket.waiting()} calls wait already`,
        retryable: true,
        retryAfter: Duration.millis(Math.ceil(bucket.delay(now))),
        withheld: true
      })
    })

  const heed = (error: JsonRpcError, clock: Clock.Clock): void => {
    if (maxPause > 0 && error.retryAfter !== undefined && isLimit(error)) {
      bucket.pause(Monotonic.millis(clock) + Math.min(maxPause, Duration.toMillis(error.retryAfter)))
    }
  }

  const send = (call: Transport.Call, clock: Clock.Clock): Effect.Effect<unknown, JsonRpcError> =>
    Effect.tapError(transport.call(call), (error) => Effect.sync(() => heed(error, clock)))

  const sendAll = (
    calls: ReadonlyArray<Transport.Call>,
    clock: Clock.Clock
  ): Effect.Effect<ReadonlyArray<Transport.Outcome>> =>
    Effect.map(transport.callAll(calls), (outcomes) => {
      for (const outcome of outcomes) {
        if (Result.isFailure(outcome)) {
          heed(outcome.failure, clock)
        }
      }
      return outcomes
    })

  const sendPiece = (
    calls: ReadonlyArray<Transport.Call>,
    clock: Clock.Clock
  ): Effect.Effect<ReadonlyArray<Transport.Outcome>> =>
    Effect.andThen(bucket.take(calls.length, clock), sendAll(calls, clock))

  return {
    call: (call) =>
      Clock.clockWith((clock) => {
        const now = Monotonic.millis(clock)
        if (bucket.tryTake(1, now)) {
          return send(call, clock)
        }
        return isCrowded() ? Effect.fail(refusal(call, now)) : Effect.andThen(bucket.take(1, clock), send(call, clock))
      }),
    callAll: (calls) =>
      Clock.clockWith((clock) => {
        const now = Monotonic.millis(clock)
        if (calls.length <= burst && bucket.tryTake(calls.length, now)) {
          return sendAll(calls, clock)
        }
        if (isCrowded()) {
          return Effect.succeed(calls.map((call) => Result.fail(refusal(call, now))))
        }
        return Effect.map(
          Effect.forEach(pieces(calls, burst), (piece) => sendPiece(piece, clock), { concurrency: "unbounded" }),
          (outcomes) => outcomes.flat()
        )
      })
  }
}

/** Whether the server says that calls come too fast. */
const isLimit = ({ reason }: JsonRpcError): boolean =>
  reason._tag === "RemoteError"
    ? reason.kind === "rateLimited"
    : reason._tag === "TransportError" && reason.status === 429

const pieces = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
