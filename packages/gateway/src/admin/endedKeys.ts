/** The keys that have ended, with their successors: the store of accounts forgets them. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import type * as Accounts from "../accounts/service.ts"
import { fromSql, type StateError } from "../state/StateError.ts"
import type { EndedKeyRow } from "./tables.ts"

/**
 * Returns the accounts, which also note each key that a rotation or a revocation ends: in the transaction of the change,
 * if there is one around it.
 */
export const around = (sql: SqlClient.SqlClient, accounts: Accounts.Service): Accounts.Service => {
  /** Reads the part of a key that stays, before it goes. The accounts have no question for one key. */
  const find = (id: string) =>
    Effect.map(
      sql<Pick<EndedKeyRow, "key" | "project" | "start" | "created_at">>`
        SELECT id AS key, project, start, created_at FROM keys WHERE id = ${id.replaceAll("\0", "")}`,
      ([row]) => row
    )

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
    rotateKey: (id, options) =>
      whole(
        Effect.gen(function* () {
          const old = yield* find(id)
          const issued = yield* accounts.rotateKey(id, options)
          const overlap = Duration.toMillis(Duration.fromInputUnsafe(options.overlap))
          const endedAt = (yield* Clock.currentTimeMillis) + Math.ceil(overlap)
          if (old !== undefined) {
            yield* note({ ...old, ended_at: endedAt, reason: "rotated", successor: issued.key.id })
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
          if (old !== undefined) yield* note({ ...old, ended_at: endedAt, reason: "revoked", successor: null })
        })
      ),
    removeProject: (id) =>
      whole(Effect.andThen(accounts.removeProject(id), sql`DELETE FROM admin_ended_keys WHERE project = ${id}`)).pipe(
        Effect.asVoid
      )
  }
}

/** The number of keys that are kept for a project, the last ones. */
const MOST = 100

const isSql = (error: unknown): error is SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

/** Returns the keys of a project that have ended by now, or will at their time, the last ones first. */
export const list = (
  sql: SqlClient.SqlClient,
  project: string
): Effect.Effect<ReadonlyArray<EndedKeyRow>, StateError> =>
  Effect.mapError(
    sql<EndedKeyRow>`
      SELECT * FROM admin_ended_keys WHERE project = ${project.replaceAll("\0", "")} ORDER BY ended_at DESC, key`,
    fromSql
  )
