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
 *
 * **Expand first, contract one release later.** While processes are replaced, two releases use the same tables. So a step
 * only adds: a table, a column that is null or has a default, an index of a new table. What a release no longer uses is
 * removed, renamed or made stricter by a step of the next release, which `contracts` names.
 */
export interface Migrations {
  /** The permanent name of the part. */
  readonly name: string
  readonly steps: ReadonlyArray<(sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError>>
  /** The versions whose steps take something away from programs that know only the steps before (default: none). */
  readonly contracts?: ReadonlyArray<number> | undefined
}

/**
 * Migrates a part of the state to the newest version, and returns the version of its tables. It only migrates forward,
 * and each step has a separate transaction. If several processes start at once, one of them runs each step, and the
 * others wait.
 *
 * A database with newer tables can be used, unless a newer step contracts: then the effect fails with `StateError`
 * `Newer` and changes nothing.
 *
 * In Postgres, calls of other processes do not wait behind a step for longer than a quarter of a second: a step that
 * cannot lock its tables in this time is tried again, for up to two minutes.
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
export const run = ({
  contracts = [],
  name,
  steps
}: Migrations): Effect.Effect<number, StateError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* patiently(sql, Effect.andThen(alone(sql), createTable(sql)))
    // Each iteration reads the version again, because another process may have run the step.
    for (;;) {
      const done = yield* patiently(
        sql,
        Effect.gen(function* () {
          yield* alone(sql)
          const version = yield* versionOf(sql, name)
          if (version > steps.length) {
            const oldest = yield* versionOf(sql, oldestOf(name), version)
            return oldest <= steps.length
              ? version
              : yield* new StateError({ problem: "Newer", detail: `${name} ${version}, known are ${steps.length}` })
          }
          const step = steps[version]
          if (step === undefined) return version
          yield* step(sql)
          const isContraction = contracts.includes(version + 1)
          // a program that knew the tables before this step can use them after it, unless the step contracts
          const oldest = yield* versionOf(sql, oldestOf(name), Math.max(version, 1))
          yield* write(sql, oldestOf(name), isContraction ? version + 1 : oldest)
          yield* write(sql, name, version + 1)
          return undefined
        })
      )
      if (done !== undefined) return done
    }
  }).pipe(Effect.mapError((error) => (error instanceof SqlError ? fromSql(error) : error)))

/** The row with the number of steps that a program must know at least to use the tables of a part. */
const oldestOf = (name: string): string => `${name} oldest`

const write = (sql: SqlClient.SqlClient, part: string, version: number) => sql`
  INSERT INTO plumbline_versions (part, version) VALUES (${part}, ${version})
  ON CONFLICT (part) DO UPDATE SET version = excluded.version`

/**
 * Runs a transaction. In Postgres, a statement that changes a table waits for the transactions that use it, and all
 * other statements wait behind it. So it gives up soon, and is tried again.
 */
const patiently = <A, E>(sql: SqlClient.SqlClient, work: Effect.Effect<A, E | SqlError>) =>
  sql.onDialectOrElse({
    pg: () => {
      const attempt = sql.withTransaction(Effect.andThen(sql`SET LOCAL lock_timeout = '250ms'`, work))
      const tried = (tries: number): Effect.Effect<A, E | SqlError> =>
        tries === 1
          ? attempt
          : Effect.catchIf(attempt, isLocked, () =>
              // The database waits, because the clock of a test may stand still.
              Effect.andThen(sql`SELECT pg_sleep(0.25)`, tried(tries - 1))
            )
      return tried(TRIES)
    },
    orElse: () => sql.withTransaction(work)
  })

/** The number of tries of a transaction, of half a second each. */
const TRIES = 240

const isLocked = (error: unknown): error is SqlError => error instanceof SqlError && LOCKED.has(error.reason._tag)

const LOCKED: ReadonlySet<string> = new Set(["LockTimeoutError", "DeadlockError"])

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

const versionOf = (sql: SqlClient.SqlClient, part: string, absent = 0): Effect.Effect<number, SqlError> =>
  Effect.map(
    sql<{ readonly version: number }>`SELECT version FROM plumbline_versions WHERE part = ${part}`,
    ([row]) => row?.version ?? absent
  )
