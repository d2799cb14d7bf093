/**
 * The position of each receiver in the sequence of events. It is stored in the database, and all processes share it.
 */
import * as Backoff from "@plumbline/jsonrpc-core/time/Backoff"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

type Count = number | bigint

/** The row of a receiver. */
interface CursorRow {
  readonly name: string
  readonly after_id: Count
  readonly delivered: Count
  readonly delivered_at: Count | null
  readonly lost: Count
  readonly failures: Count
  readonly failed_at: Count | null
  readonly problem: string | null
  readonly next_at: Count
}

/** A row, with the time of the oldest waiting event; null if no event waits. */
export interface DeliveryCursor extends CursorRow {
  readonly oldest: Count | null
}

/** Milliseconds for which a process may deliver before it must confirm its lease. A try takes less time than this. */
const LEASE = 60_000

/**
 * Returns the pause after a failure in milliseconds: two seconds at first, then doubled each time, up to ten minutes.
 */
export const pauseAfter = (failures: number): number => Backoff.delay(PAUSES, failures, 0)

const PAUSES: Backoff.Backoff = { initial: 1000, factor: 2, max: 600_000, jitter: 0 }

/** Makes the queries of a process. The tables of alerts and of webhooks must exist. */
export const make = (sql: SqlClient.SqlClient, process: string) => ({
  /** Adds a receiver at the newest event, so that older events are not sent. A known receiver keeps its position. */
  enter: (name: string): Effect.Effect<void, SqlError> =>
    Effect.asVoid(sql`
      INSERT INTO usage_webhooks (name, after_id, delivered, lost, failures, next_at, lease_ends)
      SELECT CAST(${name} AS TEXT), id, 0, 0, 0, 0, 0 FROM usage_events_last WHERE TRUE
      ON CONFLICT (name) DO NOTHING`),

  /** Takes the lease of a receiver if its pause is over and no other process has the lease. */
  take: (name: string, now: number): Effect.Effect<CursorRow | undefined, SqlError> =>
    Effect.map(
      sql<CursorRow>`
        UPDATE usage_webhooks SET lease = ${process}, lease_ends = ${now + LEASE}
        WHERE name = ${name} AND next_at <= ${now}
          AND (lease IS NULL OR lease = ${process} OR lease_ends <= ${now}) RETURNING *`,
      ([place]) => place
    ),

  /** Records that an event was delivered or skipped. Returns false if another process has the lease by now. */
  advance: (
    name: string,
    {
      after,
      isDelivered,
      lost,
      now
    }: { readonly after: number; readonly isDelivered: boolean; readonly lost: number; readonly now: number }
  ): Effect.Effect<boolean, SqlError> =>
    Effect.map(
      isDelivered
        ? sql`
          UPDATE usage_webhooks SET after_id = ${after}, lost = lost + ${lost}, lease_ends = ${now + LEASE},
            delivered = delivered + 1, delivered_at = ${now}, failures = 0, problem = NULL
          WHERE name = ${name} AND lease = ${process} RETURNING name`
        : sql`
          UPDATE usage_webhooks SET after_id = ${after}, lost = lost + ${lost}, lease_ends = ${now + LEASE}
          WHERE name = ${name} AND lease = ${process} RETURNING name`,
      (rows) => rows.length > 0
    ),

  /** Records a failure, and gives back the lease. */
  fail: (
    name: string,
    { failures, now, problem }: { readonly failures: number; readonly now: number; readonly problem: string }
  ): Effect.Effect<void, SqlError> =>
    Effect.asVoid(sql`
      UPDATE usage_webhooks SET failures = ${failures}, failed_at = ${now}, problem = ${problem},
        next_at = ${now + pauseAfter(failures)}, lease = NULL
      WHERE name = ${name} AND lease = ${process}`),

  /** Ends the pause of a receiver that failed. */
  resume: (name: string): Effect.Effect<void, SqlError> =>
    Effect.asVoid(sql`UPDATE usage_webhooks SET next_at = 0 WHERE name = ${name} AND failures > 0`),

  /** Deletes a receiver's position. A process that delivers to this receiver stops after the current event. */
  leave: (name: string): Effect.Effect<void, SqlError> =>
    Effect.asVoid(sql`DELETE FROM usage_webhooks WHERE name = ${name}`),

  /** Gives back the lease of a receiver. */
  release: (name: string): Effect.Effect<void, SqlError> =>
    Effect.asVoid(sql`UPDATE usage_webhooks SET lease = NULL WHERE name = ${name} AND lease = ${process}`),

  /** Returns all positions, and the number of the newest event. */
  list: Effect.map(
    Effect.all([
      sql<DeliveryCursor>`
        SELECT w.*, (SELECT e.at FROM usage_events e WHERE e.id > w.after_id ORDER BY e.id LIMIT 1) AS oldest
        FROM usage_webhooks w ORDER BY name`,
      sql<{ readonly id: Count }>`SELECT id FROM usage_events_last`
    ]),
    ([places, [last]]) => ({ places, last: Number(last?.id ?? 0) })
  )
})
