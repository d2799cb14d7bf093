/** The tables of accounts, projects and keys, and the meaning of their rows. */
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as KeyLimits from "../limits/KeyLimits.ts"
import * as ProjectLimits from "../limits/ProjectLimits.ts"
import type { Migrations } from "../state/Migrations.ts"
import { StateError } from "../state/StateError.ts"
import type * as Account from "./Account.ts"
import * as Allowlist from "./Allowlist.ts"
import type { FoundHolder } from "./holderMemory.ts"
import { TokenRules } from "./TokenRules.ts"

/**
 * `accounts_revision` has one row with the number of changes. Every change first increments the number, so other
 * processes notice the change, and two changes never run at the same time. `accounts_changes` names the project,
 * account or key that each of the newest changes concerns (`accountsChanges.ts`).
 *
 * Ids are compared by their bytes. In Postgres this does not depend on the language of the database.
 */
export const migrations: Migrations = {
  name: "accounts",
  steps: [
    (sql) => {
      const id = sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
      return Effect.all([
        sql`CREATE TABLE accounts (
          id ${id} PRIMARY KEY, name TEXT NOT NULL, card INTEGER NOT NULL
        )`,
        sql`CREATE TABLE projects (
          id ${id} PRIMARY KEY, account ${id} NOT NULL REFERENCES accounts (id), name TEXT NOT NULL,
          suspended INTEGER NOT NULL, secret_required INTEGER NOT NULL, allowlist TEXT NOT NULL, limits TEXT NOT NULL
        )`,
        sql`CREATE INDEX projects_of_account ON projects (account, id)`,
        sql`CREATE TABLE keys (
          id ${id} PRIMARY KEY, project ${id} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
          digest ${id} NOT NULL UNIQUE, secret_hash TEXT NOT NULL, start TEXT NOT NULL,
          created_at BIGINT NOT NULL, ends_at BIGINT
        )`,
        sql`CREATE INDEX keys_of_project ON keys (project, created_at, id)`,
        sql`CREATE TABLE accounts_revision (revision BIGINT NOT NULL)`,
        sql`INSERT INTO accounts_revision (revision) VALUES (0)`
      ])
    },
    (sql) => sql`ALTER TABLE accounts ADD COLUMN card_until BIGINT`,
    // Until this migration all projects had these rates for IPFS. A project without limits, such as the operator's,
    // stays without them.
    (sql) => sql`
      UPDATE projects
      SET limits = substr(limits, 1, length(limits) - 1) || ',"ipfsReadsPerSecond":1500,"ipfsWritesPerSecond":150}'
      WHERE limits <> '{}'`,
    (sql) => {
      const id = sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
      return sql`CREATE TABLE accounts_changes (
        revision BIGINT PRIMARY KEY, mark TEXT NOT NULL, account ${id}, project ${id}, digest ${id}
      )`
    },
    (sql) =>
      Effect.all([
        sql`ALTER TABLE keys ADD COLUMN label TEXT`,
        sql`ALTER TABLE keys ADD COLUMN expires_at BIGINT`,
        sql`ALTER TABLE keys ADD COLUMN limits TEXT NOT NULL DEFAULT '{}'`
      ]),
    (sql) => {
      const id = sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
      return sql`CREATE TABLE token_rules (
        project ${id} PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE, rules TEXT NOT NULL
      )`
    },
    (sql) => sql`ALTER TABLE accounts ADD COLUMN limits TEXT NOT NULL DEFAULT '{}'`
  ]
}

/**
 * The columns of each table. Statements name them: a statement that asks for all columns, and that was prepared before a
 * newer version added one, fails once, which would end the transaction around it.
 */
export const COLUMNS = {
  accounts: "id, name, card, card_until, limits",
  projects: "id, account, name, suspended, secret_required, allowlist, limits",
  keys: "id, project, digest, secret_hash, start, created_at, ends_at, label, expires_at, limits"
} as const

export type AccountRow = {
  readonly id: string
  readonly name: string
  /** 1 if an operator states that the account has a card, otherwise 0. */
  readonly card: number
  /**
   * Time until which the card at the payment provider is valid, in milliseconds since 1970 UTC; null without a card.
   */
  readonly card_until: number | null
  readonly limits: string
}

export type ProjectRow = {
  readonly id: string
  readonly account: string
  readonly name: string
  readonly suspended: number
  readonly secret_required: number
  readonly allowlist: string
  readonly limits: string
}

export type KeyRow = {
  readonly id: string
  readonly project: string
  readonly digest: string
  readonly secret_hash: string
  readonly start: string
  readonly created_at: number
  readonly ends_at: number | null
  readonly label: string | null
  readonly expires_at: number | null
  readonly limits: string
}

/** A key with its project and its account. */
export interface HolderRow extends KeyRow, Omit<ProjectRow, "id" | "name" | "limits"> {
  readonly project_limits: string
  /** The project's rules for tokens, as JSON; null if it has none. */
  readonly tokens: string | null
  readonly project_name: string
  readonly account_name: string
  readonly account_limits: string
  readonly card: number
  readonly card_until: number | null
}

/** Returns the account as it is at the time `now`, in milliseconds since 1970 UTC. Its card can expire. */
export const accountOf = (row: AccountRow, now: number): Result.Result<Account.Account, StateError> => {
  const limits = decodeKeyLimits(row.limits)
  if (Result.isFailure(limits)) return damaged("limits", "account", row.id)
  return Result.succeed({
    id: row.id,
    name: row.name,
    card: row.card !== 0 || cardEndsAt(row) > now,
    ...(KeyLimits.isNone(limits.success) ? {} : { limits: limits.success })
  })
}

/** Returns the time at which the account's card expires. A card that an operator states does not expire. */
const cardEndsAt = ({ card, card_until: until }: Pick<AccountRow, "card" | "card_until">): number =>
  card !== 0 ? Infinity : (until ?? -Infinity)

const decodeAllowlist = Schema.decodeUnknownResult(Schema.fromJsonString(Allowlist.Allowlist))
const decodeLimits = Schema.decodeUnknownResult(Schema.fromJsonString(ProjectLimits.ProjectLimits))

export const projectOf = (row: ProjectRow): Result.Result<Account.Project, StateError> => {
  const allowlist = decodeAllowlist(row.allowlist)
  const limits = decodeLimits(row.limits)
  if (Result.isFailure(allowlist)) return damaged("allowlist", "project", row.id)
  if (Result.isFailure(limits)) return damaged("limits", "project", row.id)
  return Result.succeed({
    id: row.id,
    account: row.account,
    name: row.name,
    suspended: row.suspended !== 0,
    secretRequired: row.secret_required !== 0,
    allowlist: allowlist.success,
    limits: limits.success
  })
}

const decodeKeyLimits = Schema.decodeUnknownResult(Schema.fromJsonString(KeyLimits.KeyLimits))

const damaged = (what: string, owner: "account" | "project", id: string): Result.Result<never, StateError> =>
  Result.fail(new StateError({ problem: "Damaged", detail: `the ${what} of ${owner} ${id}` }))

export const projectRow = (project: Account.Project): ProjectRow => ({
  id: project.id,
  account: project.account,
  name: project.name,
  suspended: Number(project.suspended),
  secret_required: Number(project.secretRequired),
  allowlist: JSON.stringify(project.allowlist),
  limits: JSON.stringify(project.limits)
})

export const keyOf = (row: KeyRow): Result.Result<Account.Key, StateError> => {
  const limits = decodeKeyLimits(row.limits)
  if (Result.isFailure(limits)) return damaged("key limits", "project", row.project)
  return Result.succeed({
    id: row.id,
    project: row.project,
    start: row.start,
    createdAt: row.created_at,
    endsAt: row.ends_at,
    label: row.label,
    expiresAt: row.expires_at,
    limits: limits.success
  })
}

/** Returns the columns for the settings that the owner of a key may change. */
export const keySettingsRow = ({
  expiresAt,
  label,
  limits
}: Account.KeySettings): Pick<KeyRow, "expires_at" | "label" | "limits"> => ({
  label,
  expires_at: expiresAt,
  limits: JSON.stringify(limits)
})

/**
 * Returns the rules of a project. The same text gives the same object, because verified tokens are cached by object.
 */
export const tokenRulesOf = (project: string, text: string): Result.Result<TokenRules, StateError> => {
  const known = rulesByText.get(text)
  if (known !== undefined) return Result.succeed(known)
  const rules = decodeTokenRules(text)
  if (Result.isFailure(rules)) return damaged("token rules", "project", project)
  rulesByText.set(text, rules.success)
  return Result.succeed(rules.success)
}

const decodeTokenRules = Schema.decodeUnknownResult(Schema.fromJsonString(TokenRules))

const MAX_RULES = 1000

const rulesByText = new BoundedMap<string, TokenRules>(MAX_RULES)

/** Returns the holder as it is at the time `now`, in milliseconds since 1970 UTC. Its account's card can expire. */
export const holderOf = (row: HolderRow, now: number): Result.Result<FoundHolder, StateError> =>
  Result.gen(function* () {
    const project = yield* projectOf({ ...row, id: row.project, name: row.project_name, limits: row.project_limits })
    const account = yield* accountOf(
      { ...row, id: row.account, name: row.account_name, limits: row.account_limits },
      now
    )
    return {
      holder: {
        account,
        project,
        key: yield* keyOf(row),
        secretHash: row.secret_hash,
        ...(row.tokens === null ? {} : { tokens: yield* tokenRulesOf(row.project, row.tokens) })
      },
      until: account.card ? cardEndsAt(row) : Infinity
    }
  })
