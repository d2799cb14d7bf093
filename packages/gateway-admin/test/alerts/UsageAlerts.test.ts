/** Alerts and events over both databases: each event is recorded once, by the first process that finds it. */
import { assert, describe, it } from "@effect/vitest"
import { Accounts, Metering, MeteringStore, Migrations } from "@plumbline/gateway"
import type { UsageAlerts } from "@plumbline/gateway-admin"
import * as Databases from "@plumbline/gateway/support/databases"
import { AccountsTables } from "@plumbline/gateway/support/internals"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import * as AlertsStore from "../../src/alerts/alertsStore.ts"
import * as Alerts from "../../src/alerts/alertsTables.ts"

const DAY = 86_400_000
const MONDAY = Date.UTC(2026, 10, 23)

/**
 * Makes the state of another process. The test moves the clock by days, so accounts and alerts run no background work
 * here.
 */
const join = (database: Databases.Database) =>
  Effect.gen(function* () {
    const layer = Metering.layer({ gather: 0 }).pipe(
      Layer.provide(MeteringStore.layer()),
      Layer.provideMerge(database.layer)
    )
    const context = yield* Layer.build(Layer.fresh(layer))
    const sql = Context.get(context, SqlClient.SqlClient)
    for (const part of [AccountsTables.migrations, Alerts.migrations]) {
      yield* Effect.provideContext(Migrations.run(part), context)
    }
    const withAccounts = <A, E>(work: (accounts: Accounts.AccountsService) => Effect.Effect<A, E>) =>
      Effect.flatMap(Accounts.Accounts, work).pipe(Effect.provide(Accounts.layer()), Effect.provideContext(context))
    return { withAccounts, alerts: AlertsStore.make(sql), metering: Context.get(context, Metering.Metering), sql }
  })

const usage = { product: "rpc", network: "live", method: "m", status: 200, key: "k", calls: 1 } as const

const shown = ({ calls, credits, id, name }: UsageAlerts.UsageEvent) => [id, name, calls, credits]

for (const { fresh, name, skipped } of Databases.kinds) {
  describe.skipIf(skipped)(`alerts over ${name}`, () => {
    const start = Effect.gen(function* () {
      yield* TestClock.setTime(MONDAY + DAY / 2)
      const database = yield* fresh
      const here = yield* join(database)
      const { project } = yield* here.withAccounts((accounts) =>
        Effect.flatMap(accounts.createAccount({ name: "Ada" }), ({ id: account }) =>
          accounts.createProject({ account, name: "wallet", limits: { creditsPerDay: 1000 } })
        )
      )
      const spend = (credits: number) =>
        here.metering.recordAll([{ ...usage, project: project.id, credits, bytesIn: 1, bytesOut: 1 }])
      const told = Effect.map(here.alerts.events(0, 100), (events) => events.map(shown))
      return { ...here, database, project, spend, told }
    })

    it.effect("are told once for each threshold and day, in order, by whichever process looks", () =>
      Effect.gen(function* () {
        const { alerts, database, project, spend, told } = yield* start
        const there = yield* join(database)
        const rules = { percentOfDay: [75, 100], creditsOfDay: [10, 2000] }
        assert.deepStrictEqual(yield* alerts.setRules(project.id, rules), rules)
        assert.deepStrictEqual(yield* there.alerts.rules(project.id), rules)
        yield* alerts.look
        assert.deepStrictEqual(yield* told, [])
        yield* spend(749)
        for (const _ of [1, 2]) yield* Effect.all([alerts.look, there.alerts.look], { concurrency: 2 })
        const at = (threshold: string) => `usage.threshold:2026-11-23:${threshold}:${project.id}`
        assert.deepStrictEqual(yield* told, [[1, at("10"), null, 749n]])
        yield* spend(1)
        yield* there.alerts.look
        yield* spend(250)
        yield* Effect.all([alerts.look, there.alerts.look], { concurrency: 2 })
        yield* spend(100)
        yield* alerts.look
        assert.deepStrictEqual(yield* told, [
          [1, at("10"), null, 749n],
          [2, at("75%"), null, 750n],
          [3, at("100%"), null, 1000n]
        ])
        assert.deepStrictEqual((yield* alerts.events(1, 1)).map(shown), [[2, at("75%"), null, 750n]])
        // The usage of the next day begins at zero.
        yield* TestClock.setTime(MONDAY + DAY)
        yield* alerts.look
        assert.lengthOf(yield* told, 3)
        yield* spend(11)
        yield* alerts.look
        assert.strictEqual((yield* alerts.events(3, 9))[0]?.name, `usage.threshold:2026-11-24:10:${project.id}`)
      }).pipe(Effect.scoped)
    )

    it.effect("tell of a lie once an hour for each node and check, whichever process finds it", () =>
      Effect.gen(function* () {
        const { alerts, database, told } = yield* start
        const there = yield* join(database)
        const lie = { network: "live", node: "own", method: "eth_getBlockByNumber", check: "header hash" }
        const values = { expected: "0x1", got: "0x2" }
        const at = MONDAY + DAY / 2
        for (const { lied } of [alerts, there.alerts]) yield* lied({ ...lie, ...values }, at)
        yield* alerts.lied({ ...lie, ...values, got: "0x3" }, at + 3_599_000)
        yield* alerts.lied({ ...lie, check: "absent", expected: null, got: null }, at)
        yield* there.alerts.lied({ ...lie, ...values }, at + 3_600_000)
        // a drill is an event of its own, and stands in the way of no other
        const drill = { by: "ops", at: "2026-11-23T14:00:00.000Z", until: "2026-11-23T14:01:00.000Z" }
        for (const of of [{ drill }, { drill }, {}]) yield* alerts.lied({ ...lie, ...values, ...of }, at + 7_200_000)
        const name = (hour: number, check: string) => `node.lie:2026-11-23T${hour}:live:own:${check}`
        assert.deepStrictEqual(yield* told, [
          [1, name(12, "header hash"), null, 0n],
          [2, name(12, "absent"), null, 0n],
          [3, name(13, "header hash"), null, 0n],
          [4, `node.lie:drill ${drill.at}:live:own:header hash`, null, 0n],
          [5, name(14, "header hash"), null, 0n]
        ])
        const [ordered, other] = yield* there.alerts.events(3, 2)
        assert.deepStrictEqual([ordered?.lie?.drill, other?.lie?.drill], [drill, undefined])
        const [first] = yield* there.alerts.events(0, 1)
        assert.deepInclude(first, { type: "node.lie", project: "", at, day: MONDAY, lie: { ...lie, ...values } })
      }).pipe(Effect.scoped)
    )

    it.effect("tell what each project used ten minutes after the end of a day, once, and days that were missed", () =>
      Effect.gen(function* () {
        const { alerts, database, metering, project, spend, told } = yield* start
        const there = yield* join(database)
        yield* spend(100)
        yield* spend(23)
        yield* metering.recordAll([{ ...usage, project: "other", credits: 2 ** 40, bytesIn: 1, bytesOut: 1 }])
        yield* TestClock.setTime(MONDAY + DAY + 10 * 60_000 - 1)
        yield* alerts.look
        const before = yield* told
        assert.deepStrictEqual(before, [])
        yield* TestClock.setTime(MONDAY + DAY + 10 * 60_000)
        yield* Effect.all([alerts.look, there.alerts.look, alerts.look], { concurrency: 3 })
        const monday = [
          [`usage.day:2026-11-23:${project.id}`, 2n, 123n],
          ["usage.day:2026-11-23:other", 1n, BigInt(2 ** 40)]
        ]
        const closed = Effect.map(told, (events) => events.map(([, ...rest]) => rest))
        assert.sameDeepMembers([...(yield* closed)], monday)
        yield* spend(7)
        // No process checks the usage for three days.
        yield* TestClock.setTime(MONDAY + 4 * DAY + DAY / 2)
        for (const _ of [1, 2, 3, 4]) yield* there.alerts.look
        assert.sameDeepMembers([...(yield* closed)], [...monday, [`usage.day:2026-11-24:${project.id}`, 1n, 7n]])
        assert.deepStrictEqual(
          (yield* told).map(([id]) => id),
          [1, 2, 3]
        )
      }).pipe(Effect.scoped)
    )

    it.effect("go with their project, and thresholds that make no sense are refused", () =>
      Effect.gen(function* () {
        const { alerts, project, spend, sql, told, withAccounts } = yield* start
        yield* alerts.setRules(project.id, { percentOfDay: [], creditsOfDay: [5] })
        yield* spend(5)
        yield* withAccounts((accounts) => accounts.removeProject(project.id))
        assert.isUndefined(yield* alerts.rules(project.id))
        yield* alerts.look
        assert.deepStrictEqual(yield* told, [])
        const absent = yield* Effect.flip(alerts.setRules(project.id, { percentOfDay: [], creditsOfDay: [] }))
        assert.strictEqual(absent._tag, "AccountsError")
        assert.strictEqual((yield* Effect.flip(alerts.removeRules("nobody")))._tag, "AccountsError")
        const many = Array.from({ length: 11 }, (_, index) => index + 1)
        for (const wrong of [{ percentOfDay: [101] }, { percentOfDay: [0] }, { creditsOfDay: many }]) {
          const refused = yield* Effect.flip(
            alerts.setRules(project.id, { percentOfDay: [], creditsOfDay: [], ...wrong })
          )
          assert.strictEqual(refused._tag, "SettingError")
        }
        assert.lengthOf(yield* sql`SELECT project FROM alert_rules`, 0)
      }).pipe(Effect.scoped)
    )
  })
}
