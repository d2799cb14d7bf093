/** The databases that hold state. A test suite runs over all of them. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import type { MeteringStore, StateError } from "@plumbline/gateway"
import { Effect, type Layer, Redacted, Scope } from "effect"
import type { SqlClient } from "effect/sql"

import { open } from "./place.ts"
import * as Servers from "./servers.ts"

/** A separate database, empty at first. */
export interface Database {
  /** The layer of one connection. Each build stands for another process. */
  readonly layer: Layer.Layer<SqlClient.SqlClient, StateError.StateError>
  /** The address of the database for another process. `open` of `place.ts` makes the same layer from this address. */
  readonly place: ReadonlyArray<string>
}

export interface Kind {
  /** The name of the database in test suites. If the suites are skipped, the name contains the reason. */
  readonly name: string
  readonly skipped: boolean
  readonly fresh: Effect.Effect<Database, never, Scope.Scope>
}

const at = (...place: ReadonlyArray<string>): Database => ({ layer: open(place), place })

/** A folder that is deleted with the scope. */
export const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "plumbline-state-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** Each test process has one server. The server ends with the process, so the scope is never closed. */
const scope = Scope.makeUnsafe()
let running: Promise<Servers.PostgresServer> | undefined
const server = Effect.promise(() => (running ??= Effect.runPromise(Scope.provide(Servers.postgres, scope))))

export const kinds: ReadonlyArray<Kind> = [
  {
    name: "SQLite",
    skipped: false,
    fresh: Effect.map(folder, (made) => at("sqlite", path.join(made, "state.db")))
  },
  {
    name: Servers.postgresSkipped === undefined ? "Postgres" : `Postgres (${Servers.postgresSkipped})`,
    skipped: Servers.postgresSkipped !== undefined,
    fresh: Effect.gen(function* () {
      const { create, url } = yield* server
      return at("postgres", Redacted.value(url(yield* create)))
    })
  }
]

/** Each database with each durability of usage. */
export const durableKinds: ReadonlyArray<Kind & { readonly durability: MeteringStore.UsageDurability }> = kinds.flatMap(
  (kind) => (["process", "disk"] as const).map((durability) => ({ ...kind, durability }))
)
