/**
 * The tables of the admin API: audit log, idempotency keys, sessions, admin tokens, ended keys, lies of nodes and of drills, and secrets.
 */
import type { Migrations } from "@plumbline/gateway/state/Migrations"
import * as Effect from "effect/Effect"

import type { AdminRole } from "./AdminRole.ts"

export const migrations: Migrations = {
  name: "admin",
  steps: [
    (sql) => {
      const number = sql.literal(
        sql.onDialectOrElse({
          pg: () => "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
          // Without AUTOINCREMENT, SQLite would use the number of a deleted last row again.
          orElse: () => "INTEGER PRIMARY KEY AUTOINCREMENT"
        })
      )
      return Effect.all([
        sql`CREATE TABLE admin_audit (
          id ${number}, at BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL,
          changed TEXT NOT NULL
        )`,
        sql`CREATE TABLE admin_done (
          actor TEXT NOT NULL, request TEXT NOT NULL, at BIGINT NOT NULL, target TEXT NOT NULL,
          PRIMARY KEY (actor, request)
        )`
      ])
    },
    // `project` is empty for an operator. `token` is derived from the admin token, or it is the id of the project's
    // key.
    (sql) =>
      Effect.all([
        sql`CREATE TABLE admin_sessions (
          digest TEXT PRIMARY KEY, label TEXT NOT NULL, project TEXT NOT NULL, token TEXT NOT NULL,
          begun_at BIGINT NOT NULL, ends_at BIGINT NOT NULL
        )`,
        sql`CREATE INDEX admin_sessions_of ON admin_sessions (label, project, begun_at)`
      ]),
    (sql) =>
      Effect.all([
        sql`CREATE TABLE admin_ended_keys (
          key TEXT PRIMARY KEY, project TEXT NOT NULL, start TEXT NOT NULL, created_at BIGINT NOT NULL,
          ended_at BIGINT NOT NULL, reason TEXT NOT NULL, successor TEXT
        )`,
        sql`CREATE INDEX admin_ended_keys_of ON admin_ended_keys (project, ended_at)`,
        sql`CREATE INDEX admin_audit_of ON admin_audit (target, id)`
      ]),
    (sql) => sql`
      CREATE TABLE admin_lies (
        network TEXT NOT NULL, node TEXT NOT NULL, method TEXT NOT NULL, check_name TEXT NOT NULL,
        count BIGINT NOT NULL, last_at BIGINT NOT NULL, PRIMARY KEY (network, node, method, check_name)
      )`,
    // A process of an earlier version writes rows without the new columns, and does not accept sessions that need them.
    (sql) =>
      Effect.all([
        sql`CREATE TABLE admin_tokens (
          id TEXT PRIMARY KEY, label TEXT NOT NULL UNIQUE, digest TEXT NOT NULL UNIQUE, role TEXT NOT NULL,
          projects TEXT, created_at BIGINT NOT NULL, created_by TEXT NOT NULL, expires_at BIGINT
        )`,
        sql`ALTER TABLE admin_sessions ADD COLUMN member_of TEXT`,
        sql`ALTER TABLE admin_sessions ADD COLUMN address TEXT`,
        sql`ALTER TABLE admin_audit ADD COLUMN address TEXT`,
        sql`ALTER TABLE admin_audit ADD COLUMN state_before TEXT`,
        sql`ALTER TABLE admin_audit ADD COLUMN state_after TEXT`
      ]),
    (sql) => sql`CREATE TABLE admin_secrets (name TEXT PRIMARY KEY, secret TEXT NOT NULL)`,
    (sql) => sql`ALTER TABLE admin_lies ADD COLUMN first_at BIGINT`,
    (sql) =>
      Effect.all([
        sql`ALTER TABLE admin_lies ADD COLUMN expected TEXT`,
        sql`ALTER TABLE admin_lies ADD COLUMN got TEXT`
      ]),
    // Lies of drills have a table of their own, because the key of the other one cannot change under an earlier version.
    (sql) =>
      Effect.all([
        sql`ALTER TABLE admin_lies ADD COLUMN params TEXT`,
        sql`ALTER TABLE admin_lies ADD COLUMN block_number BIGINT`,
        sql`ALTER TABLE admin_lies ADD COLUMN block_hash TEXT`,
        sql`CREATE TABLE admin_lie_drills (
          network TEXT NOT NULL, node TEXT NOT NULL, method TEXT NOT NULL, check_name TEXT NOT NULL,
          drill_at BIGINT NOT NULL, drill_until BIGINT NOT NULL, drill_by TEXT NOT NULL,
          count BIGINT NOT NULL, first_at BIGINT NOT NULL, last_at BIGINT NOT NULL, expected TEXT, got TEXT,
          params TEXT, block_number BIGINT, block_hash TEXT,
          PRIMARY KEY (network, node, method, check_name, drill_at)
        )`
      ])
  ]
}

export type EndedKeyRow = {
  readonly key: string
  readonly project: string
  readonly start: string
  readonly created_at: number
  readonly ended_at: number
  readonly reason: "expired" | "rotated" | "revoked"
  readonly successor: string | null
}

export type LieRow = {
  readonly network: string
  readonly node: string
  readonly method: string
  readonly check_name: string
  readonly count: number
  /** The time of the first lie; null in a row that an earlier version began. */
  readonly first_at: number | null
  readonly last_at: number
  /** The values that the check compared in the last lie; null if an earlier version recorded it, or none is known. */
  readonly expected: string | null
  readonly got: string | null
  /** The parameters of the last call, as JSON; null if an earlier version recorded it. */
  readonly params: string | null
  /** The block of the last answer; null if the answer names none. */
  readonly block_number: number | null
  readonly block_hash: string | null
  /** The time and the author of the order to lie; null for lies that no operator ordered. */
  readonly drill_at: number | null
  readonly drill_until: number | null
  readonly drill_by: string | null
}

export type SessionRow = {
  readonly digest: string
  readonly label: string
  readonly project: string
  readonly token: string
  readonly begun_at: number
  readonly ends_at: number
  /** The groups at the identity provider, as a JSON list; null for other sessions. */
  readonly member_of: string | null
  readonly address: string | null
}

export type TokenRow = {
  readonly id: string
  readonly label: string
  readonly digest: string
  readonly role: AdminRole
  /** The ids of projects, as a JSON list; null for all. */
  readonly projects: string | null
  readonly created_at: number
  readonly created_by: string
  readonly expires_at: number | null
}

/** A random secret of the service. */
export type SecretRow = {
  readonly name: string
  /** 256 random bits in base64url. */
  readonly secret: string
}

export type AuditRow = {
  readonly id: number
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly changed: string
  readonly address: string | null
  /** The values before the change, as JSON. */
  readonly state_before: string | null
  readonly state_after: string | null
}
