/** Selects rows of the tables of usage, which are kept in several grains. */
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

import { outcomes } from "../Usage.ts"
import * as UsageTables from "../usageTables.ts"
import type { TimeRangePart } from "./timeRange.ts"

/** Returns the rows of a range of time that meet the conditions: a query for a FROM clause. */
export const select = (
  sql: SqlClient.SqlClient,
  table: "usage" | "stored" | "latency",
  parts: ReadonlyArray<TimeRangePart>,
  conditions: ReadonlyArray<Fragment>
): Fragment =>
  sql.join(
    " UNION ALL ",
    false
  )(
    parts.map(({ from, grain, to }) => {
      const name = UsageTables.grains.find((one) => one.grain === grain)![table]
      return sql`SELECT * FROM ${sql(name)} WHERE ${sql.and([sql`at >= ${from} AND at < ${to}`, ...conditions])}`
    })
  )

/** Returns a dimension as it is read: an outcome that only a later version of the service knows is `unknown`. */
export const dimension = (sql: SqlClient.SqlClient, name: string): Fragment =>
  name === "outcome" ? sql`${sql.literal(OUTCOME)}` : sql`${sql(name)}`

const OUTCOME = `CASE WHEN outcome IN (${outcomes.map((one) => `'${one}'`).join(", ")}) THEN outcome ELSE 'unknown' END`

/** Returns the condition that a row has the dimensions of one of `rows`. */
export const among = <D extends string>(
  sql: SqlClient.SqlClient,
  by: ReadonlyArray<D>,
  rows: ReadonlyArray<{ readonly [name in D]?: unknown }>
): Fragment => sql.or(rows.map((row) => sql.and(by.map((name) => sql`${dimension(sql, name)} = ${row[name]}`))))
