/** Records the keys that have ended, with their successors, because the store of accounts deletes such keys. */
import type * as Accounts from "@plumbline/gateway/accounts/Accounts"
import { fromSql, type StateError } from "@plumbline/gateway/state/StateError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import type { EndedKeyRow } from "./adminTables.ts"

/**
 * Wraps the accounts service so that it records each key that ends, by rotation, revocation or expiry. The record is
 * written in the transaction of the change. An expired key is recorded when the accounts service deletes it.
 */
export const around = (sql: SqlClient.SqlClient, accounts: Accounts.AccountsService): Accounts.AccountsService => {
  /**
   * Reads the part of a key that is recorded, before the key is deleted. Unlike `accounts.key`, it also finds an
   * expired key.
   */
  const find = (id: string) =>
    Effect.map(
      sql<Ending>`
        SELECT id AS key, project, start, created_at, expires_at FROM keys WHERE id = ${id.replaceAll("\0", "")}`,
      ([row]) => row
    )

  /** Records the expired keys of a project. */
  const noteExpired = Effect.fnUntraced(function* (project: string): Effect.fn.Return<void, SqlError> {
    for (const row of yield* expired(sql, project, yield* Clock.currentTimeMillis)) yield* note(row)
  })

  /** Records the end of a key. If the key expires earlier, the time of expiry is recorded. */
  const noteEnd = (
    { expires_at: expiry, ...old }: Ending,
    end: Pick<EndedKeyRow, "ended_at" | "reason" | "successor">
  ): Effect.Effect<void, SqlError> => {
    if (expiry === null || expiry > end.ended_at) return note({ ...old, ...end })
    const reason = end.reason === "revoked" ? "expired" : end.reason
    return note({ ...old, ...end, reason, ended_at: expiry })
  }

  const note = Effect.fnUntraced(function* (row: EndedKeyRow): Effect.fn.Return<void, SqlError> {
    yield* sql`
      INSERT INTO admin_ended_keys ${sql.insert(row)}
      ON CONFLICT (key) DO UPDATE SET ended_at = excluded.ended_at, reason = excluded.reason`
    yield* sql`
      DELETE FROM admin_ended_keys WHERE project = ${row.project} AND key IN (
        SELECT key FROM admin_ended_keys WHERE project = ${row.project}
        ORDER BY ended_at DESC, key LIMIT ${MOST} OFFSET ${MOST}
      )`
  })

  const whole = <A, E>(work: Effect.Effect<A, E | SqlError>): Effect.Effect<A, Exclude<E, SqlError> | StateError> =>
    Effect.mapError(sql.withTransaction(work), (error): Exclude<E, SqlError> | StateError =>
      isSql(error) ? fromSql(error) : (error as Exclude<E, SqlError>)
    )

  return {
    ...accounts,
    issueKey: (project, given) => whole(Effect.andThen(noteExpired(project), accounts.issueKey(project, given))),
    rotateKey: (id, options) =>
      whole(
        Effect.gen(function* () {
          const old = yield* find(id)
          if (old !== undefined) yield* noteExpired(old.project)
          const issued = yield* accounts.rotateKey(id, options)
          const overlap = Duration.toMillis(Duration.fromInputUnsafe(options.overlap))
          const endedAt = (yield* Clock.currentTimeMillis) + Math.ceil(overlap)
          if (old !== undefined) {
            yield* noteEnd(old, { ended_at: endedAt, reason: "rotated", successor: issued.key.id })
          }
          return issued
        })
      ),
    revokeKey: (id) =>
      whole(
        Effect.gen(function* () {
          const old = yield* find(id)
          yield* accounts.revokeKey(id)
          const endedAt = yield* Clock.currentTimeMillis
          if (old !== undefined) yield* noteEnd(old, { ended_at: endedAt, reason: "revoked", successor: null })
        })
      ),
    removeProject: (id) =>
      whole(Effect.andThen(accounts.removeProject(id), sql`DELETE FROM admin_ended_keys WHERE project = ${id}`)).pipe(
        Effect.asVoid
      )
  }
}

type Ending = Pick<EndedKeyRow, "key" | "project" | "start" | "created_at"> & { readonly expires_at: number | null }

/** Reads the expired keys of a project that are not recorded yet. */
const expired = (
  sql: SqlClient.SqlClient,
  project: string,
  now: number
): Effect.Effect<ReadonlyArray<EndedKeyRow>, SqlError> =>
  Effect.map(
    sql<Ending>`
      SELECT id AS key, project, start, created_at, expires_at FROM keys
      WHERE project = ${project.replaceAll("\0", "")} AND expires_at <= ${now}
        AND id NOT IN (SELECT key FROM admin_ended_keys)`,
    (rows) =>
      rows.map(({ expires_at: expiry, ...row }) => ({ ...row, ended_at: expiry!, reason: "expired", successor: null }))
  )

/** Number of ended keys that are kept for a project. Keys that ended earlier are deleted. */
const MOST = 100

const isSql = (error: unknown): error is SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

/** Returns the keys of a project that have ended, or were rotated and end later. The last to end comes first. */
export const list = (
  sql: SqlClient.SqlClient,
  project: string
): Effect.Effect<ReadonlyArray<EndedKeyRow>, StateError> =>
  Effect.gen(function* () {
    const noted = yield* sql<EndedKeyRow>`
      SELECT key, project, start, created_at, ended_at, reason, successor FROM admin_ended_keys WHERE project = ${project.replaceAll("\0", "")}`
    const rows = [...noted, ...(yield* expired(sql, project, yield* Clock.currentTimeMillis))]
    const inOrder = (a: EndedKeyRow, b: EndedKeyRow) => b.ended_at - a.ended_at || (a.key < b.key ? -1 : 1)
    return rows.sort(inOrder).slice(0, MOST)
  }).pipe(Effect.mapError(fromSql))
