/**
 * Metrics as data: named numbers with labels. Any part of the service can report metrics when they are scraped.
 */
import type { Histogram } from "./histogram.ts"

/**
 * The metrics with one name. Names and units follow Prometheus: `_total` for counters, seconds, bytes.
 */
export interface Family {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  /** The description for the dashboard, in one sentence. */
  readonly help: string
  readonly samples: ReadonlyArray<Sample>
}

/**
 * A number, and the labels that distinguish it within its family. A label never holds a key, a URL or a caller's text.
 */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number | Histogram
}

export type { Histogram } from "./histogram.ts"
