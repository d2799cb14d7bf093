/** The current use of a project's limits, as each store reports it. */
import { assert, describe, it } from "@effect/vitest"
import { Limiter, LimiterStore, RedisLimiterStore } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Context, Effect, Exit, Layer, Redacted, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import { afterAll } from "vitest"

import { take } from "../support/limiterStoreSuite.ts"
import { redis, redisSkipped } from "../support/redis.ts"

const shared = Effect.runPromise(Scope.make()).then(async (scope) => ({
  scope,
  server: redisSkipped === undefined ? await Effect.runPromise(Scope.provide(redis, scope)) : undefined
}))
afterAll(async () => Effect.runPromise(Scope.close((await shared).scope, Exit.void)))

const stores = [
  { name: "memory", skipped: false, layer: Effect.succeed(LimiterStore.layerMemory()) },
  {
    name: redisSkipped === undefined ? "Redis" : `Redis (${redisSkipped})`,
    skipped: redisSkipped !== undefined,
    layer: Effect.map(
      Effect.promise(() => shared),
      ({ server }) => RedisLimiterStore.layer({ url: server!.url, prefix: "standing" })
    )
  }
]

const limits = { creditsPerSecond: 1, burst: 1000, creditsPerDay: 5000, concurrency: 3 }

describe.each(stores)("a standing in $name", ({ layer, skipped }) => {
  const test = (title: string, body: (store: LimiterStore.LimiterStore["Service"]) => Effect.Effect<void, unknown>) =>
    it.live.skipIf(skipped)(title, () =>
      Effect.flatMap(layer, Layer.build).pipe(
        Effect.flatMap((context) => body(Context.get(context, LimiterStore.LimiterStore))),
        Effect.scoped
      )
    )

  test("is that of a new project before the first call, and has only the limits that there are", (store) =>
    Effect.gen(function* () {
      const { at, ...standing } = yield* store.look!("project", "new", limits)
      assert.deepStrictEqual(standing, {
        day: { used: 0, endsAt: (Math.floor(at / 86_400_000) + 1) * 86_400_000 },
        rate: { current: 0, available: 1000 },
        underWay: 0
      })
      const { at: _, ...none } = yield* store.look!("project", "new", {})
      assert.deepStrictEqual(none, { day: undefined, rate: undefined, underWay: undefined })
    }))

  test("agrees with what the next call is told, and changes nothing", (store) =>
    Effect.gen(function* () {
      const first = Result.getOrThrow(yield* take(store, "a", limits, 300))
      const second = Result.getOrThrow(yield* take(store, "a", limits, 200))
      const before = yield* store.look!("project", "a", limits)
      assert.strictEqual(before.day?.used, 500)
      assert.strictEqual(before.underWay, 2)
      // One credit is added each second.
      assert.isTrue(before.rate!.available >= 500 && before.rate!.available <= 502, String(before.rate?.available))
      assert.isTrue(before.rate!.current > 0 && before.rate!.current <= 500, String(before.rate?.current))
      for (let again = 0; again < 50; again++) yield* store.look!("project", "a", limits)
      // One call is free because the node failed, and the other costs less than reserved. The bucket gets nothing back.
      yield* store.settle(first, 0)
      yield* store.settle(second, 50)
      const after = yield* store.look!("project", "a", limits)
      assert.deepStrictEqual([after.day?.used, after.underWay], [50, 0])
      assert.isTrue(after.rate!.available >= 500 && after.rate!.available <= 502)
      // The store's decision must agree: a call for all available credits is admitted, and a call for more is refused.
      const { available } = after.rate!
      const over = yield* take(store, "a", limits, available + 5)
      assert.strictEqual(Result.isFailure(over) && over.failure.limit, "rate")
      assert.isTrue(Result.isSuccess(yield* take(store, "a", limits, available)))
    }))

  test("agrees with the decisions about random calls", (store) =>
    Effect.gen(function* () {
      const random = Random.make(8)
      const day = { creditsPerDay: 3000, concurrency: 5 }
      const open: Array<LimiterStore.Reservation> = []
      let used = 0
      for (let call = 0; call < 120; call++) {
        if (open.length > 0 && random() < 0.4) {
          const reservation = open.splice(Random.int(random, open.length), 1)[0]!
          const charged = Random.int(random, reservation.credits + 1)
          used += charged - reservation.credits
          yield* store.settle(reservation, charged)
        } else {
          const credits = Random.int(random, 200)
          const taken = yield* take(store, "b", day, credits)
          if (Result.isSuccess(taken)) {
            open.push(taken.success)
            used += credits
          }
        }
        const standing = yield* store.look!("project", "b", day)
        assert.deepStrictEqual([standing.day?.used, standing.underWay], [used, open.length])
      }
    }))
})

describe("a standing", () => {
  it.effect("begins again at midnight, and its rate fades within two seconds", () =>
    Effect.gen(function* () {
      const midnight = Date.UTC(2026, 11, 1)
      yield* TestClock.setTime(midnight - 500)
      const context = yield* Layer.build(LimiterStore.layerMemory())
      const { look, take } = Context.get(context, LimiterStore.LimiterStore)
      yield* take("project", "a", { ...limits, creditsPerSecond: 100 }, 400)
      const standing = look!("project", "a", { ...limits, creditsPerSecond: 100 })
      assert.deepStrictEqual(yield* standing, {
        at: midnight - 500,
        day: { used: 400, endsAt: midnight },
        rate: { current: 400, available: 600 },
        underWay: 1
      })
      yield* TestClock.adjust("1250 millis")
      assert.deepStrictEqual(yield* standing, {
        at: midnight + 750,
        day: { used: 0, endsAt: midnight + 86_400_000 },
        rate: { current: 100, available: 725 },
        underWay: 1
      })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual((yield* standing).rate, { current: 0, available: 1000 })
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(redisSkipped !== undefined)("is unknown while the store is down", () =>
    Effect.gen(function* () {
      const server = yield* redis
      const limiter = yield* Layer.build(
        Limiter.layer().pipe(
          Layer.provide(RedisLimiterStore.layer({ url: Redacted.make(Redacted.value(server.url)), prefix: "down" }))
        )
      )
      const { standing } = Context.get(limiter, Limiter.Limiter)
      assert.strictEqual((yield* standing("a", limits))?.underWay, 0)
      yield* server.kill
      assert.isUndefined(yield* standing("a", limits))
    }).pipe(Effect.scoped)
  )
})
