/** The lies of nodes, in the database: each process counts its own, and adds what is new. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

import { fromSql, type StateError } from "../state/StateError.ts"
import type { LieRow } from "./tables.ts"

/** The lies of a node about a method, found by a check, since the process began. */
export interface LieCount {
  readonly network: string
  readonly node: string
  readonly method: string
  readonly check: string
  readonly count: number
}

export interface Lies {
  /** Adds the lies that are new since the last time. */
  readonly write: (counts: ReadonlyArray<LieCount>) => Effect.Effect<void, StateError>
  /** Returns the lies of all processes, the newest first. */
  readonly list: Effect.Effect<ReadonlyArray<LieRow>, StateError>
}

/** Needs the tables of `adminTables`. */
export const make = (sql: SqlClient.SqlClient): Lies => {
  const written = new Map<string, number>()
  return {
    write: (counts) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        for (const { check, count, method, network, node } of counts) {
          const name = JSON.stringify([network, node, method, check])
          const before = written.get(name) ?? 0
          // A network that was made again counts from zero.
          const more = count < before ? count : count - before
          if (more === 0) continue
          // Before the statement, because another writer may come during it.
          written.set(name, count)
          const row = { network, node, method, check_name: check, count: more, last_at: at }
          yield* Effect.tapError(
            sql`
              INSERT INTO admin_lies ${sql.insert(row)}
              ON CONFLICT (network, node, method, check_name)
              DO UPDATE SET count = admin_lies.count + excluded.count, last_at = excluded.last_at`,
            () => Effect.sync(() => written.set(name, before))
          )
        }
        yield* sql`
          DELETE FROM admin_lies WHERE last_at < (
            SELECT last_at FROM admin_lies ORDER BY last_at DESC LIMIT 1 OFFSET ${MOST}
          )`
      }).pipe(Effect.mapError(fromSql)),
    list: Effect.mapError(
      sql<LieRow>`SELECT * FROM admin_lies ORDER BY last_at DESC, network, node, method, check_name LIMIT ${MOST}`,
      fromSql
    )
  }
}

/** The number of rows that are kept and shown, the last ones. */
const MOST = 1000
