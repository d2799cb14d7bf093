/** The tables of response times. Each minute, hour and day has a row for each bucket of each network and method. */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import type { LatencyRow } from "./latencyRecorder.ts"

/** A grain of usage, with its table of response times. */
export interface LatencyGrain {
  readonly unit: number
  readonly latency: string
}

export const create = (sql: SqlClient.SqlClient, { latency }: LatencyGrain): Effect.Effect<unknown, SqlError> => {
  const text = sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
  const integer = sql.literal(sql.onDialectOrElse({ pg: () => "BIGINT", orElse: () => "INTEGER" }))
  const form = sql.literal(sql.onDialectOrElse({ pg: () => "", orElse: () => "STRICT, WITHOUT ROWID" }))
  return sql`CREATE TABLE ${sql(latency)} (
    at ${integer} NOT NULL, network ${text} NOT NULL, method ${text} NOT NULL, bucket INTEGER NOT NULL,
    calls ${integer} NOT NULL, PRIMARY KEY (at, network, method, bucket)
  ) ${form}`
}

/** Maximum number of rows of one statement. */
const STEP = 100

/** Adds counts to every grain of a minute, in one transaction. All processes lock the rows in the same order. */
export const add = (
  sql: SqlClient.SqlClient,
  grains: ReadonlyArray<LatencyGrain>,
  minute: number,
  rows: ReadonlyArray<LatencyRow>
): Effect.Effect<void, SqlError> => {
  const sorted = rows.toSorted(
    (a, b) => compare(a.network, b.network) || compare(a.method, b.method) || a.bucket - b.bucket
  )
  return sql.withTransaction(
    Effect.gen(function* () {
      for (const { latency, unit } of grains) {
        for (let from = 0; from < sorted.length; from += STEP) {
          const [first, ...rest] = sorted
            .slice(from, from + STEP)
            .map((row): Record<string, unknown> => ({ at: minute - (minute % unit), ...row }))
          yield* sql`
            INSERT INTO ${sql(latency)} ${sql.insert([first!, ...rest])}
            ON CONFLICT (at, network, method, bucket) DO UPDATE SET calls = ${sql(latency)}.calls + excluded.calls`
        }
      }
    })
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
