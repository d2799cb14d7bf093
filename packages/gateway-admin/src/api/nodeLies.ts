/** The lies of nodes in the database. Each process counts the lies that it finds, and adds new lies to the database. */
import { fromSql, type StateError } from "@plumbline/gateway/state/StateError"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

import type { LieRow } from "./adminTables.ts"

/** The number of lies of a node about a method, found by one check since the process started. */
export interface NodeLieCount {
  readonly network: string
  readonly node: string
  readonly method: string
  readonly check: string
  readonly count: number
  /** The time of the last of these lies, in milliseconds since the epoch. */
  readonly lastAt: number
}

export interface NodeLies {
  /** Adds the lies that were found since the last write. */
  readonly write: (counts: ReadonlyArray<NodeLieCount>) => Effect.Effect<void, StateError>
  /** Returns the lies that all processes found, newest first. */
  readonly list: Effect.Effect<ReadonlyArray<LieRow>, StateError>
}

/** Makes the service. The tables of `adminTables.ts` must exist. */
export const make = (sql: SqlClient.SqlClient): NodeLies => {
  const written = new Map<string, number>()
  return {
    write: (counts) =>
      Effect.gen(function* () {
        for (const { check, count, lastAt, method, network, node } of counts) {
          const name = JSON.stringify([network, node, method, check])
          const before = written.get(name) ?? 0
          // After a reload, the count of a network can start at zero again.
          const more = count < before ? count : count - before
          if (more === 0) continue
          // Set before the statement runs, because another `write` may start meanwhile.
          written.set(name, count)
          const row = { network, node, method, check_name: check, count: more, last_at: lastAt }
          yield* Effect.tapError(
            sql`
              INSERT INTO admin_lies ${sql.insert(row)}
              ON CONFLICT (network, node, method, check_name)
              DO UPDATE SET count = admin_lies.count + excluded.count, last_at = CASE
                WHEN excluded.last_at > admin_lies.last_at THEN excluded.last_at ELSE admin_lies.last_at END`,
            () => Effect.sync(() => written.set(name, before))
          )
        }
        yield* sql`
          DELETE FROM admin_lies WHERE last_at < (
            SELECT last_at FROM admin_lies ORDER BY last_at DESC LIMIT 1 OFFSET ${MOST}
          )`
      }).pipe(Effect.mapError(fromSql)),
    list: Effect.mapError(
      sql<LieRow>`SELECT network, node, method, check_name, count, last_at FROM admin_lies ORDER BY last_at DESC, network, node, method, check_name LIMIT ${MOST}`,
      fromSql
    )
  }
}

/** Number of rows that are kept and shown. Older rows are deleted. */
const MOST = 1000
