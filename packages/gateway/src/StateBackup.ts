/**
 * Copies the state of a service while the service runs, and tells which state a copy is of.
 */
import * as Fs from "node:fs/promises"
import type { DatabaseSync } from "node:sqlite"

import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

import * as Accounts from "./accounts/accountsTables.ts"
import * as Metering from "./metering/usageTables.ts"
import type * as Migrations from "./state/Migrations.ts"
import { sqlErrorOf } from "./state/sqlite/error.ts"
import { fromSql, StateError } from "./state/StateError.ts"

/**
 * The migrations of every state: those of accounts, and those of usage. Tables of other parts may refer to accounts.
 */
export const migrations: ReadonlyArray<Migrations.Migrations> = [Accounts.migrations, Metering.migrations]

/**
 * The identity of a state: the versions of its parts, and some of its accounts.
 */
export interface StateMark {
  /** The version of each part of the state, by the name of its `Migrations`. */
  readonly parts: Readonly<Record<string, number>>
  /**
   * The ids of the first 1000 accounts. Two states of one service have one in common, unless all of them were removed, or
   * very many were made.
   */
  readonly accounts: ReadonlyArray<string>
}

/**
 * Copies a SQLite file to a new file, as it is at one moment, and returns what it is. The copy is on the disk when this
 * returns. Calls are answered and recorded meanwhile: a reader of the file does not stop its writer.
 */
export const copySqlite = (options: {
  readonly file: string
  readonly to: string
}): Effect.Effect<StateMark, StateError> =>
  Effect.andThen(
    reading(options.file, async (source) => {
      source.prepare("VACUUM INTO ?").run(options.to)
      const handle = await Fs.open(options.to, "r+")
      try {
        await handle.chmod(0o600)
        await handle.sync()
      } finally {
        await handle.close()
      }
    }),
    markOfSqlite(options.to)
  )

/** Returns what the state of a SQLite file is. The file is not changed. */
export const markOfSqlite = (file: string): Effect.Effect<StateMark, StateError> =>
  reading(file, async (database) =>
    markOf(database.prepare(VERSIONS).all() as Array<SqlRow>, database.prepare(ACCOUNTS).all() as Array<SqlRow>)
  )

/** Opens a file to read it. A service may use the file. */
const reading = <A>(file: string, work: (database: DatabaseSync) => Promise<A>): Effect.Effect<A, StateError> =>
  Effect.tryPromise({
    try: async () => {
      const { DatabaseSync } = await import("node:sqlite")
      const database = new DatabaseSync(file, { readOnly: true, timeout: PATIENCE })
      try {
        return await work(database)
      } finally {
        database.close()
      }
    },
    catch: (cause) => fromSql(sqlErrorOf(cause, "read"))
  })

/**
 * Returns what the state of a Postgres database is: undefined if the database has no table, a mark without parts if its
 * tables are those of another program.
 */
export const markOfPostgres: Effect.Effect<StateMark | undefined, StateError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ readonly tablename: string }>`
      SELECT tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`
    if (tables.length === 0) return undefined
    const rows = (table: string, statement: string) =>
      tables.some(({ tablename }) => tablename === table) ? sql.unsafe<SqlRow>(statement) : Effect.succeed([])
    return markOf(yield* rows("plumbline_versions", VERSIONS), yield* rows("accounts", ACCOUNTS))
  }
).pipe(Effect.mapError(fromSql))

/**
 * Fails with `StateError` `Newer` if a part of a state is newer than this program knows. `parts` are the parts beside
 * accounts and usage, as in `StateMove`. Parts with other names are not compared.
 */
export const refuseNewer = (
  { parts }: Pick<StateMark, "parts">,
  known: ReadonlyArray<Migrations.Migrations>
): Effect.Effect<void, StateError> => {
  const newer = [...migrations, ...known].find(({ name, steps }) => (parts[name] ?? 0) > steps.length)
  return newer === undefined
    ? Effect.void
    : Effect.fail(
        new StateError({
          problem: "Newer",
          detail: `${newer.name} ${parts[newer.name]}, known are ${newer.steps.length}`
        })
      )
}

/** Milliseconds to wait for a lock, which the service holds at its start and at its end only. */
const PATIENCE = 5000

const VERSIONS = "SELECT part, version FROM plumbline_versions"
const ACCOUNTS = "SELECT id FROM accounts ORDER BY id LIMIT 1000"

type SqlRow = Readonly<Record<string, unknown>>

const markOf = (versions: ReadonlyArray<SqlRow>, accounts: ReadonlyArray<SqlRow>): StateMark => ({
  parts: Object.fromEntries(versions.map(({ part, version }) => [String(part), Number(version)])),
  accounts: accounts.map(({ id }) => String(id))
})
