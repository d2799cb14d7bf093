/**
 * Metrics as data: named numbers with labels, which any part of the service can report at the time of a scrape.
 */
import type { Histogram } from "./histogram.ts"

/**
 * The metrics of one name. Names and units follow Prometheus: `_total` for counters, seconds, bytes.
 */
export interface Family {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  /** One sentence for the dashboard. */
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

/**
 * A number and the labels that distinguish it within its family. A label never holds a key, a URL or a caller's text.
 */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number | Histogram
}

export type { Histogram } from "./histogram.ts"
