/** The spans of commands. They are named after the command, and hold no path, option or text of the node. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"

/** True if spans are kept. Effect's own tracer keeps none, so no span is made for it. */
const isTraced = (fiber: Fiber.Fiber<unknown, unknown>): boolean => fiber.getRef(Tracer.Tracer) !== Tracer.nativeTracer

const CLIENT = { kind: "client" } as const

/** Runs a command in its span. */
export const of = <A, E>(command: string, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) => (isTraced(fiber) ? Effect.withSpan(work, `ipfs ${command}`, CLIENT) : work))

/** Runs a command whose answer is a stream in its span, which ends with the stream. */
export const ofStream = <A, E>(command: string, work: Stream.Stream<A, E>): Stream.Stream<A, E> =>
  Stream.unwrap(
    Effect.withFiber((fiber) =>
      Effect.succeed(isTraced(fiber) ? Stream.withSpan(work, `ipfs ${command}`, CLIENT) : work)
    )
  )

/** Returns the `traceparent` of the span in which the fiber runs (W3C Trace Context); undefined without a tracer. */
export const traceparent = (fiber: Fiber.Fiber<unknown, unknown>): string | undefined => {
  if (!isTraced(fiber) || fiber.getRef(Tracer.DisablePropagation)) return undefined
  const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
  if (span === undefined || Context.get(span.annotations, Tracer.DisablePropagation)) return undefined
  return `00-${span.traceId.padStart(32, "0")}-${span.spanId}-${span.sampled ? "01" : "00"}`
}
