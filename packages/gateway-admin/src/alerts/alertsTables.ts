/** The tables of alerts and events. */
import type { Migrations } from "@plumbline/gateway/state/Migrations"
import * as Effect from "effect/Effect"

/**
 * - `alert_rules`: the thresholds of each project.
 * - `usage_events`: the events, numbered without gaps in the order of commits, so that a reader misses none. `name` is
 *   the idempotency key of an event, so each event is recorded once. `lie` is a lie of a node in JSON.
 * - `usage_events_last`: the number of the last event. A process updates this row before it inserts an event, so
 *   processes write one after the other.
 */
export const migrations: Migrations = {
  name: "alerts",
  steps: [
    (sql) => {
      const id = sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
      return Effect.all([
        sql`CREATE TABLE alert_rules (
          project ${id} PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE, rules TEXT NOT NULL
        )`,
        sql`CREATE TABLE usage_events (
          id BIGINT PRIMARY KEY, name ${id} NOT NULL UNIQUE, at BIGINT NOT NULL, type TEXT NOT NULL,
          project ${id} NOT NULL, day BIGINT NOT NULL, threshold TEXT, calls BIGINT, credits BIGINT NOT NULL
        )`,
        sql`CREATE TABLE usage_events_last (id BIGINT NOT NULL, closed_day BIGINT)`,
        sql`INSERT INTO usage_events_last (id, closed_day) VALUES (0, NULL)`
      ])
    },
    (sql) => sql`CREATE INDEX usage_events_of ON usage_events (project, type, threshold, id)`,
    (sql) => sql`ALTER TABLE usage_events ADD COLUMN lie TEXT`
  ]
}
