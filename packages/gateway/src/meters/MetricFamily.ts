/**
 * Metrics as data: named numbers with labels. Any part of the service can report metrics when they are scraped.
 */
import type { MetricHistogram } from "./metricHistogram.ts"

/**
 * The metrics with one name. Names and units follow Prometheus: `_total` for counters, seconds, bytes.
 */
export interface MetricFamily {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  /** The description for the dashboard, in one sentence. */
  readonly help: string
  /**
   * The value of several processes together, for a gauge: the least or the most of theirs. Default: the sum, because most
   * gauges are a number of things in a process.
   */
  readonly across?: "least" | "most" | undefined
  readonly samples: ReadonlyArray<MetricSample>
}

/**
 * A number, and the labels that distinguish it within its family. A label never holds a key, a URL or a caller's text.
 */
export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number | MetricHistogram
}

export type { MetricHistogram } from "./metricHistogram.ts"
