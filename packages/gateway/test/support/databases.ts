/** The databases that hold state, for one suite over all of them. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import type { StateError } from "@plumbline/gateway"
import { Effect, type Layer, Redacted, Scope } from "effect"
import type { SqlClient } from "effect/sql"

import { open } from "./place.ts"
import * as Servers from "./servers.ts"

/** A separate database, empty at first. */
export interface Database {
  /** Each build is one more process's connection. */
  readonly layer: Layer.Layer<SqlClient.SqlClient, StateError.StateError>
  /** The address of the database for another process: `open` of `place.ts` makes the same layer from it. */
  readonly place: ReadonlyArray<string>
}

export interface Kind {
  /** The name of a suite, and the reason why it is skipped, if it is. */
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

/** One server per process of tests. The server ends with the process, so nothing closes the scope. */
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
