/**
 * Response times of calls, in memory until they are written. They are statistics, not bills: a killed process loses the
 * times of its last seconds, and no call waits until its time is written.
 */
import * as LatencyHistogram from "./LatencyHistogram.ts"

/** The response times of one method at one network since the last write. */
export class LatencyTimes {
  #counts = new Uint32Array(LatencyHistogram.BUCKETS)
  #isEmpty = true

  /** Adds a call that took this number of milliseconds. */
  add(millis: number): void {
    this.#counts[LatencyHistogram.bucketOf(millis)]!++
    this.#isEmpty = false
  }

  /** Returns the counts by bucket, and resets them. */
  take(): ReadonlyArray<readonly [bucket: number, calls: number]> {
    if (this.#isEmpty) return []
    const taken: Array<readonly [number, number]> = []
    for (const [bucket, calls] of this.#counts.entries()) if (calls > 0) taken.push([bucket, calls])
    this.#counts.fill(0)
    this.#isEmpty = true
    return taken
  }

  /** Adds counts back that could not be written. */
  giveBack(bucket: number, calls: number): void {
    this.#counts[bucket]! += calls
    this.#isEmpty = false
  }
}

/** The number of calls in one bucket, to be added to the stored number. */
export interface LatencyRow {
  readonly network: string
  readonly method: string
  readonly bucket: number
  readonly calls: number
}

/**
 * The response times of every method of every network. Names of methods and networks come from tables, so their number
 * is bounded.
 */
export class LatencyRecorder {
  readonly #networks = new Map<string, Map<string, LatencyTimes>>()

  /** Returns the times of a network's methods. It is called once per packet. */
  of(network: string): NetworkTimes {
    let methods = this.#networks.get(network)
    if (methods === undefined) {
      methods = new Map()
      this.#networks.set(network, methods)
    }
    return methods
  }

  take(): ReadonlyArray<LatencyRow> {
    const rows: Array<LatencyRow> = []
    for (const [network, methods] of this.#networks) {
      for (const [method, times] of methods) {
        for (const [bucket, calls] of times.take()) rows.push({ network, method, bucket, calls })
      }
    }
    return rows
  }

  giveBack(rows: ReadonlyArray<LatencyRow>): void {
    for (const { bucket, calls, method, network } of rows) timesOf(this.of(network), method).giveBack(bucket, calls)
  }
}

/** The times of a network's methods, by method. */
export type NetworkTimes = Map<string, LatencyTimes>

export const timesOf = (network: NetworkTimes, method: string): LatencyTimes => {
  let times = network.get(method)
  if (times === undefined) {
    times = new LatencyTimes()
    network.set(method, times)
  }
  return times
}
