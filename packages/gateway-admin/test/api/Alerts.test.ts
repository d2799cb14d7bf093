/** Alerts and events of usage through the admin API. */
import { assert, describe, it } from "@effect/vitest"
import { Metering } from "@plumbline/gateway"
import { UsageAlerts } from "@plumbline/gateway-admin"
import * as Databases from "@plumbline/gateway/support/databases"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import * as Admin from "../support/admin.ts"

describe.each(Databases.kinds)("alerts of the admin API over $name", (kind) => {
  it.live.skipIf(kind.skipped)("are set, read, told in the events, noted in the audit log, and removed", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      yield* Effect.gen(function* () {
        const admin = yield* Admin.client()
        const { project } = yield* admin.projects.create({ headers: {}, payload: { name: "p" } })
        const params = { id: project.id }
        assert.strictEqual((yield* Effect.flip(admin.alerts.get({ params })))._tag, "NotFound")
        const payload = { percentOfDay: [75], creditsOfDay: [10, 20] }
        assert.deepStrictEqual(yield* admin.alerts.set({ params, payload }), payload)
        assert.deepStrictEqual(yield* admin.alerts.get({ params }), payload)
        const { recordAll } = yield* Metering.Metering
        const usage = { product: "rpc", network: "live", method: "m", status: 200, key: "k", calls: 1 } as const
        yield* recordAll([{ ...usage, project: project.id, credits: 15, bytesIn: 1, bytesOut: 1 }])
        yield* look.pipe(Effect.provide(layer))
        const { events, next } = yield* admin.alerts.events({ query: {} })
        assert.deepStrictEqual(
          events.map(({ credits, id, project, threshold, type }) => [id, type, project, threshold, credits]),
          [[1, "usage.threshold", project.id, "10", 15n]]
        )
        assert.strictEqual(next, 1)
        assert.deepStrictEqual(yield* admin.alerts.events({ query: { after: 1 } }), { events: [], next: 1 })
        // a process of a later version records an event of a type that this one does not know
        const sql = yield* SqlClient.SqlClient
        const later = { id: 2, name: "later", at: 5, type: "node.later", project: "", day: 0, credits: 0 }
        yield* sql`INSERT INTO usage_events ${sql.insert(later)}`
        yield* sql`INSERT INTO usage_events ${sql.insert({ ...later, id: 3, name: "known", type: "usage.day", calls: 4 })}`
        const known = yield* admin.alerts.events({ query: { after: 1 } })
        assert.deepStrictEqual([known.events.map(({ name }) => name), known.next], [["known"], 3])
        const passed = yield* admin.alerts.events({ query: { after: 1, limit: 1 } })
        assert.deepStrictEqual(passed, { events: [], next: 2 })
        const fired = [{ threshold: "10", at: events[0]!.at, credits: 15n }]
        assert.deepStrictEqual(yield* admin.alerts.fired({ params }), { rules: payload, fired })
        const other = yield* admin.projects.create({ headers: {}, payload: { name: "q" } })
        yield* admin.projects.create({ headers: {}, payload: { name: "without" } })
        const percent = { percentOfDay: [100], creditsOfDay: [] }
        yield* admin.alerts.set({ params: { id: other.project.id }, payload: percent })
        const rows = [
          { project: project.id, name: "p", rules: payload, fired },
          { project: other.project.id, name: "q", rules: percent, fired: [] }
        ].toSorted((a, b) => (a.project < b.project ? -1 : 1))
        assert.deepStrictEqual(yield* admin.alerts.list({ query: {} }), { alerts: rows, next: null })
        const first = yield* admin.alerts.list({ query: { limit: 1 } })
        assert.deepStrictEqual(first, { alerts: [rows[0]!], next: rows[0]!.project })
        assert.deepStrictEqual((yield* admin.alerts.list({ query: { after: first.next! } })).alerts, [rows[1]!])
        yield* admin.alerts.remove({ params })
        assert.strictEqual((yield* Effect.flip(admin.alerts.get({ params })))._tag, "NotFound")
        // past events stay, even after their thresholds were removed
        assert.deepStrictEqual(yield* admin.alerts.fired({ params }), { rules: null, fired })
        const missing = { params: { id: "nobody" } }
        assert.strictEqual((yield* Effect.flip(admin.alerts.fired(missing)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(admin.alerts.set({ ...missing, payload })))._tag, "NotFound")
        const audit = yield* admin.service.audit({ query: {} })
        const own = audit.entries.filter(({ action, target }) => target === project.id && action.includes("alerts"))
        assert.deepStrictEqual(
          own.map(({ action, changed }) => [action, changed]),
          [
            ["project.alerts.remove", []],
            ["project.alerts", ["percentOfDay", "creditsOfDay"]]
          ]
        )
      }).pipe(Effect.provide(Admin.service(layer, {}, [], UsageAlerts.layer())))
    }).pipe(Effect.scoped)
  )
})

/** Checks the usage in another process. */
const look = Effect.flatMap(UsageAlerts.UsageAlerts, (alerts) => alerts.look).pipe(
  Effect.provide(Layer.fresh(UsageAlerts.layer()))
)
