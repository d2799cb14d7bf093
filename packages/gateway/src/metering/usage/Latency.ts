/**
 * The times that calls took at the nodes, by network and method.
 *
 * A time is that of the call at the node, tries at other nodes included. Calls that the service answers itself have
 * none, and neither have calls whose caller left. They are figures, kept as long as usage is: a killed process loses
 * those of its last ten seconds.
 */
import type * as Histogram from "../latency/Histogram.ts"
import type { Range } from "./range.ts"

export type { Figure } from "../latency/Histogram.ts"

/**
 * A dimension of latencies.
 */
export type Dimension = "network" | "method"

/**
 * Selects calls: in a range of time, and with all of the given values.
 */
export interface Selection extends Range {
  readonly network?: string | undefined
  readonly method?: string | undefined
  /** The dimensions of the lines. Default: none, so that there is one line for all calls. */
  readonly by?: ReadonlyArray<Dimension> | undefined
}

/** The times of one group of calls, such as those of one network or one method. */
export interface Line {
  readonly of: { readonly network?: string; readonly method?: string }
  /** Over the whole range. */
  readonly all: Histogram.Figure
  /** The values for each of the answer's times; undefined without calls. */
  readonly buckets: ReadonlyArray<Histogram.Figure | undefined>
}

/**
 * The lines with the most calls first.
 */
export interface Latencies extends Range {
  /** The length of a bucket in milliseconds; undefined without buckets. */
  readonly every: number | undefined
  readonly times: ReadonlyArray<number>
  readonly lines: ReadonlyArray<Line>
}
