/**
 * Middleware that records calls as spans and metrics, by OpenTelemetry's conventions.
 *
 * Spans and metrics contain method names and error codes, but no other data from callers or servers: no URL, parameter,
 * result or message.
 *
 * Source: OpenTelemetry semantic conventions 1.45, "RPC" and "JSON-RPC".
 */
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"

import * as Monotonic from "../time/Monotonic.ts"
import * as CallSpan from "../transport/callSpan.ts"
import * as Traceparent from "../transport/Traceparent.ts"
import type { WireCall, Middleware, WireOutcome, Transport } from "../transport/Transport.ts"

export { errorType } from "../transport/callSpan.ts"

/** The names in spans and metrics. */
export interface ObserveOptions {
  /**
   * The server's name, such as the name of one of several nodes: `service.peer.name` on spans and metrics. It must not
   * be the URL.
   */
  readonly name?: string | undefined
  /** Methods to distinguish; others count as `_OTHER`. Default: the first 256 that are called. */
  readonly methods?: Iterable<string> | undefined
}

/**
 * Records a span for each call, counts the call, and measures its duration.
 *
 * The span is named after the method and has the kind `client`, with `rpc.system.name`, `rpc.method` and
 * `jsonrpc.protocol.version`. A failure adds `error.type` (see `errorType`). An error object of the server also adds
 * `rpc.status_code`. A packet has one span, named `jsonrpc`, with `jsonrpc.batch.size` and, if any of its calls failed,
 * `jsonrpc.batch.failed`. Effect's default tracer keeps nothing, so spans are made only with another tracer. A call of a
 * `JsonRpcClient` has this span already, so only middleware with a name makes a further span inside it.
 *
 * The metrics are the histogram `rpc.client.call.duration`, in seconds, by method and `error.type`, and the counter
 * `rpc.client.calls`, by method and `outcome`. The outcome is `ok`, the value of `errorType`, `Interrupted`, or
 * `Defect`. Each call of a packet counts, with the duration of the packet.
 *
 * ```ts import.meta.vitest
 * import { Observe, Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Metric } from "effect"
 *
 * const call: Transport.Transport["Service"]["call"] = () => Effect.succeed("0x1")
 * const node = Observe.make({ name: "archive" })({ call, callAll: Transport.oneByOne(call) })
 *
 * const program = Effect.andThen(node.call({ method: "eth_chainId", params: [] }), Metric.snapshot)
 * const metrics = await Effect.runPromise(Effect.provideService(program, Metric.MetricRegistry, new Map()))
 * metrics.map((metric) => metric.id) // => ["rpc.client.call.duration", "rpc.client.calls"]
 * metrics[1]?.attributes?.["outcome"] // => "ok"
 * ```
 */
export const make =
  (options: ObserveOptions = {}): Middleware =>
  (transport) =>
    observed(transport, options)

const OTHER = "_OTHER"

const MAX_METHODS = 256

/** Boundaries in seconds, from the conventions. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** The data that all calls of one method share. */
interface Method {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly record: (ending: CallSpan.Ending, seconds: number, context: Context.Context<never>) => void
}

const observed = (transport: Transport["Service"], options: ObserveOptions): Transport["Service"] => {
  const common = {
    "rpc.system.name": CallSpan.SYSTEM,
    ...(options.name === undefined ? {} : { "service.peer.name": options.name })
  }
  const known = new Map<string, Method>([[OTHER, makeMethod(OTHER, common)]])
  const wanted = options.methods === undefined ? undefined : new Set(options.methods)

  const needsSpan = (fiber: Fiber.Fiber<unknown, unknown>, isInSpan: typeof CallSpan.isInCall): boolean =>
    Traceparent.isTraced(fiber) && (options.name !== undefined || !isInSpan(fiber))

  const methodOf = (name: string): Method => {
    const method = known.get(name)
    if (method !== undefined) {
      return method
    }
    if (wanted === undefined ? known.size > MAX_METHODS : !wanted.has(name)) {
      return known.get(OTHER)!
    }
    const made = makeMethod(name, common)
    known.set(name, made)
    return made
  }

  return {
    call: (call) =>
      Effect.withFiber((fiber) => {
        const method = methodOf(call.method)
        const watch = stopwatch(fiber)
        const work = needsSpan(fiber, CallSpan.isInCall)
          ? CallSpan.inSpan(
              method.name === OTHER ? CallSpan.SYSTEM : method.name,
              spanAttributes(method, call),
              transport.call(call),
              CallSpan.concludeCall
            )
          : transport.call(call)
        return Effect.onExitPrimitive(work, (exit) => {
          method.record(CallSpan.endingOf(exit), watch(), fiber.context)
          return undefined
        })
      }),
    callAll: (calls) =>
      calls.length === 0
        ? transport.callAll(calls)
        : Effect.withFiber((fiber) => {
            const watch = stopwatch(fiber)
            const attributes = { ...common, ...CallSpan.VERSION, [CallSpan.SIZE]: calls.length }
            const work = needsSpan(fiber, CallSpan.isInPacket)
              ? CallSpan.inSpan(CallSpan.SYSTEM, attributes, transport.callAll(calls), CallSpan.concludePacket)
              : transport.callAll(calls)
            return Effect.onExitPrimitive(work, (exit) => {
              const seconds = watch()
              calls.forEach(({ method }, index) => {
                const ending = Exit.isSuccess(exit) ? endingOfOutcome(exit.value[index]!) : CallSpan.endingOf(exit)
                methodOf(method).record(ending, seconds, fiber.context)
              })
              return undefined
            })
          })
  }
}

const makeMethod = (name: string, common: Readonly<Record<string, string>>): Method => {
  const attributes = { ...common, "rpc.method": name }
  const series = new Map<
    CallSpan.Ending,
    readonly [duration: Metric.Histogram<number>, calls: Metric.Counter<number>]
  >()

  const seriesOf = (ending: CallSpan.Ending) => {
    const made = series.get(ending)
    if (made !== undefined) {
      return made
    }
    const pair = [
      Metric.histogram("rpc.client.call.duration", {
        description: "Measures the duration of an outgoing Remote Procedure Call (RPC).",
        attributes: { ...attributes, ...(ending === CallSpan.OK ? {} : { "error.type": ending }), unit: "s" },
        boundaries: BOUNDARIES
      }),
      Metric.counter("rpc.client.calls", {
        description: "Counts outgoing remote procedure calls by their outcome.",
        attributes: { ...attributes, outcome: ending },
        incremental: true
      })
    ] as const
    series.set(ending, pair)
    return pair
  }

  return {
    name,
    attributes,
    record: (ending, seconds, context) => {
      const [duration, calls] = seriesOf(ending)
      duration.updateUnsafe(seconds, context)
      calls.updateUnsafe(1, context)
    }
  }
}

const endingOfOutcome = (outcome: WireOutcome): CallSpan.Ending =>
  Result.isSuccess(outcome) ? CallSpan.OK : CallSpan.errorType(outcome.failure)

/** Starts a stopwatch. The returned function gives the seconds since the start. */
const stopwatch = (fiber: Fiber.Fiber<unknown, unknown>): (() => number) => {
  const clock = fiber.getRef(Clock.Clock)
  const begun = Monotonic.millis(clock)
  return () => (Monotonic.millis(clock) - begun) / 1000
}

const spanAttributes = ({ name, attributes }: Method, call: WireCall): Record<string, string> => ({
  ...attributes,
  ...CallSpan.VERSION,
  ...(name === call.method ? {} : { "rpc.method_original": call.method })
})
