/** The database queries for accounts and projects. `keyQueries.ts` has those for keys. */
import { randomUUID } from "node:crypto"

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import { SettingError } from "../errors/SettingError.ts"
import * as KeyLimits from "../limits/KeyLimits.ts"
import * as ProjectLimits from "../limits/ProjectLimits.ts"
import type { StateError } from "../state/StateError.ts"
import type * as Account from "./Account.ts"
import * as AccountsCache from "./accountsCache.ts"
import * as AccountsChanges from "./accountsChanges.ts"
import { AccountsError } from "./AccountsError.ts"
import type { AccountsService } from "./accountsService.ts"
import * as AccountsTables from "./accountsTables.ts"
import * as Allowlist from "./Allowlist.ts"
import * as ApiKey from "./ApiKey.ts"
import type { Invalidation } from "./holderMemory.ts"
import * as KeyQueries from "./keyQueries.ts"
import { absent, guarded, isName, plain } from "./queries.ts"
import * as TokenKeys from "./TokenKeys.ts"

/** Maximum number of rows of a list. */
export const PAGE = 1000

const accountOf = (row: AccountsTables.AccountRow) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fromResult(AccountsTables.accountOf(row, now)))

/** The queries that the methods of the store share. */
interface StoreParts {
  readonly sql: SqlClient.SqlClient
  readonly change: KeyQueries.KeyQueryParts["change"]
  readonly account: (id: string) => Effect.Effect<AccountsTables.AccountRow | undefined, SqlError>
  readonly project: (id: string) => Effect.Effect<Account.Project | undefined, SqlError | StateError>
}

/** Makes the store. The tables of `accountsTables.ts` must exist. */
export const make = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient
): Effect.fn.Return<AccountsService, never, Scope.Scope> {
  const cache = yield* AccountsCache.make({
    revision: guarded(AccountsChanges.revision(sql)),
    changes: (from, to) => guarded(AccountsChanges.between(sql, from, to)),
    find: (digest) => guarded(holderOf(sql, digest))
  })
  const account = (id: string) =>
    Effect.map(
      sql<AccountsTables.AccountRow>`SELECT ${sql.literal(AccountsTables.COLUMNS.accounts)} FROM accounts WHERE id = ${plain(id)}`,
      ([row]) => row
    )
  const project = (id: string) =>
    Effect.flatMap(
      sql<AccountsTables.ProjectRow>`SELECT ${sql.literal(AccountsTables.COLUMNS.projects)} FROM projects WHERE id = ${plain(id)}`,
      ([row]) => (row === undefined ? Effect.undefined : Effect.fromResult(AccountsTables.projectOf(row)))
    )
  const parts: StoreParts = { sql, change: changing(sql, cache), account, project }
  const keys = KeyQueries.make(sql, {
    change: parts.change,
    hasProject: (id) => Effect.map(project(id), (found) => found !== undefined)
  })
  return {
    lookup: Object.assign((apiKey: string) => cache.lookup(ApiKey.digest(apiKey)), { isCurrent: cache.isCurrent }),
    state: cache.state,
    ...accountMethods(parts),
    ...projectMethods(parts, keys),
    ...keys.service,
    ...tokenMethods(parts)
  }
})

/** Finds the holder of a key by the digest of the key. */
const holderOf = (sql: SqlClient.SqlClient, digest: string) =>
  Effect.flatMap(
    sql<AccountsTables.HolderRow>`
      SELECT k.id, k.project, k.digest, k.secret_hash, k.start, k.created_at, k.ends_at, k.label, k.expires_at,
        k.limits, p.account, p.name AS project_name, p.suspended, p.secret_required, p.allowlist,
        p.limits AS project_limits, t.rules AS tokens,
        a.name AS account_name, a.limits AS account_limits, a.card, a.card_until
      FROM keys k JOIN projects p ON p.id = k.project JOIN accounts a ON a.id = p.account
        LEFT JOIN token_rules t ON t.project = p.id
      WHERE k.digest = ${digest}`,
    ([row]) =>
      row === undefined
        ? Effect.undefined
        : Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fromResult(AccountsTables.holderOf(row, now)))
  )

/**
 * Runs a change. Changes run one at a time, in all processes. `concernOf` returns the cache entries that a finished
 * change concerns.
 */
const changing =
  (sql: SqlClient.SqlClient, cache: AccountsCache.AccountsCache): StoreParts["change"] =>
  <A, E>(
    work: Effect.Effect<A, E | SqlError>,
    concernOf: (made: A) => Invalidation
  ): Effect.Effect<A, Exclude<E, SqlError> | StateError> =>
    Effect.suspend(() => {
      let concern: Invalidation | undefined
      const drop = Effect.sync(() => {
        if (concern !== undefined) cache.drop(concern)
      })
      return Effect.flatMap(AccountsChanges.begin(sql), (revision) =>
        Effect.tap(work, (made) => {
          concern = concernOf(made)
          return AccountsChanges.record(sql, revision, concern)
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

const accountMethods = ({
  account,
  change,
  sql
}: StoreParts): Pick<
  AccountsService,
  "createAccount" | "account" | "accounts" | "updateAccount" | "removeAccount"
> => ({
  createAccount: Effect.fnUntraced(function* ({ card = false, limits = KeyLimits.none, name }) {
    const row: AccountsTables.AccountRow = {
      id: randomUUID(),
      name: yield* nameOf(name),
      card: Number(card),
      card_until: null,
      limits: JSON.stringify(yield* Effect.fromResult(KeyLimits.parse(limits)))
    }
    return yield* change(
      Effect.andThen(sql`INSERT INTO accounts ${sql.insert(row)}`, accountOf(row)),
      ofAccount(row.id)
    )
  }),
  account: (id) =>
    guarded(Effect.flatMap(account(id), (row) => (row === undefined ? Effect.undefined : accountOf(row)))),
  accounts: ({ after = "" } = {}) =>
    guarded(
      Effect.flatMap(
        sql<AccountsTables.AccountRow>`SELECT ${sql.literal(AccountsTables.COLUMNS.accounts)} FROM accounts WHERE id > ${plain(after)} ORDER BY id LIMIT ${PAGE}`,
        Effect.forEach(accountOf)
      )
    ),
  updateAccount: Effect.fnUntraced(function* (id, { card, limits, name }) {
    if (name !== undefined) yield* nameOf(name)
    const parsed = limits === undefined ? undefined : yield* Effect.fromResult(KeyLimits.parse(limits))
    return yield* change(
      Effect.gen(function* () {
        const before = (yield* account(id)) ?? (yield* absent("account", id))
        const after = {
          name: name ?? before.name,
          card: card === undefined ? before.card : Number(card),
          limits: parsed === undefined ? before.limits : JSON.stringify(parsed)
        }
        yield* sql`UPDATE accounts SET ${sql.update(after)} WHERE id = ${id}`
        return yield* accountOf({ ...before, ...after })
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
    )
})

const projectMethods = (
  { account, change, project, sql }: StoreParts,
  keys: Pick<ReturnType<typeof KeyQueries.make>, "add" | "issue">
): Pick<
  AccountsService,
  "createProject" | "project" | "projects" | "updateProject" | "removeProject" | "removedOf" | "adopt"
> => {
  const add = (added: Account.Project) => sql`INSERT INTO projects ${sql.insert(AccountsTables.projectRow(added))}`
  return {
    createProject: Effect.fnUntraced(function* ({ account: owner, ...given }) {
      const made: Account.Project = {
        id: randomUUID(),
        account: owner,
        ...(yield* settingsOf(given, newSettings))
      }
      return yield* change(
        Effect.gen(function* () {
          if ((yield* account(owner)) === undefined) return yield* absent("account", owner)
          yield* add(made)
          return { project: made, issued: yield* keys.issue(made.id) }
        }),
        ({ issued }) => KeyQueries.ofIssued(issued)
      )
    }),
    project: (id) => guarded(project(id)),
    projects: ({ account: owner, after = "" } = {}) =>
      guarded(
        Effect.flatMap(
          owner === undefined
            ? sql<AccountsTables.ProjectRow>`SELECT ${sql.literal(AccountsTables.COLUMNS.projects)} FROM projects WHERE id > ${plain(after)} ORDER BY id LIMIT ${PAGE}`
            : sql<AccountsTables.ProjectRow>`
                SELECT ${sql.literal(AccountsTables.COLUMNS.projects)} FROM projects WHERE account = ${plain(owner)} AND id > ${plain(after)} ORDER BY id LIMIT ${PAGE}`,
          (rows) => Effect.fromResult(Result.all(rows.map(AccountsTables.projectOf)))
        )
      ),
    updateProject: Effect.fnUntraced(function* (id, changes) {
      return yield* change(
        Effect.gen(function* () {
          const before = (yield* project(id)) ?? (yield* absent("project", id))
          const after: Account.Project = {
            id,
            account: before.account,
            ...(yield* settingsOf(changes, before))
          }
          yield* sql`UPDATE projects SET ${sql.update(AccountsTables.projectRow(after), ["id", "account"])} WHERE id = ${id}`
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

    adopt: Effect.fnUntraced(function* (owner, adopted) {
      const made: Account.Project = {
        id: adopted.id,
        account: owner,
        ...(yield* settingsOf(adopted, newSettings))
      }
      return yield* change(
        Effect.gen(function* () {
          if ((yield* account(owner)) === undefined) return yield* absent("account", owner)
          if ((yield* project(made.id)) !== undefined) return yield* taken("project", made.id)
          const [other] =
            yield* sql<AccountsTables.KeyRow>`SELECT ${sql.literal(AccountsTables.COLUMNS.keys)} FROM keys WHERE digest = ${adopted.keyHash}`
          if (other !== undefined) return yield* taken("key", other.id)
          yield* add(made)
          yield* keys.add(made.id, adopted)
          return made
        }),
        () => ({ project: made.id, digest: adopted.keyHash })
      )
    })
  }
}

const tokenMethods = ({
  change,
  project,
  sql
}: StoreParts): Pick<AccountsService, "tokens" | "setTokens" | "removeTokens"> => ({
  tokens: (of) =>
    guarded(
      Effect.flatMap(
        sql<{ readonly rules: string }>`SELECT rules FROM token_rules WHERE project = ${plain(of)}`,
        ([row]) =>
          row === undefined ? Effect.undefined : Effect.fromResult(AccountsTables.tokenRulesOf(of, row.rules))
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
    )
})

const ofAccount = (account: string) => (): Invalidation => ({ account })

const ofProject = (project: string) => (): Invalidation => ({ project })

const taken = (kind: "project" | "key", id: string): Effect.Effect<never, AccountsError> =>
  Effect.fail(new AccountsError({ reason: { _tag: "Taken", kind, id } }))

const nameOf = (name: string): Effect.Effect<string, SettingError> =>
  isName(name)
    ? Effect.succeed(name)
    : Effect.fail(new SettingError({ setting: "name", problem: "must have 1 to 256 characters and no NUL" }))

/** The settings of a new project, which is always given a name. */
const newSettings: Account.ProjectSettings = {
  name: "",
  suspended: false,
  secretRequired: false,
  allowlist: Allowlist.none,
  limits: ProjectLimits.defaults
}

/** Checks the changed settings of a project. */
const settingsOf = (
  changes: Partial<Account.ProjectSettings>,
  before: Account.ProjectSettings
): Effect.Effect<Account.ProjectSettings, SettingError> =>
  Effect.gen(function* () {
    return {
      name: yield* nameOf(changes.name ?? before.name),
      suspended: changes.suspended ?? before.suspended,
      secretRequired: changes.secretRequired ?? before.secretRequired,
      allowlist: yield* Effect.fromResult(Allowlist.parse(changes.allowlist ?? before.allowlist)),
      limits: yield* Effect.fromResult(ProjectLimits.parse(changes.limits ?? before.limits))
    }
  })
