/**
 * State in a Postgres database that several processes share: `SqlClient` over `@effect/sql-pg`.
 */
import { userInfo } from "node:os"

import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
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
 * A `SqlClient` on the database of a URL such as `postgres://user:password@host:5432/name`. It behaves like the client
 * of `Sqlite`:
 *
 * - When a call or transaction returns, its change is on the disk, even if the server's settings differ.
 * - Integers are read as numbers, or as bigints beyond 2^53 - 1. Both can be written. A blob is a `Uint8Array`.
 * - If the connection breaks during a transaction, the transaction fails with a `SqlError`. It may or may not have been
 *   committed.
 *
 * Without a user in the URL, the client connects as the user of `PGUSER`, or else as the user that runs the process. So
 * a URL means the same database and user as in Postgres's own programs.
 *
 * The client opens at most `connections` (default: 10). A statement ends after 30 seconds, a wait for a lock after 5
 * seconds, an idle transaction after 30 seconds. If the database cannot be reached at the start, that is a
 * `StateError`. Later, lost connections are opened again when needed.
 */
export const layer = (options: {
  readonly url: Redacted.Redacted
  readonly connections?: number | undefined
}): Layer.Layer<SqlClient.SqlClient, StateError> =>
  PgClient.layerFrom(
    PgClient.make({
      url: options.url,
      username: userOf(Redacted.value(options.url)),
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
 * Returns the user for a URL that names none; undefined if the URL names a user. The driver itself reads only `USER`,
 * which services and containers often do not set.
 */
const userOf = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null || url.username !== "" || url.searchParams.has("user")) return undefined
  const named = process.env["PGUSER"]
  if (named !== undefined && named !== "") return named
  try {
    return userInfo().username
  } catch {
    // In a container the number of the user can be without a name.
    return undefined
  }
}

/**
 * Turns a broken connection into a `SqlError`. The server has already rolled back the transaction. So the client's
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
 * Reads and writes the types that SQLite has. The driver's default uses bigints only for eight-byte integers, and
 * numbers only for four-byte integers.
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
