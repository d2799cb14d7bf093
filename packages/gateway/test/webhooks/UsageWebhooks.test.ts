/** Events that are sent to receivers: signed, in order, again until they are taken, and by one process at a time. */
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { Migrations, UsageAlerts, UsageWebhooks } from "@plumbline/gateway"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import * as AccountTables from "../../src/accounts/tables.ts"
import * as Store from "../../src/alerts/store.ts"
import * as Alerts from "../../src/alerts/tables.ts"
import * as Admin from "../support/admin.ts"
import * as Databases from "../support/databases.ts"

const NOW = Date.UTC(2026, 10, 23, 12)
const DAY = Date.UTC(2026, 10, 23)
const KEY = Buffer.alloc(32, 7)
const SECRET = Redacted.make(`whsec_${KEY.toString("base64")}`)

interface Got {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver that answers with the statuses in turn, and with the last one from then on. */
const receiver = (statuses: Array<number>) =>
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

/** Builds the state of one more process, which looks at no usage by itself. */
const join = (database: Databases.Database) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(Layer.fresh(database.layer))
    const sql = Context.get(context, SqlClient.SqlClient)
    for (const part of [AccountTables.migrations, Alerts.migrations]) {
      yield* Effect.provideContext(Migrations.run(part), context)
    }
    const alerts = Layer.succeed(UsageAlerts.UsageAlerts, Store.make(sql))
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
    /** Tells events, as a look at the usage does. */
    const tell = (...types: ReadonlyArray<"usage.threshold" | "usage.day">) =>
      Effect.gen(function* () {
        for (const type of types) {
          const [last] = yield* sql<{ readonly id: number }>`UPDATE usage_events_last SET id = id + 1 RETURNING id`
          const { id } = last!
          const isDay = type === "usage.day"
          const row = { id, name: `${type}:${id}`, at: NOW, type, project: "p", day: DAY, credits: 750n }
          yield* sql`INSERT INTO usage_events ${sql.insert({ ...row, threshold: isDay ? null : "75%", calls: isDay ? 9n : null })}`
        }
      }).pipe(sql.withTransaction)
    return { sql, tell, webhooks }
  })

for (const { fresh, name, skipped } of Databases.kinds) {
  describe.skipIf(skipped)(`webhooks over ${name}`, { timeout: 30_000 }, () => {
    const start = Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const database = yield* fresh
      return { database, ...(yield* join(database)) }
    })

    it.effect("get the events after their first start, in order, as Standard Webhooks signs them", () =>
      Effect.gen(function* () {
        const { tell, webhooks } = yield* start
        const { got, ids, url } = yield* receiver([200])
        const days = yield* receiver([204])
        yield* tell("usage.threshold")
        const { deliver, states } = yield* webhooks([
          { name: "all", url, secret: SECRET },
          { name: "days", url: Redacted.make(days.url), secret: SECRET, events: ["usage.day"] }
        ])
        yield* deliver
        assert.deepStrictEqual(ids(), [])
        yield* tell("usage.threshold", "usage.day", "usage.threshold")
        assert.deepStrictEqual(
          (yield* states).map(({ waiting }) => waiting),
          [3, 3]
        )
        yield* deliver
        yield* deliver
        assert.deepStrictEqual(ids(), ["evt_2", "evt_3", "evt_4"])
        assert.deepStrictEqual(days.ids(), ["evt_3"])
        for (const { body, headers } of got) {
          const text = [headers["webhook-id"], NOW / 1000, body].join(".")
          assert.strictEqual(headers["webhook-timestamp"], String(NOW / 1000))
          assert.strictEqual(
            headers["webhook-signature"],
            `v1,${createHmac("sha256", KEY).update(text).digest("base64")}`
          )
        }
        assert.deepStrictEqual(JSON.parse(got[1]!.body), {
          id: 3,
          name: "usage.day:3",
          at: "2026-11-23T12:00:00.000Z",
          type: "usage.day",
          project: "p",
          day: "2026-11-23T00:00:00.000Z",
          threshold: null,
          calls: "9",
          credits: "750"
        })
        const idle = { deliveredAt: NOW, lost: 0, failures: 0, failedAt: null, problem: null, nextAt: null, waiting: 0 }
        assert.deepStrictEqual(yield* states, [
          { name: "all", delivered: 3, ...idle },
          { name: "days", delivered: 1, ...idle }
        ])
      }).pipe(Effect.scoped)
    )

    it.effect("get an event again until they take it, after longer and longer pauses", () =>
      Effect.gen(function* () {
        const { tell, webhooks } = yield* start
        const { ids, url } = yield* receiver([500, 302, 200])
        const { deliver, states } = yield* webhooks([{ name: "weak", url, secret: SECRET }])
        yield* tell("usage.day", "usage.day")
        yield* deliver
        yield* deliver
        assert.deepStrictEqual(ids(), ["evt_1"])
        const failed = { name: "weak", waiting: 2, delivered: 0, deliveredAt: null, lost: 0 }
        assert.deepStrictEqual(yield* states, [
          { ...failed, failures: 1, failedAt: NOW, problem: "it answered with HTTP status 500", nextAt: NOW + 2000 }
        ])
        yield* TestClock.setTime(NOW + 1999)
        yield* deliver
        assert.lengthOf(ids(), 1)
        yield* TestClock.setTime(NOW + 2000)
        yield* deliver
        // a redirection is not followed
        assert.deepStrictEqual(ids(), ["evt_1", "evt_1"])
        const [second] = yield* states
        assert.strictEqual(second!.problem, "it answered with HTTP status 302")
        assert.strictEqual(second!.nextAt, NOW + 6000)
        yield* TestClock.setTime(NOW + 6000)
        yield* deliver
        assert.deepStrictEqual(ids(), ["evt_1", "evt_1", "evt_1", "evt_2"])
        const [third] = yield* states
        assert.deepInclude(third, { failures: 0, problem: null, nextAt: null, waiting: 0, delivered: 2 })
      }).pipe(Effect.scoped)
    )

    it.effect("that cannot be reached leave no trace of their URL", () =>
      Effect.gen(function* () {
        const { tell, webhooks } = yield* start
        const { server, url } = yield* receiver([200])
        server.close()
        const { deliver, states } = yield* webhooks([{ name: "gone", url, secret: SECRET }])
        yield* tell("usage.day")
        yield* deliver
        const [state] = yield* states
        assert.strictEqual(state!.problem, "it cannot be reached (ECONNREFUSED)")
        assert.notInclude(JSON.stringify(state), "0123456789abcdef")
      }).pipe(Effect.scoped)
    )

    it.effect("get each event from one of several processes", () =>
      Effect.gen(function* () {
        const { database, tell, webhooks } = yield* start
        const there = yield* join(database)
        const { ids, url } = yield* receiver([200])
        const list = [{ name: "one", url, secret: SECRET }]
        const [here, other] = [yield* webhooks(list), yield* there.webhooks(list)]
        yield* tell(...Array.from({ length: 60 }, () => "usage.day" as const))
        yield* Effect.all([here.deliver, other.deliver, here.deliver], { concurrency: 3 })
        yield* tell("usage.day")
        yield* Effect.all([here.deliver, other.deliver], { concurrency: 2 })
        assert.deepStrictEqual(
          ids(),
          Array.from({ length: 61 }, (_, index) => `evt_${index + 1}`)
        )
      }).pipe(Effect.scoped)
    )

    it.effect("go on where they stopped, and say how many events they have lost", () =>
      Effect.gen(function* () {
        const { database, sql, tell, webhooks } = yield* start
        const { ids, url } = yield* receiver([200])
        const list = [{ name: "one", url, secret: SECRET }]
        yield* Effect.scoped(webhooks(list))
        yield* tell("usage.day", "usage.day", "usage.day", "usage.day")
        yield* sql`DELETE FROM usage_events WHERE id <= 2`
        const there = yield* join(database)
        const { deliver, states } = yield* there.webhooks(list)
        yield* deliver
        assert.deepStrictEqual(ids(), ["evt_3", "evt_4"])
        const [state] = yield* states
        assert.deepInclude(state, { delivered: 2, lost: 2, waiting: 0 })
      }).pipe(Effect.scoped)
    )

    it.live.skipIf(skipped)("are shown by the admin API, without address and secret", () =>
      Effect.gen(function* () {
        const { layer } = yield* fresh
        const { url } = yield* receiver([200])
        const more = UsageWebhooks.layer([{ name: "one", url, secret: SECRET }]).pipe(
          Layer.provideMerge(UsageAlerts.layer),
          Layer.orDie
        )
        yield* Effect.gen(function* () {
          const { webhooks } = yield* (yield* Admin.client()).alerts.webhooks()
          assert.deepStrictEqual(webhooks, [
            {
              name: "one",
              waiting: 0,
              delivered: 0,
              deliveredAt: null,
              lost: 0,
              failures: 0,
              failedAt: null,
              problem: null,
              nextAt: null
            }
          ])
        }).pipe(Effect.provide(Admin.service(layer, {}, [], more)))
      }).pipe(Effect.scoped)
    )
  })
}

describe("a webhook", () => {
  it.effect.each([
    ["name", { name: "a b" }],
    ["url", { url: "ftp://example.com" }],
    ["url", { url: "https://user:pass@example.com" }],
    ["secret", { secret: Redacted.make("whsec_short") }],
    ["secret", { secret: Redacted.make(KEY.toString("base64")) }]
  ] as const)("is refused for its %s", ([setting, wrong]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const { webhooks } = yield* join(yield* Databases.kinds[0]!.fresh)
      const good = { name: "good", url: "https://example.com/", secret: SECRET }
      const error = yield* Effect.flip(webhooks([good, { ...good, name: "wrong", ...wrong }]))
      assert.strictEqual(error._tag, "SettingError")
      assert.include(error.message, `webhooks[1].${setting}`)
      assert.notInclude(error.message, "pass@")
    }).pipe(Effect.scoped)
  )
})
