/**
 * Events that are sent to receivers: signed, in order, repeated until they are accepted, and sent by one process at a
 * time.
 */
import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"

import { assert, describe, it } from "@effect/vitest"
import { Migrations, StateBackup } from "@plumbline/gateway"
import { UsageAlerts, UsageWebhooks } from "@plumbline/gateway-admin"
import * as Databases from "@plumbline/gateway/support/databases"
import { Exposition } from "@plumbline/gateway/support/internals"
import { Scrape } from "@plumbline/gateway/support/scrape"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import * as CloudEvents from "../../src/webhooks/cloudEvents.ts"
import * as WebhookSending from "../../src/webhooks/webhookSending.ts"
import * as Admin from "../support/admin.ts"
import * as Support from "../support/webhooks.ts"

const { DAY, KEY, NOW, SECRET, join, receiver } = Support

const hostOf = (url: string): string => new URL(url).host

for (const { fresh, name, skipped } of Databases.kinds) {
  describe.skipIf(skipped)(`webhooks over ${name}`, () => {
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
        const idle = {
          source: "configuration",
          format: "json",
          deliveredAt: NOW,
          lost: 0,
          failures: 0,
          failedAt: null,
          problem: null,
          nextAt: null,
          waiting: 0
        } as const
        assert.deepStrictEqual(yield* states, [
          {
            name: "all",
            host: hostOf(url),
            events: ["usage.threshold", "usage.day", "node.lie"],
            delivered: 3,
            ...idle
          },
          { name: "days", host: hostOf(days.url), events: ["usage.day"], delivered: 1, ...idle }
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
        const weak = { name: "weak", source: "configuration", format: "json", host: hostOf(url) } as const
        const failed = { ...weak, events: UsageWebhooks.types, waiting: 2, delivered: 0, deliveredAt: null, lost: 0 }
        assert.deepStrictEqual(yield* states, [
          { ...failed, failures: 1, failedAt: NOW, problem: "it answered with HTTP status 500", nextAt: NOW + 2000 }
        ])
        yield* TestClock.setTime(NOW + 1999)
        yield* deliver
        assert.lengthOf(ids(), 1)
        yield* TestClock.setTime(NOW + 2000)
        yield* deliver
        // A redirection is not followed.
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

    it.effect("get a day as batches of CloudEvents, whose ids are the same when they are sent again", () =>
      Effect.gen(function* () {
        const { database, tell, webhooks } = yield* start
        const { sql } = yield* join(database)
        yield* Migrations.run(StateBackup.migrations[1]!).pipe(Effect.provideService(SqlClient.SqlClient, sql))
        const counts = { calls: 3, credits: 2n ** 60n, bytes_in: 5, bytes_out: 6, uploaded: 0, downloaded: 0 }
        const row = {
          at: DAY,
          product: "rpc",
          network: "mainnet",
          status: 200,
          key: "k",
          outcome: "answered",
          ...counts
        }
        const rows = Array.from({ length: 1001 }, (_, n) => ({ ...row, project: "p", method: `m${10_000 + n}` }))
        const put = ([first, ...rest]: ReadonlyArray<Record<string, unknown>>) =>
          sql`INSERT INTO usage_days ${sql.insert([first!, ...rest])}`
        for (let from = 0; from < rows.length; from += 100) yield* put(rows.slice(from, from + 100))
        yield* put([
          { ...row, project: "other", method: "m" },
          { ...row, at: DAY - 86_400_000, project: "p", method: "m" }
        ])
        // the second page fails at first, so the whole day comes again
        const { got, ids, url } = yield* receiver([200, 500, 200])
        const { attempt, deliver } = yield* webhooks([
          { name: "clickhouse", url, secret: SECRET, format: "cloudevents" }
        ])
        yield* tell("usage.day", "usage.threshold")
        yield* deliver
        yield* TestClock.setTime(NOW + 2000)
        yield* deliver
        assert.deepStrictEqual(ids(), ["evt_1", "evt_1_2", "evt_1", "evt_1_2", "evt_2"])
        const bodies = got.map(({ body }) => JSON.parse(body))
        assert.deepStrictEqual(
          bodies.map(({ length }) => length),
          [1000, 1, 1000, 1, 1]
        )
        assert.deepStrictEqual(bodies.slice(2, 4), bodies.slice(0, 2))
        const events: ReadonlyArray<any> = [...bodies[0], ...bodies[1]]
        assert.strictEqual(new Set(events.map(({ id }) => id)).size, 1001)
        assert.deepStrictEqual(events[1000], {
          specversion: "1.0",
          id: '["usage.day:1","rpc","mainnet","m11000",200,"k","answered"]',
          source: "urn:plumbline:usage",
          type: "plumbline.usage.day",
          subject: "p",
          time: "2026-11-23T12:00:00.000Z",
          datacontenttype: "application/json",
          data: {
            project: "p",
            day: "2026-11-23T00:00:00.000Z",
            product: "rpc",
            network: "mainnet",
            method: "m11000",
            status: 200,
            key: "k",
            outcome: "answered",
            calls: "3",
            credits: "1152921504606846976",
            bytesIn: "5",
            bytesOut: "6"
          }
        })
        assert.deepStrictEqual(bodies[4][0].data, {
          project: "p",
          day: "2026-11-23T00:00:00.000Z",
          threshold: "75%",
          credits: "750"
        })
        for (const { headers } of got) {
          assert.strictEqual(headers["content-type"], "application/cloudevents-batch+json")
          assert.isString(headers["webhook-signature"])
        }
        const again = yield* attempt("clickhouse", 1)
        assert.deepInclude(again, { event: 1, message: "evt_1_2", status: 200 })
        // the table of the example has these columns
        const table = readFileSync(new URL("../../../../deploy/clickhouse/usage.sql", import.meta.url), "utf8")
        const columns = [...table.matchAll(/^ {8}(\w+) /gmu)].map(([, name]) => name)
        assert.deepStrictEqual(columns, Object.keys(events[0].data))
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

    it.effect("are made while the service runs, in every process, with a secret that signs, and are ended", () =>
      Effect.gen(function* () {
        const { database, sql, tell, webhooks } = yield* start
        const there = yield* join(database)
        const { got, ids, url } = yield* receiver([200])
        const [here, other] = [yield* webhooks([]), yield* there.webhooks([])]
        yield* tell("usage.day")
        const secret = yield* here.create({ name: "made", url: Redacted.make(url), events: ["usage.day"] })
        yield* tell("usage.threshold", "usage.day")
        yield* other.deliver
        assert.deepStrictEqual(ids(), ["evt_3"])
        const [{ body, headers }] = got as [Support.Got]
        const key = Buffer.from(Redacted.value(secret).replace("whsec_", ""), "base64")
        assert.lengthOf(key, 32)
        const text = [headers["webhook-id"], headers["webhook-timestamp"], body].join(".")
        assert.strictEqual(
          headers["webhook-signature"],
          `v1,${createHmac("sha256", key).update(text).digest("base64")}`
        )
        const [state] = yield* here.states
        assert.deepInclude(state, { name: "made", source: "operator", host: hostOf(url), events: ["usage.day"] })
        assert.deepInclude(state, { delivered: 1, waiting: 0 })
        assert.notInclude(JSON.stringify(yield* here.states), "0123456789abcdef")
        yield* here.remove("made")
        yield* tell("usage.day")
        yield* other.deliver
        assert.lengthOf(ids(), 1)
        assert.deepStrictEqual(yield* other.states, [])
        // A new receiver of the same name has another secret, and gets no earlier events.
        const next = yield* other.create({ name: "made", url: Redacted.make(url), format: "cloudevents" })
        assert.notStrictEqual(Redacted.value(next), Redacted.value(secret))
        yield* other.deliver
        assert.lengthOf(ids(), 1)
        assert.deepInclude((yield* here.states)[0], { name: "made", format: "cloudevents" })
        assert.deepStrictEqual(yield* other.tries("made"), [])
        assert.lengthOf(yield* sql`SELECT name FROM usage_webhooks`, 1)
        yield* tell("usage.threshold")
        yield* here.deliver
        assert.strictEqual(got[1]!.headers["content-type"], "application/cloudevents-batch+json")
      }).pipe(Effect.scoped)
    )

    it.effect("are refused if there is one of the name, too many of them, or a flaw in them", () =>
      Effect.gen(function* () {
        const { sql, webhooks } = yield* start
        const url = Redacted.make("https://hooks.example/?key=0123456789abcdef")
        const { create, remove, states } = yield* webhooks([{ name: "fixed", url, secret: SECRET }])
        const reasonOf = <A, E>(asked: Effect.Effect<A, E>) =>
          Effect.map(Effect.flip(asked), (error) => {
            assert.instanceOf(error, UsageWebhooks.WebhookError)
            return error.reason._tag
          })
        assert.strictEqual(yield* reasonOf(create({ name: "fixed", url })), "Taken")
        assert.strictEqual(yield* reasonOf(remove("fixed")), "Configured")
        assert.strictEqual(yield* reasonOf(remove("nobody")), "Absent")
        for (const [setting, wrong] of [
          ["name", { name: "a b" }],
          ["url", { url: Redacted.make("ftp://hooks.example/") }],
          ["url", { url: Redacted.make("https://user:0123456789abcdef@hooks.example/") }],
          ["url", { url: Redacted.make(`https://hooks.example/${"a".repeat(2048)}`) }],
          ["events", { events: [] }]
        ] as const) {
          const error = yield* Effect.flip(create({ name: "new", url, ...wrong }))
          assert.strictEqual(error._tag === "SettingError" && error.setting, setting)
          assert.notInclude(error.message, "0123456789abcdef")
        }
        for (let i = 0; i < UsageWebhooks.MAX_WEBHOOKS; i++) yield* create({ name: `w${i}`, url })
        assert.strictEqual(yield* reasonOf(create({ name: "w0", url })), "Taken")
        assert.strictEqual(yield* reasonOf(create({ name: "more", url })), "TooMany")
        assert.lengthOf(yield* states, 1 + UsageWebhooks.MAX_WEBHOOKS)
        assert.lengthOf(yield* sql`SELECT name FROM usage_webhooks WHERE name = 'more'`, 0)
      }).pipe(Effect.scoped)
    )

    it.effect("can be tried, and get an event once more, and a success ends their pause", () =>
      Effect.gen(function* () {
        const { sql, tell, webhooks } = yield* start
        const { got, ids, url } = yield* receiver([500, 503, 200])
        const { attempt, deliver, states, tries } = yield* webhooks([{ name: "one", url, secret: SECRET }])
        yield* tell("usage.day", "usage.day")
        yield* deliver
        const failed = yield* attempt("one")
        assert.deepInclude(failed, { event: null, status: 503, problem: "it answered with HTTP status 503", at: NOW })
        yield* deliver
        assert.lengthOf(ids(), 2)
        assert.deepInclude((yield* states)[0], { failures: 1, nextAt: NOW + 2000 })
        assert.deepInclude(yield* attempt("one", 2), { event: 2, message: "evt_2", status: 200, problem: null })
        // The successful try ends the pause early.
        yield* deliver
        const [first, test, ...rest] = ids()
        assert.deepStrictEqual([first, ...rest], ["evt_1", "evt_2", "evt_1", "evt_2"])
        assert.match(test as string, /^test_[0-9a-f-]{36}$/u)
        assert.deepInclude(JSON.parse(got[1]!.body), { type: "webhook.test", at: "2026-11-23T12:00:00.000Z" })
        const text = [test, NOW / 1000, got[1]!.body].join(".")
        assert.strictEqual(
          got[1]!.headers["webhook-signature"],
          `v1,${createHmac("sha256", KEY).update(text).digest("base64")}`
        )
        assert.deepStrictEqual(
          (yield* tries("one")).map(({ event, status }) => [event, status]),
          [
            [2, 200],
            [1, 200],
            [2, 200],
            [null, 503],
            [1, 500]
          ]
        )
        assert.notInclude(JSON.stringify(yield* tries("one")), "secret words")
        for (const [name, event, tag] of [
          ["one", 3, "NoEvent"],
          ["nobody", undefined, "Absent"]
        ] as const) {
          const error = yield* Effect.flip(attempt(name, event))
          assert.strictEqual(error._tag === "WebhookError" && error.reason._tag, tag)
        }
        assert.strictEqual((yield* Effect.flip(tries("nobody")))._tag, "WebhookError")
        for (let i = 0; i < 25; i++) yield* attempt("one")
        assert.lengthOf(yield* tries("one"), 20)
        assert.lengthOf(yield* sql`SELECT id FROM webhook_tries`, 20)
      }).pipe(Effect.scoped)
    )

    it.effect("have metrics: what was taken, what failed, what waits, for how long, and what was lost", () =>
      Effect.gen(function* () {
        const { sql, tell, webhooks } = yield* start
        const { url } = yield* receiver([503, 503, 200])
        const days = yield* receiver([200])
        const { deliver, families } = yield* webhooks([
          { name: "weak", url, secret: SECRET },
          { name: "days", url: days.url, secret: SECRET, events: ["usage.day"] }
        ])
        const scraped = Effect.map(families, (found) => {
          const scrape = new Scrape(Exposition.text(found))
          const numbers = [
            "deliveries_total",
            "failures_total",
            "lost_events_total",
            "waiting_events",
            "oldest_event_seconds"
          ]
          const of = (webhook: string) => numbers.map((name) => scrape.value(`plumbline_webhook_${name}`, { webhook }))
          return { weak: of("weak"), days: of("days") }
        })
        // Each metric has a value before the first event.
        assert.deepStrictEqual(yield* scraped, { weak: [0, 0, 0, 0, 0], days: [0, 0, 0, 0, 0] })
        yield* tell("usage.day", "usage.threshold", "usage.day")
        yield* TestClock.setTime(NOW + 4000)
        assert.deepStrictEqual(yield* scraped, { weak: [0, 0, 0, 3, 4], days: [0, 0, 0, 3, 4] })
        yield* deliver
        assert.deepStrictEqual(yield* scraped, { weak: [0, 1, 0, 3, 4], days: [2, 0, 0, 0, 0] })
        yield* TestClock.setTime(NOW + 6000)
        yield* deliver
        yield* sql`DELETE FROM usage_events WHERE id = 1`
        yield* TestClock.setTime(NOW + 10_000)
        yield* deliver
        assert.deepStrictEqual(yield* scraped, { weak: [2, 2, 1, 0, 0], days: [2, 0, 0, 0, 0] })
      }).pipe(Effect.scoped)
    )

    it.effect("have metrics while they are there: those of operators too", () =>
      Effect.gen(function* () {
        const { webhooks } = yield* start
        const { url } = yield* receiver([200])
        const { create, families, remove } = yield* webhooks([{ name: "one", url, secret: SECRET }])
        const named = Effect.map(families, (found) =>
          new Scrape(Exposition.text(found)).labels("plumbline_webhook_failures_total", "webhook")
        )
        assert.deepStrictEqual(yield* named, ["one"])
        yield* create({ name: "two", url: Redacted.make(url) })
        assert.deepStrictEqual((yield* named).toSorted(), ["one", "two"])
        yield* remove("two")
        assert.deepStrictEqual(yield* named, ["one"])
      }).pipe(Effect.scoped)
    )

    it.effect("have the metrics of this process alone while the database does not answer", () =>
      Effect.gen(function* () {
        const { sql, webhooks } = yield* start
        const { url } = yield* receiver([200])
        const { families } = yield* webhooks([{ name: "one", url, secret: SECRET }])
        yield* sql`DROP TABLE usage_webhooks`
        const scrape = new Scrape(Exposition.text(yield* families))
        assert.strictEqual(scrape.value("plumbline_webhook_deliveries_total", { webhook: "one" }), 0)
        assert.isUndefined(scrape.value("plumbline_webhook_waiting_events"))
      }).pipe(Effect.scoped)
    )

    it.live.skipIf(skipped)("are made, tried and ended through the admin API, and the audit log says so", () =>
      Effect.gen(function* () {
        const { layer } = yield* fresh
        const { ids, url } = yield* receiver([200])
        const more = UsageWebhooks.layer([]).pipe(Layer.provideMerge(UsageAlerts.layer()), Layer.orDie)
        yield* Effect.gen(function* () {
          const admin = yield* Admin.client()
          const payload = { name: "pager", url, events: ["usage.threshold"], format: "cloudevents" } as const
          const { name, secret } = yield* admin.webhooks.create({ payload })
          assert.strictEqual(name, "pager")
          assert.match(Redacted.value(secret), /^whsec_[A-Za-z0-9+/]{43}=$/u)
          const params = { id: "pager" }
          const again = yield* Effect.flip(admin.webhooks.create({ payload }))
          assert.strictEqual(again._tag === "Conflict" && again.reason, "Taken")
          const tried = yield* admin.webhooks.attempt({ params, payload: {} })
          assert.deepInclude(tried, { event: null, status: 200, problem: null })
          assert.deepStrictEqual(ids(), [tried.message])
          assert.deepStrictEqual(yield* admin.webhooks.tries({ params }), { tries: [tried] })
          const old = yield* Effect.flip(admin.webhooks.attempt({ params, payload: { event: 9 } }))
          assert.strictEqual(old._tag === "NotFound" && old.kind, "event")
          const { webhooks } = yield* admin.webhooks.list()
          assert.deepInclude(webhooks[0], {
            name: "pager",
            source: "operator",
            host: hostOf(url),
            format: "cloudevents"
          })
          yield* admin.webhooks.remove({ params })
          assert.deepStrictEqual(yield* admin.webhooks.list(), { webhooks: [] })
          assert.strictEqual((yield* Effect.flip(admin.webhooks.remove({ params })))._tag, "NotFound")
          assert.strictEqual((yield* Effect.flip(admin.webhooks.tries({ params })))._tag, "NotFound")
          const { entries } = yield* admin.service.audit({ query: {} })
          assert.deepStrictEqual(
            entries.map(({ action, changed, target }) => [action, target, changed]),
            [
              ["webhook.remove", "pager", []],
              ["webhook.try", "pager", ["event"]],
              ["webhook.try", "pager", []],
              ["webhook.create", "pager", ["name", "url", "events", "format"]]
            ]
          )
          assert.notInclude(JSON.stringify([entries, webhooks]), "0123456789abcdef")
        }).pipe(Effect.provide(Admin.service(layer, {}, [], more)))
      }).pipe(Effect.scoped)
    )

    it.live.skipIf(skipped)("are shown by the admin API, without address and secret", () =>
      Effect.gen(function* () {
        const { layer } = yield* fresh
        const { url } = yield* receiver([200])
        const more = UsageWebhooks.layer([{ name: "one", url, secret: SECRET }]).pipe(
          Layer.provideMerge(UsageAlerts.layer()),
          Layer.orDie
        )
        yield* Effect.gen(function* () {
          const { webhooks } = yield* (yield* Admin.client()).webhooks.list()
          assert.deepStrictEqual(webhooks, [
            {
              name: "one",
              source: "configuration",
              host: hostOf(url),
              events: ["usage.threshold", "usage.day", "node.lie"],
              format: "json",
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

describe("an event of a lie", () => {
  const lie = {
    network: "live",
    node: "own",
    method: "eth_getProof",
    check: "state root",
    expected: "0x1",
    got: "0x2"
  }
  const event = {
    id: 7,
    name: "node.lie:2026-11-23T12:live:own:state root",
    at: NOW,
    type: "node.lie",
    project: "",
    day: DAY,
    threshold: null,
    calls: null,
    credits: 0n,
    lie
  } as const

  it.effect("is a message with the node, the check and its values, in both forms", () =>
    Effect.gen(function* () {
      const json = WebhookSending.messageOf(event)
      assert.deepInclude(JSON.parse(json.body), { id: 7, type: "node.lie", project: "", lie })
      // no row of usage is read for it
      const [batch, ...more] = yield* CloudEvents.messagesOf(undefined as never, event)
      assert.deepStrictEqual(more, [])
      const [cloud] = JSON.parse(batch!.body)
      const { name: id } = event
      assert.deepInclude(cloud, { id, type: "plumbline.node.lie", source: "urn:plumbline:nodes", subject: "live/own" })
      assert.deepStrictEqual(cloud.data, lie)
    })
  )
})
