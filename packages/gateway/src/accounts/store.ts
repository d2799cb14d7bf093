/** The database queries for accounts, projects and keys. */
import { randomUUID } from "node:crypto"

import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

import * as Redaction from "../errors/Redaction.ts"
import { SettingError } from "../errors/SettingError.ts"
import * as KeyLimits from "../limits/KeyLimits.ts"
import * as Limits from "../limits/Limits.ts"
import { fromSql, StateError } from "../state/StateError.ts"
import * as Account from "./Account.ts"
import { AccountsError } from "./AccountsError.ts"
import * as Allowlist from "./Allowlist.ts"
import * as ApiKey from "./ApiKey.ts"
import * as AccountsCache from "./cache.ts"
import * as Changes from "./changes.ts"
import type { Concern } from "./memory.ts"
import type { Issued, Service } from "./service.ts"
import * as Tables from "./tables.ts"
import * as TokenKeys from "./TokenKeys.ts"

/** Maximum number of keys of a project. */
export const MAX_KEYS = 10

/** Maximum number of rows of a list. */
export const PAGE = 1000

/** Makes the store. The tables of `tables.ts` must exist. */
export const make = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<Service, never, Scope.Scope> {
  const cache = yield* AccountsCache.make({
    revision: guarded(Changes.revision(sql)),
    changes: (from, to) => guarded(Changes.between(sql, from, to)),
    find: (digest) =>
      guarded(
        Effect.flatMap(
          sql<Tables.HolderRow>`
            SELECT k.id, k.project, k.digest, k.secret_hash, k.start, k.created_at, k.ends_at, k.label, k.expires_at,
              k.limits, p.account, p.name AS project_name, p.suspended, p.secret_required, p.allowlist,
              p.limits AS project_limits, t.rules AS tokens,
              a.name AS account_name, a.card, a.card_until
            FROM keys k JOIN projects p ON p.id = k.project JOIN accounts a ON a.id = p.account
              LEFT JOIN token_rules t ON t.project = p.id
            WHERE k.digest = ${digest}`,
          ([row]) =>
            row === undefined
              ? Effect.undefined
              : Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fromResult(Tables.holderOf(row, now)))
        )
      )
  })

  /**
   * Runs a change. Changes run one at a time, in all processes. `concernOf` returns the cache entries that a finished
   * change concerns.
   */
  const change = <A, E>(
    work: Effect.Effect<A, E | SqlError>,
    concernOf: (made: A) => Concern
  ): Effect.Effect<A, Exclude<E, SqlError> | StateError> =>
    Effect.suspend(() => {
      let concern: Concern | undefined
      const drop = Effect.sync(() => {
        if (concern !== undefined) cache.drop(concern)
      })
      return Effect.flatMap(Changes.begin(sql), (revision) =>
        Effect.tap(work, (made) => {
          concern = concernOf(made)
          return Changes.record(sql, revision, concern)
        })
      ).pipe(
        // Inside a larger transaction, other connections see the change only after the commit.
        Effect.tap(() => sql.afterCommit(drop)),
        sql.withTransaction,
        guarded,
        // A change that fails may still have been committed.
        Effect.ensuring(drop)
      )
    })

  const account = (id: string) =>
    Effect.map(sql<Tables.AccountRow>`SELECT * FROM accounts WHERE id = ${plain(id)}`, ([row]) => row)
  const project = (id: string) =>
    Effect.flatMap(sql<Tables.ProjectRow>`SELECT * FROM projects WHERE id = ${plain(id)}`, ([row]) =>
      row === undefined ? Effect.undefined : Effect.fromResult(Tables.projectOf(row))
    )
  const key = (id: string) =>
    Effect.flatMap(sql<Tables.KeyRow>`SELECT * FROM keys WHERE id = ${plain(id)}`, ([row]) =>
      row === undefined ? Effect.undefined : Effect.fromResult(Tables.keyOf(row))
    )
  const keys = Effect.fnUntraced(function* (of: string) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<Tables.KeyRow>`
      SELECT * FROM keys WHERE project = ${plain(of)} AND (ends_at IS NULL OR ends_at > ${now})
        AND (expires_at IS NULL OR expires_at > ${now})
      ORDER BY created_at, id`
    return yield* Effect.fromResult(Result.all(rows.map(Tables.keyOf)))
  })

  /** Returns a key that has not ended. An ended key may be deleted at any moment, so it counts as absent. */
  const liveKey = Effect.fnUntraced(function* (id: string) {
    const found = (yield* key(id)) ?? (yield* absent("key", id))
    const end = Account.endOf(found)
    if (end !== undefined && end <= (yield* Clock.currentTimeMillis)) return yield* absent("key", id)
    return found
  })

  const add = (added: Account.Project) => sql`INSERT INTO projects ${sql.insert(Tables.projectRow(added))}`

  const addKey = Effect.fnUntraced(function* (
    to: string,
    { keyHash, keyStart, secretHash }: ApiKey.Digests,
    settings: Account.KeySettings = noSettings
  ) {
    const row: Tables.KeyRow = {
      id: randomUUID(),
      project: to,
      digest: keyHash,
      secret_hash: secretHash,
      start: keyStart,
      created_at: yield* Clock.currentTimeMillis,
      ends_at: null,
      ...Tables.keySettingsRow(settings)
    }
    yield* sql`INSERT INTO keys ${sql.insert(row)}`
    return yield* Effect.fromResult(Tables.keyOf(row))
  })

  const issue = Effect.fnUntraced(function* (to: string, settings?: Account.KeySettings) {
    const now = yield* Clock.currentTimeMillis
    // The cache needs no notice of these deletions: an ended key has no holder.
    yield* sql`DELETE FROM keys WHERE project = ${to} AND (ends_at <= ${now} OR expires_at <= ${now})`
    if ((yield* keys(to)).length >= MAX_KEYS) {
      return yield* new AccountsError({ reason: { _tag: "TooManyKeys", project: to, limit: MAX_KEYS } })
    }
    const pair = ApiKey.generate()
    const made = yield* addKey(to, ApiKey.digests(pair), settings)
    return { key: made, apiKey: pair.key, apiKeySecret: pair.secret } satisfies Issued
  })

  return {
    lookup: (apiKey) => cache.lookup(ApiKey.digest(apiKey)),

    createAccount: Effect.fnUntraced(function* ({ card = false, name }) {
      const made: Account.Account = { id: randomUUID(), name: yield* nameOf(name), card }
      const row: Tables.AccountRow = { ...made, card: Number(card), card_until: null }
      return yield* change(Effect.as(sql`INSERT INTO accounts ${sql.insert(row)}`, made), ofAccount(made.id))
    }),
    account: (id) =>
      guarded(
        Effect.zipWith(account(id), Clock.currentTimeMillis, (row, now) =>
          row === undefined ? undefined : Tables.accountOf(row, now)
        )
      ),
    accounts: ({ after = "" } = {}) =>
      guarded(
        Effect.zipWith(
          sql<Tables.AccountRow>`SELECT * FROM accounts WHERE id > ${plain(after)} ORDER BY id LIMIT ${PAGE}`,
          Clock.currentTimeMillis,
          (rows, now) => rows.map((row) => Tables.accountOf(row, now))
        )
      ),
    updateAccount: Effect.fnUntraced(function* (id, { card, name }) {
      if (name !== undefined) yield* nameOf(name)
      return yield* change(
        Effect.gen(function* () {
          const before = (yield* account(id)) ?? (yield* absent("account", id))
          const after = { name: name ?? before.name, card: card === undefined ? before.card : Number(card) }
          yield* sql`UPDATE accounts SET ${sql.update(after)} WHERE id = ${id}`
          return Tables.accountOf({ ...before, ...after }, yield* Clock.currentTimeMillis)
        }),
        ofAccount(id)
      )
    }),
    removeAccount: (id) =>
      change(
        Effect.gen(function* () {
          if ((yield* account(id)) === undefined) return yield* absent("account", id)
          if ((yield* sql`SELECT id FROM projects WHERE account = ${id} LIMIT 1`).length > 0) {
            return yield* new AccountsError({ reason: { _tag: "NotEmpty", account: id } })
          }
          yield* sql`DELETE FROM accounts WHERE id = ${id}`
        }),
        ofAccount(id)
      ),

    createProject: Effect.fnUntraced(function* ({ account: owner, name, ...settings }) {
      const made: Account.Project = {
        id: randomUUID(),
        account: owner,
        ...(yield* settingsOf({
          name,
          suspended: settings.suspended ?? false,
          secretRequired: settings.secretRequired ?? false,
          allowlist: settings.allowlist ?? Allowlist.none,
          limits: settings.limits ?? Limits.defaults
        }))
      }
      return yield* change(
        Effect.gen(function* () {
          if ((yield* account(owner)) === undefined) return yield* absent("account", owner)
          yield* add(made)
          return { project: made, issued: yield* issue(made.id) }
        }),
        ({ issued }) => ofIssued(issued)
      )
    }),
    project: (id) => guarded(project(id)),
    projects: ({ account: owner, after = "" } = {}) =>
      guarded(
        Effect.flatMap(
          owner === undefined
            ? sql<Tables.ProjectRow>`SELECT * FROM projects WHERE id > ${plain(after)} ORDER BY id LIMIT ${PAGE}`
            : sql<Tables.ProjectRow>`
                SELECT * FROM projects WHERE account = ${plain(owner)} AND id > ${plain(after)} ORDER BY id LIMIT ${PAGE}`,
          (rows) => Effect.fromResult(Result.all(rows.map(Tables.projectOf)))
        )
      ),
    updateProject: Effect.fnUntraced(function* (id, changes) {
      return yield* change(
        Effect.gen(function* () {
          const before = (yield* project(id)) ?? (yield* absent("project", id))
          const after: Account.Project = {
            id,
            account: before.account,
            ...(yield* settingsOf({
              name: changes.name ?? before.name,
              suspended: changes.suspended ?? before.suspended,
              secretRequired: changes.secretRequired ?? before.secretRequired,
              allowlist: changes.allowlist ?? before.allowlist,
              limits: changes.limits ?? before.limits
            }))
          }
          yield* sql`UPDATE projects SET ${sql.update(Tables.projectRow(after), ["id", "account"])} WHERE id = ${id}`
          return after
        }),
        ofProject(id)
      )
    }),
    removeProject: (id) =>
      change(
        Effect.gen(function* () {
          if ((yield* project(id)) === undefined) return yield* absent("project", id)
          yield* sql`DELETE FROM projects WHERE id = ${id}`
        }),
        ofProject(id)
      ),
    removedOf: (ids) =>
      guarded(
        Effect.map(
          sql<{ readonly id: string }>`SELECT id FROM projects WHERE ${sql.in("id", ids.map(plain))}`,
          (rows) => {
            const there = new Set(rows.map(({ id }) => id))
            return ids.filter((id) => !there.has(id))
          }
        )
      ),

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
          if ((yield* project(to)) === undefined) return yield* absent("project", to)
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
          yield* sql`UPDATE keys SET ${sql.update(Tables.keySettingsRow(settings))} WHERE id = ${id}`
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
      ),

    tokens: (of) =>
      guarded(
        Effect.flatMap(
          sql<{ readonly rules: string }>`SELECT rules FROM token_rules WHERE project = ${plain(of)}`,
          ([row]) => (row === undefined ? Effect.undefined : Effect.fromResult(Tables.tokenRulesOf(of, row.rules)))
        )
      ),
    setTokens: Effect.fnUntraced(function* (of, given) {
      const rules = yield* Effect.fromResult(TokenKeys.parseRules(of, given))
      return yield* change(
        Effect.gen(function* () {
          if ((yield* project(of)) === undefined) return yield* absent("project", of)
          const text = JSON.stringify(rules)
          yield* sql`INSERT INTO token_rules ${sql.insert({ project: of, rules: text })}
            ON CONFLICT (project) DO UPDATE SET rules = excluded.rules`
          return rules
        }),
        ofProject(of)
      )
    }),
    removeTokens: (of) =>
      change(
        Effect.gen(function* () {
          if ((yield* project(of)) === undefined) return yield* absent("project", of)
          yield* sql`DELETE FROM token_rules WHERE project = ${of}`
        }),
        ofProject(of)
      ),

    adopt: Effect.fnUntraced(function* (owner, adopted) {
      const made: Account.Project = {
        id: adopted.id,
        account: owner,
        ...(yield* settingsOf({
          name: adopted.name,
          suspended: adopted.suspended ?? false,
          secretRequired: adopted.secretRequired ?? false,
          allowlist: adopted.allowlist ?? Allowlist.none,
          limits: adopted.limits ?? Limits.defaults
        }))
      }
      return yield* change(
        Effect.gen(function* () {
          if ((yield* account(owner)) === undefined) return yield* absent("account", owner)
          if ((yield* project(made.id)) !== undefined) return yield* taken("project", made.id)
          const [other] = yield* sql<Tables.KeyRow>`SELECT * FROM keys WHERE digest = ${adopted.keyHash}`
          if (other !== undefined) return yield* taken("key", other.id)
          yield* add(made)
          yield* addKey(made.id, adopted)
          return made
        }),
        () => ({ project: made.id, digest: adopted.keyHash })
      )
    })
  }
})

const ofAccount = (account: string) => (): Concern => ({ account })

const ofProject = (project: string) => (): Concern => ({ project })

/** Issuing a key concerns the project's other keys too: ended keys are deleted, and a rotated key gets an end. */
const ofIssued = ({ apiKey, key: { project } }: Issued): Concern => ({
  project,
  digest: ApiKey.digest(Redacted.value(apiKey))
})

/** Replaces NUL in an id. No stored id contains NUL. In Postgres a query with NUL fails instead of finding nothing. */
export const plain = (id: string): string => id.replaceAll("\0", "\u{FFFD}")

const absent = (kind: "account" | "project" | "key", id: string): Effect.Effect<never, AccountsError> =>
  Effect.fail(new AccountsError({ reason: { _tag: "Absent", kind, id: Redaction.id(id) } }))

const taken = (kind: "project" | "key", id: string): Effect.Effect<never, AccountsError> =>
  Effect.fail(new AccountsError({ reason: { _tag: "Taken", kind, id } }))

const isName = Schema.is(Account.Name)

const nameOf = (name: string): Effect.Effect<string, SettingError> =>
  isName(name)
    ? Effect.succeed(name)
    : Effect.fail(new SettingError({ setting: "name", problem: "must have 1 to 256 characters and no NUL" }))

const settingsOf = (settings: Account.Settings): Effect.Effect<Account.Settings, SettingError> =>
  Effect.gen(function* () {
    return {
      name: yield* nameOf(settings.name),
      suspended: settings.suspended,
      secretRequired: settings.secretRequired,
      allowlist: yield* Effect.fromResult(Allowlist.parse(settings.allowlist)),
      limits: yield* Effect.fromResult(Limits.parse(settings.limits))
    }
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

/** Maps errors of SQL to `StateError`, and adds a timeout. */
export const guarded = <A, E>(
  work: Effect.Effect<A, E | SqlError>
): Effect.Effect<A, Exclude<E, SqlError> | StateError> =>
  work.pipe(
    Effect.mapError((error) => (isSqlError(error) ? fromSql(error) : (error as Exclude<E, SqlError>))),
    Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.fail(late) })
  )

/** Maximum time of a change or a query. Statements in Postgres and waiting for locks have shorter limits. */
const PATIENCE = Duration.seconds(40)

const late = new StateError({ problem: "Unavailable", detail: "no answer in time" })
