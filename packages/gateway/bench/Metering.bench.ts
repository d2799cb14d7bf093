/**
 * Measures the metering of a call until it is durable: calls of ten projects and four methods, with a fixed number in
 * flight at a time. The first row is metering without a store. With SQLite, the statements use processor time of the
 * service's process. The wait for the disk uses none. With Postgres the process does other work until the database
 * answers.
 */
import { Metering, MeteringStore, type Usage, UsageFigures } from "@plumbline/gateway"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { afterAll, test } from "vitest"

import * as Databases from "../test/support/databases.ts"
import * as Support from "../test/support/metering.ts"

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const build = <A>(layer: Layer.Layer<A, unknown>): Promise<Context.Context<A>> =>
  Effect.runPromise(Layer.buildWithScope(layer, scope))

const usages = Array.from({ length: 256 }, (_, i): Usage.Usage => ({
  ...Support.call,
  project: `project ${i % 10}`,
  method: ["eth_call", "eth_getProof", "eth_chainId", "eth_getLogs"][i % 4]!
}))

/** Records one usage in each of `atOnce` fibers. */
const calls = (metering: typeof Metering.Metering.Service, atOnce: number) => () =>
  Effect.runPromise(
    Effect.forEach(usages.slice(0, atOnce), (usage) => metering.record(usage), {
      concurrency: "unbounded",
      discard: true
    })
  )

const nothing = Layer.succeed(MeteringStore.MeteringStore, {
  addLatencies: () => Effect.void,
  commit: () => Effect.void,
  ping: Effect.void,
  forget: () => Effect.void
})

for (const atOnce of [1, 32, 256]) {
  test(`${atOnce} calls at a time`, async ({ bench }) => {
    const bare = Context.get(await build(Metering.layer({ gather: 0 }).pipe(Layer.provide(nothing))), Metering.Metering)
    const stores = []
    for (const { fresh, name, skipped } of Databases.kinds) {
      if (skipped) continue
      const database = await Effect.runPromise(Scope.provide(fresh, scope))
      const metering = Context.get(await build(Support.process(database, { gather: 0 })), Metering.Metering)
      stores.push(bench(`durable in ${name}`, calls(metering, atOnce)))
    }
    await bench.compare(bench("without a store", calls(bare, atOnce)), ...stores, { time: 1000 })
  })
}

test("figures of 30 days: ten projects, four methods, every ten minutes", async ({ bench }) => {
  const figures = []
  for (const { fresh, name, skipped } of Databases.kinds) {
    if (skipped) continue
    const database = await Effect.runPromise(Scope.provide(fresh, scope))
    const context = await build(Support.process(database))
    const metering = Context.get(context, Metering.Metering)
    const { by, series } = Context.get(context, UsageFigures.UsageFigures)
    for (let minute = 0; minute < 30 * 24 * 60; minute += 1000) {
      await Effect.runPromise(
        Effect.forEach(
          Array.from({ length: 100 }, (_, i) => Support.NOON - (minute + 10 * i) * Support.MINUTE),
          (at) => Support.at(at)(metering.recordAll(usages.slice(0, 20))),
          { concurrency: "unbounded" }
        )
      )
    }
    const month = UsageFigures.last("30d", Support.NOON)
    figures.push(
      bench(`the report, ${name}`, () => Effect.runPromise(by({ ...month, by: ["project", "method", "status"] }))),
      bench(`one project by the hour, ${name}`, () =>
        Effect.runPromise(series({ ...month, project: "project 1", every: "1 hour", by: ["method"] })))
    )
  }
  await bench.compare(figures[0]!, figures[1]!, ...figures.slice(2), { time: 1000 })
}, 600_000)
