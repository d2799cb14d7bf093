/** The metrics of a service, read from its counters and its state at the time of a scrape. */
import type { MetricFamily, MetricSample } from "../meters/MetricFamily.ts"
import type { MetricHistogram } from "../meters/metricHistogram.ts"
import type { ServiceMeters } from "../meters/serviceMeters.ts"
import type { ServiceStatus } from "../pipeline/serviceStatus.ts"
import * as NodeMetrics from "./nodeMetrics.ts"
import * as TrustMetrics from "./trustMetrics.ts"

/** The numbers that are read from other parts of the service. */
export interface ServiceLevels {
  readonly requests: number
  readonly connections: number
  readonly bufferedBytes: number
  readonly webSockets: number
  readonly subscriptions: number
  readonly isDraining: boolean
  readonly loopLag: MetricHistogram
  /** The time at which the listener's certificate expires, in seconds since the epoch; undefined without TLS. */
  readonly certificateEnds: number | undefined
}

/** The counter of requests that belong to no project. */
const UNAUTHORIZED = "plumbline_unauthorized_requests_total"

/** Returns the number of requests without a valid key, secret or token, from the families of one or more processes. */
export const unauthorizedOf = (families: ReadonlyArray<MetricFamily>): number =>
  families.reduce(
    (sum, { name, samples }) =>
      name === UNAUTHORIZED
        ? samples.reduce((sum, { value }) => (typeof value === "number" ? sum + value : sum), sum)
        : sum,
    0
  )

/** Returns all families. A family without samples is left out. */
export const of = (meters: ServiceMeters, status: ServiceStatus, levels: ServiceLevels): ReadonlyArray<MetricFamily> =>
  [
    ...calls(meters),
    ...http(meters, levels),
    ...NodeMetrics.families(status),
    ...TrustMetrics.families(status.networks),
    ...stores(status),
    ...cache(status),
    ...process_(levels)
  ].filter(({ samples }) => samples.length > 0)

const calls = (meters: ServiceMeters): ReadonlyArray<MetricFamily> => {
  const series = [...meters.calls()]
  const summed = (name: string, help: string, read: (one: (typeof series)[number]) => number): MetricFamily => ({
    name,
    type: "counter",
    help,
    samples: series.map((one) => ({
      labels: { product: one.product, network: one.network, method: one.method },
      value: read(one)
    }))
  })
  return [
    {
      name: "plumbline_calls_total",
      type: "counter",
      help: "Calls by network, method and status: recorded ones, and those refused because a store is down.",
      samples: series.flatMap(({ byStatus, method, network, product }) =>
        counted(byStatus, (status) => ({ product, network, method, status: String(status) }))
      )
    },
    summed("plumbline_credits_total", "Charged credits.", ({ credits }) => credits),
    summed("plumbline_received_bytes_total", "Bytes of requests with recorded calls.", ({ bytesIn }) => bytesIn),
    summed("plumbline_sent_bytes_total", "Bytes of answers before compression.", ({ bytesOut }) => bytesOut),
    {
      name: "plumbline_call_duration_seconds",
      type: "histogram",
      help: "Time from a call to the answer of a network's nodes, with all tries.",
      samples: series.flatMap(({ duration, method, network }) =>
        duration === undefined ? [] : [{ labels: { network, method }, value: duration }]
      )
    },
    {
      name: "plumbline_limit_refusals_total",
      type: "counter",
      help: "Refusals by limit: rate, day, concurrency, burst, address, sockets, capacity, or unavailable limits.",
      samples: counted(meters.limits, (limit) => ({ limit }))
    },
    {
      name: "plumbline_upstream_failed_calls_total",
      type: "counter",
      help: "Calls that no node of the network answered, by the last reason.",
      samples: [...meters.faults].flatMap(([network, reasons]) => counted(reasons, (reason) => ({ network, reason })))
    },
    gauge(
      UNAUTHORIZED,
      "Requests without a valid key, secret or token: refused with 401, and recorded for no project.",
      meters.unauthorized,
      "counter"
    ),
    gauge("plumbline_slow_calls_total", "Calls above the threshold of the slow-call log.", meters.slow, "counter")
  ]
}

const http = (meters: ServiceMeters, levels: ServiceLevels): ReadonlyArray<MetricFamily> => {
  const routes = [...meters.routes]
  return [
    {
      name: "plumbline_http_requests_total",
      type: "counter",
      help: "HTTP requests by route and status. 499 means that the caller left.",
      samples: routes.flatMap(([route, { byStatus }]) =>
        counted(byStatus, (status) => ({ route, status: String(status) }))
      )
    },
    {
      name: "plumbline_http_request_duration_seconds",
      type: "histogram",
      help: "Time from the head of a request to the end of its answer.",
      samples: routes.map(([route, { duration }]) => ({ labels: { route }, value: duration }))
    },
    gauge("plumbline_http_requests_in_flight", "HTTP requests that are not fully answered.", levels.requests),
    gauge("plumbline_connections", "Open TCP connections.", levels.connections),
    gauge("plumbline_buffered_bytes", "Bytes of bodies, messages and IPFS answers in memory.", levels.bufferedBytes),
    gauge("plumbline_websockets", "Open WebSockets.", levels.webSockets),
    gauge("plumbline_subscriptions", "Subscriptions of all WebSockets.", levels.subscriptions)
  ]
}

const stores = ({ accounts, limiter, metering }: ServiceStatus): ReadonlyArray<MetricFamily> => [
  {
    ...gauge("plumbline_accounts_up", "0 while keys cannot be looked up.", accounts.store === "down" ? 0 : 1),
    across: "least"
  },
  {
    ...gauge(
      "plumbline_limiter_up",
      "0 while the store of limits cannot be reached.",
      limiter.store === "down" ? 0 : 1
    ),
    across: "least"
  },
  {
    ...gauge("plumbline_metering_up", "0 while usage cannot be written.", metering.store === "down" ? 0 : 1),
    across: "least"
  },
  gauge("plumbline_metering_waiting_calls", "Calls that wait until their usage is durable.", metering.waiting),
  gauge("plumbline_metering_memory_rows", "Rows of usage that are in memory only.", metering.rows),
  ...(metering.behind === undefined
    ? []
    : [
        {
          ...gauge(
            "plumbline_metering_behind_seconds",
            "Time for which acknowledged usage has been waiting for the disk; 0 if all of it is there.",
            metering.behind / 1000
          ),
          across: "most" as const
        }
      ])
]

const cache = ({ cache }: ServiceStatus): ReadonlyArray<MetricFamily> => {
  if (cache === undefined) return []
  const { asked, bytes, corrupt, dropped, entries, hits, joined, stored } = cache
  const from = { memory: hits, store: stored, joined, nodes: asked }
  return [
    {
      name: "plumbline_cache_answers_total",
      type: "counter",
      help: "Answers that the cache may keep, by source: memory, the store, another call under way, or nodes.",
      samples: Object.entries(from).map(([source, value]) => ({ labels: { source }, value }))
    },
    gauge("plumbline_cache_entries", "Proven answers in memory.", entries),
    gauge("plumbline_cache_bytes", "Bytes of the proven answers in memory.", bytes),
    gauge(
      "plumbline_cache_corrupt_total",
      "Stored answers that were damaged and therefore not used.",
      corrupt,
      "counter"
    ),
    gauge("plumbline_cache_dropped_total", "Answers that were not stored because too many waited.", dropped, "counter")
  ]
}

const process_ = ({ certificateEnds, isDraining, loopLag }: ServiceLevels): ReadonlyArray<MetricFamily> => {
  const { external, heapTotal, heapUsed, rss } = process.memoryUsage()
  const { system, user } = process.cpuUsage()
  return [
    { ...gauge("plumbline_draining", "1 after the signal that ends the service.", isDraining ? 1 : 0), across: "most" },
    {
      name: "plumbline_event_loop_lag_seconds",
      type: "histogram",
      help: "Lateness of a timer, measured ten times a second.",
      samples: [{ labels: {}, value: loopLag }]
    },
    ...(certificateEnds === undefined
      ? []
      : [
          {
            ...gauge(
              "plumbline_tls_certificate_end_seconds",
              "Unix time at which the certificate ends.",
              certificateEnds
            ),
            across: "least" as const
          }
        ]),
    gauge("process_resident_memory_bytes", "Memory of the process.", rss),
    gauge("process_heap_bytes", "Reserved heap of JavaScript.", heapTotal),
    gauge("process_heap_used_bytes", "Used heap of JavaScript.", heapUsed),
    gauge("process_external_memory_bytes", "Memory of buffers outside the heap.", external),
    gauge("process_cpu_seconds_total", "Processor time.", (system + user) / 1e6, "counter"),
    {
      ...gauge("process_start_time_seconds", "Unix time of the start.", Math.round(performance.timeOrigin) / 1000),
      across: "least"
    }
  ]
}

const gauge = (name: string, help: string, value: number, type: MetricFamily["type"] = "gauge"): MetricFamily => ({
  name,
  type,
  help,
  samples: [{ labels: {}, value }]
})

const counted = <K>(
  counts: ReadonlyMap<K, number>,
  labels: (key: K) => MetricSample["labels"]
): ReadonlyArray<MetricSample> => [...counts].map(([key, value]) => ({ labels: labels(key), value }))
