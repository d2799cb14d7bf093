/**
 * Adds a batch: in Postgres by one statement, in SQLite by a transaction with a few statements. The texts of the
 * statements are fixed.
 */
import type { StatementSync } from "node:sqlite"

import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import type { DirectTransactions } from "../state/sqlite/directTransactions.ts"
import { IsAwaited } from "../state/sqlite/writeAheadLog.ts"
import type { UsageBatch, UsageDurability, UsageRow } from "./usageBatch.ts"
import { counts, dimensions, grains } from "./usageTables.ts"

export type CommitBatch = (batch: UsageBatch, durability: UsageDurability) => Effect.Effect<void, SqlError>

/** Adds a batch without an Effect, as `UsageStore.commitNow` does. */
export type CommitNow = (batch: UsageBatch, done: (isDurable: boolean) => void, durability: UsageDurability) => boolean

export const make = (sql: SqlClient.SqlClient): CommitBatch =>
  sql.onDialectOrElse({ pg: () => inPostgres(sql), orElse: () => inSqlite(sql) })

const columns = ["at", ...dimensions, ...counts]
const key = ["at", ...dimensions].join(", ")

const addTo = (table: string): string =>
  `ON CONFLICT (${key}) DO UPDATE SET ${counts.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(", ")}`

const raise = (table: string): string =>
  `ON CONFLICT (at, project) DO UPDATE SET bytes = excluded.bytes WHERE ${table}.bytes < excluded.bytes`

/** Returns no row if this batch, or a later batch of the same writer, was already added. */
const enter = (values: string): string =>
  `INSERT INTO usage_writers (writer, batch, at) VALUES (${values})
  ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch, at = excluded.at WHERE usage_writers.batch < excluded.batch
  RETURNING batch`

/**
 * Commits a batch in one round trip. The statement locks the writer's row first, because it adds the rows only if that
 * row was updated. If the outcome of an earlier try is unknown, the earlier statement may still hold that lock, and
 * this statement waits for it. All processes lock the other rows in the same order. The database computes the sums,
 * exact to 64 bits.
 */
const inPostgres = (sql: SqlClient.SqlClient): CommitBatch => {
  const texts = (durability: UsageDurability) => ({
    plain: postgresText(false, durability),
    withLevels: postgresText(true, durability)
  })
  const by = { process: texts("process"), disk: texts("disk") }
  return ({ at, levels, number, rows, writer }, durability) => {
    const { plain, withLevels } = by[durability]
    const params = [writer, number, at, JSON.stringify(rows)]
    return Effect.asVoid(
      levels.length === 0 ? sql.unsafe(plain, params) : sql.unsafe(withLevels, [...params, JSON.stringify(levels)])
    )
  }
}

/**
 * Sets `synchronous_commit` for the transaction of the statement itself, which costs no round trip. Other statements of
 * the connection still wait for the disk.
 */
const UNAWAITED = "set_config('synchronous_commit', 'off', TRUE)"

const postgresText = (withLevels: boolean, durability: UsageDurability): string => {
  const element = (index: number, type: string): string => `CAST(value ->> ${index} AS ${type})`
  const elements = (parameter: string): string =>
    `json_array_elements(CAST(${parameter} AS JSON)) AS elements (value) WHERE EXISTS (SELECT FROM entered)`
  const usages = [
    `${element(0, "BIGINT")} AS minute`,
    ...dimensions.map((name, i) => `${element(1 + i, name === "status" ? "INTEGER" : "TEXT")} AS ${name}`),
    ...counts.map((name, i) => `${element(1 + dimensions.length + i, "BIGINT")} AS ${name}`)
  ]
  const places = columns.slice(0, 1 + dimensions.length).map((_, i) => i + 1)
  return `WITH entered AS (${enter("$1, $2, $3")}),
    usages AS MATERIALIZED (SELECT ${usages.join(", ")} FROM ${elements("$4")}),
    ${grains
      .map(
        ({ grain, unit, usage }) => `of_${grain} AS (
          INSERT INTO ${usage} (${columns.join(", ")})
          SELECT minute - minute % ${unit}, ${dimensions.join(", ")},
            ${counts.map((name) => `CAST(sum(${name}) AS BIGINT)`).join(", ")}
          FROM usages GROUP BY ${places.join(", ")} ORDER BY ${places.join(", ")}
          ${addTo(usage)})`
      )
      .join(", ")}
    ${
      withLevels
        ? `, levels AS MATERIALIZED (
          SELECT ${element(0, "BIGINT")} AS minute, ${element(1, "TEXT")} AS project, ${element(2, "BIGINT")} AS bytes
          FROM ${elements("$5")}),
        ${grains
          .map(
            ({ grain, stored, unit }) => `stored_of_${grain} AS (
              INSERT INTO ${stored} (at, project, bytes)
              SELECT minute - minute % ${unit}, project, max(bytes) FROM levels GROUP BY 1, 2 ORDER BY 1, 2
              ${raise(stored)})`
          )
          .join(", ")}`
        : ""
    }
    SELECT batch${durability === "disk" ? "" : `, ${UNAWAITED}`} FROM entered`
}

/**
 * The texts of the statements for SQLite. SQLite runs inside the process, so most of the cost is per value. Values are
 * bound one by one, because reading them from JSON is expensive.
 */
const sqliteTexts = () => ({
  entering: enter("?, ?, ?"),
  tables: grains.map(({ stored, unit, usage }) => ({
    unit,
    // The text for n rows has the index n - 1.
    adding: Array.from(
      { length: MAX_ROWS },
      (_, i) =>
        `INSERT INTO ${usage} (${columns.join(", ")}) VALUES ${Array(i + 1)
          .fill(`(${columns.map(() => "?").join(", ")})`)
          .join(", ")} ${addTo(usage)}`
    ),
    raising: `INSERT INTO ${stored} (at, project, bytes) VALUES (?, ?, ?) ${raise(stored)}`
  }))
})

const inSqlite = (sql: SqlClient.SqlClient): CommitBatch => {
  const { entering, tables } = sqliteTexts()
  return ({ at, levels, number, rows, writer }, durability) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          if ((yield* sql.unsafe(entering, [writer, number, at])).length === 0) return
          for (const { adding, raising, unit } of tables) {
            for (let from = 0; from < rows.length; from += MAX_ROWS) {
              const some = rows.slice(from, from + MAX_ROWS)
              yield* sql.unsafe(adding[some.length - 1]!, valuesOf(some, unit))
            }
            for (const [minute, project, bytes] of levels) {
              yield* sql.unsafe(raising, [minute - (minute % unit), project, bytes])
            }
          }
        })
      )
      .pipe(Effect.provideService(IsAwaited, durability === "disk"))
}

/**
 * Adds a batch with the same statements, without yielding. It refuses a batch that would block the event loop for long;
 * `CommitBatch` yields between statements.
 */
export const atOnce = (direct: DirectTransactions): CommitNow => {
  const { entering, tables } = sqliteTexts()
  const enter = direct.prepare(entering)
  const statements = tables.map(({ adding, raising, unit }) => {
    // Statements are prepared when first used: most sizes never occur.
    const prepared: Array<StatementSync | undefined> = []
    return {
      unit,
      adding: (rows: number) => (prepared[rows] ??= direct.prepare(adding[rows - 1]!)),
      raise: direct.prepare(raising)
    }
  })
  return ({ at, levels, number, rows, writer }, done, durability) =>
    rows.length + levels.length <= MAX_AT_ONCE &&
    direct.transact(
      (waits) => {
        // Only a write that waits for the disk can have an unknown outcome, so only that batch can come again.
        if (waits && enter.get(writer, number, at) === undefined) return
        for (const { adding, raise, unit } of statements) {
          for (let from = 0; from < rows.length; from += MAX_ROWS) {
            const some = rows.length <= MAX_ROWS ? rows : rows.slice(from, from + MAX_ROWS)
            adding(some.length).run(...valuesOf(some, unit))
          }
          for (const [minute, project, bytes] of levels) raise.run(minute - (minute % unit), project, bytes)
        }
      },
      done,
      durability === "disk"
    )
}

/** Maximum number of rows of a batch that is added without yielding. They take about a millisecond. */
const MAX_AT_ONCE = 100

/** Maximum number of rows of one statement. Larger statements need more texts and gain little. */
const MAX_ROWS = 16

const valuesOf = (rows: ReadonlyArray<UsageRow>, unit: number): Array<string | number> => {
  const values: Array<string | number> = []
  for (const row of rows) {
    values.push(...row)
    values[values.length - row.length] = row[0] - (row[0] % unit)
  }
  return values
}
