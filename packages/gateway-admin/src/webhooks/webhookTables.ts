/** The tables of webhooks: the receivers, their positions in the events, and their last tries. */
import type { Migrations } from "@plumbline/gateway/state/Migrations"
import * as Effect from "effect/Effect"

/**
 * The migrations of the tables of webhooks:
 *
 * - `usage_webhooks`: the position of each receiver. `after_id` is the number of the last event that was delivered or
 *   skipped. `delivered`, `lost` and `failures` are counts; `failures` counts since the last delivery. `lease` is the
 *   process that delivers until `lease_ends`.
 * - `webhook_receivers`: the receivers that operators created, with URL and secret. The secret is stored because
 *   signing needs it.
 * - `webhook_tries`: the last tries of each receiver.
 *
 * Times are milliseconds since the epoch.
 */
export const migrations: Migrations = {
  name: "webhooks",
  steps: [
    (sql) => {
      const id = sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
      return sql`CREATE TABLE usage_webhooks (
        name ${id} PRIMARY KEY, after_id BIGINT NOT NULL, delivered BIGINT NOT NULL, delivered_at BIGINT,
        lost BIGINT NOT NULL, failures BIGINT NOT NULL, failed_at BIGINT, problem TEXT, next_at BIGINT NOT NULL,
        lease TEXT, lease_ends BIGINT NOT NULL
      )`
    },
    (sql) => {
      const id = sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
      const number = sql.literal(
        sql.onDialectOrElse({
          pg: () => "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
          // Without AUTOINCREMENT the number of a deleted last row would be used again.
          orElse: () => "INTEGER PRIMARY KEY AUTOINCREMENT"
        })
      )
      return Effect.all([
        sql`CREATE TABLE webhook_receivers (
          name ${id} PRIMARY KEY, url TEXT NOT NULL, secret TEXT NOT NULL, events TEXT NOT NULL, created_at BIGINT NOT NULL
        )`,
        sql`CREATE TABLE webhook_tries (
          id ${number}, name ${id} NOT NULL, message TEXT NOT NULL, event BIGINT, at BIGINT NOT NULL,
          millis BIGINT NOT NULL, status BIGINT, problem TEXT
        )`,
        sql`CREATE INDEX webhook_tries_of ON webhook_tries (name, id)`
      ])
    },
    (sql) => sql`ALTER TABLE webhook_receivers ADD COLUMN format TEXT NOT NULL DEFAULT 'json'`
  ]
}
