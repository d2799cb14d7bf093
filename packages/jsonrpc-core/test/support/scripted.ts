/** A transport that answers by a script and records its calls: tests use it as the bottom of a middleware stack. */
import { JsonRpcError, type Transport } from "@plumbline/jsonrpc-core"
import { Clock, Duration, Effect, Result } from "effect"

/** The calls that arrived together. */
export interface Packet {
  /** The time of arrival, in milliseconds of the Clock. */
  readonly at: number
  /** True if the calls came through `callAll`. */
  readonly together: boolean
  readonly calls: ReadonlyArray<Transport.WireCall>
}

export interface Scripted {
  readonly transport: Transport.Transport["Service"]
  /** All received packets, in order. */
  readonly packets: ReadonlyArray<Packet>
  /** Number of packets in flight, and number of interrupted packets. */
  readonly count: { readonly inFlight: number; readonly interrupted: number }
}

/** The way in which one call ends. */
export type Ending = Effect.Effect<unknown, JsonRpcError.Reason>

/**
 * Makes a transport that answers each call separately, also in a packet. `nth` counts the calls from 0, in the order of
 * arrival.
 */
export const make = (respond: (call: Transport.WireCall, nth: number) => Ending): Scripted => {
  const packets: Array<Packet> = []
  const count = { inFlight: 0, interrupted: 0 }
  let calls = 0

  const answer = (call: Transport.WireCall): Effect.Effect<unknown, JsonRpcError.JsonRpcError> =>
    Effect.suspend(() =>
      Effect.mapError(
        respond(call, calls++),
        (reason) => new JsonRpcError.JsonRpcError({ method: call.method, reason })
      )
    )

  const receive = <A, E>(together: boolean, calls: ReadonlyArray<Transport.WireCall>, answers: Effect.Effect<A, E>) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => {
      packets.push({ at, together, calls })
      count.inFlight++
      return answers.pipe(
        Effect.onInterrupt(() => Effect.sync(() => void count.interrupted++)),
        Effect.ensuring(Effect.sync(() => void count.inFlight--))
      )
    })

  return {
    packets,
    count,
    transport: {
      call: (call) => receive(false, [call], answer(call)),
      callAll: (calls) =>
        receive(
          true,
          calls,
          Effect.forEach(calls, (call) => Effect.result(answer(call)), { concurrency: "unbounded" })
        )
    }
  }
}

/** Makes a transport that uses the endings in order, and repeats the last one. */
export const inOrder = (...endings: readonly [Ending, ...ReadonlyArray<Ending>]): Scripted =>
  make((_, nth) => endings[Math.min(nth, endings.length - 1)]!)

/** Makes a transport that returns the parameters of a call as its result. */
export const echo = (): Scripted => make((call) => Effect.succeed(call.params))

export const call = (method = "m", ...params: ReadonlyArray<unknown>): Transport.WireCall => ({ method, params })

/** A call that must not be repeated. */
export const once = (method = "send", ...params: ReadonlyArray<unknown>): Transport.WireCall => ({
  method,
  params,
  idempotent: false
})

/** Returns the error of a server that reports too many calls, over HTTP with status 429. */
export const limited = (retryAfter?: Duration.Input): JsonRpcError.RemoteError =>
  new JsonRpcError.RemoteError({
    code: -32005,
    message: "project ID request rate exceeded",
    status: 429,
    ...(retryAfter === undefined ? {} : { retryAfter: Duration.fromInputUnsafe(retryAfter) })
  })

export const refused = (): JsonRpcError.TransportError =>
  new JsonRpcError.TransportError({ detail: "connection failed (ECONNREFUSED)", retryable: true })

export const timedOut = (): JsonRpcError.TimeoutError => new JsonRpcError.TimeoutError({ after: Duration.seconds(1) })

export const reverted = (): JsonRpcError.RemoteError =>
  new JsonRpcError.RemoteError({ code: 3, message: "execution reverted", data: "0x" })

export const malformed = (): JsonRpcError.ProtocolError =>
  new JsonRpcError.ProtocolError({ detail: "the answer is HTML, not JSON" })

/**
 * Returns the option of a middleware that is impossible. Every call must fail because of it, alone and in a packet, and
 * nothing is sent.
 */
export const impossibleOption = (
  use: (transport: Transport.Transport["Service"]) => Transport.Transport["Service"]
): Effect.Effect<string> =>
  Effect.gen(function* () {
    const { packets, transport } = echo()
    const node = use(transport)
    const alone = yield* Effect.result(node.call(call()))
    const together = yield* node.callAll([call(), once()])
    const options = [alone, ...together].map((outcome) => {
      if (Result.isSuccess(outcome)) return "answered"
      const { notDone, reason, retryable } = outcome.failure
      return reason._tag === "OptionsError" && notDone && !retryable ? reason.option : reason._tag
    })
    return packets.length === 0 && new Set(options).size === 1 ? options[0]! : `sent or mixed: ${options.join()}`
  })
