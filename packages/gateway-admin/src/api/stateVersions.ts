/**
 * Computes a version of the data that a page shows. The page can wait for a new version instead of reading all data
 * repeatedly.
 */
import { hash } from "node:crypto"

import { fromSql, type StateError } from "@plumbline/gateway/state/StateError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

/** The names of the parts of a version, in order. */
export const PARTS = ["accounts", "audit", "networks", "stores", "lies"] as const

export type VersionedPart = (typeof PARTS)[number]

export interface ChangedParts {
  readonly version: string
  /** The parts that differ from the earlier version; all parts if there is no earlier version. */
  readonly changed: ReadonlyArray<VersionedPart>
}

export interface StateVersions {
  /**
   * Returns the current version, and the parts that have changed since `version`. If no part has changed, waits at
   * most `waitMillis` milliseconds for a change. The limits of waiting requests hold for all callers and for each.
   */
  readonly since: (
    version: string | undefined,
    waitMillis: number,
    caller: string
  ) => Effect.Effect<ChangedParts, StateError>
}

/** Returns the state of networks, stores and lies. If the JSON of this state changes, the version changes. */
export type StateReader = Effect.Effect<Readonly<Record<"networks" | "stores" | "lies", unknown>>>

/** Makes the service. The tables of the admin API and of the accounts must exist. */
export const make = (sql: SqlClient.SqlClient, watched: StateReader): StateVersions => {
  let last: { readonly version: string; readonly at: number } | undefined
  /** The number of waiting requests of each caller that has some. */
  const waiting = new Map<string, number>()
  let all = 0

  const count = (caller: string, by: 1 | -1): void => {
    const now = (waiting.get(caller) ?? 0) + by
    all += by
    if (now === 0) waiting.delete(caller)
    else waiting.set(caller, now)
  }

  /** Returns the version, which is computed at most once a second for all waiting pages. */
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
    since: (before, waitMillis, caller) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const isFull = all >= MOST_WAITING || (waiting.get(caller) ?? 0) >= MOST_OF_CALLER
        if (before === undefined || waitMillis === 0 || isFull) return read
        count(caller, 1)
        return Effect.ensuring(
          wait(before, now + waitMillis),
          Effect.sync(() => count(caller, -1))
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

/** Time between two checks for changes, in milliseconds. */
const EVERY = 1000

/** Maximum number of requests that wait at a time. Further requests get the current version at once. */
const MOST_WAITING = 32

/** Maximum number of requests of one caller that wait at a time, so that one cannot take the places of all. */
const MOST_OF_CALLER = 6
