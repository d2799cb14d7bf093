/** The spans of calls, by OpenTelemetry's conventions. They hold no data of callers or servers except method names. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Tracer from "effect/Tracer"

import type { JsonRpcError } from "../error/JsonRpcError.ts"
import type { WireOutcome } from "../transport/Transport.ts"

export const SYSTEM = "jsonrpc"

export const VERSION = { "jsonrpc.protocol.version": "2.0" }

/** The outcome of a call, in one word. */
export type Ending = string

export const OK: Ending = "ok"
const INTERRUPTED: Ending = "Interrupted"
const DEFECT: Ending = "Defect"

/**
 * Returns the `error.type` of a failure: the kind of a server's error, such as `rateLimited`, and otherwise the tag of
 * the reason, such as `TimeoutError`.
 *
 * The conventions prefer the error code here. But servers choose codes freely, and each value makes a time series.
 */
export const errorType = ({ reason }: JsonRpcError): string =>
  reason._tag === "RemoteError" ? reason.kind : reason._tag

/** The attribute that only the span of a packet has. */
export const SIZE = "jsonrpc.batch.size"

/** True if the fiber runs inside the span of a call or a packet, so that a call needs no further one. */
export const isInCall = (fiber: Fiber.Fiber<unknown, unknown>): boolean => spanOf(fiber) !== undefined

/** True if the fiber runs inside the span of a packet. A packet may run inside the span of one of its calls. */
export const isInPacket = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  spanOf(fiber)?.attributes.has(SIZE) === true

const spanOf = (fiber: Fiber.Fiber<unknown, unknown>): Tracer.Span | undefined => {
  const span = Context.getOrUndefined(fiber.context, Tracer.ParentSpan)
  return span?._tag === "Span" && span.attributes.get("rpc.system.name") === SYSTEM ? span : undefined
}

export const endingOf = (exit: Exit.Exit<unknown, JsonRpcError>): Ending => {
  if (Exit.isSuccess(exit)) {
    return OK
  }
  const error = Cause.findError(exit.cause)
  return Result.isSuccess(error) ? errorType(error.success) : Cause.hasInterruptsOnly(exit.cause) ? INTERRUPTED : DEFECT
}

/**
 * Completes the span of a call with the attributes that are known at the end. Returns the exit to record in the span,
 * without texts from the server.
 */
export type Conclude<A> = (exit: Exit.Exit<A, JsonRpcError>, span: Tracer.Span) => Exit.Exit<void, unknown>

export const concludeCall: Conclude<unknown> = (exit, span) => {
  if (Exit.isSuccess(exit)) {
    return Exit.void
  }
  const ending = endingOf(exit)
  if (ending === INTERRUPTED) {
    return Exit.interrupt()
  }
  span.attribute("error.type", ending)
  const error = Cause.findError(exit.cause)
  const reason = Result.isSuccess(error) ? error.success.reason : undefined
  if (reason?._tag === "RemoteError") {
    span.attribute("rpc.status_code", String(reason.code))
  }
  return Exit.fail({ name: reason?._tag ?? DEFECT, message: ending })
}

export const concludePacket: Conclude<ReadonlyArray<WireOutcome>> = (exit, span) => {
  if (!Exit.isSuccess(exit)) {
    return concludeCall(exit, span)
  }
  const failed = exit.value.filter(Result.isFailure).length
  if (failed > 0) {
    span.attribute("jsonrpc.batch.failed", failed)
  }
  return Exit.void
}

export const inSpan = <A, E extends JsonRpcError>(
  name: string,
  attributes: Record<string, unknown>,
  work: Effect.Effect<A, E>,
  conclude: Conclude<A>
): Effect.Effect<A, E> =>
  Effect.useSpan(name, { kind: "client", attributes }, (span) =>
    Effect.withFiber((fiber) =>
      Effect.onExitPrimitive(Effect.withParentSpan(work, span, { captureStackTrace: false }), (exit) => {
        const isTimed = fiber.getRef(References.TracerTimingEnabled)
        span.end(isTimed ? fiber.getRef(Clock.Clock).currentTimeNanosUnsafe() : 0n, conclude(exit, span))
        return undefined
      })
    )
  )
