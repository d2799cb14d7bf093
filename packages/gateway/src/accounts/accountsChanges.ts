/**
 * The log of changes to accounts, projects and keys. Each row names the cache entries that one change concerns.
 *
 * Each change first adds one to `accounts_revision`, so the changes of all processes run one after the other. In the
 * same transaction the change inserts its row into `accounts_changes`. The log keeps the newest {@link KEPT} rows.
 *
 * A process of an older version adds to `accounts_revision` and inserts no row. A reader that finds a gap in the log
 * drops its whole cache.
 */
import { randomUUID } from "node:crypto"

import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import { type AccountsChange, MOST_CHANGES } from "./accountsCache.ts"
import type { Invalidation } from "./holderMemory.ts"

/**
 * Number of rows that the log keeps. A reader needs the changes that it must apply, and the last change that it has
 * applied.
 */
export const KEPT = MOST_CHANGES

/** Counts a change and returns its revision. The changes of all processes wait until this transaction ends. */
export const begin = (sql: SqlClient.SqlClient): Effect.Effect<number, SqlError> =>
  Effect.map(
    sql<{ readonly revision: number }>`UPDATE accounts_revision SET revision = revision + 1 RETURNING revision`,
    ([row]) => row!.revision
  )

/** Logs the cache entries that a change concerns, and deletes the rows that have become too old. */
export const record = (
  sql: SqlClient.SqlClient,
  revision: number,
  { account = null, digest = null, project = null }: Invalidation
): Effect.Effect<unknown, SqlError> =>
  Effect.andThen(
    sql`INSERT INTO accounts_changes ${sql.insert({ revision, mark: randomUUID(), account, project, digest })}`,
    sql`DELETE FROM accounts_changes WHERE revision <= ${revision - KEPT}`
  )

/** Returns the number of changes that all processes have made. */
export const revision = (sql: SqlClient.SqlClient): Effect.Effect<number, SqlError> =>
  Effect.map(sql<{ readonly revision: number }>`SELECT revision FROM accounts_revision`, ([row]) => row?.revision ?? 0)

/** Returns the logged changes from one revision to another, both included, in ascending order. */
export const between = (
  sql: SqlClient.SqlClient,
  from: number,
  to: number
): Effect.Effect<ReadonlyArray<AccountsChange>, SqlError> =>
  sql<AccountsChange>`
    SELECT revision, mark, account, project, digest FROM accounts_changes
    WHERE revision >= ${from} AND revision <= ${to} ORDER BY revision`
