/**
 * The log of changes to accounts, projects and keys. Each row names the cache entries that the change concerns.
 *
 * A change first adds one to `accounts_revision`, which makes the changes of all processes run one after the other. In
 * the same transaction it writes its row into `accounts_changes`. The log keeps the newest {@link KEPT} rows.
 *
 * A process of an older version adds to `accounts_revision` and writes no row. Readers treat a gap in the log as a change
 * that concerns everything.
 */
import { randomUUID } from "node:crypto"

import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import { type Change, MOST_CHANGES } from "./cache.ts"
import type { Concern } from "./memory.ts"

/** Number of changes in the log: those that a reader applies, and the one before them, which the reader has seen. */
export const KEPT = MOST_CHANGES

/** Counts a change and returns its revision. Other changes, in all processes, wait for the end of the transaction. */
export const begin = (sql: SqlClient.SqlClient): Effect.Effect<number, SqlError> =>
  Effect.map(
    sql<{ readonly revision: number }>`UPDATE accounts_revision SET revision = revision + 1 RETURNING revision`,
    ([row]) => row!.revision
  )

/** Logs the cache entries that the change of a revision concerns, and deletes the row that has become too old. */
export const record = (
  sql: SqlClient.SqlClient,
  revision: number,
  { account = null, digest = null, project = null }: Concern
): Effect.Effect<unknown, SqlError> =>
  Effect.andThen(
    sql`INSERT INTO accounts_changes ${sql.insert({ revision, mark: randomUUID(), account, project, digest })}`,
    sql`DELETE FROM accounts_changes WHERE revision <= ${revision - KEPT}`
  )

/** Returns the number of changes so far. */
export const revision = (sql: SqlClient.SqlClient): Effect.Effect<number, SqlError> =>
  Effect.map(sql<{ readonly revision: number }>`SELECT revision FROM accounts_revision`, ([row]) => row?.revision ?? 0)

/** Returns the logged changes from one revision to another, both included, in their order. */
export const between = (
  sql: SqlClient.SqlClient,
  from: number,
  to: number
): Effect.Effect<ReadonlyArray<Change>, SqlError> =>
  sql<Change>`
    SELECT revision, mark, account, project, digest FROM accounts_changes
    WHERE revision >= ${from} AND revision <= ${to} ORDER BY revision`
