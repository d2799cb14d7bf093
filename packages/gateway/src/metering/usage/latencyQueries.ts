/** The database queries for response times. */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import * as LatencyHistogram from "../latency/LatencyHistogram.ts"
import * as GrainRows from "./grainRows.ts"
import type { LatencyDimension, LatencyLine, LatencySelection } from "./Latency.ts"
import type { TimeRangePart } from "./timeRange.ts"

/**
 * Returns at most `most` lines of a selection. The line with the most calls comes first. `times` are the starts of the
 * buckets, and `width` is their length. Without a width there are no buckets.
 */
export const read = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  options: Omit<LatencySelection, "from" | "to"> & {
    readonly most: number
    readonly parts: ReadonlyArray<TimeRangePart>
    readonly times: ReadonlyArray<number>
    readonly width: number | undefined
  }
): Effect.fn.Return<ReadonlyArray<LatencyLine>, SqlError> {
  const { by = [], most, times, width } = options
  const groups = Map.groupBy(yield* sums(sql, { ...options, by, width: undefined }), keyOf(by))
  const lines = [...groups]
    .map(([key, rows]) => ({ key, row: rows[0]!, all: LatencyHistogram.figureOf(countsOf(rows))! }))
    .toSorted((a, b) => Number(b.all.calls - a.all.calls))
    .slice(0, most)
  const among = by.length === 0 ? undefined : lines.map(({ row }) => row)
  const divided = width === undefined || lines.length === 0 ? [] : yield* sums(sql, { ...options, by, width, among })
  const own = Map.groupBy(divided, keyOf(by))
  return lines.map(({ all, key, row }) => {
    const starts = Map.groupBy(own.get(key) ?? [], ({ start }) => Number(start))
    return {
      of: Object.fromEntries(by.map((name) => [name, row[name]])),
      all,
      buckets: times.map((at) => LatencyHistogram.figureOf(countsOf(starts.get(at) ?? [])))
    }
  })
})

interface LatencyQueryRow {
  readonly start: number | bigint
  readonly bucket: number
  readonly network?: string
  readonly method?: string
  readonly calls: number | bigint
}

/**
 * Returns the counts, grouped by bucket of time (if `width` is given), by the chosen dimensions and by bucket of the
 * histogram.
 */
const sums = (
  sql: SqlClient.SqlClient,
  {
    among,
    by,
    method,
    network,
    parts,
    width
  }: Omit<LatencySelection, "from" | "to"> & {
    readonly by: ReadonlyArray<LatencyDimension>
    readonly parts: ReadonlyArray<TimeRangePart>
    readonly width: number | undefined
    readonly among?: ReadonlyArray<LatencyQueryRow> | undefined
  }
): Effect.Effect<ReadonlyArray<LatencyQueryRow>, SqlError> => {
  if (parts.length === 0) return Effect.succeed([])
  const conditions = [
    ...(network === undefined ? [] : [sql`network = ${network}`]),
    ...(method === undefined ? [] : [sql`method = ${method}`]),
    ...(among === undefined ? [] : [GrainRows.among(sql, by, among)])
  ]
  const source = GrainRows.select(sql, "latency", parts, conditions)
  const start = width === undefined ? sql.literal("at - at") : sql`at - at % ${sql.literal(String(width))}`
  const columns = [sql`${start} AS start`, sql`bucket`, ...by.map((name) => sql`${sql(name)}`)]
  return sql<LatencyQueryRow>`
    SELECT ${sql.csv(columns)}, CAST(sum(calls) AS BIGINT) AS calls FROM (${source}) AS parts
    GROUP BY ${sql.literal(columns.map((_, i) => String(i + 1)).join(", "))}`
}

const keyOf =
  (by: ReadonlyArray<LatencyDimension>) =>
  (row: LatencyQueryRow): string =>
    by.map((name) => row[name]).join("\0")

const countsOf = (rows: ReadonlyArray<LatencyQueryRow>): LatencyHistogram.LatencyCounts => {
  const counts = new Map<number, bigint>()
  for (const { bucket, calls } of rows) counts.set(bucket, (counts.get(bucket) ?? 0n) + BigInt(calls))
  return counts
}
