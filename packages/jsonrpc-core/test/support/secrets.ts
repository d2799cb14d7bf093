/** Secrets, and all outputs that could show them: errors in every form, logs, spans and metrics. */
import type { IncomingHttpHeaders } from "node:http"
import { inspect } from "node:util"

import { assert } from "@effect/vitest"
import type { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Cause, Effect, Exit, Logger, Metric, Result, Schema, Tracer } from "effect"

export const KEY = "0123456789abcdef0123456789abcdef"
export const USER = "user-hunter2"
export const PASSWORD = "pass-hunter2"
export const TOKEN = "token/hunter2"
export const HEADER = "header-hunter2-secret"

const SECRETS = [KEY, PASSWORD, TOKEN, encodeURIComponent(TOKEN), HEADER, USER, "hunter2", btoa(`${USER}:${PASSWORD}`)]

/** Returns a URL with a secret in each part that can contain one. */
export const secretUrl = (url: string): string => {
  const { protocol, host } = new URL(url)
  return `${protocol}//${USER}:${PASSWORD}@${host}/v3/${KEY}?token=${encodeURIComponent(TOKEN)}`
}

export const withoutPassword = (url: string): string => url.replace(`${USER}:${PASSWORD}@`, "")

/** Returns an error in all usual forms. */
export const views = (error: Error & { readonly reason?: Error }): ReadonlyArray<string> => {
  const cause = Cause.fail(error)
  return [
    String(error),
    error.message,
    error.stack ?? "",
    JSON.stringify(error),
    JSON.stringify(error.reason ?? ""),
    JSON.stringify(Exit.failCause(cause)),
    JSON.stringify(Object.getOwnPropertyDescriptors(error)),
    JSON.stringify(Schema.encodeUnknownSync(Schema.Unknown)(error)),
    Cause.pretty(cause),
    String(cause),
    inspect(error, { depth: Infinity, showHidden: true }),
    inspect(cause, { depth: Infinity, showHidden: true }),
    inspect(Exit.failCause(cause), { depth: Infinity }),
    inspect(error.cause, { depth: Infinity }),
    inspect(error.reason?.cause, { depth: Infinity }),
    error.reason?.stack ?? ""
  ]
}

export const silent = (text: string): void => {
  for (const secret of SECRETS) {
    assert.notInclude(text, secret)
  }
}

/** Runs a program that logs and counts, and returns everything that its spans, logs and metrics show. */
export const traces = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const spans: Array<Tracer.NativeSpan> = []
    const lines: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const logger = Logger.make((options) => {
      lines.push(Logger.formatJson.log(options), Logger.formatLogFmt.log(options), inspect(options.message))
    })
    const metrics = yield* Effect.andThen(program, Metric.snapshot).pipe(
      Effect.withSpan("test"),
      Effect.withTracer(tracer),
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provide(Logger.layer([logger]))
    )
    return {
      spans: spans.map((span) =>
        inspect([span.name, span.attributes, span.events, span.status, span.links], { depth: Infinity })
      ),
      lines,
      metrics: metrics.map((metric) => inspect(metric, { depth: Infinity }))
    }
  })

/** A request as the server received it. */
export interface Told {
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** Returns everything that the server received from its client, in one text. */
export const echo = ({ path, headers }: Told): string => {
  const url = secretUrl(`http://${headers.host}`)
  const isToldAll = headers.authorization !== undefined
  return [
    `the server says ${isToldAll ? url : withoutPassword(url)}`,
    path,
    KEY,
    `/v3/${KEY}`,
    TOKEN,
    encodeURIComponent(TOKEN),
    ...(isToldAll ? [headers["x-api-key"], headers.authorization, USER, PASSWORD] : [])
  ].join(", ")
}

const failures = Metric.counter("failures")

/** Asserts that one failing call and one failing batch show no secret. Returns everything that was shown. */
export const assertSilent = (transport: Transport.Transport["Service"], call: Transport.WireCall) =>
  Effect.gen(function* () {
    const errors: Array<JsonRpcError.JsonRpcError> = []
    const { spans, lines, metrics } = yield* traces(
      Effect.gen(function* () {
        errors.push(yield* Effect.flip(transport.call(call)))
        for (const outcome of yield* transport.callAll([call, call])) {
          assert(Result.isFailure(outcome))
          errors.push(outcome.failure)
        }
        for (const error of errors) {
          yield* Effect.logError("failed", error, Cause.fail(error))
          yield* Metric.update(Metric.withAttributes(failures, { method: error.method, why: error.message }), 1)
        }
      })
    )
    assert.lengthOf(errors, 3)
    assert.isNotEmpty(lines)
    assert.isNotEmpty(spans)
    assert.isNotEmpty(metrics)
    for (const shown of [...errors.flatMap(views), ...spans, ...lines, ...metrics]) {
      silent(shown)
    }
    silent(inspect(transport, { depth: Infinity, showHidden: true }))
    return { errors, spans, lines, metrics }
  })
