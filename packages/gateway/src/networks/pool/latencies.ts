/** Remembers how long the last answers of a node took, by method. */

/** The times of the last answers of one node. */
export class Latencies {
  readonly #percentile: number
  readonly #methods = new Map<string, Times>()

  /** `percentile` is from 0 to 1. */
  constructor(percentile: number) {
    this.#percentile = percentile
  }

  /** Adds the time of an answer, in milliseconds. The caller bounds the number of methods. */
  add(method: string, millis: number): void {
    let times = this.#methods.get(method)
    if (times === undefined)
      this.#methods.set(method, (times = { last: new Float64Array(LENGTH), count: 0, at: undefined }))
    times.last[times.count % LENGTH] = millis
    times.count++
    if (times.count % EVERY !== 0) return
    const sorted = times.last.slice(0, Math.min(times.count, LENGTH)).sort()
    times.at = sorted[Math.min(sorted.length - 1, Math.ceil(this.#percentile * sorted.length) - 1)]
  }

  /** Returns the time that this share of the last answers took at most; undefined until there are enough. */
  of(method: string): number | undefined {
    return this.#methods.get(method)?.at
  }
}

interface Times {
  readonly last: Float64Array
  count: number
  at: number | undefined
}

/** Answers that are remembered of a method. */
const LENGTH = 128

/** Number of answers before the percentile is first computed, and between two computations. */
const EVERY = 16
