/** Histograms as plain arrays, because each call updates several histograms. */

/** Upper bounds in seconds. They range from a call that a cache answers to a call that reaches the usual timeout. */
export const SECONDS: ReadonlyArray<number> = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60
]

/** The numbers of values, by upper bound. */
export class MetricHistogram {
  readonly bounds: ReadonlyArray<number>
  /** The number of values in each interval. The last interval has no upper bound. */
  readonly #counts: Float64Array
  sum = 0

  constructor(bounds: ReadonlyArray<number> = SECONDS, counts?: ReadonlyArray<number>, sum = 0) {
    this.bounds = bounds
    this.#counts = counts === undefined ? new Float64Array(bounds.length + 1) : Float64Array.from(counts)
    this.sum = sum
  }

  /** The number of values in each interval. */
  get counts(): ReadonlyArray<number> {
    return [...this.#counts]
  }

  add(value: number): void {
    const { bounds } = this
    let index = 0
    while (index < bounds.length && value > bounds[index]!) index++
    this.#counts[index]!++
    this.sum += value
  }

  /** Returns each bound with the number of values up to it, and the total number of values. */
  read(): { readonly buckets: ReadonlyArray<readonly [bound: number, count: number]>; readonly count: number } {
    let count = 0
    const buckets = this.bounds.map((bound, index) => {
      count += this.#counts[index]!
      return [bound, count] as const
    })
    return { buckets, count: count + this.#counts[this.bounds.length]! }
  }
}
