/** The table of webhooks: the place of each receiver in the events, and its last outcome. */
import type { Migrations } from "../state/Migrations.ts"

/**
 * `after_id` is the number of the last event that was delivered or skipped. `delivered`, `lost` and `failures` are
 * counts; `failures` are those since the last delivery. `lease` names the process that delivers until `lease_ends`.
 * Times are milliseconds since 1970 UTC.
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
    }
  ]
}
