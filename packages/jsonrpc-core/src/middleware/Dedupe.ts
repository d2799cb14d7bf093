/**
 * Middleware that sends equal simultaneous calls once.
 */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"

import type { JsonRpcError } from "../error/JsonRpcError.ts"
import type { WireCall, Middleware, WireOutcome, Transport } from "../transport/Transport.ts"

/**
 * Lets equal calls that are in flight at the same time share one answer.
 *
 * Calls are equal if they are the same on the wire: the same method, and parameters with the same JSON text. Calls that
 * are not idempotent are always sent. All callers that share a call get the same result or the same error. Answers are
 * not kept: a call after the answer is sent again. A shared call runs in the context of its first caller but belongs to
 * no caller. It is interrupted when all its callers are.
 *
 * A packet is sent without the calls that are already in flight and without its own duplicates. Results are shared, so
 * a caller that mutates a result mutates it for all.
 *
 * ```ts import.meta.vitest
 * import { Dedupe, Transport } from "@plumbline/jsonrpc-core"
 * import { Effect } from "effect"
 *
 * let sent = 0
 * const call: Transport.Transport["Service"]["call"] = () => Effect.delay(Effect.sync(() => ++sent), "1 millis")
 * const node = Dedupe.make()({ call, callAll: Transport.oneByOne(call) })
 *
 * const balance = node.call({ method: "eth_getBalance", params: ["0x00", "latest"] })
 * await Effect.runPromise(Effect.all([balance, balance, balance], { concurrency: "unbounded" })) // => [1, 1, 1]
 * sent // => 1
 * ```
 */
export const make = (): Middleware => sharing

/** A call or a packet in flight. */
interface Flight {
  readonly fiber: Fiber.Fiber<unknown, JsonRpcError>
  /** The keys of the calls in this flight. */
  readonly keys: Iterable<string>
  /** Number of callers that wait for the flight. */
  waiting: number
}

/** The place of one call's outcome: a flight, and the position in it if the flight is a packet. */
interface FlightPosition {
  readonly flight: Flight
  readonly place: number | undefined
}

const sharing = (transport: Transport["Service"]): Transport["Service"] => {
  const positions = new Map<string, FlightPosition>()

  const forget = (flight: Flight): void => {
    for (const key of flight.keys) {
      if (positions.get(key)?.flight === flight) {
        positions.delete(key)
      }
    }
  }

  /** Starts a flight in a fiber without a parent, so that the flight continues when a caller ends. */
  const depart = (
    work: Effect.Effect<unknown, JsonRpcError>,
    keys: Iterable<string>,
    context: Context.Context<never>
  ): Flight => {
    const flight: Flight = { fiber: Effect.runForkWith(context)(work), keys, waiting: 0 }
    flight.fiber.addObserver(() => forget(flight))
    return flight
  }

  const leave = (flight: Flight): Effect.Effect<void> =>
    Effect.suspend(() => {
      flight.waiting--
      if (flight.waiting > 0) {
        return Effect.void
      }
      // A new caller must not join a flight that is being interrupted.
      forget(flight)
      return Fiber.interrupt(flight.fiber)
    })

  const waitFor = ({ flight, place }: FlightPosition): Effect.Effect<unknown, JsonRpcError> =>
    Effect.callback((resume) => {
      flight.waiting++
      const stopListening = flight.fiber.addObserver((exit) =>
        resume(place === undefined || Exit.isFailure(exit) ? exit : Effect.fromResult(outcomeIn(exit.value, place)))
      )
      return Effect.suspend(() => {
        stopListening()
        return leave(flight)
      })
    })

  /** Waits until all flights have ended. */
  const waitForAll = (flights: ReadonlySet<Flight>): Effect.Effect<void> =>
    Effect.callback((resume) => {
      const inTheAir = new Map<Flight, () => void>()
      let landed = 0
      for (const flight of flights) {
        flight.waiting++
        const stopListening = flight.fiber.addObserver(() => {
          inTheAir.delete(flight)
          if (++landed === flights.size) {
            resume(Effect.void)
          }
        })
        if (flight.fiber.pollUnsafe() === undefined) {
          inTheAir.set(flight, stopListening)
        }
      }
      return Effect.suspend(() => {
        inTheAir.forEach((stopListening) => stopListening())
        return Effect.forEach([...inTheAir.keys()], leave, { concurrency: "unbounded", discard: true })
      })
    })

  return {
    call: (call) => {
      const key = keyOf(call)
      return key === undefined
        ? transport.call(call)
        : Effect.withFiber(({ context }) => {
            const known = positions.get(key)
            if (known !== undefined) {
              return waitFor(known)
            }
            const flight = depart(transport.call(call), [key], context)
            const exit = flight.fiber.pollUnsafe()
            if (exit !== undefined) {
              return exit
            }
            const position: FlightPosition = { flight, place: undefined }
            positions.set(key, position)
            return waitFor(position)
          })
    },
    callAll: (calls) =>
      calls.length === 0
        ? transport.callAll(calls)
        : Effect.withFiber(({ context }) => {
            const sent: Array<WireCall> = []
            const places = new Map<string, number>()
            const found = calls.map((call): FlightPosition | number => {
              const key = keyOf(call)
              const known = key === undefined ? undefined : (positions.get(key) ?? places.get(key))
              if (known !== undefined) {
                return known
              }
              if (key !== undefined) {
                places.set(key, sent.length)
              }
              return sent.push(call) - 1
            })
            const own = sent.length === 0 ? undefined : depart(transport.callAll(sent), [...places.keys()], context)
            if (own !== undefined && own.fiber.pollUnsafe() === undefined) {
              places.forEach((place, key) => positions.set(key, { flight: own, place }))
            }
            const all = found.map((position): FlightPosition =>
              typeof position === "number" ? { flight: own!, place: position } : position
            )
            return Effect.flatMap(waitForAll(new Set(all.map((position) => position.flight))), () =>
              Effect.forEach(all, ({ flight, place }) => {
                const exit = flight.fiber.pollUnsafe()!
                return Exit.isSuccess(exit) ? Effect.succeed(outcomeIn(exit.value, place)) : Effect.result(exit)
              })
            )
          })
  }
}

/** Returns the part of a flight's outcome that belongs to one position. */
const outcomeIn = (value: unknown, place: number | undefined): WireOutcome =>
  place === undefined ? Result.succeed(value) : (value as ReadonlyArray<WireOutcome>)[place]!

/** Returns a key that only equal calls share, or `undefined` for a call that must not be shared or has no JSON text. */
const keyOf = ({ method, params, idempotent }: WireCall): string | undefined => {
  if (idempotent === false) {
    return undefined
  }
  try {
    // JSON text has no line break, so two different pairs never make the same key.
    return `${method}\n${JSON.stringify(params)}`
  } catch {
    return undefined
  }
}
