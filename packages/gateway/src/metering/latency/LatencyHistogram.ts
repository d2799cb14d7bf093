/**
 * Histograms of times. Buckets grow with the time, and two histograms are merged by adding their counts.
 *
 * The first bucket ends at 1/8 millisecond. The end of each further bucket is 2^(1/4) times the end of the previous
 * one, so a quantile is right to within 19 %. The last bucket has all times above two minutes.
 */

/**
 * The number of buckets.
 */
export const BUCKETS = 82

/** The end of the first bucket in milliseconds, and the number of buckets over which the time doubles. */
const FIRST = 1 / 8
const PER_DOUBLING = 4

/**
 * Returns the bucket of a time in milliseconds.
 *
 * ```ts import.meta.vitest
 * import { LatencyHistogram } from "@plumbline/gateway"
 *
 * LatencyHistogram.bucketOf(0) // => 0
 * LatencyHistogram.endOf(LatencyHistogram.bucketOf(100)) // => 107.63474115247546
 * LatencyHistogram.bucketOf(1e9) // => LatencyHistogram.BUCKETS - 1
 * ```
 */
export const bucketOf = (millis: number): number =>
  millis > FIRST ? Math.min(BUCKETS - 1, Math.ceil(Math.log2(millis / FIRST) * PER_DOUBLING)) : 0

/**
 * Returns the longest time of a bucket, in milliseconds.
 */
export const endOf = (bucket: number): number => FIRST * 2 ** (bucket / PER_DOUBLING)

/**
 * The number of calls in each bucket, keyed by the bucket's index. Buckets without calls may be absent.
 */
export type LatencyCounts = ReadonlyMap<number, bigint>

/**
 * A summary of the times of calls.
 */
export interface LatencyFigure {
  readonly calls: bigint
  /** Milliseconds within which 50 % of the calls ended. `p90` and `p99` are the same for 90 % and 99 %. */
  readonly p50: number
  readonly p90: number
  readonly p99: number
}

/**
 * Returns the summary of a histogram; undefined if the histogram is empty.
 */
export const figureOf = (counts: LatencyCounts): LatencyFigure | undefined => {
  let calls = 0n
  for (const count of counts.values()) calls += count
  if (calls === 0n) return undefined
  const sorted = [...counts].toSorted(([a], [b]) => a - b)
  return {
    calls,
    p50: quantile(sorted, calls, 50n),
    p90: quantile(sorted, calls, 90n),
    p99: quantile(sorted, calls, 99n)
  }
}

/** Returns the time within which this percentage of the calls ended, interpolated linearly within a bucket. */
const quantile = (sorted: ReadonlyArray<readonly [number, bigint]>, calls: bigint, percent: bigint): number => {
  const wanted = (calls * percent + 99n) / 100n
  let before = 0n
  for (const [bucket, count] of sorted) {
    if (before + count >= wanted) {
      const start = bucket === 0 ? 0 : endOf(bucket - 1)
      const share = Number(wanted - before) / Number(count)
      return start + (endOf(bucket) - start) * share
    }
    before += count
  }
  return endOf(BUCKETS - 1)
}
