/**
 * State in a Postgres database, for several processes: `SqlClient` over `@effect/sql-pg`.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"

import * as StateInteger from "./integer.ts"
import { fromSql, type StateError } from "./StateError.ts"

/**
 * The defaults of the options.
 */
export const defaults: { readonly connections: number } = { connections: 10 }

/**
 * A `SqlClient` on the database of a URL, `postgres://user:password@host:5432/name`, that behaves as the one of
 * `Sqlite`:
 *
 * - A change is on the disk when its call, or its transaction, returns, even if the server's settings differ.
 * - An integer comes back as a number, beyond 2^53 - 1 as a bigint, and may be given as either. A blob is a `Uint8Array`.
 * - A transaction whose connection breaks fails with a `SqlError`; it may or may not have been committed.
 *
 * It holds at most `connections` (default: 10). A statement ends after 30 seconds, a wait for a lock after 5, an idle
 * transaction after 30. A database that cannot be reached at the start is a `StateError`; later its connections are
 * opened again as they are needed.
 */
export const layer = (options: {
  readonly url: Redacted.Redacted
  readonly connections?: number | undefined
}): Layer.Layer<SqlClient.SqlClient, StateError> =>
  PgClient.layerFrom(
    PgClient.make({
      url: options.url,
      maxConnections: options.connections ?? defaults.connections,
      applicationName: "plumbline",
      startupParameters: {
        synchronous_commit: "on",
        statement_timeout: "30s",
        lock_timeout: "5s",
        idle_in_transaction_session_timeout: "30s"
      },
      types
    }).pipe(
      Effect.tap((sql) => sql`SELECT 1`),
      Effect.mapBoth({ onFailure: fromSql, onSuccess: withTypedTransactions })
    )
  )

/**
 * Turns a broken connection into a `SqlError`. The server has already rolled back its transaction, so the client's own
 * rollback fails, and effect reports that as a defect.
 */
const withTypedTransactions = (sql: PgClient.PgClient): PgClient.PgClient => {
  const { withTransaction } = sql
  const typed: PgClient.PgClient["withTransaction"] = (work) =>
    Effect.catchDefect(withTransaction(work), (defect) =>
      isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)
    )
  return Object.assign(sql, { withTransaction: typed })
}

/**
 * The types that SQLite has. The driver's own take and return bigints only for eight bytes, and numbers only for four.
 */
const types = PgTypes.makeRegistry()

types.register<unknown>(PgTypes.OID.int8, {
  encode: (value) => PgTypes.encode(Number.isSafeInteger(value) ? BigInt(value as number) : value, PgTypes.OID.int8),
  decode: (bytes) =>
    Result.succeed(StateInteger.fromBigInt(new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getBigInt64(0)))
})

types.register<unknown>(PgTypes.OID.int4, {
  encode: (value) => PgTypes.encode(typeof value === "bigint" ? Number(value) : value, PgTypes.OID.int4),
  decode: (bytes) => PgTypes.decode(bytes, PgTypes.OID.int4, 1)
})
