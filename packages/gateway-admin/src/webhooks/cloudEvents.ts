/**
 * The messages of a receiver that takes CloudEvents 1.0: batches in JSON, as the HTTP binding of CloudEvents defines
 * them. A day of a project has one event for each row of usage. The `id` of an event depends on nothing but the row, so
 * a receiver can drop repeated events.
 */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import type { UsageEvent } from "../alerts/alertsService.ts"
import type * as WebhookSending from "./webhookSending.ts"

type Count = number | bigint

interface UsageRow {
  readonly product: string
  readonly network: string
  readonly method: string
  readonly status: Count
  readonly key: string
  readonly outcome: string
  readonly calls: Count
  readonly credits: Count
  readonly bytes_in: Count
  readonly bytes_out: Count
}

/** Maximum number of CloudEvents in a message. */
export const MOST = 1000

/** Returns the messages of an event, in the order in which they are sent: at least one. */
export const messagesOf = (
  sql: SqlClient.SqlClient,
  event: UsageEvent
): Effect.Effect<ReadonlyArray<WebhookSending.WebhookMessage>, SqlError> =>
  Effect.map(event.type === "usage.day" ? rowsOf(sql, event) : Effect.succeed([]), (rows) => {
    const day = new Date(event.day).toISOString()
    const events = rows.map(({ bytes_in, bytes_out, calls, credits, key, method, network, outcome, product, status }) =>
      cloudEvent(event, JSON.stringify([event.name, product, network, method, Number(status), key, outcome]), {
        project: event.project,
        day,
        product,
        network,
        method,
        status: Number(status),
        key,
        outcome,
        calls: String(calls),
        credits: String(credits),
        bytesIn: String(bytes_in),
        bytesOut: String(bytes_out)
      })
    )
    if (events.length === 0) {
      const { credits, lie, project, threshold } = event
      events.push(cloudEvent(event, event.name, lie ?? { project, day, threshold, credits: String(credits) }))
    }
    return Array.from({ length: Math.ceil(events.length / MOST) }, (_, page) => ({
      id: page === 0 ? `evt_${event.id}` : `evt_${event.id}_${page + 1}`,
      contentType: "application/cloudevents-batch+json",
      body: JSON.stringify(events.slice(page * MOST, (page + 1) * MOST))
    }))
  })

const rowsOf = (sql: SqlClient.SqlClient, { day, project }: UsageEvent) => sql<UsageRow>`
  SELECT product, network, method, status, key, outcome, calls, credits, bytes_in, bytes_out FROM usage_days
  WHERE at = ${day} AND project = ${project} ORDER BY product, network, method, status, key, outcome`

const cloudEvent = ({ at, lie, project, type }: UsageEvent, id: string, data: object) => ({
  specversion: "1.0",
  id,
  source: lie === null ? "urn:plumbline:usage" : "urn:plumbline:nodes",
  type: `plumbline.${type}`,
  subject: lie === null ? project : `${lie.network}/${lie.node}`,
  time: new Date(at).toISOString(),
  datacontenttype: "application/json",
  data
})
