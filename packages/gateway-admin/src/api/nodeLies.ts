/** The lies of nodes in the database. Each process counts the lies that it finds, and adds new lies to the database. */
import type { LieCount, LieDrill } from "@plumbline/gateway/networks/Upstream"
import { fromSql, StateError } from "@plumbline/gateway/state/StateError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"

import type { ToldLie } from "../alerts/alertsService.ts"
import type { LieRow } from "./adminTables.ts"

/** The number of lies of a node about a method, found by one check since the process started, or of a drill. */
export interface NodeLieCount extends Pick<LieCount, "block" | "drill" | "params"> {
  readonly network: string
  readonly node: string
  readonly method: string
  readonly check: string
  readonly count: number
  /** The time of the first of these lies, in milliseconds since the epoch. Default: that of the last one. */
  readonly firstAt?: number | undefined
  /** The time of the last of these lies, in milliseconds since the epoch. */
  readonly lastAt: number
  /** The value that the check required of the last of these lies. */
  readonly expected?: string | undefined
  /** The value in the last of these lies. */
  readonly got?: string | undefined
}

export interface NodeLies {
  /**
   * Adds the lies that were found since the last write. One write runs at a time, and goes on if its caller leaves: those
   * who come meanwhile wait for it.
   */
  readonly write: Effect.Effect<void, StateError>
  /** Returns the lies that all processes found, newest first. */
  readonly list: Effect.Effect<ReadonlyArray<LieRow>, StateError>
}

/**
 * Makes the service. `counts` returns the lies that this process found, and writes run in `scope`. `told` records an
 * event for new lies. The tables of `adminTables.ts` must exist.
 */
export const make = (
  sql: SqlClient.SqlClient,
  counts: () => ReadonlyArray<NodeLieCount>,
  scope: Scope.Scope,
  told?: (lie: ToldLie, at: number) => Effect.Effect<void, StateError>
): NodeLies => {
  const written = new Map<string, number>()
  const writeNow = Effect.gen(function* () {
    let isChanged = false
    const found = new Set<string>()
    for (const lie of counts()) {
      const { block, check, count, drill, expected = null, firstAt = lie.lastAt, got = null, lastAt } = lie
      const { method, network, node, params = null } = lie
      const name = JSON.stringify([network, node, method, check, drill?.at])
      found.add(name)
      const before = written.get(name) ?? 0
      // After a reload, the count of a network can start at zero again.
      const more = count < before ? count : count - before
      if (more === 0) continue
      isChanged = true
      // The event comes first: a write that fails is made again, and the event is recorded once.
      if (told !== undefined) {
        const ordered = drill === undefined ? {} : { drill: orderOf(drill) }
        yield* bounded(told({ network, node, method, check, expected, got, ...ordered }, lastAt))
      }
      const row = {
        network,
        node,
        method,
        check_name: check,
        count: more,
        first_at: firstAt,
        last_at: lastAt,
        expected,
        got,
        params,
        block_number: block?.number ?? null,
        block_hash: block?.hash ?? null,
        ...(drill === undefined ? {} : { drill_at: drill.at, drill_until: drill.until, drill_by: drill.by })
      }
      const { key, table } = drill === undefined ? LIES : DRILLS
      // the values are those of the latest lie
      yield* bounded(sql`
        INSERT INTO ${sql.literal(table)} AS told ${sql.insert(row)}
        ON CONFLICT (${sql.literal(key)})
        DO UPDATE SET count = told.count + excluded.count,
          last_at = CASE WHEN excluded.last_at > told.last_at THEN excluded.last_at ELSE told.last_at END,
          ${sql.literal(LATEST)}`)
      written.set(name, count)
    }
    // a lie that is no longer counted, such as that of an old drill, would begin at zero again
    for (const name of written.keys()) if (!found.has(name)) written.delete(name)
    if (isChanged) {
      for (const { most, table } of [LIES, DRILLS]) {
        yield* bounded(sql`
          DELETE FROM ${sql.literal(table)} WHERE last_at < (
            SELECT last_at FROM ${sql.literal(table)} ORDER BY last_at DESC LIMIT 1 OFFSET ${most}
          )`)
      }
    }
  }).pipe(Effect.mapError((error) => (error instanceof StateError ? error : fromSql(error))))
  let writing: Fiber.Fiber<void, StateError> | undefined
  return {
    write: Effect.suspend(() =>
      writing === undefined
        ? Effect.flatMap(Effect.forkIn(writeNow, scope), (fiber) => {
            writing = fiber
            fiber.addObserver(() => (writing = undefined))
            return Fiber.join(fiber)
          })
        : Fiber.join(writing)
    ),
    list: Effect.mapError(
      sql<LieRow>`
        SELECT * FROM (
          SELECT ${sql.literal(COLUMNS)},
            CAST(NULL AS BIGINT) AS drill_at, CAST(NULL AS BIGINT) AS drill_until, CAST(NULL AS TEXT) AS drill_by
          FROM admin_lies ORDER BY ${sql.literal(NEWEST)} LIMIT ${LIES.most}
        ) AS lies
        UNION ALL SELECT * FROM (
          SELECT ${sql.literal(COLUMNS)}, drill_at, drill_until, drill_by
          FROM admin_lie_drills ORDER BY ${sql.literal(NEWEST)} LIMIT ${DRILLS.most}
        ) AS drills
        ORDER BY ${sql.literal(NEWEST)}`,
      fromSql
    )
  }
}

/**
 * The tables, with the number of rows that are kept and shown; older rows are deleted. Lies that an operator ordered have a
 * table of their own, so that no other lie is ever added to them, and so that they push out no other lie.
 */
const LIES = { table: "admin_lies", key: "network, node, method, check_name", most: 1000 }
const DRILLS = { table: "admin_lie_drills", key: `${LIES.key}, drill_at`, most: 200 }

const NEWEST = `last_at DESC, ${LIES.key}`

/** The columns with the values of the latest lie. */
const VALUES = ["expected", "got", "params", "block_number", "block_hash"] as const

const COLUMNS = [LIES.key, "count, first_at, last_at", ...VALUES].join(", ")

const LATEST = VALUES.map(
  (name) => `${name} = CASE WHEN excluded.last_at >= told.last_at THEN excluded.${name} ELSE told.${name} END`
).join(", ")

/** Returns an order as events tell it. */
const orderOf = ({ at, by, until }: LieDrill): NonNullable<ToldLie["drill"]> => ({
  by,
  at: new Date(at).toISOString(),
  until: new Date(until).toISOString()
})

/** Gives a statement up when the database has ended it for certain, which it does after 30 seconds. */
const bounded = <A, E>(statement: Effect.Effect<A, E>): Effect.Effect<A, E | StateError> =>
  Effect.timeoutOrElse(statement, {
    duration: "31 seconds",
    orElse: () => Effect.fail(new StateError({ problem: "Unavailable", detail: "no answer" }))
  })
