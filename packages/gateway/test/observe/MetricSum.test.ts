/** The metrics of several processes together. The oracle is one process that counted everything itself. */
import { describe, expect, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"

import type { MetricFamily } from "../../src/meters/MetricFamily.ts"
import { MetricHistogram } from "../../src/meters/metricHistogram.ts"
import * as Exposition from "../../src/observe/exposition.ts"
import * as MetricSum from "../../src/observe/MetricSum.ts"

const familiesOf = (calls: ReadonlyArray<readonly [label: string, seconds: number]>): ReadonlyArray<MetricFamily> => {
  const counts = new Map<string, number>()
  const histogram = new MetricHistogram([0.1, 1])
  for (const [label, seconds] of calls) {
    counts.set(label, (counts.get(label) ?? 0) + 1)
    histogram.add(seconds)
  }
  const samples = Array.from(counts, ([method, value]) => ({ labels: { network: "n", method }, value })).sort((a, b) =>
    a.labels.method < b.labels.method ? -1 : 1
  )
  return [
    { name: "calls_total", type: "counter", help: "Calls.", samples },
    { name: "seconds", type: "histogram", help: "Time.", samples: [{ labels: {}, value: histogram }] }
  ]
}

const linesOf = (families: ReadonlyArray<MetricFamily>): ReadonlyArray<string> =>
  Exposition.text(families).split("\n").sort()

describe("the metrics of several processes", () => {
  it("are those of one process that made all calls, also after they were sent", () => {
    const random = Random.make(7)
    for (let run = 0; run < 50; run++) {
      const parts = Array.from({ length: 1 + Random.int(random, 4) }, () =>
        Array.from(
          { length: Random.int(random, 20) },
          // halves add up exactly, so the order of the sum does not matter
          () => [`m${Random.int(random, 3)}`, Random.int(random, 8) / 4] as const
        )
      )
      const sent = parts.map((calls) => MetricSum.decode(structuredClone(MetricSum.encode(familiesOf(calls)))))
      expect(linesOf(MetricSum.of(sent))).toEqual(linesOf(familiesOf(parts.flat())))
    }
  })

  it("have the least or the most of a gauge that is no number of things", () => {
    const gauge = (value: number): ReadonlyArray<MetricFamily> => [
      { name: "open", type: "gauge", help: "h", samples: [{ labels: {}, value }] },
      { name: "up", type: "gauge", help: "h", across: "least", samples: [{ labels: {}, value }] },
      { name: "late", type: "gauge", help: "h", across: "most", samples: [{ labels: {}, value }] }
    ]
    const values = MetricSum.of([gauge(3), gauge(0), gauge(5)]).map(({ name, samples }) => [name, samples[0]!.value])
    expect(values).toEqual([
      ["open", 8],
      ["up", 0],
      ["late", 5]
    ])
  })

  it("keep the counts of a process that has ended, and not its gauges", () => {
    const families: ReadonlyArray<MetricFamily> = [
      ...familiesOf([["a", 1]]),
      { name: "open", type: "gauge", help: "h", samples: [{ labels: {}, value: 1 }] }
    ]
    expect(MetricSum.lasting(families).map(({ name }) => name)).toEqual(["calls_total", "seconds"])
  })
})
