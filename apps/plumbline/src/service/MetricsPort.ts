/** The port for metrics. */
import type * as GatewayMetrics from "@plumbline/gateway/admin/Metrics"
import { PATH } from "@plumbline/gateway/admin/Metrics"
import * as Effect from "effect/Effect"

import type * as ObservabilitySection from "../config/ObservabilitySection.ts"
import * as SidePort from "./SidePort.ts"

/** Opens the port if one is configured, and returns its URL. The port closes with the scope. */
export const listen = Effect.fnUntraced(function* (
  metrics: GatewayMetrics.Metrics,
  { host, port }: ObservabilitySection.ObservabilitySettings["metrics"]
) {
  if (port === undefined) return null
  const taken = yield* SidePort.named(metrics.listen({ host, port }), "observability.metrics.port")
  return `${SidePort.urlOf("http", host, taken)}${PATH}`
})
