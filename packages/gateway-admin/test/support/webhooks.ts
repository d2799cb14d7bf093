/** Receivers of webhooks, and the state of a process that sends events. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

import { Migrations } from "@plumbline/gateway"
import { UsageAlerts, UsageWebhooks } from "@plumbline/gateway-admin"
import type * as Databases from "@plumbline/gateway/support/databases"
import { AccountsTables } from "@plumbline/gateway/support/internals"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"

import * as AlertsStore from "../../src/alerts/alertsStore.ts"
import * as Alerts from "../../src/alerts/alertsTables.ts"

export const NOW = Date.UTC(2026, 10, 23, 12)
export const DAY = Date.UTC(2026, 10, 23)
export const KEY = Buffer.alloc(32, 7)
export const SECRET = Redacted.make(`whsec_${KEY.toString("base64")}`)

export interface Got {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Makes a receiver that answers with the statuses one after another, and then repeats the last one. */
export const receiver = (statuses: Array<number>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const got: Array<Got> = []
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          got.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
          const status = (statuses.length > 1 ? statuses.shift() : statuses[0])!
          response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end("taken: secret words")
        })
      })
      await once(server.listen(0, "127.0.0.1"), "listening")
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=0123456789abcdef`
      return { got, url, server, ids: () => got.map(({ headers }) => headers["webhook-id"]) }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

/** Builds the state of another process. It does not record events by itself. */
export const join = (database: Databases.Database) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(Layer.fresh(database.layer))
    const sql = Context.get(context, SqlClient.SqlClient)
    for (const part of [AccountsTables.migrations, Alerts.migrations]) {
      yield* Effect.provideContext(Migrations.run(part), context)
    }
    const alerts = Layer.succeed(UsageAlerts.UsageAlerts, AlertsStore.make(sql))
    const webhooks = (list: ReadonlyArray<UsageWebhooks.Webhook>) =>
      Effect.map(
        Layer.build(
          Layer.fresh(UsageWebhooks.layer(list)).pipe(
            Layer.provide(alerts),
            Layer.provide(Layer.succeedContext(context))
          )
        ),
        Context.get(UsageWebhooks.UsageWebhooks)
      )
    /** Records events as `UsageAlerts` does. */
    const tell = (...types: ReadonlyArray<"usage.threshold" | "usage.day">) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        for (const type of types) {
          const [last] = yield* sql<{ readonly id: number }>`UPDATE usage_events_last SET id = id + 1 RETURNING id`
          const { id } = last!
          const isDay = type === "usage.day"
          const row = { id, name: `${type}:${id}`, at, type, project: "p", day: DAY, credits: 750n }
          yield* sql`INSERT INTO usage_events ${sql.insert({ ...row, threshold: isDay ? null : "75%", calls: isDay ? 9n : null })}`
        }
      }).pipe(sql.withTransaction)
    return { sql, tell, webhooks }
  })
