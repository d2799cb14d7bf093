/** The tables of pins, and of the bytes that projects upload and download. */
import type { Migrations } from "@plumbline/gateway/state/Migrations"
import * as Effect from "effect/Effect"

/**
 * Every row names its node. The rows of different nodes are independent.
 *
 * - `ipfs_pins`: the pins of each project, and their counted sizes.
 * - `ipfs_stored`: the sums of a project's pins. Every change of a project's pins first updates this row, so that two
 *   changes never run at the same time.
 * - `ipfs_held`: the CIDs that the service has pinned at the node, and their `Strength` (`ledgerRows.ts`). `elsewhere`
 *   is 1 if another program had already pinned the CID. `worker` is the process that works on the CID, and `until` is
 *   the end of its lease. A past time without a worker marks unfinished work.
 * - `ipfs_makers`: the uploads under way that made a pin, for pins that no other request has made.
 * - `ipfs_transfers`: the bytes that a project has uploaded and downloaded on a day.
 * - `ipfs_chores`: the time at which each periodic chore last began, by the clock of the process that began it.
 *
 * Other times are milliseconds since 1970 by the clock of the database.
 */
export const migrations: Migrations = {
  name: "ipfs",
  steps: [
    (sql) => {
      const id = sql.literal(sql.onDialectOrElse({ pg: () => `TEXT COLLATE "C"`, orElse: () => "TEXT" }))
      const blob = sql.literal(sql.onDialectOrElse({ pg: () => "BYTEA", orElse: () => "BLOB" }))
      // With STRICT, sums of sizes are exact 64-bit integers, and an overflow is an error.
      const strict = sql.literal(sql.onDialectOrElse({ pg: () => "", orElse: () => "STRICT, WITHOUT ROWID" }))
      const big = sql.literal(sql.onDialectOrElse({ pg: () => "BIGINT", orElse: () => "INTEGER" }))
      return Effect.all([
        sql`CREATE TABLE ipfs_pins (
          node ${id} NOT NULL, project ${id} NOT NULL, cid ${blob} NOT NULL, recursive INTEGER NOT NULL,
          name TEXT NOT NULL, size ${big} NOT NULL, PRIMARY KEY (node, project, cid)
        ) ${strict}`,
        sql`CREATE INDEX ipfs_pins_of_cid ON ipfs_pins (node, cid, recursive, size)`,
        sql`CREATE TABLE ipfs_stored (
          node ${id} NOT NULL, project ${id} NOT NULL, bytes ${big} NOT NULL, pins ${big} NOT NULL,
          PRIMARY KEY (node, project)
        ) ${strict}`,
        sql`CREATE TABLE ipfs_held (
          node ${id} NOT NULL, cid ${blob} NOT NULL, strength INTEGER NOT NULL, elsewhere INTEGER NOT NULL,
          worker ${id}, until ${big}, PRIMARY KEY (node, cid)
        ) ${strict}`,
        sql`CREATE TABLE ipfs_makers (
          node ${id} NOT NULL, project ${id} NOT NULL, cid ${blob} NOT NULL, upload ${id} NOT NULL, until ${big} NOT NULL,
          PRIMARY KEY (node, project, cid, upload)
        ) ${strict}`,
        sql`CREATE INDEX ipfs_makers_of_upload ON ipfs_makers (upload)`,
        sql`CREATE TABLE ipfs_transfers (
          node ${id} NOT NULL, project ${id} NOT NULL, day ${id} NOT NULL, uploaded ${big} NOT NULL,
          downloaded ${big} NOT NULL, PRIMARY KEY (node, project, day)
        ) ${strict}`,
        sql`CREATE INDEX ipfs_held_at_work ON ipfs_held (node, until) WHERE until IS NOT NULL`,
        sql`CREATE TABLE ipfs_chores (
          node ${id} NOT NULL, chore ${id} NOT NULL, begun ${big} NOT NULL, PRIMARY KEY (node, chore)
        ) ${strict}`
      ])
    }
  ]
}
