/** The lies of nodes in the database. Each process counts the lies that it finds, and adds new lies to the database. */
import { fromSql, StateError } from "@plumbline/gateway/state/StateError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"

import type { ToldLie } from "../alerts/alertsService.ts"
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
    for (const { check, count, expected = null, got = null, lastAt, method, network, node } of counts()) {
      const name = JSON.stringify([network, node, method, check])
      const before = written.get(name) ?? 0
      // After a reload, the count of a network can start at zero again.
      const more = count < before ? count : count - before
      if (more === 0) continue
      isChanged = true
      // The event comes first: a write that fails is made again, and the event is recorded once.
      if (told !== undefined) yield* bounded(told({ network, node, method, check, expected, got }, lastAt))
      // lies are written every ten seconds: the first ones are at most that much older, or as old as an outage of the database
      const kind = { network, node, method, check_name: check }
      const row = { ...kind, count: more, first_at: lastAt, last_at: lastAt, expected, got }
      // the values are those of the latest lie
      yield* bounded(sql`
        INSERT INTO admin_lies ${sql.insert(row)}
        ON CONFLICT (network, node, method, check_name)
        DO UPDATE SET count = admin_lies.count + excluded.count,
          last_at = CASE WHEN excluded.last_at > admin_lies.last_at THEN excluded.last_at ELSE admin_lies.last_at END,
          expected = CASE WHEN excluded.last_at >= admin_lies.last_at THEN excluded.expected ELSE admin_lies.expected END,
          got = CASE WHEN excluded.last_at >= admin_lies.last_at THEN excluded.got ELSE admin_lies.got END`)
      written.set(name, count)
    }
    if (isChanged) {
      yield* bounded(sql`
        DELETE FROM admin_lies WHERE last_at < (
          SELECT last_at FROM admin_lies ORDER BY last_at DESC LIMIT 1 OFFSET ${MOST}
        )`)
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
      sql<LieRow>`SELECT network, node, method, check_name, count, first_at, last_at, expected, got FROM admin_lies ORDER BY last_at DESC, network, node, method, check_name LIMIT ${MOST}`,
      fromSql
    )
  }
}

/** Gives a statement up when the database has ended it for certain, which it does after 30 seconds. */
const bounded = <A, E>(statement: Effect.Effect<A, E>): Effect.Effect<A, E | StateError> =>
  Effect.timeoutOrElse(statement, {
    duration: "31 seconds",
    orElse: () => Effect.fail(new StateError({ problem: "Unavailable", detail: "no answer" }))
  })

/** Number of rows that are kept and shown. Older rows are deleted. */
const MOST = 1000
