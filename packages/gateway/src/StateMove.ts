/**
 * Moves the whole state of a service from a SQLite file to a Postgres database.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"

import * as Migrations from "./state/Migrations.ts"
import type { MoveError } from "./state/MoveError.ts"
import * as Postgres from "./state/Postgres.ts"
import * as Sqlite from "./state/Sqlite.ts"
import { fromSql, type StateError } from "./state/StateError.ts"
import * as TableCopy from "./state/tableCopy.ts"
import * as StateBackup from "./StateBackup.ts"

export { MoveError } from "./state/MoveError.ts"

/**
 * A table that was copied, with the number of its rows.
 */
export interface MovedTable {
  readonly table: string
  readonly rows: number
}

/**
 * Copies accounts, projects, keys, cards, usage, pins and the audit log, and returns the number of rows of each table.
 *
 * - **Whole or not at all**: the move is one transaction of Postgres. After a failure the target is unchanged, and the
 *   move can be tried again.
 * - **Compared**: before the commit, each table is read from the target and compared with the file, row by row.
 * - **The target must be empty**: a database without tables, or one whose tables have no rows.
 * - **No table is forgotten**: if the file has a table that no part makes, the move fails with `Unlike`.
 * - The file does not change, except that its tables are migrated to the newest version. No service may use the file
 *   during the move. A service's writes wait until the move ends, and are not copied.
 */
export const run = (options: {
  /** The SQLite file. It must exist. */
  readonly file: string
  readonly postgres: Redacted.Redacted
  /**
   * The parts of the state beside accounts and usage: those of `AdminServer.migrations` and `IpfsProjects.migrations`.
   * Their tables may refer to accounts, and to parts before them.
   */
  readonly parts: ReadonlyArray<Migrations.Migrations>
  /** Runs before each table is copied, with the table's name. Use it to show progress. */
  readonly onTable?: ((table: string) => Effect.Effect<void>) | undefined
}): Effect.Effect<ReadonlyArray<MovedTable>, MoveError | StateError> =>
  Effect.gen(function* () {
    const parts = [...StateBackup.migrations, ...options.parts]
    const source = yield* open(Sqlite.layer({ file: options.file }), parts)
    const fresh = yield* open(Sqlite.layer({ file: ":memory:" }), parts)
    // One connection is enough: the transaction uses it throughout.
    const target = yield* open(Postgres.layer({ url: options.postgres, connections: 1 }), parts)
    return yield* Effect.mapError(
      TableCopy.run({ source, target, fresh, onTable: options.onTable ?? (() => Effect.void) }),
      (error) => (isSqlError(error) ? fromSql(error) : error)
    )
  }).pipe(Effect.scoped)

/** Opens a database, and migrates its tables to the newest version. */
const open = Effect.fnUntraced(function* (
  layer: Layer.Layer<SqlClient.SqlClient, StateError>,
  parts: ReadonlyArray<Migrations.Migrations>
) {
  const context = yield* Layer.build(Layer.fresh(layer))
  for (const part of parts) {
    const version = yield* Effect.provideContext(Migrations.run(part), context)
    yield* StateBackup.refuseNewer({ parts: { [part.name]: version } }, [part])
  }
  return yield* Effect.provideContext(SqlClient.SqlClient, context)
})
