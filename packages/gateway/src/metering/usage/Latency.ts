/**
 * The response times of nodes, by network and method.
 *
 * A time covers the whole call, including tries at other nodes. Calls that the service answers itself have no time. A
 * call whose caller left has none either. The times are statistics and are kept as long as usage is. A killed process
 * loses the times of its last ten seconds.
 */
import type * as LatencyHistogram from "../latency/LatencyHistogram.ts"
import type { TimeRange } from "./timeRange.ts"

export type { LatencyFigure } from "../latency/LatencyHistogram.ts"

/**
 * A property of calls by which their response times are grouped.
 */
export type LatencyDimension = "network" | "method"

/**
 * Selects calls: in a range of time, and with all given values.
 */
export interface LatencySelection extends TimeRange {
  readonly network?: string | undefined
  readonly method?: string | undefined
  /** The dimensions by which calls are grouped into lines. Default: none, so that one line has all calls. */
  readonly by?: ReadonlyArray<LatencyDimension> | undefined
}

/** The times of one group of calls, such as those of one network or one method. */
export interface LatencyLine {
  readonly of: { readonly network?: string; readonly method?: string }
  /** The figure for the whole range. */
  readonly all: LatencyHistogram.LatencyFigure
  /** The figure for each time of the answer; undefined for a bucket without calls. */
  readonly buckets: ReadonlyArray<LatencyHistogram.LatencyFigure | undefined>
}

/**
 * The lines of an answer. The line with the most calls comes first.
 */
export interface Latencies extends TimeRange {
  /** The length of a bucket in milliseconds; undefined if the query asked for no buckets. */
  readonly every: number | undefined
  readonly times: ReadonlyArray<number>
  readonly lines: ReadonlyArray<LatencyLine>
}
