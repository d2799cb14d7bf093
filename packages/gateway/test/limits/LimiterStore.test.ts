import { assert, describe, it } from "@effect/vitest"
import { LimiterStore } from "@plumbline/gateway"
import { Context, Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"

import { LimitTable } from "../../src/limits/limitTable.ts"
import { suite, take } from "../support/limiterStoreSuite.ts"

suite(
  "in memory",
  Effect.sync(() => LimiterStore.layerMemory()),
  undefined
)

const memory = (options?: { readonly addresses?: number }) =>
  Effect.map(Layer.build(LimiterStore.layerMemory(options)), (context) =>
    Context.get(context, LimiterStore.LimiterStore)
  )

const MIDNIGHT = Date.UTC(2026, 11, 1)

describe("what is counted in memory", () => {
  it.effect("for a day does not get back what was taken of the day before", () =>
    Effect.gen(function* () {
      const store = yield* memory()
      const limits = { creditsPerDay: 10 }
      yield* TestClock.setTime(MIDNIGHT - 1)
      const yesterday = yield* store.take("project", "a", limits, 10)
      yield* TestClock.setTime(MIDNIGHT)
      yield* store.take("project", "a", limits, 10)
      yield* store.settle(yesterday, 0)
      assert.isTrue(Result.isFailure(yield* take(store, "a", limits, 1)))
    })
  )

  it.effect("of addresses is bounded: all further ones share a bucket", () =>
    Effect.gen(function* () {
      const store = yield* memory({ addresses: 3 })
      const limits = { creditsPerSecond: 1, burst: 2 }
      yield* TestClock.setTime(MIDNIGHT)
      for (const id of ["1", "2", "3", "4"]) yield* store.take("address", id, limits, 1)
      yield* store.take("address", "5", limits, 1)
      assert.strictEqual((yield* Effect.flip(store.take("address", "6", limits, 1)))._tag, "LimitExceeded")
      yield* store.take("address", "1", limits, 1)
      // After a minute all buckets are full again, so the counts of the first three addresses are dropped.
      yield* TestClock.adjust("1 minute")
      for (const id of ["7", "8", "9"]) yield* store.take("address", id, limits, 2)
      yield* store.take("project", "1", limits, 1)
    })
  )

  it("is forgotten when it is as good as new, and not before", () => {
    const table = new LimitTable(Infinity)
    for (let index = 0; index < 1000; index++) table.at(String(index), 0).idleFrom = index < 10 ? 5000 : 100
    table.find("10")!.underWay = 1
    for (let index = 0; index < 2000; index++) table.at(`new ${index}`, 1000).idleFrom = 9000
    const left = Array.from({ length: 1000 }, (_, index) => index).filter((index) => table.find(String(index)))
    assert.deepStrictEqual(left, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })
})
