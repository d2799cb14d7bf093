/**
 * Versions the data that a page shows, so that the page can wait for a change instead of reading everything again and
 * again.
 */
import { hash } from "node:crypto"

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

import { fromSql, type StateError } from "../state/StateError.ts"

/** The parts of a version, in its order. */
export const PARTS = ["accounts", "audit", "networks", "stores", "lies"] as const

export type Part = (typeof PARTS)[number]

export interface Changed {
  readonly version: string
  /** The parts that differ from the earlier version; all of them without one. */
  readonly changed: ReadonlyArray<Part>
}

export interface Versions {
  /**
   * Returns the present version, and the parts that changed since another version: at once if any part changed,
   * otherwise after a wait.
   */
  readonly since: (version: string | undefined, waitMillis: number) => Effect.Effect<Changed, StateError>
}

/** Returns the state of networks, stores and lies: its JSON is compared. */
export type Watched = Effect.Effect<Readonly<Record<"networks" | "stores" | "lies", unknown>>>

/** Needs the tables of `adminTables` and of the accounts. */
export const make = (sql: SqlClient.SqlClient, watched: Watched): Versions => {
  let last: { readonly version: string; readonly at: number } | undefined
  let waiting = 0

  /** Reads the version at most once a second, however many wait. */
  const read = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (last !== undefined && Math.abs(now - last.at) < EVERY) return last.version
    const [counts] = yield* sql<{ readonly revision: number; readonly entry: number | null }>`
      SELECT (SELECT max(revision) FROM accounts_revision) AS revision, (SELECT max(id) FROM admin_audit) AS entry`
    const { lies, networks, stores } = yield* watched
    const states = [counts!.revision, counts!.entry ?? 0, networks, stores, lies]
    const version = states.map((state) => hash("sha256", JSON.stringify(state), "base64url").slice(0, 8)).join(".")
    last = { version, at: now }
    return version
  }).pipe(Effect.mapError((error) => fromSql(error)))

  const wait = (before: string, until: number): Effect.Effect<string, StateError> =>
    Effect.flatMap(read, (version) =>
      version === before
        ? Effect.flatMap(Clock.currentTimeMillis, (now) =>
            now >= until
              ? Effect.succeed(version)
              : Effect.andThen(Effect.sleep(Math.min(EVERY, until - now)), wait(before, until))
          )
        : Effect.succeed(version)
    )

  return {
    since: (before, waitMillis) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (before === undefined || waitMillis === 0 || waiting >= MOST_WAITING) return read
        waiting++
        return Effect.ensuring(
          wait(before, now + waitMillis),
          Effect.sync(() => waiting--)
        )
      }).pipe(
        Effect.map((version) => {
          const parts = version.split(".")
          const known = before?.split(".") ?? []
          return { version, changed: PARTS.filter((_, i) => parts[i] !== known[i]) }
        })
      )
  }
}

/** Milliseconds between two checks for changes. */
const EVERY = 1000

/** Maximum number of pages that wait. Others get the present version at once. */
const MOST_WAITING = 32
