import { assert, describe, it } from "@effect/vitest"
import { Limiter, LimiterError, LimiterStore } from "@plumbline/gateway"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Result } from "effect"
import { TestClock } from "effect/testing"

import { addressOf } from "../../src/limits/addressCounter.ts"
import { ServiceMeters } from "../../src/meters/serviceMeters.ts"
import * as AddressLimit from "../../src/pipeline/addressLimit.ts"

type Store = LimiterStore.LimiterStore["Service"]

const LIMITS = { creditsPerDay: 1000, concurrency: 10 }
const down = new LimiterError.LimiterError({ reason: { _tag: "Unreachable", code: "ECONNREFUSED" } })

/** Builds a limiter that asks its store for calls only, because the tests count what it asks. */
const build = (store: Layer.Layer<LimiterStore.LimiterStore>, options: Limiter.LimiterOptions = {}) =>
  Effect.map(Layer.build(Limiter.layer({ isProbed: false, ...options }).pipe(Layer.provide(store))), (context) =>
    Context.get(context, Limiter.Limiter)
  )

/** Simulates a store in another process. It counts its calls and gives the answers that the test sets. */
const fake = () => {
  const told = {
    takes: 0,
    looks: 0,
    settled: [] as Array<number>,
    answer: Exit.void as Effect.Effect<void, LimiterError.LimiterError>
  }
  const store: Store = {
    local: undefined,
    take: (kind, id, limits, credits) =>
      Effect.suspend(() => {
        told.takes++
        const slot = limits.concurrency === undefined ? undefined : "1"
        const day = limits.creditsPerDay === undefined ? undefined : 7
        return Effect.as(told.answer, { _tag: "Reservation" as const, kind, id, credits, day, at: 0, slot })
      }),
    settle: (_, charged) =>
      Effect.suspend(() => {
        told.settled.push(charged)
        return told.answer
      }),
    look: () =>
      Effect.suspend(() => {
        told.looks++
        return Effect.as(told.answer, { at: 0, day: undefined, rate: undefined, underWay: 3 })
      })
  }
  return { told, layer: Layer.succeed(LimiterStore.LimiterStore, store) }
}

describe("a limiter", () => {
  it.effect("settles each admission once", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      const limiter = yield* build(layer)
      const admission = yield* limiter.admit("p", LIMITS, 80)
      yield* limiter.settle(admission, 5)
      yield* limiter.settle(admission, 0)
      assert.deepStrictEqual(told.settled, [5])
    })
  )

  it.effect("settles each admission once also in memory: no place is given back twice", () =>
    Effect.gen(function* () {
      const limiter = yield* build(LimiterStore.layerMemory())
      const limits = { concurrency: 2 }
      const first = yield* limiter.admit("p", limits, 1)
      yield* limiter.admit("p", limits, 1)
      for (let times = 0; times < 2; times++) yield* limiter.settle(first, 1)
      yield* limiter.admit("p", limits, 1)
      assert.strictEqual((yield* Effect.flip(limiter.admit("p", limits, 1)))._tag, "LimitExceeded")
    })
  )

  it.effect("asks a store in another process between calls, and says whether it can count", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      const limiter = yield* build(layer, { isProbed: true })
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(limiter.state().store, "up")
      told.answer = Effect.fail(down)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(limiter.state().store, "down")
      const { takes } = told
      yield* TestClock.adjust("1 minute")
      assert.isBelow(told.takes, takes + 30)
      told.answer = Exit.void
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(limiter.state().store, "up")
    })
  )

  it.effect("asks the store only where there is something to count", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      const limiter = yield* build(layer)
      yield* limiter.settle(yield* limiter.admit("p", {}, 80), 80)
      yield* limiter.admitAddress("192.0.2.1")
      assert.strictEqual(told.takes, 0)
      assert.strictEqual(limiter.state().store, "untried")
      // If a call is charged in full and takes no concurrent place, the store need not settle it.
      yield* limiter.settle(yield* limiter.admit("p", { creditsPerDay: 100 }, 80), 80)
      yield* limiter.settle(yield* limiter.admit("p", { creditsPerSecond: 100 }, 80), 0)
      assert.deepStrictEqual([told.takes, told.settled], [2, []])
      yield* limiter.settle(yield* limiter.admit("p", { creditsPerDay: 100 }, 80), 0)
      yield* limiter.settle(yield* limiter.admit("p", { concurrency: 1 }, 80), 80)
      assert.deepStrictEqual([told.takes, told.settled], [4, [0, 80]])
    })
  )

  it.effect("settles calls that are interrupted, in the form that it asks for", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      const limiter = yield* build(layer)
      const call = Effect.acquireUseRelease(
        limiter.admit("p", LIMITS, 80),
        () => Effect.never,
        (admission) => limiter.settle(admission, 0)
      )
      const running = yield* Effect.forkChild(call, { startImmediately: true })
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual(told.settled, [0])
      // An interruption ends even if the store does not answer, but only after the store's timeout.
      told.answer = Effect.never
      const waiting = yield* Effect.forkChild(call, { startImmediately: true })
      const interrupted = yield* Effect.forkChild(Fiber.interrupt(waiting), { startImmediately: true })
      yield* TestClock.adjust("250 millis")
      yield* Fiber.join(interrupted)
      assert.strictEqual(limiter.state().store, "down")
    })
  )

  it.effect("counts calls through the store in memory", () =>
    Effect.gen(function* () {
      const limiter = yield* build(LimiterStore.layerMemory())
      const admission = yield* limiter.admit("p", { creditsPerDay: 100, concurrency: 1 }, 80)
      assert.strictEqual((yield* Effect.flip(limiter.admit("p", LIMITS, 1000)))._tag, "LimitExceeded")
      yield* limiter.settle(admission, 0)
      yield* limiter.admit("p", { creditsPerDay: 100, concurrency: 1 }, 100)
      assert.deepStrictEqual(limiter.state(), { store: "up", whenDown: "closed" })
    })
  )

  it.effect("limits addresses, and customers by what they have of IPv6", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1e12)
      const limiter = yield* build(LimiterStore.layerMemory(), { address: { requestsPerSecond: 2, burst: 3 } })
      for (let index = 0; index < 3; index++) yield* limiter.admitAddress("192.0.2.1")
      const refused = yield* Effect.flip(limiter.admitAddress("::ffff:192.0.2.1"))
      assert.isTrue(refused._tag === "LimitExceeded" && refused.retryAfter === 500)
      yield* limiter.admitAddress("192.0.2.2")
      for (const end of ["1", "ffff:1", "1:2:3:4"]) yield* limiter.admitAddress(`2001:db8::${end}`)
      assert.isTrue(Result.isFailure(yield* Effect.result(limiter.admitAddress("2001:db8::9"))))
      yield* limiter.admitAddress("2001:db8:0:1::9")
    })
  )

  it.effect("refuses an address before its key is read, and counts each refusal by its reason", () =>
    Effect.gen(function* () {
      const meters = new ServiceMeters()
      const address = { requestsPerSecond: 1 }
      const refused = (limiter: Limiter.Limiter["Service"]) =>
        Effect.map(Effect.flip(AddressLimit.admit(limiter, meters, "192.0.2.1")), ({ status }) => status)
      const { layer, told } = fake()
      const here = yield* build(LimiterStore.layerMemory(), { address })
      const elsewhere = yield* build(layer, { address })
      for (const limiter of [here, elsewhere]) yield* AddressLimit.admit(limiter, meters, "192.0.2.1")
      // without an Effect, only counts in memory admit, and only within the limit
      const atOnce = [here, here, elsewhere].map((limiter) => AddressLimit.admits(limiter, "192.0.2.2"))
      assert.deepStrictEqual(atOnce, [true, false, false])
      told.answer = Exit.fail(down)
      assert.deepStrictEqual([yield* refused(here), yield* refused(elsewhere)], [429, 503])
      assert.deepStrictEqual([meters.limits.get("address"), meters.limits.get("unavailable")], [1, 1])
    })
  )

  it.effect("refuses options that make no sense, by their name", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<readonly [Limiter.LimiterOptions, string]> = [
        [{ timeout: 0 }, "timeout"],
        [{ timeout: "2 minutes" }, "timeout"],
        [{ timeout: "soon" as never }, "timeout"],
        [{ address: { requestsPerSecond: 0 } }, "address.requestsPerSecond"],
        [{ address: { requestsPerSecond: 1, burst: 0.5 } }, "address.burst"]
      ]
      for (const [options, setting] of rows) {
        const error = yield* Effect.flip(build(LimiterStore.layerMemory(), options))
        assert.strictEqual(error.setting, setting)
      }
    })
  )
})

describe("a limiter whose store is down", () => {
  it.effect("refuses everything, and says so", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      told.answer = Exit.fail(down)
      const limiter = yield* build(layer, { address: { requestsPerSecond: 1 } })
      assert.strictEqual(yield* Effect.flip(limiter.admit("p", LIMITS, 1)), down)
      assert.strictEqual(yield* Effect.flip(limiter.admitAddress("192.0.2.1")), down)
      assert.deepStrictEqual(limiter.state(), { store: "down", whenDown: "closed" })
      yield* limiter.admit("p", {}, 1)
    })
  )

  it.effect("lets everything through where that was chosen, and has nothing to settle", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      told.answer = Exit.fail(down)
      const limiter = yield* build(layer, { whenDown: "open" })
      const admission = yield* limiter.admit("p", LIMITS, 1)
      yield* limiter.settle(admission, 0)
      assert.deepStrictEqual(told.settled, [])
      assert.deepStrictEqual(limiter.state(), { store: "down", whenDown: "open" })
      // After the pause, the store is asked again.
      told.answer = Exit.void
      yield* TestClock.adjust("1 minute")
      yield* limiter.admit("p", LIMITS, 1)
      assert.strictEqual(limiter.state().store, "up")
    })
  )

  it.effect("asks it once, and not a thousand times", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      told.answer = Exit.fail(down)
      const limiter = yield* build(layer)
      const call = Effect.exit(limiter.admit("p", LIMITS, 1))
      for (let index = 0; index < 1000; index++) yield* call
      assert.strictEqual(told.takes, 1)
      // Makes ten calls per second for an hour. The store is tried again after pauses of 2.5 to 5 seconds.
      for (let tenth = 0; tenth < 36_000; tenth++) {
        yield* TestClock.adjust("100 millis")
        yield* call
      }
      assert.isAtLeast(told.takes, 3600 / 5.2)
      assert.isAtMost(told.takes, 3600 / 2.5 + 6)
    })
  )

  it.effect("takes many calls that fail together for one failure", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      const answer = yield* Deferred.make<void, LimiterError.LimiterError>()
      told.answer = Deferred.await(answer)
      const limiter = yield* build(layer)
      const calls = yield* Effect.forEach(Array.from({ length: 50 }), () =>
        Effect.forkChild(Effect.exit(limiter.admit("p", LIMITS, 1)), { startImmediately: true })
      )
      yield* Deferred.fail(answer, down)
      yield* Effect.forEach(calls, (fiber) => Fiber.join(fiber))
      told.answer = Exit.void
      // Fifty simultaneous failures count as one, so the pause is the first and shortest one.
      yield* TestClock.adjust("250 millis")
      yield* limiter.admit("p", LIMITS, 1)
      assert.strictEqual(told.takes, 51)
    })
  )

  it.effect("tries it with one call of many, and all go on when that was answered", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      told.answer = Exit.fail(down)
      const limiter = yield* build(layer)
      yield* Effect.exit(limiter.admit("p", LIMITS, 1))
      yield* TestClock.adjust("1 second")
      const answer = yield* Deferred.make<void>()
      told.answer = Deferred.await(answer)
      const calls = yield* Effect.forEach(Array.from({ length: 50 }), () =>
        Effect.forkChild(Effect.exit(limiter.admit("p", LIMITS, 1)), { startImmediately: true })
      )
      assert.strictEqual(told.takes, 2)
      yield* Deferred.succeed(answer, undefined)
      const exits = yield* Effect.forEach(calls, (fiber) => Fiber.join(fiber))
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      yield* Effect.forEach(Array.from({ length: 50 }), () => limiter.admit("p", LIMITS, 1))
      assert.strictEqual(told.takes, 52)
    })
  )

  it.effect("tries again when nobody waits for the try any more", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      told.answer = Exit.fail(down)
      const limiter = yield* build(layer)
      yield* Effect.exit(limiter.admit("p", LIMITS, 1))
      yield* TestClock.adjust("1 second")
      told.answer = Effect.never
      const tried = yield* Effect.forkChild(limiter.admit("p", LIMITS, 1), { startImmediately: true })
      yield* Fiber.interrupt(tried)
      told.answer = Exit.void
      yield* limiter.admit("p", LIMITS, 1)
      assert.strictEqual(told.takes, 3)
    })
  )

  it.effect("waits for it within bounds", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      told.answer = Effect.never
      const limiter = yield* build(layer, { timeout: "100 millis" })
      const waiting = yield* Effect.forkChild(Effect.flip(limiter.admit("p", LIMITS, 1)), { startImmediately: true })
      yield* TestClock.adjust("99 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      const error = yield* Fiber.join(waiting)
      assert.deepStrictEqual<unknown>(error._tag === "LimiterError" && error.reason, { _tag: "TimedOut", after: 100 })
    })
  )

  it.effect("ends calls all the same, so that the store frees their places when it can", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      const limiter = yield* build(layer)
      const admissions = yield* Effect.forEach([1, 2, 3], () => limiter.admit("p", LIMITS, 80))
      told.answer = Exit.fail(down)
      yield* Effect.forEach(admissions, (admission) => limiter.settle(admission, 80))
      assert.deepStrictEqual(told.settled, [80, 80, 80])
      assert.strictEqual(limiter.state().store, "down")
    })
  )

  it.effect("says in the log when it goes down and when it comes back, once each", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
      const { layer, told } = fake()
      const limiter = yield* build(layer)
      const call = Effect.exit(limiter.admit("p", LIMITS, 1)).pipe(Effect.provide(Logger.layer([logger])))
      yield* call
      told.answer = Exit.fail(down)
      for (let index = 0; index < 5; index++) {
        yield* call
        yield* TestClock.adjust("10 seconds")
      }
      told.answer = Exit.void
      yield* call
      yield* call
      assert.deepStrictEqual(lines, [
        "Warn limits cannot be counted,the store of limits cannot be reached (ECONNREFUSED)",
        "Info the store of limits answers again"
      ])
    })
  )

  it.effect("does not take a mistake of the store for an outage", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      told.answer = Effect.die("a mistake")
      const limiter = yield* build(layer, { whenDown: "open" })
      const exit = yield* Effect.exit(limiter.admit("p", LIMITS, 1))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.strictEqual(limiter.state().store, "untried")
    })
  )

  it.effect("is not asked for a reading, and a reading that fails is none", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      const limiter = yield* build(layer)
      assert.strictEqual((yield* limiter.standing("p", LIMITS))?.underWay, 3)
      told.answer = Exit.fail(down)
      assert.isUndefined(yield* limiter.standing("p", LIMITS))
      assert.strictEqual(told.looks, 2)
      yield* Effect.exit(limiter.admit("p", LIMITS, 1))
      assert.isUndefined(yield* limiter.standing("p", LIMITS))
      assert.strictEqual(told.looks, 2)
    })
  )

  it.effect("is read within bounds", () =>
    Effect.gen(function* () {
      const { layer, told } = fake()
      told.answer = Effect.never
      const limiter = yield* build(layer)
      const reading = yield* Effect.forkChild(limiter.standing("p", LIMITS), { startImmediately: true })
      yield* TestClock.adjust("250 millis")
      assert.isUndefined(yield* Fiber.join(reading))
    })
  )
})

describe("addresses", () => {
  it("are those of customers", () => {
    const rows: ReadonlyArray<readonly [string, string]> = [
      ["192.0.2.1", "192.0.2.1"],
      ["::ffff:192.0.2.1", "192.0.2.1"],
      ["::FFFF:192.0.2.1", "192.0.2.1"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
      ["2001:DB8:0001:0002::", "2001:db8:1:2::/64"],
      ["2001:db8::1", "2001:db8:0:0::/64"],
      ["2001::2:3:4:5:192.0.2.1", "2001:0:2:3::/64"],
      ["fe80::1%eth0", "fe80:0:0:0::/64"],
      ["::1", "0:0:0:0::/64"],
      ["64:ff9b::192.0.2.33", "64:ff9b:0:0::/64"],
      ["1:2:3:4:5:6:192.0.2.1", "1:2:3:4::/64"],
      ["1::4:5:6:7:8", "1:0:0:4::/64"],
      ["1:2:3::", "1:2:3:0::/64"],
      ["", ""],
      ["unknown", "unknown"]
    ]
    for (const [address, customer] of rows) assert.strictEqual(addressOf(address), customer, address)
  })
})
