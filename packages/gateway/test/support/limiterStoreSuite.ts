/** The tests that every store of limits must pass. */
import { assert, describe, it } from "@effect/vitest"
import { type KeyLimits, type LimitExceeded, type ProjectLimits, LimiterStore } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Context, Effect, Layer, Result, type Scope } from "effect"

import * as LimitModel from "./limitModel.ts"

type Store = LimiterStore.LimiterStore["Service"]

/** Returns the outcome of a call, without the values that differ between stores. */
export const take = (store: Store, id: string, limits: ProjectLimits.ProjectLimits, credits: number) =>
  Effect.result(store.take("project", id, limits, credits)) as Effect.Effect<
    Result.Result<LimiterStore.Reservation, LimitExceeded.LimitExceeded>
  >

/** Defines the tests. `make` returns a store that has no counts for the names in these tests. */
export const suite = <E>(
  name: string,
  make: Effect.Effect<Layer.Layer<LimiterStore.LimiterStore, E>, never, Scope.Scope>,
  skipped: string | undefined
) => {
  const build = Effect.flatMap(make, Layer.build).pipe(
    Effect.map((context) => Context.get(context, LimiterStore.LimiterStore)),
    Effect.orDie
  )
  const test = (title: string, body: (store: Store) => Effect.Effect<void, unknown>) =>
    it.live.skipIf(skipped !== undefined)(title, () => Effect.scoped(Effect.flatMap(build, body)))

  describe(`limits ${name}${skipped === undefined ? "" : ` (${skipped})`}`, () => {
    test("let through exactly the day's credits, of many that ask at once", (store) =>
      Effect.gen(function* () {
        const limits = { creditsPerDay: 1000 }
        const all = yield* Effect.forEach(Array.from({ length: 300 }), () => take(store, "a", limits, 7), {
          concurrency: "unbounded"
        })
        const passed = all.filter(Result.isSuccess)
        assert.strictEqual(passed.length, Math.floor(1000 / 7))
        for (const { failure } of all.filter(Result.isFailure)) {
          assert.strictEqual(failure.limit, "day")
          assert.strictEqual(failure.allowed, 1000)
          assert.isAtLeast(failure.current, 1000 - 6)
          // The wait lasts until the next midnight in UTC.
          assert.strictEqual(new Date(failure.at + failure.retryAfter!).toISOString().slice(10), "T00:00:00.000Z")
          assert.isAtMost(failure.retryAfter!, 86_400_000)
        }
        // A call that costs no more than the remaining credits is admitted.
        assert.isTrue(Result.isSuccess(yield* take(store, "a", limits, 1000 % 7)))
        assert.isTrue(Result.isFailure(yield* take(store, "a", limits, 1)))
      }))

    test("let through exactly what the bucket holds and what flows in", (store) =>
      Effect.gen(function* () {
        const limits = { creditsPerSecond: 20, burst: 50 }
        const decisions: Array<Result.Result<LimiterStore.Reservation, LimitExceeded.LimitExceeded>> = []
        yield* Effect.forEach(
          Array.from({ length: 8 }),
          () =>
            Effect.gen(function* () {
              for (let index = 0; index < 60; index++) {
                decisions.push(yield* take(store, "a", limits, 1))
                yield* Effect.sleep("1 millis")
              }
            }),
          { concurrency: "unbounded", discard: true }
        )
        const passed = decisions.filter(Result.isSuccess).map(({ success }) => success.at)
        const refused = decisions.filter(Result.isFailure).map(({ failure }) => failure.at)
        assert.isAtLeast(passed.length, 50)
        assert.isAbove(refused.length, 0)
        assert.isUndefined(LimitModel.wrong({ rate: 20, burst: 50 }, 1, passed, refused))
      }))

    test("bound the calls under way, and free their places when they end", (store) =>
      Effect.gen(function* () {
        const limits = { concurrency: 3 }
        const all = yield* Effect.forEach(Array.from({ length: 20 }), () => take(store, "a", limits, 1), {
          concurrency: "unbounded"
        })
        const passed = all.filter(Result.isSuccess)
        assert.strictEqual(passed.length, 3)
        const { failure } = all.find(Result.isFailure)!
        assert.deepStrictEqual([failure.limit, failure.allowed, failure.current], ["concurrency", 3, 3])
        yield* store.settle(passed[0]!.success, 1)
        assert.isTrue(Result.isSuccess(yield* take(store, "a", limits, 1)))
        assert.isTrue(Result.isFailure(yield* take(store, "a", limits, 1)))
      }))

    test("take nothing from who is refused", (store) =>
      Effect.gen(function* () {
        const limits = { creditsPerDay: 100, creditsPerSecond: 1, burst: 8, concurrency: 1 }
        const first = yield* store.take("project", "a", limits, 1)
        for (let index = 0; index < 20; index++) {
          const refused = yield* take(store, "a", limits, 2)
          assert.isTrue(Result.isFailure(refused) && refused.failure.limit === "concurrency")
        }
        yield* store.settle(first, 1)
        const second = yield* store.take("project", "a", limits, 7)
        yield* store.settle(second, 7)
        const rate = yield* take(store, "a", limits, 8)
        assert.isTrue(Result.isFailure(rate) && rate.failure.limit === "rate")
        const day = yield* take(store, "a", limits, 93)
        assert.isTrue(Result.isFailure(day) && day.failure.limit === "day")
        // The refused calls do not count towards the limit of concurrent calls.
        assert.isTrue(Result.isSuccess(yield* take(store, "a", { concurrency: 1 }, 0)))
      }))

    test("count for the day what was charged in the end", (store) =>
      Effect.gen(function* () {
        const limits = { creditsPerDay: 100 }
        const used = Effect.map(take(store, "a", limits, 100), (asked) =>
          Result.isFailure(asked) ? asked.failure.current : Number.NaN
        )
        const reserved = yield* store.take("project", "a", limits, 80)
        assert.strictEqual(yield* used, 80, "held from the beginning")
        yield* store.settle(reserved, 5)
        assert.strictEqual(yield* used, 5)
        const dearer = yield* store.take("project", "a", limits, 10)
        yield* store.settle(dearer, 30)
        assert.strictEqual(yield* used, 35)
        const exact = yield* store.take("project", "a", limits, 10)
        yield* store.settle(exact, 10)
        assert.strictEqual(yield* used, 45)
      }))

    test("keep projects, addresses and names apart", (store) =>
      Effect.gen(function* () {
        const limits = { creditsPerDay: 1 }
        for (const id of ["a", "b", "a:calls", "{a}", "a}", "__proto__", "project:a"]) {
          assert.isTrue(Result.isSuccess(yield* take(store, id, limits, 1)), id)
          assert.isTrue(Result.isFailure(yield* take(store, id, limits, 1)), id)
        }
        yield* store.take("address", "a", limits, 1)
      }))

    test("of a key hold under those of its project, and a refusal of either takes nothing of both", (store) =>
      Effect.gen(function* () {
        const limits = { creditsPerDay: 100 }
        const members = (id: string, limits: KeyLimits.KeyLimits, requests = 1) => ({
          requests,
          all: [{ kind: "key" as const, id, limits }]
        })
        const own = { creditsPerDay: 30, requestsPerSecond: 1, burst: 4 }
        const asked = (id: string, credits: number, requests?: number) =>
          Effect.result(store.take("project", "p", limits, credits, members(id, own, requests)))
        const reasonOf = (decided: Result.Result<unknown, unknown>) => {
          const exceeded = Result.isFailure(decided) ? (decided.failure as LimitExceeded.LimitExceeded) : undefined
          return exceeded && [exceeded.limit, exceeded.of, exceeded.allowed, exceeded.current]
        }
        const first = yield* asked("a", 20)
        assert.deepStrictEqual(reasonOf(yield* asked("a", 11)), ["day", "key", 30, 20])
        assert.deepStrictEqual(reasonOf(yield* asked("a", 1, 5)), ["burst", "key", 4, 5])
        // The refused calls took no credits of the project, so 80 credits are left for other keys.
        assert.isUndefined(reasonOf(yield* asked("b", 30)))
        assert.isUndefined(reasonOf(yield* asked("c", 30)))
        assert.deepStrictEqual(reasonOf(yield* asked("d", 21)), ["day", undefined, 100, 80])
        // The refused call took no credits of the key.
        assert.isUndefined(reasonOf(yield* asked("d", 20)))
        // The credits that were not charged are returned to the project and to the key.
        if (Result.isFailure(first)) return assert.fail("refused")
        const read = (key: string) =>
          Effect.map(
            store.look!("project", "p", { creditsPerDay: 30 }, { kind: "key", id: key }),
            ({ day }) => day?.used
          )
        assert.deepStrictEqual([yield* read("a"), yield* read("b"), yield* read("e")], [20, 30, 0])
        yield* store.settle(first.success, 5)
        assert.strictEqual(yield* read("a"), 5)
        assert.deepStrictEqual(reasonOf(yield* asked("a", 16)), ["day", undefined, 100, 85])
        assert.isUndefined(reasonOf(yield* asked("a", 15)))
        // Members with the same id are counted separately in different projects, and keys are counted separately from
        // users.
        assert.isUndefined(reasonOf(yield* Effect.result(store.take("project", "q", limits, 30, members("a", own)))))
        const user = { requests: 1, all: [{ kind: "user" as const, id: "a", limits: own }] }
        assert.isUndefined(reasonOf(yield* Effect.result(store.take("project", "q", limits, 30, user))))
      }))

    test("of an account hold for all its projects together, and are read as they are counted", (store) =>
      Effect.gen(function* () {
        const own = { creditsPerDay: 50, requestsPerSecond: 1, burst: 4 }
        const members = { requests: 1, all: [{ kind: "account" as const, id: "ada", limits: own }] }
        const asked = (project: string, credits: number, limits: ProjectLimits.ProjectLimits = {}) =>
          Effect.result(store.take("project", project, limits, credits, members))
        const reasonOf = (decided: Result.Result<unknown, unknown>) => {
          const exceeded = Result.isFailure(decided) ? (decided.failure as LimitExceeded.LimitExceeded) : undefined
          return exceeded && [exceeded.limit, exceeded.of, exceeded.allowed]
        }
        const first = yield* asked("one", 30)
        assert.deepStrictEqual(reasonOf(yield* asked("two", 21)), ["day", "account", 50])
        // a refusal by the project takes nothing of the account
        assert.deepStrictEqual(reasonOf(yield* asked("two", 20, { creditsPerDay: 19 })), ["day", undefined, 19])
        assert.isUndefined(reasonOf(yield* asked("two", 20)))
        if (Result.isFailure(first)) return assert.fail("refused")
        yield* store.settle(first.success, 10)
        assert.strictEqual((yield* store.look!("account", "ada", { creditsPerDay: 50 })).day?.used, 30)
        assert.isUndefined(reasonOf(yield* asked("three", 20)))
        // four requests at once, whichever project makes them
        assert.isUndefined(reasonOf(yield* asked("four", 0)))
        assert.deepStrictEqual(reasonOf(yield* asked("five", 0)), ["rate", "account", 1])
        // another account, a project and a key of that name have counts of their own
        const other = { requests: 1, all: [{ kind: "account" as const, id: "bob", limits: own }] }
        assert.isUndefined(
          reasonOf(yield* Effect.result(store.take("project", "ada", { creditsPerDay: 50 }, 50, other)))
        )
        const key = { requests: 1, all: [{ kind: "key" as const, id: "ada", limits: own }] }
        assert.isUndefined(reasonOf(yield* Effect.result(store.take("project", "one", {}, 50, key))))
      }))

    test("of a new project read as unused, and only those that there are", (store) =>
      Effect.gen(function* () {
        const limits = { creditsPerSecond: 1, burst: 1000, creditsPerDay: 5000, concurrency: 3 }
        const { at, ...status } = yield* store.look!("project", "new", limits)
        assert.deepStrictEqual(status, {
          day: { used: 0, endsAt: (Math.floor(at / 86_400_000) + 1) * 86_400_000 },
          rate: { current: 0, available: 1000 },
          underWay: 0
        })
        const { at: _at, ...none } = yield* store.look!("project", "new", {})
        assert.deepStrictEqual(none, { day: undefined, rate: undefined, underWay: undefined })
      }))

    test("are those of a plain model, whatever is asked, and so are readings of them", (store) =>
      Effect.gen(function* () {
        const random = Random.make(11)
        for (let run = 0; run < Random.runs(20); run++) {
          const limits = LimitModel.someLimits(random)
          const model = LimitModel.make()
          const held: Array<LimiterStore.Reservation> = []
          for (let step = 0; step < 40; step++) {
            if (held.length > 0 && random() < 0.4) {
              const [reservation] = held.splice(Random.int(random, held.length), 1)
              const charged = Random.pick(random, [0, 5, reservation!.credits])
              yield* store.settle(reservation!, charged)
              LimitModel.settle(model, reservation!, charged)
              continue
            }
            const credits = Random.pick(random, [0, 1, 1, 2, 5, 9])
            const decided = yield* take(store, `model ${run}`, limits, credits)
            const at = Result.isSuccess(decided) ? decided.success.at : decided.failure.at
            const expected = LimitModel.take(model, limits, credits, at)
            assert.deepStrictEqual(
              Result.isSuccess(decided)
                ? undefined
                : { limit: decided.failure.limit, retryAfter: decided.failure.retryAfter },
              expected,
              JSON.stringify({ run, step, limits, credits })
            )
            if (Result.isSuccess(decided)) held.push(decided.success)
            const { at: readAt, day, rate, underWay } = yield* store.look!("project", `model ${run}`, limits)
            assert.deepStrictEqual(
              { used: day?.used, available: rate?.available, underWay },
              LimitModel.look(model, limits, readAt),
              JSON.stringify({ run, step, limits })
            )
            if (random() < 0.1) yield* Effect.sleep(Random.int(random, 4))
          }
        }
      }))
  })
}
