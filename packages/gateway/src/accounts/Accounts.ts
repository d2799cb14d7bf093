/**
 * The store of accounts, projects and keys, in SQLite or Postgres.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

import * as Migrations from "../state/Migrations.ts"
import { fromSql, type StateError } from "../state/StateError.ts"
import * as AccountsChanges from "./accountsChanges.ts"
import type { AccountsService } from "./accountsService.ts"
import * as AccountsStore from "./accountsStore.ts"
import { migrations } from "./accountsTables.ts"
import * as KeyQueries from "./keyQueries.ts"

export { AccountsError } from "./AccountsError.ts"

/** Maximum number of keys that a project may have at a time. A key that expires or was rotated counts until it ends. */
export const MAX_KEYS: number = KeyQueries.MAX_KEYS

/** Maximum number of accounts or projects in one answer. */
export const PAGE: number = AccountsStore.PAGE

export type { AdoptedProject, IssuedKey, AccountsLookup, AccountsPage, AccountsService } from "./accountsService.ts"

/**
 * The store.
 *
 * Reading an absent account, project or key returns `undefined`; changing it fails with the `AccountsError` `Absent`.
 * An unreachable database is a `StateError`, which never means "no such key". When a call that changes something
 * returns, the whole change is on the disk. After a `StateError` the change may or may not have been made.
 */
export class Accounts extends Context.Service<Accounts, AccountsService>()("@plumbline/gateway/Accounts") {}

/**
 * The store in the given database. The layer creates the tables. Keys and secrets are stored as SHA-256: they have 128
 * random bits, so a slower hash would not protect them better.
 *
 * Any number of processes may share the database. A change by one process reaches the others within a second.
 *
 * ```ts import.meta.vitest
 * import { Accounts, Sqlite } from "@plumbline/gateway"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 * import * as Redacted from "effect/Redacted"
 *
 * const program = Effect.gen(function* () {
 *   const accounts = yield* Accounts.Accounts
 *   const { id } = yield* accounts.createAccount({ name: "Ada" })
 *   const { issued, project } = yield* accounts.createProject({ account: id, name: "wallet" })
 *   const next = yield* accounts.rotateKey(issued.key.id, { overlap: "1 hour" })
 *   const old = yield* accounts.lookup(Redacted.value(issued.apiKey))
 *   const holder = yield* accounts.lookup(Redacted.value(next.apiKey))
 *   return { found: holder?.project.id === project.id, ends: old?.key.endsAt !== null }
 * })
 * const layer = Accounts.layer().pipe(Layer.provide(Sqlite.layer({ file: ":memory:" })))
 * await Effect.runPromise(program.pipe(Effect.provide(layer))) // => { found: true, ends: true }
 * ```
 */
export const layer = (): Layer.Layer<Accounts, StateError, SqlClient.SqlClient> => shared

/** One value, so that all layers of a program share one service. */
const shared: Layer.Layer<Accounts, StateError, SqlClient.SqlClient> = Layer.effect(
  Accounts,
  Effect.gen(function* () {
    yield* Migrations.run(migrations)
    return yield* AccountsStore.make(yield* SqlClient.SqlClient)
  })
)

/** The number of changes that the store has ever seen, and the number of projects that it holds. */
export interface AccountsExtent {
  readonly changes: number
  readonly projects: number
}

/**
 * Returns the extent of the store. The number of changes never falls, so a smaller number than before shows that the
 * database was emptied, replaced by an older one, or lost its newest changes.
 */
export const extent: Effect.Effect<AccountsExtent, StateError, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    Effect.mapError(
      Effect.all({
        changes: AccountsChanges.revision(sql),
        projects: Effect.map(
          sql<{ readonly projects: number | string }>`SELECT count(*) AS projects FROM projects`,
          ([row]) => Number(row?.projects ?? 0)
        )
      }),
      fromSql
    )
)
