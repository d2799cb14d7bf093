/** The last tries of each receiver, with their outcomes, in the database. */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

type Count = number | bigint

/**
 * A try to deliver a message. It holds no part of the URL and no text of the receiver.
 */
export interface DeliveryTry {
  /** The number of the try. It is larger than the number of every earlier try. */
  readonly id: number
  /** The value of the header `webhook-id`. */
  readonly message: string
  /** The number of the event; null for a test. */
  readonly event: number | null
  /** The time of the try, in milliseconds since the epoch. */
  readonly at: number
  /** Milliseconds until the answer, or until the try ended without one. */
  readonly millis: number
  /** The HTTP status of the answer; null if there was no answer. */
  readonly status: number | null
  /** The reason of a failure, as a sentence; null if the receiver accepted the message. */
  readonly problem: string | null
}

/** Number of tries that are kept for each receiver. */
export const KEPT = 20

interface DeliveryTryRow {
  readonly id: Count
  readonly message: string
  readonly event: Count | null
  readonly at: Count
  readonly millis: Count
  readonly status: Count | null
  readonly problem: string | null
}

/** Makes the queries. The tables of webhooks must exist. */
export const make = (sql: SqlClient.SqlClient) => ({
  /** Records a try, and deletes the oldest tries of the receiver. */
  note: (name: string, tried: Omit<DeliveryTry, "id">): Effect.Effect<DeliveryTry, SqlError> =>
    Effect.gen(function* () {
      const [row] = yield* sql<DeliveryTryRow>`INSERT INTO webhook_tries ${sql.insert({ name, ...tried })} RETURNING *`
      yield* sql`
        DELETE FROM webhook_tries WHERE name = ${name} AND id <= (
          SELECT id FROM webhook_tries WHERE name = ${name} ORDER BY id DESC LIMIT 1 OFFSET ${KEPT}
        )`
      return tryOf(row!)
    }),

  /** Returns the tries of a receiver, the newest first. */
  list: (name: string): Effect.Effect<ReadonlyArray<DeliveryTry>, SqlError> =>
    Effect.map(
      sql<DeliveryTryRow>`SELECT id, message, event, at, millis, status, problem FROM webhook_tries WHERE name = ${name} ORDER BY id DESC LIMIT ${KEPT}`,
      (rows) => rows.map(tryOf)
    ),

  /** Deletes the tries of a receiver. */
  forget: (name: string): Effect.Effect<void, SqlError> =>
    Effect.asVoid(sql`DELETE FROM webhook_tries WHERE name = ${name}`)
})

const tryOf = ({ at, event, id, message, millis, problem, status }: DeliveryTryRow): DeliveryTry => ({
  id: Number(id),
  message,
  event: event === null ? null : Number(event),
  at: Number(at),
  millis: Number(millis),
  status: status === null ? null : Number(status),
  problem
})
