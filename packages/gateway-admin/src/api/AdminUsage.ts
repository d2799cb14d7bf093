/**
 * The queries and answers of the admin API for usage figures.
 */
import * as Usage from "@plumbline/gateway/metering/Usage"
import * as Schema from "effect/Schema"

import * as AdminModel from "./AdminModel.ts"

const billed = {
  calls: AdminModel.count("Calls; a batch counts its items"),
  credits: AdminModel.count("Credits"),
  bytesIn: AdminModel.count("Bytes of requests"),
  bytesOut: AdminModel.count("Bytes of answers")
}

/**
 * The counters of usage.
 */
export const Counts = Schema.Struct({
  ...billed,
  /** Bytes sent to be added to IPFS. */
  uploaded: AdminModel.count("Bytes sent to be added to IPFS"),
  /** Bytes sent to callers from IPFS. */
  downloaded: AdminModel.count("Bytes handed out from IPFS")
}).annotate({ identifier: "Counts" })

const words = {
  project: "The id of a project",
  product: "JSON-RPC, or IPFS",
  network: "The name of a network; ipfs for IPFS commands",
  method: "A method, or an IPFS command",
  status: "The HTTP status, or what it would be in a batch or on a WebSocket",
  key: "The id of a key",
  outcome: "The outcome: a JSON-RPC error is an answer with status 200, and of a 429 it names the limit"
}

const product = Schema.Literals(["rpc", "ipfs"]).annotate({ description: words.product })

const outcome = Schema.Literals(Usage.outcomes).annotate({ description: words.outcome })

/**
 * The time range of a query: either a `window` that ends with the current minute (default: `24h`), or a range that
 * starts at `from` and ends before `to` (default: the end of the current minute).
 */
export const Range = {
  window: Schema.optionalKey(
    Schema.Literals(["15m", "1h", "24h", "7d", "30d"]).annotate({
      description: "The length of the range, which ends with the current minute (default: 24h)"
    })
  ),
  from: Schema.optionalKey(AdminModel.time("The start, instead of a window")),
  to: Schema.optionalKey(AdminModel.time("The end, exclusive (default: now)"))
}

/**
 * Selects the records of usage that have all of the given values.
 */
export const Selection = {
  ...Range,
  project: Schema.optionalKey(AdminModel.id(words.project)),
  product: Schema.optionalKey(product),
  network: Schema.optionalKey(AdminModel.id(words.network)),
  method: Schema.optionalKey(AdminModel.id(words.method)),
  status: Schema.optionalKey(AdminModel.whole(100, 599, words.status)),
  key: Schema.optionalKey(AdminModel.id(words.key)),
  outcome: Schema.optionalKey(outcome)
}

/** The dimensions of usage. */
const dimension = Schema.Literals(["project", "product", "network", "method", "status", "key", "outcome"])

const order = Schema.Literals(["calls", "credits", "bytesIn", "bytesOut", "uploaded", "downloaded"]).annotate({
  description: "The figure by which top selects rows (default: credits)"
})

const by = "A dimension that divides the figures: repeat it for several, as by=network&by=method"

const top = AdminModel.whole(1, 1000, "Maximum number of rows: those with the highest order")

/** The length of a bucket. */
const everySeconds = AdminModel.whole(60, 366 * 24 * 60 * 60, "The length of a bucket")

/**
 * Asks for one row for each combination of values of the dimensions in `by`. With `top`, the answer has only the rows
 * with the highest values of `order` (default: credits).
 */
export const By = {
  ...Selection,
  by: Schema.Array(dimension).check(Schema.isMinLength(1), Schema.isMaxLength(7)).annotate({ description: by }),
  top: Schema.optionalKey(top),
  order: Schema.optionalKey(order)
}

/**
 * Asks for usage over time: one line for each combination of values of the dimensions in `by`, or one line for all
 * usage.
 */
export const Series = {
  ...Selection,
  everySeconds,
  by: Schema.optionalKey(Schema.Array(dimension).check(Schema.isMaxLength(7)).annotate({ description: by })),
  top: Schema.optionalKey(top),
  order: Schema.optionalKey(order)
}

/**
 * Asks for the storage of a project on IPFS over time.
 */
export const Stored = { ...Range, project: AdminModel.id(words.project), everySeconds }

/** The time range of the answer. It can be wider than the range of the query (`UsageFigures`). */
const covered = { from: AdminModel.time("The start, inclusive"), to: AdminModel.time("The end, exclusive") }

/**
 * A `UsageReport.UsageReport`.
 */
export const ReportAnswer = Schema.Struct({
  from: Schema.String.annotate({ description: "The start, inclusive: an ISO 8601 time" }),
  to: Schema.String.annotate({ description: "The end, exclusive: an ISO 8601 time" }),
  rows: Schema.Array(
    Schema.Struct({
      project: Schema.String.annotate({ description: words.project }),
      product,
      network: Schema.String.annotate({ description: words.network }),
      method: Schema.String.annotate({ description: words.method }),
      status: Schema.Int.annotate({ description: words.status }),
      ...billed
    })
  ).annotate({ description: "One for each project, product, network, method and status" }),
  totals: Schema.Struct(billed).annotate({ description: "The sums of all rows" })
}).annotate({ identifier: "Report" })

export const TotalsAnswer = Schema.Struct({ ...covered, totals: Counts })

/** A value for each dimension in the query's `by`. */
const dimensions = Schema.Struct({
  project: Schema.optionalKey(Schema.String.annotate({ description: words.project })),
  product: Schema.optionalKey(product),
  network: Schema.optionalKey(Schema.String.annotate({ description: words.network })),
  method: Schema.optionalKey(Schema.String.annotate({ description: words.method })),
  status: Schema.optionalKey(Schema.Int.annotate({ description: words.status })),
  key: Schema.optionalKey(Schema.String.annotate({ description: words.key })),
  outcome: Schema.optionalKey(outcome)
}).annotate({ description: "The values of the dimensions in by" })

/**
 * The rows of a `By` query. `totals` are the sums of all rows, including those that `top` leaves out.
 */
export const ByAnswer = Schema.Struct({
  ...covered,
  rows: Schema.Array(Schema.Struct({ ...dimensions.fields, ...Counts.fields })).annotate({
    description: "One row for each combination of the dimensions in by, or the rows that top selects"
  }),
  totals: Counts
})

const length = Schema.Int.annotate({ description: "The length of a bucket in seconds" })

/**
 * The lines of a `Series` query. The `counts` of a line have an entry for each of `times`. Buckets are longer than
 * `everySeconds` of the query if the usage is no longer stored in such short buckets.
 */
export const SeriesAnswer = Schema.Struct({
  ...covered,
  everySeconds: length,
  times: Schema.Array(AdminModel.time("When a bucket begins")).annotate({ description: "When each bucket begins" }),
  lines: Schema.Array(Schema.Struct({ of: dimensions, counts: Schema.Array(Counts) })).annotate({
    description: "One line for each combination of the dimensions in by. Its counts belong to times, in the same order"
  })
})

/**
 * Asks for the durations of calls at the nodes, for all projects together.
 */
export const Latencies = {
  ...Range,
  network: Schema.optionalKey(AdminModel.id(words.network)),
  method: Schema.optionalKey(AdminModel.id(words.method)),
  by: Schema.optionalKey(
    Schema.Array(Schema.Literals(["network", "method"]))
      .check(Schema.isMaxLength(2))
      .annotate({ description: by })
  ),
  everySeconds: Schema.optionalKey(everySeconds)
}

const figure = Schema.Struct({
  calls: AdminModel.count("Calls"),
  p50: Schema.Finite.annotate({ description: "Milliseconds within which half of the calls ended" }),
  p90: Schema.Finite.annotate({ description: "Milliseconds within which 9 of 10 calls ended" }),
  p99: Schema.Finite.annotate({ description: "Milliseconds within which 99 of 100 calls ended" })
}).annotate({ identifier: "LatencyFigure" })

/**
 * The lines of a `Latencies` query. The line with the most calls comes first. Quantiles have an error of up to 19 %.
 */
export const LatenciesAnswer = Schema.Struct({
  ...covered,
  everySeconds: Schema.NullOr(length).annotate({
    description: "The length of a bucket in seconds; null without buckets"
  }),
  times: Schema.Array(AdminModel.time("When a bucket begins")).annotate({ description: "When each bucket begins" }),
  lines: Schema.Array(
    Schema.Struct({
      of: Schema.Struct({
        network: Schema.optionalKey(Schema.String.annotate({ description: words.network })),
        method: Schema.optionalKey(Schema.String.annotate({ description: words.method }))
      }).annotate({ description: "The values of the dimensions in by" }),
      all: figure,
      buckets: Schema.Array(Schema.NullOr(figure)).annotate({
        description: "One for each of times; null without calls"
      })
    })
  ).annotate({ description: "One for each value of by, those with the most calls first" })
})

/**
 * The highest number of stored bytes in each bucket. A bucket without a record is absent.
 */
export const StoredAnswer = Schema.Struct({
  ...covered,
  everySeconds: length,
  levels: Schema.Array(
    Schema.Struct({
      at: AdminModel.time("The start of the bucket"),
      bytes: AdminModel.count("The most bytes that were stored in the bucket")
    })
  ).annotate({ description: "One entry for each bucket in which the stored bytes are known" })
})
