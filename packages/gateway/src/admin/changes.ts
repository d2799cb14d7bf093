/** Changes by the admin API: each is made and written down in one transaction, and once for each idempotency key. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

import { fromSql, type StateError } from "../state/StateError.ts"
import * as AdminError from "./AdminError.ts"
import type { AuditEntry } from "./AdminModel.ts"
import type { AuditRow } from "./tables.ts"

/** The label of the token of the request under way; undefined where nobody was let in. */
export const Actor: Context.Reference<string | undefined> = Context.Reference<string | undefined>(
  "@plumbline/gateway/AdminActor",
  { defaultValue: () => undefined }
)

/** What was done, and to what. */
interface Deed {
  readonly action: string
  readonly target: string
}

/** A change that is to be made: `work` makes it, and `target` is the id of what it has changed. */
export interface Change<A, E> {
  readonly action: string
  readonly work: Effect.Effect<A, E>
  readonly target: string | ((made: A) => string)
  /** What else has come of it: each has an entry of its own, so that there is one for every id. */
  readonly also?: ((made: A) => ReadonlyArray<Deed>) | undefined
  /** The members that were given; their values are not kept. */
  readonly given?: object | undefined
}

export interface Changes {
  readonly make: <A, E>(
    change: Change<A, E>
  ) => Effect.Effect<A, Exclude<E, SqlError> | StateError | AdminError.Unauthorized>
  /** Not made again where one with this key was; without a key it is. */
  readonly once: <A, E>(
    key: string | undefined,
    change: Change<A, E>
  ) => Effect.Effect<A, Exclude<E, SqlError> | AdminError.Conflict | StateError | AdminError.Unauthorized>
  /** The newest first. */
  readonly list: (before: number | undefined, limit: number) => Effect.Effect<ReadonlyArray<AuditEntry>, StateError>
}

/** Needs the tables of `adminTables`. */
export const make = (sql: SqlClient.SqlClient): Changes => {
  const stated = <A, E>(work: Effect.Effect<A, E | SqlError>) =>
    Effect.mapError(work, (error): Exclude<E, SqlError> | StateError =>
      isSqlError(error) ? fromSql(error) : (error as Exclude<E, SqlError>)
    )

  /** Whoever comes with the same key at the same time waits for the first one here. A key of long ago counts as new. */
  const claim = Effect.fnUntraced(function* (actor: string, request: string, at: number) {
    const claimed = yield* sql`
      INSERT INTO admin_done ${sql.insert({ actor, request, at, target: "" })}
      ON CONFLICT (actor, request) DO UPDATE SET at = excluded.at, target = '' WHERE admin_done.at <= ${at - DAY}
      RETURNING actor`
    if (claimed.length > 0) return
    const [done] = yield* sql<{ readonly target: string }>`
      SELECT target FROM admin_done WHERE actor = ${actor} AND request = ${request}`
    return yield* new AdminError.Conflict({
      reason: "AlreadyDone",
      id: done?.target ?? "",
      message: "a request with this Idempotency-Key was carried out before; secrets are not shown again"
    })
  })

  const write = Effect.fnUntraced(function* (entry: Omit<AuditRow, "id">) {
    const [row] = yield* sql<{ readonly id: number }>`
      INSERT INTO admin_audit ${sql.insert(entry)} RETURNING id`
    yield* sql`DELETE FROM admin_audit WHERE id <= ${row!.id - MAX_ENTRIES}`
  })

  /** The change comes first: those of accounts are made one after the other, and then what is written here is too. */
  const carryOut = Effect.fnUntraced(function* <A, E, E2>(
    { action, also, given, target, work }: Change<A, E>,
    before: (actor: string, at: number) => Effect.Effect<void, E2>,
    after: (actor: string, id: string) => Effect.Effect<unknown, SqlError>
  ) {
    const actor = yield* Actor
    if (actor === undefined) return yield* new AdminError.Unauthorized({ message: "an admin token is needed" })
    const at = yield* Clock.currentTimeMillis
    const changed = Object.keys(given ?? {}).join(",")
    const [made, entries] = yield* Effect.gen(function* () {
      yield* before(actor, at)
      const made = yield* work
      const id = typeof target === "string" ? target : target(made)
      yield* after(actor, id)
      const beside = (also?.(made) ?? []).map((deed) => ({ ...deed, changed: "" }))
      const entries = [...beside, { action, target: id, changed }]
      yield* Effect.forEach(entries, (entry) => write({ at, actor, ...entry }), { discard: true })
      return [made, entries] as const
    }).pipe(sql.withTransaction, stated)
    for (const entry of entries) yield* Effect.annotateLogs(Effect.logInfo("admin"), { by: actor, ...entry })
    return made
  })

  const make: Changes["make"] = (change) =>
    carryOut(
      change,
      () => Effect.void,
      () => Effect.void
    )

  return {
    make,
    once: (key, change) =>
      key === undefined
        ? make(change)
        : Effect.tap(
            carryOut(
              change,
              (actor, at) => claim(actor, key, at),
              (actor, id) => sql`UPDATE admin_done SET target = ${id} WHERE actor = ${actor} AND request = ${key}`
            ),
            // Apart from the change: it may have to wait for others that claim a key of long ago.
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              Effect.ignore(sql`DELETE FROM admin_done WHERE at <= ${now - DAY}`)
            )
          ),
    list: (before, limit) =>
      stated(
        Effect.map(
          sql<AuditRow>`
            SELECT * FROM admin_audit WHERE id < ${before ?? Number.MAX_SAFE_INTEGER} ORDER BY id DESC LIMIT ${limit}`,
          (rows) =>
            rows.map(({ action, actor, at, changed, id, target }) => ({
              id,
              at,
              by: actor,
              action,
              target,
              changed: changed === "" ? [] : changed.split(",")
            }))
        )
      )
  }
}

/** The newest entries that are kept in the table; the log has all of them. */
const MAX_ENTRIES = 100_000

const DAY = 24 * 60 * 60 * 1000
