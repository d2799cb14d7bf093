/** Makes a change of the admin API and its entry in the audit log in one transaction, once per idempotency key. */
import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import * as AdminError from "./AdminError.ts"
import { visible } from "./adminIdentity.ts"
import type { AuditEntry } from "./AdminModel.ts"
import type { AuditRow } from "./adminTables.ts"
import * as AuditValues from "./auditValues.ts"
import { stated } from "./storeFailures.ts"

/** The author of a change. */
export interface AuditActor {
  /** The label of the admin token, or the name of the person that signed in. */
  readonly label: string
  /** The address of the request; null without a request. */
  readonly address: string | null
}

/** The author of the current request's changes; undefined if the caller may make none. */
export const Actor: Context.Reference<AuditActor | undefined> = Context.Reference<AuditActor | undefined>(
  "@plumbline/gateway-admin/AdminActor",
  { defaultValue: () => undefined }
)

/** An action and its target. */
interface Deed {
  readonly action: string
  readonly target: string
}

/** A change to make. `work` makes the change; `target` is the id of the changed thing. */
export interface AuditedChange<A, E> {
  readonly action: string
  readonly work: Effect.Effect<A, E>
  readonly target: string | ((made: A) => string)
  /**
   * Further actions that the change includes. Each action gets an entry in the audit log, so every changed id has an
   * entry.
   */
  readonly also?: ((made: A) => ReadonlyArray<Deed>) | undefined
  /** The members of the request. Only their names are stored. */
  readonly given?: object | undefined
  /** Reads the changed thing, without secrets. Members that the change made different are stored. */
  readonly state?: ((target: string) => Effect.Effect<object | undefined, StateError>) | undefined
}

export interface AuditedChanges {
  readonly make: <A, E>(
    change: AuditedChange<A, E>
  ) => Effect.Effect<A, Exclude<E, SqlError> | StateError | AdminError.Unauthorized>
  /** Makes a change unless a change with this key was made before. A change without a key is always made. */
  readonly once: <A, E>(
    key: string | undefined,
    change: AuditedChange<A, E>
  ) => Effect.Effect<A, Exclude<E, SqlError> | AdminError.Conflict | StateError | AdminError.Unauthorized>
  /** Makes a change in one transaction, without an entry in the audit log. */
  readonly alone: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, Exclude<E, SqlError> | StateError>
  /** Returns the newest entry that has this target and one of these actions. */
  readonly lastOf: (target: string, actions: ReadonlyArray<string>) => Effect.Effect<AuditEntry | undefined, StateError>
  /**
   * Returns at most `limit` entries, newest first, starting below the number `before`. A caller that has some projects
   * gets the entries whose target is one of them, or one of their keys.
   */
  readonly list: (before: number | undefined, limit: number) => Effect.Effect<ReadonlyArray<AuditEntry>, StateError>
}

/** Makes the service. The tables of `adminTables.ts` must exist. */
export const make = (sql: SqlClient.SqlClient): AuditedChanges => {
  /**
   * Claims an idempotency key. A concurrent request with the same key waits here for the end of the first request. A
   * key that is older than a day counts as new.
   */
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

  /**
   * Makes the change, then writes the entries. Changes of accounts run one after the other, so their entries are
   * written in the same order.
   */
  const carryOut = Effect.fnUntraced(function* <A, E, E2>(
    { action, also, given, state = () => Effect.undefined, target, work }: AuditedChange<A, E>,
    before: (actor: string, at: number) => Effect.Effect<void, E2>,
    after: (actor: string, id: string) => Effect.Effect<unknown, SqlError>
  ) {
    const actor = yield* Actor
    if (actor === undefined) return yield* new AdminError.Unauthorized({ message: "an admin token is needed" })
    const { address, label } = actor
    const at = yield* Clock.currentTimeMillis
    const changed = Object.keys(given ?? {}).join(",")
    const [made, entries] = yield* Effect.gen(function* () {
      yield* before(label, at)
      const old = typeof target === "string" ? yield* state(target) : undefined
      const made = yield* work
      const id = typeof target === "string" ? target : target(made)
      yield* after(label, id)
      const beside = (also?.(made) ?? []).map((deed) => ({ ...deed, changed: "" }))
      const entries = [...beside, { action, target: id, changed }]
      const values = AuditValues.between(old, yield* state(id))
      yield* Effect.forEach(
        entries,
        (entry, index) =>
          write({ at, actor: label, address, ...entry, ...(index < beside.length ? AuditValues.none : values) }),
        { discard: true }
      )
      return [made, entries] as const
    }).pipe(sql.withTransaction, stated)
    for (const entry of entries)
      yield* Effect.annotateLogs(Effect.logInfo("admin"), { by: label, from: address, ...entry })
    return made
  })

  const make: AuditedChanges["make"] = (change) =>
    carryOut(
      change,
      () => Effect.void,
      () => Effect.void
    )

  return {
    make,
    alone: (work) => stated(sql.withTransaction(work)),
    once: (key, change) =>
      key === undefined
        ? make(change)
        : Effect.tap(
            carryOut(
              change,
              (actor, at) => claim(actor, key, at),
              (actor, id) => sql`UPDATE admin_done SET target = ${id} WHERE actor = ${actor} AND request = ${key}`
            ),
            // This statement is not in the change's transaction, because it may wait for a request that claims an
            // expired key.
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              Effect.ignore(sql`DELETE FROM admin_done WHERE at <= ${now - DAY}`)
            )
          ),
    lastOf: (target, actions) =>
      stated(
        Effect.map(
          sql<AuditRow>`
            SELECT ${sql.literal(COLUMNS)} FROM admin_audit WHERE target = ${target} AND ${sql.in("action", actions)}
            ORDER BY id DESC LIMIT 1`,
          ([row]) => (row === undefined ? undefined : entryOf(row))
        )
      ),
    list: Effect.fnUntraced(function* (before, limit) {
      const projects = yield* visible
      const isOwn =
        projects === undefined
          ? sql`1 = 1`
          : projects.length === 0
            ? sql`1 = 0`
            : sql.or([
                sql.in("target", projects),
                sql`target IN (SELECT id FROM keys WHERE ${sql.in("project", projects)})`,
                sql`target IN (SELECT key FROM admin_ended_keys WHERE ${sql.in("project", projects)})`
              ])
      const rows = yield* stated(sql<AuditRow>`
        SELECT ${sql.literal(COLUMNS)} FROM admin_audit
        WHERE id < ${before ?? Number.MAX_SAFE_INTEGER} AND ${isOwn} ORDER BY id DESC LIMIT ${limit}`)
      return rows.map(entryOf)
    })
  }
}

const COLUMNS = "id, at, actor, action, target, changed, address, state_before, state_after"

const entryOf = ({ action, actor, address, at, changed, id, target, ...state }: AuditRow): AuditEntry => ({
  id,
  at,
  by: actor,
  from: address,
  action,
  target,
  changed: changed === "" ? [] : changed.split(","),
  before: AuditValues.parse(state.state_before),
  after: AuditValues.parse(state.state_after)
})

/** Number of entries that the table keeps. Older entries are only in the service's log. */
const MAX_ENTRIES = 100_000

const DAY = 24 * 60 * 60 * 1000
