/** The tables of the admin API: the audit log, and the requests that were carried out. */
import * as Effect from "effect/Effect"

import type { Migrations } from "../state/Migrations.ts"

export const migrations: Migrations = {
  name: "admin",
  steps: [
    (sql) => {
      const number = sql.literal(
        sql.onDialectOrElse({
          pg: () => "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
          // Without AUTOINCREMENT the number of a deleted last row would be used again.
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
    }
  ]
}

export type AuditRow = {
  readonly id: number
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly target: string
  readonly changed: string
}
