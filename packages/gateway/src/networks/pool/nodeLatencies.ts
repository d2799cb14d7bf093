/** Remembers the times of a node's last answers, by method. */

/** The times of the last answers of one node. */
export class NodeLatencies {
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

  /**
   * Returns the time within which the share `percentile` of the last answers arrived. Returns undefined until there are
   * enough answers.
   */
  of(method: string): number | undefined {
    return this.#methods.get(method)?.at
  }
}

interface Times {
  readonly last: Float64Array
  count: number
  at: number | undefined
}

/** Number of answers that are remembered per method. */
const LENGTH = 128

/** Number of answers before the percentile is first computed, and between two computations. */
const EVERY = 16
