/**
 * Spans of requests and of their calls to nodes.
 *
 * The spans are made by hand. With a tracer in the context, each query of the state would start a separate trace. A
 * request without a span costs only one comparison.
 */
import type { IncomingHttpHeaders } from "node:http"

import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as SpanHeader from "@plumbline/jsonrpc-core/transport/Traceparent"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"

import { Traceparent } from "../networks/Traceparent.ts"
import { UpstreamError } from "../networks/UpstreamError.ts"

/** The tracer of a service, and the share of requests that have spans. */
export interface Tracing {
  readonly tracer: Tracer.Tracer
  /** The share of requests to trace, from 0 to 1. A request whose `traceparent` says "not sampled" is never traced. */
  readonly sample: number
}

/** The attributes of a span. They hold no API key, and no text of a caller except a request id. */
export type Attributes = Readonly<Record<string, string | number>>

/**
 * Begins the span of a request, unless the request is not sampled. The caller's `traceparent` becomes the parent of the
 * span. A caller cannot raise the share of sampled requests, because spans cost time and money.
 */
export const begin = (
  tracing: Tracing | undefined,
  name: string,
  { traceparent }: IncomingHttpHeaders,
  attributes: Attributes
): Tracer.Span | undefined => {
  if (tracing === undefined) return undefined
  const parent =
    typeof traceparent === "string"
      ? HttpTraceContext.w3c(Headers.fromRecordUnsafe({ traceparent }))
      : Option.none<Tracer.ExternalSpan>()
  if (Option.isSome(parent) && !parent.value.sampled) return undefined
  return Math.random() < tracing.sample ? make(tracing.tracer, name, "server", parent, attributes) : undefined
}

/** Ends a span with an HTTP status. */
export const end = (span: Tracer.Span, status: number, attributes: Attributes = {}): void => {
  span.attribute("http.response.status_code", status)
  for (const [name, value] of Object.entries(attributes)) span.attribute(name, value)
  span.end(now(), status < 500 ? Exit.void : Exit.fail(`status ${status}`))
}

/** Traces a call to a node: makes a span, and sends the `traceparent` of the span to the node. */
export const call = <A>(
  tracing: Tracing | undefined,
  parent: Tracer.Span | undefined,
  name: string,
  attributes: Attributes,
  effect: Effect.Effect<A, ErrorObject | UpstreamError>
): Effect.Effect<A, ErrorObject | UpstreamError> =>
  tracing === undefined || parent === undefined
    ? effect
    : Effect.suspend(() => {
        const span = make(tracing.tracer, name, "client", Option.some(parent), attributes)
        return effect.pipe(
          Effect.provideService(Traceparent, SpanHeader.ofSpan(span)),
          Effect.onExit((exit) => Effect.sync(() => span.end(now(), shown(span, exit))))
        )
      })

/** Returns an exit without the node's text, which can repeat the parameters of the call. */
const shown = (span: Tracer.Span, exit: Exit.Exit<unknown, ErrorObject | UpstreamError>): Exit.Exit<void, string> => {
  if (exit._tag === "Success") return Exit.void
  if (Cause.hasInterruptsOnly(exit.cause)) return exit as Exit.Exit<never>
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error === undefined) return Exit.fail("died")
  if (error instanceof UpstreamError) return Exit.fail(error.reason._tag)
  // A node's error object is an answer, so the span does not fail.
  span.attribute("rpc.jsonrpc.error_code", error.code)
  return Exit.void
}

const make = (
  tracer: Tracer.Tracer,
  name: string,
  kind: Tracer.SpanKind,
  parent: Option.Option<Tracer.AnySpan>,
  attributes: Attributes
): Tracer.Span => {
  const isRoot = Option.isNone(parent)
  const span = tracer.span({
    name,
    kind,
    parent,
    annotations: Context.empty(),
    links: [],
    startTime: now(),
    root: isRoot,
    sampled: true
  })
  for (const [key, value] of Object.entries(attributes)) span.attribute(key, value)
  return span
}

/** Returns the time in nanoseconds since the epoch. */
const now = (): bigint => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n
