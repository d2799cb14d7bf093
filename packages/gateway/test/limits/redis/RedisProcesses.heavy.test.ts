/** Limits of several processes that share a Redis. */
import { fork } from "node:child_process"

import { assert, describe } from "@effect/vitest"
import type { KeyLimits, ProjectLimits } from "@plumbline/gateway"
import { Effect, Redacted, Result, Schedule } from "effect"

import { open, test } from "../../support/limiterRedis.ts"
import { take } from "../../support/limiterStoreSuite.ts"
import * as LimitModel from "../../support/limitModel.ts"
import type { Counted, Order } from "../../support/limitProcess.ts"
import { redisSkipped } from "../../support/redis.ts"

/** Starts a separate process and waits until it is ready. */
const process_ = Effect.acquireRelease(
  Effect.promise(async () => {
    const child = fork(new URL("../../support/limitProcess.ts", import.meta.url), {
      stdio: ["ignore", "inherit", "inherit", "ipc"]
    })
    await new Promise((resolve) => child.once("message", resolve))
    return {
      kill: () => child.kill("SIGKILL"),
      run: (order: Order) =>
        new Promise<Counted>((resolve, reject) => {
          child.once("message", (counted) => resolve(counted as Counted))
          child.once("exit", () => reject(new Error("the process ended")))
          child.send(order)
        })
    }
  }),
  ({ kill }) => Effect.sync(kill)
)

describe(`three processes that share a Redis${redisSkipped === undefined ? "" : ` (${redisSkipped})`}`, () => {
  test("let through exactly what one would", (server) =>
    Effect.gen(function* () {
      const processes = yield* Effect.all([process_, process_, process_], { concurrency: "unbounded" })
      const together = (limits: ProjectLimits.ProjectLimits, id: string) =>
        Effect.promise(async () => {
          const order = { url: Redacted.value(server.url), id, limits, calls: 400, credits: 3 }
          const counted = await Promise.all(processes.map(({ run }) => run(order)))
          return {
            passed: counted.flatMap(({ passed }) => passed),
            refused: counted.flatMap(({ refused }) => refused)
          }
        })

      // Each of three processes requests 400 calls; the limit permits 800 of the 1200 calls.
      const day = yield* together({ creditsPerDay: 2401 }, "day")
      assert.strictEqual(day.passed.length, 800)
      assert.strictEqual(day.passed.length + day.refused.length, 1200)

      const rate = yield* together({ creditsPerSecond: 30, burst: 1500 }, "rate")
      assert.isAtLeast(rate.passed.length, 500)
      assert.isAbove(rate.refused.length, 0)
      assert.isUndefined(LimitModel.wrong({ rate: 30, burst: 1500 }, 3, rate.passed, rate.refused))

      const atOnce = yield* together({ concurrency: 450 }, "at once")
      assert.strictEqual(atOnce.passed.length, 450)
    }))

  test("let a key have exactly its own share, and others of the project the rest", (server) =>
    Effect.gen(function* () {
      const processes = yield* Effect.all([process_, process_, process_], { concurrency: "unbounded" })
      const limits = { creditsPerDay: 1500 }
      const order = { url: Redacted.value(server.url), id: "shared", limits, calls: 400, credits: 3 }
      const of = (id: string, own: KeyLimits.KeyLimits) => ({
        ...order,
        members: { requests: 1, all: [{ kind: "key" as const, id, limits: own }] }
      })
      const counted = yield* Effect.promise(() =>
        Promise.all([
          processes[0].run(of("k", { creditsPerDay: 301 })),
          processes[1].run(of("k", { creditsPerDay: 301 })),
          processes[2].run(of("other", { requestsPerSecond: 1, burst: 90 }))
        ])
      )
      const [one, two, other] = counted.map(({ passed }) => passed.length) as [number, number, number]
      assert.strictEqual(one + two, 100)
      assert.isAtLeast(other, 90)
      const model = LimitModel.wrong({ rate: 1, burst: 90 }, 1, counted[2].passed, counted[2].refused)
      assert.isUndefined(model)
      // The project was charged only for admitted calls, not for calls that the limit of a key refused.
      const rest = yield* Effect.promise(() => processes[0].run(order))
      assert.strictEqual(rest.passed.length, 500 - one - two - other)
    }))

  test("let the projects of an account have exactly its share together, in all processes", (server) =>
    Effect.gen(function* () {
      const processes = yield* Effect.all([process_, process_, process_], { concurrency: "unbounded" })
      const members = { requests: 1, all: [{ kind: "account" as const, id: "ada", limits: { creditsPerDay: 1501 } }] }
      const order = { url: Redacted.value(server.url), limits: { creditsPerDay: 900 }, members, calls: 400, credits: 3 }
      const counted = yield* Effect.promise(() =>
        Promise.all(processes.map((process, index) => process.run({ ...order, id: `project ${index % 2}` })))
      )
      const passed = counted.map(({ passed }) => passed.length)
      assert.strictEqual(passed[0]! + passed[1]! + passed[2]!, 500)
      assert.isAtMost(passed[0]! + passed[2]!, 300)
    }))

  test("get back the places of calls that nobody ends", (server) =>
    Effect.gen(function* () {
      const store = yield* open({ url: server.url, lease: "3 seconds", longestCall: "1 second" })
      const limits = { concurrency: 1 }
      yield* store.take("project", "a", limits, 1)
      assert.isTrue(Result.isFailure(yield* take(store, "a", limits, 1)))
      const back = yield* take(store, "a", limits, 1).pipe(
        Effect.repeat({ until: Result.isSuccess, schedule: Schedule.spaced("50 millis") }),
        Effect.timeout("20 seconds")
      )
      assert.isTrue(Result.isSuccess(back))
    }))

  test("get back the places of a process that was killed, after its lease and not before", (server) =>
    Effect.gen(function* () {
      const store = yield* open({ url: server.url })
      const limits = { concurrency: 6, creditsPerDay: 20 }
      // This process has a call in flight that never ends.
      yield* store.take("project", "a", limits, 1)
      const other = yield* process_
      yield* Effect.promise(() =>
        other.run({ url: Redacted.value(server.url), id: "a", limits, calls: 5, credits: 1, lease: 2500 })
      )
      // The places are still taken after the lease has passed, because the running process renews them.
      yield* Effect.sleep("3200 millis")
      assert.isTrue(Result.isFailure(yield* take(store, "a", limits, 1)))
      other.kill()
      const back = yield* take(store, "a", limits, 1).pipe(
        Effect.repeat({ until: Result.isSuccess, schedule: Schedule.spaced("50 millis") }),
        Effect.timeout("20 seconds")
      )
      assert.isDefined(back)
      // The 5 credits of the killed process stay taken. Other calls took 2 credits.
      const refused = yield* Effect.flip(store.take("project", "a", limits, 20))
      assert.strictEqual(refused._tag === "LimitExceeded" && refused.current, 7)
    }))
})
