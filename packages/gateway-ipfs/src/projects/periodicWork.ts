/** Runs the periodic work of a node. Each run is made by only one of the processes that share the node. */
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

import { guarded } from "./ledgerErrors.ts"

/**
 * Runs work periodically, without end. The first run comes one interval after the first start of any process. After a
 * failed run, the next run also comes one interval later.
 */
export const periodically = (
  sql: SqlClient.SqlClient,
  options: {
    readonly node: string
    /** The name of the work in the table and in the log. */
    readonly chore: "collection" | "tidying"
    /** Time from the start of a run to the start of the next run, in milliseconds. */
    readonly every: number
    readonly work: Effect.Effect<void, IpfsNodeError>
  }
): Effect.Effect<never> => {
  const { chore, every, node, work } = options
  const first = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    guarded(sql`
      INSERT INTO ipfs_chores (node, chore, begun) VALUES (${node}, ${chore}, ${now})
      ON CONFLICT (node, chore) DO NOTHING`)
  )
  const isDue = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    guarded(
      Effect.map(
        sql`
          UPDATE ipfs_chores SET begun = ${now} WHERE node = ${node} AND chore = ${chore} AND begun <= ${now - every}
          RETURNING begun`,
        (rows) => rows.length > 0
      )
    )
  )
  const once = Effect.gen(function* () {
    yield* first
    if (yield* isDue) yield* work
  }).pipe(Effect.catch((error) => Effect.logWarning(`the ${chore} of the IPFS node failed: ${error.message}`)))
  return Effect.forever(Effect.andThen(once, Effect.sleep(Math.min(every, LONGEST_PAUSE))))
}

/** Maximum time between two checks for due work, in milliseconds. Restarts do not postpone work by more than this. */
const LONGEST_PAUSE = 60_000
