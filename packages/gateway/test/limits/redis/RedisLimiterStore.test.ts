import { assert, describe, it } from "@effect/vitest"
import { type KeyLimits, type ProjectLimits, RedisLimiterStore } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Cause, Effect, Exit, Redacted, Result, Schedule, Scope } from "effect"
import { afterAll } from "vitest"

import * as LimitCounts from "../../../src/limits/limitCounts.ts"
import { boundsOf } from "../../../src/limits/memberBounds.ts"
import * as LimiterScripts from "../../../src/limits/redis/limiterScripts.ts"
import { open, test } from "../../support/limiterRedis.ts"
import { suite, take } from "../../support/limiterStoreSuite.ts"
import { redis, redisSkipped } from "../../support/redis.ts"

// One Redis server for all tests. Each test uses its own names.
const shared = Effect.runPromise(Scope.make()).then(async (scope) => ({
  scope,
  server: redisSkipped === undefined ? await Effect.runPromise(Scope.provide(redis, scope)) : undefined
}))
afterAll(async () => Effect.runPromise(Scope.close((await shared).scope, Exit.void)))

let prefixes = 0
const keysOf = (own: string): LimiterScripts.CounterKeys => ({
  own,
  memberOf: ({ id, kind }) => `${own}:${kind}:${id}`
})

suite(
  "in Redis",
  Effect.map(
    Effect.promise(() => shared),
    ({ server }) => RedisLimiterStore.layer({ url: server!.url, prefix: `suite${prefixes++}` })
  ),
  redisSkipped
)

describe(`limits in Redis${redisSkipped === undefined ? "" : ` (${redisSkipped})`}`, () => {
  test("are decided in Lua as in TypeScript, at any time, also when clocks jump", (server) =>
    Effect.gen(function* () {
      const lua = LimiterScripts.TAKE.lua.replace("redis.call('TIME')", "{ARGV[#ARGV - 1], ARGV[#ARGV]}")
      assert.notInclude(lua, "TIME'")
      const random = Random.make(5)
      const midnight = Date.UTC(2026, 11, 1)
      const { createClient } = yield* Effect.promise(() => import("@redis/client"))
      const client = createClient({ url: Redacted.value(server.url) })
      yield* Effect.acquireRelease(
        Effect.promise(() => client.connect()),
        () => Effect.sync(() => client.destroy())
      )
      for (let run = 0; run < Random.runs(20); run++) {
        const counts = LimitCounts.make()
        let now = midnight - Random.int(random, 3000)
        // Keys must not expire in this test, because they would expire by the real clock, not by the simulated one.
        const script = lua.replace(/redis\.call\('PEXPIRE', [^)]*\)/gu, "do end")
        for (let step = 0; step < 60; step++) {
          now +=
            random() < 0.05 ? Random.pick(random, [-86_400_000, -5000, 86_400_000, 3_600_000]) : Random.int(random, 120)
          const limits: ProjectLimits.ProjectLimits = {
            ...(random() < 0.9 ? { creditsPerSecond: Random.pick(random, [1, 7, 50, 333, 1_000_000_000_000]) } : {}),
            ...(random() < 0.5 ? { burst: Random.pick(random, [3, 20, 1000]) } : {}),
            ...(random() < 0.9 ? { creditsPerDay: Random.pick(random, [30, 200, 1_000_000_000_000]) } : {})
          }
          const credits = Random.pick(random, [0, 1, 2, 7, 30, 999_999_999_999])
          const { rest } = LimiterScripts.take(keysOf(`lua:${run}`), limits, credits, "", "1000")
          const time = [String(Math.floor(now / 1000)), String((now % 1000) * 1000 + Random.int(random, 1000))]
          const reply = yield* Effect.promise(() =>
            client.sendCommand<Array<number>>(["EVAL", script, ...rest, ...time])
          )
          const expected = LimitCounts.take(counts, limits, credits, now)
          const told = JSON.stringify({ run, step, now, limits, credits })
          if (expected === undefined) {
            const day = limits.creditsPerDay === undefined ? reply[2]! : counts.day
            assert.deepStrictEqual(reply, [0, now, day], told)
          } else {
            const limit = ["", "day", "burst", "rate", "concurrency"].indexOf(expected.limit)
            const current = expected.limit === "rate" ? Math.round(expected.current * 1000) : expected.current
            assert.deepStrictEqual(reply, [limit, now, current, expected.retryAfter ?? -1, 0], told)
          }
          if (random() < 0.2) {
            const more = Random.pick(random, [-3, -1, 2])
            const day = random() < 0.7 ? counts.day : counts.day - 1
            LimitCounts.settle(counts, limits.creditsPerDay === undefined ? undefined : day, more, false)
            const call = LimiterScripts.settle(
              keysOf(`lua:${run}`),
              limits.creditsPerDay === undefined ? undefined : day,
              more,
              undefined
            )
            yield* Effect.promise(() => client.sendCommand(["EVAL", call.script.lua, ...call.rest]))
          }
        }
      }
    }))

  test("of a project, a key and a user are decided together, in Lua as in TypeScript", (server) =>
    Effect.gen(function* () {
      const lua = LimiterScripts.TAKE.lua
        .replace("redis.call('TIME')", "{ARGV[#ARGV - 1], ARGV[#ARGV]}")
        .replace(/redis\.call\('PEXPIRE', [^)]*\)/gu, "do end")
      const random = Random.make(17)
      const { createClient } = yield* Effect.promise(() => import("@redis/client"))
      const client = createClient({ url: Redacted.value(server.url) })
      yield* Effect.acquireRelease(
        Effect.promise(() => client.connect()),
        () => Effect.sync(() => client.destroy())
      )
      const refusals = new Set<string>()
      for (let run = 0; run < Random.runs(20); run++) {
        const all = [LimitCounts.make(), LimitCounts.make(), LimitCounts.make()] as const
        let now = Date.UTC(2026, 11, 1) - Random.int(random, 3000)
        for (let step = 0; step < 60; step++) {
          now += random() < 0.05 ? Random.pick(random, [-5000, 86_400_000, 3_600_000]) : Random.int(random, 400)
          const limits: ProjectLimits.ProjectLimits = {
            ...(random() < 0.7 ? { creditsPerSecond: Random.pick(random, [7, 50]), burst: 60 } : {}),
            ...(random() < 0.7 ? { creditsPerDay: Random.pick(random, [80, 200]) } : {})
          }
          const own = (): KeyLimits.KeyLimits => ({
            ...(random() < 0.7 ? { requestsPerSecond: Random.pick(random, [1, 3]), burst: 5 } : {}),
            ...(random() < 0.7 ? { creditsPerDay: Random.pick(random, [60, 150]) } : {})
          })
          const members: KeyLimits.LimitedMembers = {
            requests: Random.pick(random, [0, 1, 1, 2, 6]),
            all: [
              { kind: "key", id: "k", limits: own() },
              { kind: "user", id: "u", limits: own() }
            ]
          }
          const credits = Random.pick(random, [0, 1, 7, 30])
          const { rest } = LimiterScripts.take(keysOf(`both:${run}`), limits, credits, "", "1000", members)
          const time = [String(Math.floor(now / 1000)), String((now % 1000) * 1000)]
          const reply = yield* Effect.promise(() => client.sendCommand<Array<number>>(["EVAL", lua, ...rest, ...time]))
          const claims: ReadonlyArray<LimitCounts.LimitClaim> = [
            { counts: all[0], limits, amount: credits, credits },
            ...members.all.map(({ kind, limits }, index) => ({
              counts: all[index + 1]!,
              limits: boundsOf(limits),
              amount: members.requests,
              credits,
              of: kind
            }))
          ]
          const expected = LimitCounts.takeAll(claims, now)
          const told = JSON.stringify({ run, step, now, limits, members, credits })
          if (expected === undefined) {
            assert.deepStrictEqual(reply.slice(0, 2), [0, now], told)
          } else {
            const limit = ["", "day", "burst", "rate", "concurrency"].indexOf(expected.limit)
            const current = expected.limit === "rate" ? Math.round(expected.current * 1000) : expected.current
            const of = ["", "key", "user"].indexOf(expected.of ?? "")
            assert.deepStrictEqual(reply, [limit, now, current, expected.retryAfter ?? -1, of], told)
            refusals.add(`${expected.limit} ${expected.of}`)
          }
        }
      }
      assert.includeMembers([...refusals], ["day key", "day user", "day undefined", "rate key", "burst user"])
    }))

  test("expire when they are as good as new", (server) =>
    Effect.gen(function* () {
      const store = yield* open({ url: server.url, prefix: "p", lease: "20 seconds" })
      const endOf = (key: string) => Effect.promise(() => server.command("PEXPIRETIME", key)) as Effect.Effect<number>
      const bucket = { creditsPerSecond: 10, burst: 1000 }
      const first = yield* store.take("address", "1", bucket, 500)
      assert.approximately(yield* endOf("p:limits:{address:1}"), first.at + 50_000, 20)
      yield* store.take("address", "1", bucket, 100)
      assert.approximately(yield* endOf("p:limits:{address:1}"), first.at + 60_000, 20)
      const { at } = yield* store.take("project", "1", { creditsPerDay: 5, concurrency: 1 }, 1)
      const midnight = (Math.floor(at / 86_400_000) + 1) * 86_400_000
      assert.approximately(yield* endOf("p:limits:{project:1}"), midnight, 20)
      assert.approximately(yield* endOf("p:limits:{project:1}:calls"), at + 20_000, 20)
      const keys = (yield* Effect.promise(() => server.command("KEYS", "*"))) as Array<string>
      assert.deepStrictEqual(keys.sort(), [
        "p:limits:{address:1}",
        "p:limits:{project:1}",
        "p:limits:{project:1}:calls"
      ])
    }))

  test("hold after Redis has forgotten its scripts", (server) =>
    Effect.gen(function* () {
      const store = yield* open({ url: server.url })
      const limits = { creditsPerDay: 2, concurrency: 1 }
      const first = yield* store.take("project", "a", limits, 1)
      yield* Effect.promise(() => server.command("SCRIPT", "FLUSH"))
      yield* store.settle(first, 1)
      yield* Effect.promise(() => server.command("SCRIPT", "FLUSH"))
      yield* store.take("project", "a", limits, 1)
      assert.isTrue(Result.isFailure(yield* take(store, "a", limits, 1)))
    }))

  test("that were taken for somebody who no longer waits are given back", (server) =>
    Effect.gen(function* () {
      const store = yield* open({ url: server.url })
      const limits = { creditsPerDay: 10, concurrency: 1 }
      yield* store.take("project", "warm", limits, 1)
      yield* Effect.promise(() => server.command("CLIENT", "PAUSE", "1500", "ALL"))
      const waited = yield* Effect.timeoutOption(store.take("project", "a", limits, 10), "50 millis")
      assert.strictEqual(waited._tag, "None")
      const again = yield* take(store, "a", limits, 10).pipe(
        Effect.repeat({ until: Result.isSuccess, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("20 seconds")
      )
      assert.isTrue(Result.isSuccess(again))
    }))

  test("that cannot be asked are a typed error without an address, and come back with Redis", (server) =>
    Effect.gen(function* () {
      const url = Redacted.make(Redacted.value(server.url).replace("//", "//default:hunter2secret@"))
      yield* Effect.promise(() => server.command("CONFIG", "SET", "requirepass", "hunter2secret"))
      const store = yield* open({ url })
      const limits = { creditsPerDay: 2 }
      yield* store.take("project", "a", limits, 1)
      yield* server.kill
      const errors: Array<string> = []
      const failing = yield* Effect.exit(store.take("project", "a", limits, 1))
      assert.isTrue(Exit.isFailure(failing))
      if (Exit.isFailure(failing)) errors.push(Cause.pretty(failing.cause))
      const offline = yield* Effect.flip(store.take("project", "a", limits, 1))
      if (offline._tag !== "LimiterError") return assert.fail("Redis is gone")
      errors.push(JSON.stringify(offline), offline.message)
      assert.include(offline.message, "the store of limits cannot be reached")
      for (const text of errors) {
        assert.notInclude(text, "hunter2secret")
        assert.notInclude(text, String(server.port))
        assert.notInclude(text, "127.0.0.1")
      }
      yield* server.start
      yield* Effect.retry(store.take("project", "a", limits, 2), {
        schedule: Schedule.spaced("50 millis"),
        times: 200
      })
    }))

  test("that Redis refuses to write are refused by its code", (server) =>
    Effect.gen(function* () {
      const store = yield* open({ url: server.url })
      yield* store.take("project", "a", { creditsPerDay: 5 }, 1)
      yield* Effect.promise(() => server.command("CONFIG", "SET", "maxmemory", "1"))
      const error = yield* Effect.flip(store.take("project", "a", { creditsPerDay: 5 }, 1))
      assert.deepStrictEqual<unknown>(error._tag === "LimiterError" && error.reason, { _tag: "Refused", code: "OOM" })
    }))
})

describe("a Redis", () => {
  it.live("that is not there does not keep the service from starting", () =>
    Effect.gen(function* () {
      const store = yield* open({ url: Redacted.make("redis://127.0.0.1:1") })
      const error = yield* Effect.flip(store.take("project", "a", { creditsPerDay: 5 }, 1))
      assert.strictEqual(error._tag === "LimiterError" && error.reason._tag, "Unreachable")
    }).pipe(Effect.scoped)
  )

  it.live("is refused where an option makes no sense, without repeating its address", () =>
    Effect.gen(function* () {
      for (const url of ["", "localhost:6379", "http://user:hunter2@localhost", "redis://"]) {
        const error = yield* Effect.flip(Effect.scoped(open({ url: Redacted.make(url) })))
        assert.strictEqual(error.setting, "url")
        assert.notInclude(JSON.stringify(error), "hunter2")
      }
      const url = Redacted.make("redis://127.0.0.1:1")
      const lease = yield* Effect.flip(Effect.scoped(open({ url, lease: "10 millis" })))
      const longestCall = yield* Effect.flip(Effect.scoped(open({ url, longestCall: Infinity })))
      assert.deepStrictEqual([lease.setting, longestCall.setting], ["lease", "longestCall"])
    })
  )
})
