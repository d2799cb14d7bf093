/** Writes families of metrics in the text format of Prometheus, with Effect's own formatter. */
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"

import type { MetricFamily, MetricSample } from "../meters/MetricFamily.ts"

/** The media type of Prometheus's text format. */
export const TYPE = "text/plain; version=0.0.4; charset=utf-8"

/** Returns the text of families. The registry is made for each scrape; the counts themselves are kept elsewhere. */
export const text = (families: Iterable<MetricFamily>): string => {
  const context = Context.make(Metric.MetricRegistry, new Map())
  for (const family of families) for (const sample of family.samples) register(family, sample, context)
  return PrometheusMetrics.formatUnsafe(context)
}

const register = (
  { help: description, name, type }: MetricFamily,
  { labels: attributes, value }: MetricSample,
  context: Context.Context<never>
): void => {
  const options = { description, attributes }
  const { update, modify } = unchanged
  if (typeof value === "object") {
    const { buckets, count } = value.read()
    const metric = Metric.histogram(name, { ...options, boundaries: value.bounds })
    const state = { buckets, count, min: 0, max: 0, sum: value.sum }
    Metric.registerUnsafe(metric, context, { get: () => state, update, modify })
  } else if (type === "counter") {
    const metric = Metric.counter(name, options)
    Metric.registerUnsafe(metric, context, { get: () => ({ count: value, incremental: true }), update, modify })
  } else {
    Metric.registerUnsafe(Metric.gauge(name, options), context, { get: () => ({ value }), update, modify })
  }
}

const nothing = (): void => undefined
const unchanged = { update: nothing, modify: nothing }
