/** Issues, changes, rotates and revokes API keys in the database. */
import { randomUUID } from "node:crypto"

import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import { SettingError } from "../errors/SettingError.ts"
import * as KeyLimits from "../limits/KeyLimits.ts"
import type { StateError } from "../state/StateError.ts"
import * as Account from "./Account.ts"
import { AccountsError } from "./AccountsError.ts"
import type { IssuedKey, AccountsService } from "./accountsService.ts"
import * as AccountsTables from "./accountsTables.ts"
import * as ApiKey from "./ApiKey.ts"
import type { Invalidation } from "./holderMemory.ts"
import { absent, guarded, isName, plain } from "./queries.ts"

/** Maximum number of keys of a project. */
export const MAX_KEYS = 10

/** The parts of the store that keys need. */
export interface KeyQueryParts {
  /** Runs a change; `concernOf` returns the cache entries that the finished change concerns. */
  readonly change: <A, E>(
    work: Effect.Effect<A, E | SqlError>,
    concernOf: (made: A) => Invalidation
  ) => Effect.Effect<A, Exclude<E, SqlError> | StateError>
  readonly hasProject: (id: string) => Effect.Effect<boolean, SqlError | StateError>
}

type KeyService = Pick<AccountsService, "keys" | "key" | "issueKey" | "updateKey" | "rotateKey" | "revokeKey">

/** The queries of keys on which the methods are built. */
const keyRows = (sql: SqlClient.SqlClient) => {
  const key = (id: string) =>
    Effect.flatMap(
      sql<AccountsTables.KeyRow>`SELECT ${sql.literal(AccountsTables.COLUMNS.keys)} FROM keys WHERE id = ${plain(id)}`,
      ([row]) => (row === undefined ? Effect.undefined : Effect.fromResult(AccountsTables.keyOf(row)))
    )
  const keys = Effect.fnUntraced(function* (of: string) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<AccountsTables.KeyRow>`
      SELECT ${sql.literal(AccountsTables.COLUMNS.keys)} FROM keys WHERE project = ${plain(of)} AND (ends_at IS NULL OR ends_at > ${now})
        AND (expires_at IS NULL OR expires_at > ${now})
      ORDER BY created_at, id`
    return yield* Effect.fromResult(Result.all(rows.map(AccountsTables.keyOf)))
  })

  /** Returns a key that has not ended. An ended key may be deleted at any moment, so it counts as absent. */
  const liveKey = Effect.fnUntraced(function* (id: string) {
    const found = (yield* key(id)) ?? (yield* absent("key", id))
    const end = Account.endOf(found)
    if (end !== undefined && end <= (yield* Clock.currentTimeMillis)) return yield* absent("key", id)
    return found
  })

  /** Adds a key whose digests are known. */
  const add = Effect.fnUntraced(function* (
    to: string,
    { keyHash, keyStart, secretHash }: ApiKey.ApiKeyDigests,
    settings: Account.KeySettings = noSettings
  ) {
    const row: AccountsTables.KeyRow = {
      id: randomUUID(),
      project: to,
      digest: keyHash,
      secret_hash: secretHash,
      start: keyStart,
      created_at: yield* Clock.currentTimeMillis,
      ends_at: null,
      ...AccountsTables.keySettingsRow(settings)
    }
    yield* sql`INSERT INTO keys ${sql.insert(row)}`
    return yield* Effect.fromResult(AccountsTables.keyOf(row))
  })

  /** Makes a key, unless the project has as many as it may have. */
  const issue = Effect.fnUntraced(function* (to: string, settings?: Account.KeySettings) {
    const now = yield* Clock.currentTimeMillis
    // The cache needs no notice of these deletions: an ended key has no holder.
    yield* sql`DELETE FROM keys WHERE project = ${to} AND (ends_at <= ${now} OR expires_at <= ${now})`
    if ((yield* keys(to)).length >= MAX_KEYS) {
      return yield* new AccountsError({ reason: { _tag: "TooManyKeys", project: to, limit: MAX_KEYS } })
    }
    const pair = ApiKey.generate()
    const made = yield* add(to, ApiKey.digests(pair), settings)
    return { key: made, apiKey: pair.key, apiKeySecret: pair.secret } satisfies IssuedKey
  })

  return { key, keys, liveKey, add, issue }
}

/** Returns the methods of the service for keys, and two that the store uses for the first key of a project. */
export const make = (sql: SqlClient.SqlClient, { change, hasProject }: KeyQueryParts) => {
  const { add, issue, key, keys, liveKey } = keyRows(sql)
  const service: KeyService = {
    keys: (of) => guarded(keys(of)),
    key: (id) =>
      guarded(
        Effect.zipWith(key(id), Clock.currentTimeMillis, (found, now) =>
          found === undefined || (Account.endOf(found) ?? Infinity) <= now ? undefined : found
        )
      ),
    issueKey: Effect.fnUntraced(function* (to, given = {}) {
      const settings = yield* keySettingsOf(noSettings, given, yield* Clock.currentTimeMillis)
      return yield* change(
        Effect.gen(function* () {
          if (!(yield* hasProject(to))) return yield* absent("project", to)
          return yield* issue(to, settings)
        }),
        ofIssued
      )
    }),
    updateKey: Effect.fnUntraced(function* (id, changes) {
      const now = yield* Clock.currentTimeMillis
      yield* keySettingsOf(noSettings, changes, now)
      return yield* change(
        Effect.gen(function* () {
          const before = yield* liveKey(id)
          const settings = yield* keySettingsOf(before, changes, now)
          yield* sql`UPDATE keys SET ${sql.update(AccountsTables.keySettingsRow(settings))} WHERE id = ${id}`
          return { ...before, ...settings }
        }),
        ({ project }) => ({ project })
      )
    }),
    rotateKey: Effect.fnUntraced(function* (id, { overlap, ...changes }) {
      const millis = yield* overlapOf(overlap)
      yield* keySettingsOf(noSettings, changes, yield* Clock.currentTimeMillis)
      return yield* change(
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const old = (yield* key(id)) ?? (yield* absent("key", id))
          // An expired key cannot be rotated: by default the new key would have the same expiry.
          if (old.expiresAt !== null && old.expiresAt <= now) return yield* absent("key", id)
          if (old.endsAt !== null) return yield* new AccountsError({ reason: { _tag: "Ending", key: id } })
          // A key that ends at once is deleted, because the clock of another process may be behind.
          yield* millis === 0
            ? sql`DELETE FROM keys WHERE id = ${id}`
            : sql`UPDATE keys SET ends_at = ${now + millis} WHERE id = ${id}`
          return yield* issue(old.project, yield* keySettingsOf(old, changes, now))
        }),
        ofIssued
      )
    }),
    revokeKey: (id) =>
      Effect.asVoid(
        change(
          Effect.gen(function* () {
            const old = (yield* key(id)) ?? (yield* absent("key", id))
            yield* sql`DELETE FROM keys WHERE id = ${id}`
            return old.project
          }),
          (project) => ({ project })
        )
      )
  }
  return { service, add, issue }
}

/** Issuing a key concerns the project's other keys too: ended keys are deleted, and a rotated key gets an end. */
export const ofIssued = ({ apiKey, key: { project } }: IssuedKey): Invalidation => ({
  project,
  digest: ApiKey.digest(Redacted.value(apiKey))
})

/** The default settings of a key. */
const noSettings: Account.KeySettings = { label: null, expiresAt: null, limits: KeyLimits.none }

/** Checks changes of a key's settings, and returns the changed settings. A new time of expiry must be in the future. */
const keySettingsOf = (
  before: Account.KeySettings,
  changes: Partial<Account.KeySettings>,
  now: number
): Effect.Effect<Account.KeySettings, SettingError> =>
  Effect.gen(function* () {
    const { expiresAt, label = before.label, limits } = changes
    if (label !== null && !isName(label)) {
      return yield* new SettingError({ setting: "label", problem: "must be 1 to 256 characters, none of them NUL" })
    }
    if (typeof expiresAt === "number" && !(Number.isSafeInteger(expiresAt) && expiresAt > now && expiresAt <= LAST)) {
      return yield* new SettingError({
        setting: "expiresAt",
        problem: "must be in the future: to end a key, revoke it"
      })
    }
    return {
      label,
      expiresAt: expiresAt === undefined ? before.expiresAt : expiresAt,
      limits: limits === undefined ? before.limits : yield* Effect.fromResult(KeyLimits.parse(limits))
    }
  })

/** The last time that JavaScript can write as a date. */
const LAST = 8.64e15

const YEAR = Duration.toMillis(Duration.days(365))

const overlapOf = (overlap: Duration.Input): Effect.Effect<number, SettingError> => {
  const millis = Math.ceil(Duration.toMillis(Duration.fromInputUnsafe(overlap)))
  return millis >= 0 && millis <= YEAR
    ? Effect.succeed(millis)
    : Effect.fail(new SettingError({ setting: "overlap", problem: "must be at most 365 days" }))
}
