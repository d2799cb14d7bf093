/**
 * The figures of usage: sums, the largest rows, and usage over time.
 *
 * Sums are bigints, exact to 2^63 - 1. Beyond that the database fails instead of rounding.
 *
 * A range includes `from` and excludes `to`; both are milliseconds since the epoch. Usage is kept by the minute, so
 * ranges are widened to full minutes. Where the minutes or hours of a range were deleted, the range is widened to the
 * units that are still kept. The answer states the range that it covers.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import { fromSql, type StateError } from "../../state/StateError.ts"
import * as MeteringStore from "../MeteringStore.ts"
import type { UsageDimensions } from "../Usage.ts"
import type * as Latency from "./Latency.ts"
import * as LatencyQueries from "./latencyQueries.ts"
import * as TimeRanges from "./timeRange.ts"
import type { TimeRange } from "./timeRange.ts"
import * as UsageQueries from "./usageQueries.ts"
import type { UsageCounts, UsageSelection } from "./usageQueries.ts"
import { UsageQueryError } from "./UsageQueryError.ts"

export { UsageQueryError } from "./UsageQueryError.ts"
export type { TimeRange } from "./timeRange.ts"
export type { UsageCounts, UsageSelection } from "./usageQueries.ts"

export interface UsageTotals extends TimeRange {
  readonly totals: UsageCounts
}

export interface GroupedUsage<D extends keyof UsageDimensions> extends UsageTotals {
  readonly rows: ReadonlyArray<Pick<UsageDimensions, D> & UsageCounts>
}

/**
 * One line of a chart. `counts` has an entry for each time of the chart, even without usage.
 */
export interface UsageLine<D extends keyof UsageDimensions> {
  readonly of: Pick<UsageDimensions, D>
  readonly counts: ReadonlyArray<UsageCounts>
}

export interface UsageSeries<D extends keyof UsageDimensions> extends TimeRange {
  /** The length of a bucket in milliseconds. */
  readonly every: number
  /** The start of each bucket. The first bucket begins before `from` if `from` lies inside it. */
  readonly times: ReadonlyArray<number>
  readonly lines: ReadonlyArray<UsageLine<D>>
}

/** The maximum number of bytes that a project had stored in each bucket. A bucket without a record is absent. */
export interface StoredUsage extends TimeRange {
  readonly every: number
  readonly levels: ReadonlyArray<{ readonly at: number; readonly bytes: bigint }>
}

/**
 * The last use of a key. It happened within the minute, hour or day that begins at `at`.
 */
export interface LastUse {
  readonly key: string
  readonly at: number
  readonly within: "minute" | "hour" | "day"
}

/**
 * The reason why a query has no figures.
 */
export type UsageFailure = StateError | UsageQueryError

/**
 * Queries the store of `Metering`. The answer includes all usage recorded before the query. All rows of an answer are
 * from the same moment.
 *
 * - `totals`: the sums of a selection in one row.
 * - `by`: a row for each combination of values of the dimensions, sorted by these values. With `top` it returns the
 *   rows with the highest values of `order` (default: credits), the largest first. `totals` cover all rows, not only
 *   those in the answer. At most 100,000 rows.
 * - `series`: usage over time, with a line for each combination of values of `by`. The line with the largest `order`
 *   comes first. Buckets have the length `every`, begin at multiples of it since the epoch, and are whole minutes. They
 *   are longer if shorter units were deleted. At most 100 lines, and 10,000 buckets in all lines together.
 * - `latencies`: the response times of nodes. The line with the most calls comes first. At most 3000 lines, or 3000
 *   buckets in all lines together.
 * - `lastUses`: the last use of each key of a project.
 * - `stored`: the bytes that a project had stored on IPFS.
 */
export class UsageFigures extends Context.Service<
  UsageFigures,
  {
    readonly totals: (selection: UsageSelection) => Effect.Effect<UsageTotals, UsageFailure>
    readonly by: <const D extends keyof UsageDimensions>(
      selection: UsageSelection & {
        readonly by: ReadonlyArray<D>
        readonly top?: number | undefined
        readonly order?: keyof UsageCounts | undefined
      }
    ) => Effect.Effect<GroupedUsage<D>, UsageFailure>
    readonly series: <const D extends keyof UsageDimensions = never>(
      selection: UsageSelection & {
        readonly every: Duration.Input
        readonly by?: ReadonlyArray<D> | undefined
        readonly top?: number | undefined
        readonly order?: keyof UsageCounts | undefined
      }
    ) => Effect.Effect<UsageSeries<D>, UsageFailure>
    readonly latencies: (
      selection: Latency.LatencySelection & { readonly every?: Duration.Input | undefined }
    ) => Effect.Effect<Latency.Latencies, UsageFailure>
    readonly lastUses: (project: string) => Effect.Effect<ReadonlyArray<LastUse>, StateError>
    readonly stored: (
      selection: TimeRange & { readonly project: string; readonly every: Duration.Input }
    ) => Effect.Effect<StoredUsage, UsageFailure>
  }
>()("@plumbline/gateway/UsageFigures") {}

/**
 * The time windows of a dashboard, in milliseconds.
 */
export const windows = {
  "15m": 15 * 60_000,
  "1h": 60 * 60_000,
  "24h": 24 * 60 * 60_000,
  "7d": 7 * 24 * 60 * 60_000,
  "30d": 30 * 24 * 60 * 60_000
} as const

/**
 * Returns the window that ends with the current minute.
 *
 * ```ts import.meta.vitest
 * import { UsageFigures } from "@plumbline/gateway"
 *
 * UsageFigures.last("1h", 7_200_001) // => { from: 3_660_000, to: 7_260_000 }
 * ```
 */
export const last = (window: keyof typeof windows, now: number): TimeRange => {
  const to = TimeRanges.floor(now, MINUTE) + MINUTE
  return { from: to - windows[window], to }
}

/**
 * Figures of the usage in a `MeteringStore` over the same `SqlClient`. Another process may record the usage.
 */
export const layer = (): Layer.Layer<UsageFigures, never, SqlClient.SqlClient | MeteringStore.MeteringStore> => shared

/** One value, so that all layers of a program share one service. */
const shared: Layer.Layer<UsageFigures, never, SqlClient.SqlClient | MeteringStore.MeteringStore> = Layer.effect(
  UsageFigures,
  Effect.gen(function* () {
    // The store must have created the tables first.
    yield* MeteringStore.MeteringStore
    const sql = yield* SqlClient.SqlClient

    /** Queries again if rows were deleted during the query, because the sums would lack them. */
    const during = <A>(
      range: TimeRange,
      ask: (range: TimeRange, since: TimeRanges.RetainedGrains) => Effect.Effect<A, SqlError | UsageQueryError>
    ): Effect.Effect<A, UsageFailure> =>
      Effect.gen(function* () {
        if (!(range.from >= 0 && range.from < range.to && range.to <= MAX_TIME)) {
          return yield* new UsageQueryError({ problem: "EmptyRange", limit: 0 })
        }
        let since = yield* UsageQueries.since(sql)
        for (;;) {
          const answer = yield* ask(TimeRanges.widen(range, since), since)
          const after = yield* UsageQueries.since(sql)
          if (after.every((at, i) => at === since[i])) return answer
          since = after
        }
      }).pipe(Effect.mapError((error) => (error._tag === "SqlError" ? fromSql(error) : error)))

    const totalsOf = (selection: UsageSelection, range: TimeRange) =>
      Effect.map(UsageQueries.read(sql, { selection, parts: TimeRanges.parts(range), by: [] }), ([row]) =>
        UsageQueries.countsOf(row)
      )

    return UsageFigures.of({
      totals: (selection) =>
        during(selection, (range) => Effect.map(totalsOf(selection, range), (totals) => ({ ...range, totals }))),

      by: (selection) =>
        during(selection, (range) =>
          Effect.gen(function* () {
            const { by, order = "credits", top } = selection
            const parts = TimeRanges.parts(range)
            const rows = yield* UsageQueries.read(sql, {
              selection,
              parts,
              by,
              limit: atMost(top, MAX_ROWS + 1),
              order: top === undefined ? undefined : order
            })
            if (rows.length > MAX_ROWS) return yield* new UsageQueryError({ problem: "TooManyRows", limit: MAX_ROWS })
            return {
              ...range,
              rows: rows.map((row) => ({ ...UsageQueries.dimensionsOf(row, by), ...UsageQueries.countsOf(row) })),
              totals:
                top === undefined
                  ? UsageQueries.add(rows.map(UsageQueries.countsOf))
                  : yield* totalsOf(selection, range)
            }
          })
        ),

      series: <const D extends keyof UsageDimensions = never>({
        by = [],
        every,
        order = "credits",
        top,
        ...selection
      }: UsageSelection & {
        readonly every: Duration.Input
        readonly by?: ReadonlyArray<D> | undefined
        readonly top?: number | undefined
        readonly order?: keyof UsageCounts | undefined
      }) =>
        during(selection, (range, since) =>
          Effect.gen(function* () {
            const width = TimeRanges.stretch(widthOf(every), range, since)
            const times = yield* timesOf(range, width)
            const parts = TimeRanges.parts(range, width)
            const most = Math.min(MAX_LINES, Math.floor(MAX_BUCKETS / times.length))
            const limit = atMost(top, most + 1)
            const lines = by.length === 0 ? [{}] : yield* UsageQueries.read(sql, { selection, parts, by, limit, order })
            if (lines.length > most) {
              return yield* new UsageQueryError({ problem: "TooManyBuckets", limit: MAX_BUCKETS })
            }
            const rows = yield* UsageQueries.read(sql, { selection, parts, by, width, among: lines })
            const found = new Map(
              rows.map((row) => [`${row.bucket} ${UsageQueries.keyOf(row, by)}`, UsageQueries.countsOf(row)])
            )
            return {
              ...range,
              every: width,
              times,
              lines: lines.map((line) => ({
                of: UsageQueries.dimensionsOf(line, by),
                counts: times.map((at) => found.get(`${at} ${UsageQueries.keyOf(line, by)}`) ?? UsageQueries.NOTHING)
              }))
            }
          })
        ),

      latencies: ({ every, ...selection }) =>
        during(selection, (range, since) =>
          Effect.gen(function* () {
            const width = every === undefined ? undefined : TimeRanges.stretch(widthOf(every), range, since)
            const times = width === undefined ? [] : yield* timesOf(range, width)
            const lines = yield* LatencyQueries.read(sql, {
              ...selection,
              times,
              width,
              parts: TimeRanges.parts(range, width),
              most: Math.max(1, Math.floor(MAX_LATENCIES / Math.max(1, times.length)))
            })
            return { ...range, every: width, times, lines }
          })
        ),

      lastUses: (project) => Effect.mapError(UsageQueries.lastUses(sql, project), fromSql),

      stored: ({ every, project, ...asked }) =>
        during(asked, (range, since) =>
          Effect.gen(function* () {
            const width = TimeRanges.stretch(widthOf(every), range, since)
            yield* timesOf(range, width)
            const levels = yield* UsageQueries.stored(sql, project, TimeRanges.parts(range, width), width)
            return { ...range, every: width, levels }
          })
        )
    })
  })
)

// Private.

const MINUTE = 60_000

/** The latest time that a Date can hold, which is also the start of a day. */
const MAX_TIME = 8.64e15

const widthOf = (every: Duration.Input): number =>
  Math.min(MAX_TIME, Duration.toMillis(Duration.fromInputUnsafe(every)))

const atMost = (top: number | undefined, most: number): number => Math.max(0, Math.min(top ?? most, most))

const MAX_ROWS = 100_000

const MAX_BUCKETS = 10_000

const MAX_LINES = 100

/** Maximum number of lines, or of buckets in all lines together. Each has up to 82 counts. */
const MAX_LATENCIES = 3000

const timesOf = ({ from, to }: TimeRange, width: number): Effect.Effect<ReadonlyArray<number>, UsageQueryError> => {
  const first = TimeRanges.floor(from, width)
  const count = Math.ceil((to - first) / width)
  return count > MAX_BUCKETS
    ? Effect.fail(new UsageQueryError({ problem: "TooManyBuckets", limit: MAX_BUCKETS }))
    : Effect.succeed(Array.from({ length: count }, (_, i) => first + i * width))
}
