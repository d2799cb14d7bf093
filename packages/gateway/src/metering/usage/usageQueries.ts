/** The database queries for figures. */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Struct from "effect/Struct"

import type { Product } from "../../accounts/Product.ts"
import type { UsageDimensions, UsageOutcome } from "../Usage.ts"
import * as UsageTables from "../usageTables.ts"
import * as GrainRows from "./grainRows.ts"
import type { TimeRangePart, TimeRange, RetainedGrains } from "./timeRange.ts"

/**
 * The counters of usage.
 */
export interface UsageCounts {
  readonly calls: bigint
  readonly credits: bigint
  readonly bytesIn: bigint
  readonly bytesOut: bigint
  /** Bytes that callers sent to be added to IPFS. */
  readonly uploaded: bigint
  /** Bytes of IPFS content that callers received. */
  readonly downloaded: bigint
}

/** Selects the usage in a range of time that has all given values. */
export interface UsageSelection extends TimeRange {
  readonly project?: string | undefined
  readonly product?: Product | undefined
  readonly network?: string | undefined
  readonly method?: string | undefined
  readonly status?: number | undefined
  readonly key?: string | undefined
  readonly outcome?: UsageOutcome | undefined
}

/** A number, or a bigint if the value is too large for a number. */
type Integer = number | bigint

/** A row of the database, with the dimensions that were selected. */
export interface UsageSumRow extends Partial<UsageDimensions> {
  readonly bucket?: Integer
  readonly calls: Integer | null
  readonly credits: Integer | null
  readonly bytes_in: Integer | null
  readonly bytes_out: Integer | null
  readonly uploaded: Integer | null
  readonly downloaded: Integer | null
}

type Dimension = keyof UsageDimensions

/** Returns the time from which each grain is kept. */
export const since = (sql: SqlClient.SqlClient): Effect.Effect<RetainedGrains, SqlError> =>
  Effect.map(
    sql<{ readonly grain: UsageTables.UsageGrain; readonly since: Integer }>`SELECT grain, since FROM usage_kept`,
    (rows) => UsageTables.grains.map(({ grain }) => Number(rows.find((row) => row.grain === grain)?.since ?? 0))
  )

/** Returns the sums of the usage in `parts`. It uses one statement, so all sums are from the same moment. */
export const read = (
  sql: SqlClient.SqlClient,
  options: {
    readonly selection: Omit<UsageSelection, "from" | "to">
    readonly parts: ReadonlyArray<TimeRangePart>
    readonly by: ReadonlyArray<Dimension>
    readonly limit?: number | undefined
    /** Rows are sorted by this count, the largest first. By default, rows are sorted by their dimensions. */
    readonly order?: keyof UsageCounts | undefined
    /** The length of a bucket in milliseconds: each bucket has separate sums. */
    readonly width?: number | undefined
    /** Restricts the sums to rows with one of these combinations of dimensions. */
    readonly among?: ReadonlyArray<Partial<UsageDimensions>> | undefined
  }
): Effect.Effect<ReadonlyArray<UsageSumRow>, SqlError> => {
  const { among, by, limit, order, parts, selection, width } = options
  if (parts.length === 0 || among?.length === 0) return Effect.succeed([])
  const groups = [
    ...(width === undefined ? [] : [sql`at - at % ${sql.literal(String(width))}`]),
    ...by.map((name) => GrainRows.dimension(sql, name))
  ]
  const names = [...(width === undefined ? [] : ["bucket"]), ...by]
  const positions = groups.map((_, i) => String(i + 1)).join(", ")
  const conditions = [
    ...UsageTables.dimensions.flatMap((name) => {
      const value = selection[name]
      return value === undefined ? [] : [sql`${GrainRows.dimension(sql, name)} = ${value}`]
    }),
    ...(among === undefined || by.length === 0 ? [] : [GrainRows.among(sql, by, among)])
  ]
  const source = GrainRows.select(sql, "usage", parts, conditions)
  const columns = [
    ...groups.map((group, i) => sql`${group} AS ${sql(names[i]!)}`),
    ...UsageTables.counts.map((name) => sql`CAST(sum(${sql(name)}) AS BIGINT) AS ${sql(name)}`)
  ]
  const first = order === undefined ? [] : [sql.literal(`${groups.length + 1 + ORDER.indexOf(order)} DESC`)]
  const sorting = [...first, ...(groups.length === 0 ? [] : [sql.literal(positions)])]
  return sql<UsageSumRow>`
    SELECT ${sql.csv(columns)} FROM (${source}) AS parts
    ${sql.literal(groups.length === 0 ? "" : `GROUP BY ${positions}`)}
    ${sorting.length === 0 ? sql.literal("") : sql.csv("ORDER BY", sorting)}
    ${limit === undefined ? sql.literal("") : sql`LIMIT ${limit}`}`
}

/** The columns in the order of `Tables.counts`. */
const ORDER: ReadonlyArray<keyof UsageCounts> = ["calls", "credits", "bytesIn", "bytesOut", "uploaded", "downloaded"]

/** Returns the maximum of the stored bytes in each bucket. Buckets without a record are left out. */
export const stored = (
  sql: SqlClient.SqlClient,
  project: string,
  parts: ReadonlyArray<TimeRangePart>,
  width: number
): Effect.Effect<ReadonlyArray<{ readonly at: number; readonly bytes: bigint }>, SqlError> => {
  if (parts.length === 0) return Effect.succeed([])
  const source = GrainRows.select(sql, "stored", parts, [sql`project = ${project}`])
  return Effect.map(
    sql<{ readonly at: Integer; readonly bytes: Integer }>`
      SELECT at - at % ${sql.literal(String(width))} AS at, max(bytes) AS bytes FROM (${source}) AS parts
      GROUP BY 1 ORDER BY 1`,
    (rows) => rows.map(({ at, bytes }) => ({ at: Number(at), bytes: BigInt(bytes) }))
  )
}

/** Returns the last use of each key of a project, from the finest rows in which it is still kept. */
export const lastUses = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  project: string
): Effect.fn.Return<
  ReadonlyArray<{ readonly key: string; readonly at: number; readonly within: UsageTables.UsageGrain }>,
  SqlError
> {
  const found = new Map<
    string,
    { readonly key: string; readonly at: number; readonly within: UsageTables.UsageGrain }
  >()
  for (const { grain, usage } of UsageTables.grains) {
    const rows = yield* sql<{ readonly key: string; readonly at: Integer }>`
      SELECT key, max(at) AS at FROM ${sql(usage)} WHERE project = ${project} GROUP BY key`
    for (const { at, key } of rows) if (!found.has(key)) found.set(key, { key, at: Number(at), within: grain })
  }
  return [...found.values()].toSorted((a, b) => b.at - a.at)
})

export const NOTHING: UsageCounts = { calls: 0n, credits: 0n, bytesIn: 0n, bytesOut: 0n, uploaded: 0n, downloaded: 0n }

/** Returns the counts of a row. Without a row, all counts are zero. */
export const countsOf = (row: UsageSumRow | undefined): UsageCounts =>
  row === undefined
    ? NOTHING
    : {
        calls: BigInt(row.calls ?? 0),
        credits: BigInt(row.credits ?? 0),
        bytesIn: BigInt(row.bytes_in ?? 0),
        bytesOut: BigInt(row.bytes_out ?? 0),
        uploaded: BigInt(row.uploaded ?? 0),
        downloaded: BigInt(row.downloaded ?? 0)
      }

export const add = (all: ReadonlyArray<UsageCounts>): UsageCounts =>
  all.reduce(
    (a, b) => ({
      calls: a.calls + b.calls,
      credits: a.credits + b.credits,
      bytesIn: a.bytesIn + b.bytesIn,
      bytesOut: a.bytesOut + b.bytesOut,
      uploaded: a.uploaded + b.uploaded,
      downloaded: a.downloaded + b.downloaded
    }),
    NOTHING
  )

/** Returns the dimensions of a row that was selected by them. */
export const dimensionsOf = <D extends Dimension>(
  row: Partial<UsageDimensions>,
  by: ReadonlyArray<D>
): Pick<UsageDimensions, D> => Struct.pick(row as UsageDimensions, by)

/** Joins the dimensions of a row into one text. */
export const keyOf = (row: Partial<UsageDimensions>, by: ReadonlyArray<Dimension>): string =>
  by.map((name) => row[name]).join("\0")
