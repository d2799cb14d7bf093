/**
 * Adds up the metrics of several processes of one service, and carries metrics between processes.
 *
 * Counters, histograms and most gauges are summed. A gauge about something that all processes share says itself whether
 * the least or the most of their values counts (`MetricFamily.across`).
 */
import type { MetricFamily, MetricSample } from "../meters/MetricFamily.ts"
import { MetricHistogram } from "../meters/metricHistogram.ts"

/** Families as plain data, which can be sent to another process. */
export type SentFamilies = ReadonlyArray<
  Omit<MetricFamily, "samples"> & {
    readonly samples: ReadonlyArray<Pick<MetricSample, "labels"> & { readonly value: number | SentHistogram }>
  }
>

/** A histogram as plain data: the upper bounds, and the number of values in each interval. */
export interface SentHistogram {
  readonly bounds: ReadonlyArray<number>
  readonly counts: ReadonlyArray<number>
  readonly sum: number
}

/** Returns families as plain data. */
export const encode = (families: ReadonlyArray<MetricFamily>): SentFamilies =>
  families.map((family) => ({
    ...family,
    samples: family.samples.map(({ labels, value }) => ({
      labels,
      value: typeof value === "number" ? value : { bounds: value.bounds, counts: value.counts, sum: value.sum }
    }))
  }))

/** Returns the families that another process has sent. */
export const decode = (families: SentFamilies): ReadonlyArray<MetricFamily> =>
  families.map((family) => ({
    ...family,
    samples: family.samples.map(({ labels, value }) => ({
      labels,
      value: typeof value === "number" ? value : new MetricHistogram(value.bounds, value.counts, value.sum)
    }))
  }))

/**
 * Returns the families of all processes, each with one sample for each set of labels.
 *
 * ```ts import.meta.vitest
 * import { MetricSum } from "@plumbline/gateway"
 *
 * const of = (value: number) => [
 *   { name: "calls_total", type: "counter" as const, help: "Calls.", samples: [{ labels: {}, value }] },
 *   { name: "up", type: "gauge" as const, help: "State.", across: "least" as const, samples: [{ labels: {}, value }] }
 * ]
 * MetricSum.of([of(1), of(2)]).map(({ samples }) => samples[0]?.value) // => [3, 1]
 * ```
 */
export const of = (processes: ReadonlyArray<ReadonlyArray<MetricFamily>>): ReadonlyArray<MetricFamily> => {
  const found = new Map<string, { readonly family: MetricFamily; readonly samples: Map<string, MetricSample> }>()
  for (const family of processes.flat()) {
    const known = found.get(family.name) ?? { family, samples: new Map<string, MetricSample>() }
    found.set(family.name, known)
    for (const sample of family.samples) {
      const key = keyOf(sample)
      const before = known.samples.get(key)
      known.samples.set(key, before === undefined ? sample : together(family, before, sample))
    }
  }
  return Array.from(found.values(), ({ family, samples }) => ({ ...family, samples: [...samples.values()] }))
}

/** Returns the families whose values stay true after their process has ended: counters and histograms. */
export const lasting = (families: ReadonlyArray<MetricFamily>): ReadonlyArray<MetricFamily> =>
  families.filter(({ type }) => type !== "gauge")

const keyOf = ({ labels }: MetricSample): string =>
  JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)))

const together = ({ across, type }: MetricFamily, one: MetricSample, other: MetricSample): MetricSample => {
  const { labels } = one
  const [a, b] = [one.value, other.value]
  if (typeof a === "object" && typeof b === "object") {
    const counts = b.counts
    return {
      labels,
      value: new MetricHistogram(
        a.bounds,
        a.counts.map((count, index) => count + counts[index]!),
        a.sum + b.sum
      )
    }
  }
  const values = [Number(a), Number(b)]
  if (type === "gauge" && across !== undefined) {
    return { labels, value: across === "least" ? Math.min(...values) : Math.max(...values) }
  }
  return { labels, value: Number(a) + Number(b) }
}
