/**
 * The counters of a service. They are plain numbers that the pipeline adds to and a scrape reads, so a call costs only
 * a few look-ups.
 *
 * The number of labels is bounded. The operator names the networks and methods, and a status has three digits. No label
 * holds a key, an address or a caller's text.
 */
import { MetricHistogram } from "./metricHistogram.ts"

/** The parts of a call's recorded usage that are counted here. */
export interface CountedUsage {
  readonly product: string
  readonly network: string
  readonly method: string
  readonly status: number
  readonly calls: number
  readonly credits: number
  readonly bytesIn: number
  readonly bytesOut: number
}

/** The counts of one method of one network. */
export interface CallSeries {
  readonly product: string
  readonly network: string
  readonly method: string
  readonly byStatus: Map<number, number>
  credits: number
  bytesIn: number
  bytesOut: number
  /** Seconds until the node's answer, as a histogram; undefined if no node was asked. */
  duration: MetricHistogram | undefined
}

/** The counts of the requests of one route. */
export interface RouteSeries {
  readonly byStatus: Map<number, number>
  readonly duration: MetricHistogram
}

/** Maximum number of methods with separate counts. Names come from tables, so this is never reached. */
const MAX_SERIES = 5000

/** The label for methods that have no separate counts. */
const OTHER = "other"

/** The limits that refuse calls, by their names in metrics. */
export type LimitName =
  | "rate"
  | "day"
  | "concurrency"
  | "burst"
  | "address"
  | "sockets"
  | "capacity"
  /** The limit store cannot be reached. */
  | "unavailable"

/**
 * Every counter exists from the start with the value 0. If a counter first appeared with its first event, Prometheus
 * would see no increase.
 */
const NO_REFUSALS: Readonly<Record<LimitName, 0>> = {
  rate: 0,
  day: 0,
  concurrency: 0,
  burst: 0,
  address: 0,
  sockets: 0,
  capacity: 0,
  unavailable: 0
}

export class ServiceMeters {
  readonly #calls = new Map<string, Map<string, CallSeries>>()
  #series = 0
  readonly routes = new Map<string, RouteSeries>()
  /** Refusals, by limit. */
  readonly limits = new Map<string, number>(Object.entries(NO_REFUSALS))
  /** Calls that failed because of a network's nodes, by the tag of the fault. */
  readonly faults = new Map<string, Map<string, number>>()
  /** The number of requests without a valid key, secret or token. They belong to no project. */
  unauthorized = 0
  /** The number of calls above the threshold of the slow-call log. */
  slow = 0

  /** Counts a recorded usage. */
  used({ bytesIn, bytesOut, calls, credits, method, network, product, status }: CountedUsage): void {
    const series = this.#of(product, network, method)
    if (calls > 0) add(series.byStatus, status, calls)
    series.credits += credits
    series.bytesIn += bytesIn
    series.bytesOut += bytesOut
  }

  /** Adds the time of a call to a node. */
  answered(network: string, method: string, millis: number): void {
    const series = this.#of("rpc", network, method)
    series.duration ??= new MetricHistogram()
    series.duration.add(millis / 1000)
  }

  /** Counts a call that failed because of a network's nodes. */
  faulted(network: string, reason: string): void {
    let reasons = this.faults.get(network)
    if (reasons === undefined) this.faults.set(network, (reasons = new Map()))
    add(reasons, reason, 1)
  }

  /** Counts a refusal over a limit. */
  limited(limit: LimitName): void {
    add(this.limits, limit, 1)
  }

  /** Counts an HTTP request that has ended. */
  requested(route: string, status: number, millis: number): void {
    let series = this.routes.get(route)
    if (series === undefined)
      this.routes.set(route, (series = { byStatus: new Map(), duration: new MetricHistogram() }))
    add(series.byStatus, status, 1)
    series.duration.add(millis / 1000)
  }

  /** Returns the counts of all methods. */
  *calls(): Iterable<CallSeries> {
    for (const methods of this.#calls.values()) yield* methods.values()
  }

  /** Finds the counts of a method. A network has a single product, so the network's name is enough to find them. */
  #of(product: string, network: string, method: string): CallSeries {
    let methods = this.#calls.get(network)
    if (methods === undefined) this.#calls.set(network, (methods = new Map()))
    const found = methods.get(method)
    if (found !== undefined) return found
    if (this.#series >= MAX_SERIES && method !== OTHER) return this.#of(product, network, OTHER)
    const made: CallSeries = {
      product,
      network,
      method,
      byStatus: new Map(),
      credits: 0,
      bytesIn: 0,
      bytesOut: 0,
      duration: undefined
    }
    methods.set(method, made)
    this.#series++
    return made
  }
}

const add = <K>(counts: Map<K, number>, key: K, more: number): void =>
  void counts.set(key, (counts.get(key) ?? 0) + more)
