/**
 * Migrates the tables of the state from version to version.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"

import { fromSql, StateError } from "./StateError.ts"

/**
 * The migration steps of one part of the state, which has separate tables. The n-th step leads from version n - 1 to
 * version n. A released step is never changed; a new form needs a new step.
 *
 * A step may use several statements, but each statement must be a separate text.
 */
export interface Migrations {
  /** The permanent name of the part. */
  readonly name: string
  readonly steps: ReadonlyArray<(sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError>>
}

/**
 * Migrates a part of the state to the newest version. It only migrates forward, and each step has a separate
 * transaction. If several processes start at once, one of them runs each step, and the others wait.
 *
 * If the database has a newer version, the effect fails with `StateError` `Newer` and changes nothing.
 *
 * ```ts import.meta.vitest
 * import { Migrations, Sqlite } from "@plumbline/gateway"
 * import * as Effect from "effect/Effect"
 *
 * const notes = {
 *   name: "notes",
 *   steps: [
 *     (sql) => sql`CREATE TABLE notes (id INTEGER PRIMARY KEY, words TEXT NOT NULL)`,
 *     (sql) => sql`ALTER TABLE notes ADD COLUMN author TEXT`
 *   ]
 * } satisfies Migrations.Migrations
 *
 * const program = Effect.andThen(Migrations.run(notes), Migrations.run(notes))
 * await Effect.runPromise(program.pipe(Effect.provide(Sqlite.layer({ file: ":memory:" })))) // => 2
 * ```
 */
export const run = ({ name, steps }: Migrations): Effect.Effect<number, StateError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.withTransaction(Effect.andThen(alone(sql), createTable(sql)))
    // Each iteration reads the version again, because another process may have run the step.
    for (;;) {
      const done = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* alone(sql)
          const version = yield* versionOf(sql, name)
          if (version > steps.length) {
            return yield* new StateError({ problem: "Newer", detail: `${name} ${version}, known are ${steps.length}` })
          }
          const step = steps[version]
          if (step === undefined) return true
          yield* step(sql)
          yield* sql`
            INSERT INTO plumbline_versions (part, version) VALUES (${name}, ${version + 1})
            ON CONFLICT (part) DO UPDATE SET version = excluded.version`
          return false
        })
      )
      if (done) return steps.length
    }
  }).pipe(Effect.mapError((error) => (error instanceof SqlError ? fromSql(error) : error)))

/**
 * Locks the migrations until the transaction ends. In SQLite the transaction has the only write lock from its start.
 */
const alone = (sql: SqlClient.SqlClient): Effect.Effect<unknown, SqlError> =>
  sql.onDialectOrElse({
    pg: () => sql`SELECT pg_advisory_xact_lock(${LOCK})`,
    orElse: () => Effect.void
  })

/** The number of the lock: the letters "plumb", which other programs are unlikely to use. */
const LOCK = 0x706c756d62n

const createTable = (sql: SqlClient.SqlClient) =>
  sql`CREATE TABLE IF NOT EXISTS plumbline_versions (part TEXT PRIMARY KEY, version INTEGER NOT NULL)`

const versionOf = (sql: SqlClient.SqlClient, name: string): Effect.Effect<number, SqlError> =>
  Effect.map(
    sql<{ readonly version: number }>`SELECT version FROM plumbline_versions WHERE part = ${name}`,
    ([row]) => row?.version ?? 0
  )
