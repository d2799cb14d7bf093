/**
 * The tables of usage. Each minute, hour and day has a separate row for each project, product, network, method, status
 * and key, so that a query over many days reads few rows. One transaction writes the rows of all three, so they always
 * agree.
 */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import type { Migrations } from "../state/Migrations.ts"
import * as Latency from "./latency/latencyTables.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The resolution of stored time. */
export type UsageGrain = "minute" | "hour" | "day"

/** The grains, the finest first; `unit` is in milliseconds. Units are counted from the epoch, so days are UTC days. */
export const grains: ReadonlyArray<{
  readonly grain: UsageGrain
  readonly unit: number
  readonly usage: string
  readonly stored: string
  readonly latency: string
}> = [
  {
    grain: "minute",
    unit: MINUTE,
    usage: "usage_minutes",
    stored: "usage_stored_minutes",
    latency: "usage_latency_minutes"
  },
  { grain: "hour", unit: HOUR, usage: "usage_hours", stored: "usage_stored_hours", latency: "usage_latency_hours" },
  { grain: "day", unit: DAY, usage: "usage_days", stored: "usage_stored_days", latency: "usage_latency_days" }
]

/** The columns that distinguish rows of the same time, in the order of the primary key. */
export const dimensions = ["project", "product", "network", "method", "status", "key", "outcome"] as const

/** The columns that hold counts. */
export const counts = ["calls", "credits", "bytes_in", "bytes_out", "uploaded", "downloaded"] as const

export const migrations: Migrations = {
  name: "usage",
  contracts: [2],
  steps: [
    (sql) =>
      Effect.gen(function* () {
        for (const { stored, usage } of grains) {
          yield* createUsage(sql, usage)
          // No index contains a count, so updating a count writes only the row.
          yield* sql`CREATE INDEX ${sql(`${usage}_of_project`)} ON ${sql(usage)} (project, at)`
          yield* createStored(sql, stored)
          yield* sql`CREATE INDEX ${sql(`${stored}_of_project`)} ON ${sql(stored)} (project, at)`
        }
        // `usage_writers`: the newest batch of each process. `usage_kept`: the time from which each grain is kept.
        yield* sql`CREATE TABLE usage_writers (writer TEXT PRIMARY KEY, batch BIGINT NOT NULL, at BIGINT NOT NULL)`
        yield* sql`CREATE TABLE usage_kept (grain TEXT PRIMARY KEY, since BIGINT NOT NULL)`
        for (const { grain } of grains) yield* sql`INSERT INTO usage_kept (grain, since) VALUES (${grain}, 0)`
      }),
    (sql) => Effect.forEach(grains, ({ usage }) => addOutcome(sql, usage), { discard: true }),
    (sql) => Effect.forEach(grains, (grain) => Latency.create(sql, grain), { discard: true })
  ]
}

/** Makes the outcome a part of the primary key. SQLite cannot change a primary key, so its rows move to a new table. */
const addOutcome = (sql: SqlClient.SqlClient, table: string): Effect.Effect<unknown, SqlError> =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.gen(function* () {
        yield* sql`ALTER TABLE ${sql(table)} ADD COLUMN outcome TEXT COLLATE "C" NOT NULL DEFAULT 'unknown'`
        yield* sql`ALTER TABLE ${sql(table)} DROP CONSTRAINT ${sql(`${table}_pkey`)}`
        yield* sql`
          ALTER TABLE ${sql(table)} ADD PRIMARY KEY (at, project, product, network, method, status, key, outcome)`
      }),
    orElse: () =>
      Effect.gen(function* () {
        const old = `${table}_without_outcome`
        yield* sql`ALTER TABLE ${sql(table)} RENAME TO ${sql(old)}`
        yield* sql`DROP INDEX ${sql(`${table}_of_project`)}`
        yield* sql`
          CREATE TABLE ${sql(table)} (
            at INTEGER NOT NULL, project TEXT NOT NULL, product TEXT NOT NULL, network TEXT NOT NULL,
            method TEXT NOT NULL, status INTEGER NOT NULL, key TEXT NOT NULL, outcome TEXT NOT NULL,
            calls INTEGER NOT NULL, credits INTEGER NOT NULL, bytes_in INTEGER NOT NULL, bytes_out INTEGER NOT NULL,
            uploaded INTEGER NOT NULL, downloaded INTEGER NOT NULL,
            PRIMARY KEY (at, project, product, network, method, status, key, outcome)
          ) STRICT, WITHOUT ROWID`
        yield* sql`
          INSERT INTO ${sql(table)}
          SELECT at, project, product, network, method, status, key, 'unknown',
            calls, credits, bytes_in, bytes_out, uploaded, downloaded
          FROM ${sql(old)} ORDER BY at, project, product, network, method, status, key`
        yield* sql`DROP TABLE ${sql(old)}`
        yield* sql`CREATE INDEX ${sql(`${table}_of_project`)} ON ${sql(table)} (project, at)`
      })
  })

/** STRICT makes SQLite fail if a sum exceeds 64 bits. Otherwise SQLite would continue with a rounded number. */
const createUsage = (sql: SqlClient.SqlClient, table: string): Effect.Effect<unknown, SqlError> =>
  sql.onDialectOrElse({
    pg: () => sql`
      CREATE TABLE ${sql(table)} (
        at BIGINT NOT NULL, project TEXT COLLATE "C" NOT NULL, product TEXT COLLATE "C" NOT NULL,
        network TEXT COLLATE "C" NOT NULL, method TEXT COLLATE "C" NOT NULL, status INTEGER NOT NULL,
        key TEXT COLLATE "C" NOT NULL,
        calls BIGINT NOT NULL, credits BIGINT NOT NULL, bytes_in BIGINT NOT NULL, bytes_out BIGINT NOT NULL,
        uploaded BIGINT NOT NULL, downloaded BIGINT NOT NULL,
        PRIMARY KEY (at, project, product, network, method, status, key)
      )`,
    orElse: () => sql`
      CREATE TABLE ${sql(table)} (
        at INTEGER NOT NULL, project TEXT NOT NULL, product TEXT NOT NULL, network TEXT NOT NULL, method TEXT NOT NULL,
        status INTEGER NOT NULL, key TEXT NOT NULL,
        calls INTEGER NOT NULL, credits INTEGER NOT NULL, bytes_in INTEGER NOT NULL, bytes_out INTEGER NOT NULL,
        uploaded INTEGER NOT NULL, downloaded INTEGER NOT NULL,
        PRIMARY KEY (at, project, product, network, method, status, key)
      ) STRICT, WITHOUT ROWID`
  })

const createStored = (sql: SqlClient.SqlClient, table: string): Effect.Effect<unknown, SqlError> =>
  sql.onDialectOrElse({
    pg: () => sql`
      CREATE TABLE ${sql(table)} (
        at BIGINT NOT NULL, project TEXT COLLATE "C" NOT NULL, bytes BIGINT NOT NULL, PRIMARY KEY (at, project)
      )`,
    orElse: () => sql`
      CREATE TABLE ${sql(table)} (
        at INTEGER NOT NULL, project TEXT NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (at, project)
      ) STRICT, WITHOUT ROWID`
  })
