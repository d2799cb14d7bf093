/**
 * The `traceparent` header of a request (W3C Trace Context), by which a server continues the trace of its caller.
 */
import * as Context from "effect/Context"
import type * as Fiber from "effect/Fiber"
import * as Tracer from "effect/Tracer"

/** True if spans are kept. Effect's own tracer keeps none, so no span is made for it. */
export const isTraced = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer

/**
 * Returns the header's value for the span in which the fiber runs. Undefined without a tracer, in a region without
 * tracing, and where `Tracer.DisablePropagation` keeps the trace from other servers.
 *
 * ```ts import.meta.vitest
 * import { Traceparent } from "@plumbline/jsonrpc-core"
 * import { Effect, Tracer } from "effect"
 *
 * const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
 * const header = Effect.withFiber((fiber) => Effect.succeed(Traceparent.of(fiber)))
 * const traced = Effect.withSpan(header, "work").pipe(Effect.provideService(Tracer.Tracer, tracer))
 *
 * const sent = await Effect.runPromise(traced)
 * sent?.length // => 55
 * await Effect.runPromise(Effect.withTracerEnabled(traced, false)) // => undefined
 * await Effect.runPromise(Effect.provideService(traced, Tracer.DisablePropagation, true)) // => undefined
 * await Effect.runPromise(header) // => undefined
 * ```
 */
export const of = (fiber: Fiber.Fiber<unknown, unknown>): string | undefined => {
  if (!isTraced(fiber) || fiber.getRef(Tracer.DisablePropagation)) return undefined
  const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
  if (span === undefined || Context.get(span.annotations, Tracer.DisablePropagation)) return undefined
  return ofSpan(span)
}

/**
 * Returns the header's value for a span. A trace id of 64 bits is filled with zeros, as the header requires.
 *
 * ```ts import.meta.vitest
 * import { Traceparent } from "@plumbline/jsonrpc-core"
 * import { Tracer } from "effect"
 *
 * const span = Tracer.externalSpan({ traceId: "463ac35c9f6413ad", spanId: "00f067aa0ba902b7", sampled: false })
 * Traceparent.ofSpan(span) // => "00-0000000000000000463ac35c9f6413ad-00f067aa0ba902b7-00"
 * ```
 */
export const ofSpan = ({ sampled, spanId, traceId }: Tracer.AnySpan): string =>
  `00-${traceId.padStart(32, "0")}-${spanId}-${sampled ? "01" : "00"}`
