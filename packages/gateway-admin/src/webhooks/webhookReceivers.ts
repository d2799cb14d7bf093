/** The receivers that operators created while the service runs. They are stored in the database. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import type { UsageEvent } from "../alerts/alertsService.ts"
import type { WebhookReceiver } from "./webhookSending.ts"
import * as WebhookSignature from "./webhookSignature.ts"

interface ReceiverRow {
  readonly name: string
  readonly url: string
  readonly secret: string
  readonly events: string
  readonly format: string
}

/** A receiver to be stored. */
export interface NewReceiver {
  readonly name: string
  readonly url: string
  readonly secret: Redacted.Redacted
  readonly events: ReadonlyArray<UsageEvent["type"]>
  readonly format: WebhookReceiver["format"]
  /** The time of creation, in milliseconds since the epoch. */
  readonly at: number
}

/** Makes the queries. The tables of webhooks must exist. */
export const make = (sql: SqlClient.SqlClient) => ({
  /** Returns all stored receivers, sorted by name. A row that only another version can read is left out. */
  list: Effect.map(
    sql<ReceiverRow>`SELECT name, url, secret, events, format FROM webhook_receivers ORDER BY name`,
    (rows) => rows.flatMap(receiverOf)
  ),

  /** Stores a receiver. Returns false if its name is taken. */
  add: ({ at, events, format, name, secret, url }: NewReceiver): Effect.Effect<boolean, SqlError> =>
    Effect.map(
      sql`
        INSERT INTO webhook_receivers ${sql.insert({ name, url, secret: Redacted.value(secret), events: events.join(","), format, created_at: at })}
        ON CONFLICT (name) DO NOTHING RETURNING name`,
      (rows) => rows.length > 0
    ),

  /** Removes a receiver. Returns false if the name is unknown. */
  remove: (name: string): Effect.Effect<boolean, SqlError> =>
    Effect.map(sql`DELETE FROM webhook_receivers WHERE name = ${name} RETURNING name`, (rows) => rows.length > 0)
})

const receiverOf = ({ events, format, name, secret, url }: ReceiverRow): ReadonlyArray<WebhookReceiver> => {
  const key = WebhookSignature.keyOf(secret)
  return key === undefined || (format !== "json" && format !== "cloudevents")
    ? []
    : [
        {
          name,
          url: Redacted.make(url),
          key: Redacted.make(key),
          events: new Set(events.split(",").filter((type): type is UsageEvent["type"] => type !== "")),
          format,
          source: "operator"
        }
      ]
}
