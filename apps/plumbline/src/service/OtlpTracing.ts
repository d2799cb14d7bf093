/** Sends spans to a collector, with Effect's OTLP exporter. */
import type { Tracing } from "@plumbline/gateway/settings/GatewayOptions"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Redacted from "effect/Redacted"

import type { TracesSettings } from "../config/ObservabilitySection.ts"

/**
 * Time within which a collector must answer. After a timeout, spans are dropped for a minute, so that they do not pile
 * up.
 */
const PATIENCE = "10 seconds"

/** Makes the tracer; undefined without a collector. Waiting spans are sent when the scope closes. */
export const make = Effect.fnUntraced(function* (traces: TracesSettings | undefined) {
  if (traces === undefined) return undefined
  const tracer = yield* OtlpTracer.make({
    url: Redacted.value(traces.url),
    headers: Object.entries(traces.headers).map(([name, value]) => [name, Redacted.value(value)] as const),
    resource: { serviceName: "plumbline" }
  }).pipe(
    Effect.provide(services),
    // The exporter's own log lines are dropped: they contain the URL, which may contain a key.
    Effect.provideService(Logger.CurrentLoggers, new Set())
  )
  const tracing: Tracing = { tracer, sample: traces.sample }
  return tracing
})

const patient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(
    HttpClient.HttpClient,
    HttpClient.transformResponse(
      Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.die("the collector is late") })
    )
  )
).pipe(Layer.provide(FetchHttpClient.layer))

const services = Layer.mergeAll(patient, OtlpExporter.layerFlusher, OtlpSerialization.layerJson)
