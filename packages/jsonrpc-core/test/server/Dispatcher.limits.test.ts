import { assert, describe, it } from "@effect/vitest"
import { Dispatcher, ErrorObject } from "@plumbline/jsonrpc-core"
import { Clock, Deferred, Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const json = (data: Uint8Array | undefined): any => data && JSON.parse(new TextDecoder().decode(data))

const request = (id: unknown, method = "m"): string => JSON.stringify({ jsonrpc: "2.0", id, method })
const batch = (...requests: ReadonlyArray<string>): string => `[${requests.join(",")}]`
const result = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", id, result })
const error = (id: unknown, code: number, message: string) => ({ jsonrpc: "2.0", id, error: { code, message } })
const tooLarge = (id: unknown) => error(id, -32003, "response too large")
const timedOut = (id: unknown) => error(id, -32002, "request timed out")

/** A result that has a hundred characters in JSON, with its quotes. */
const long = "x".repeat(98)
const longAnswer = JSON.stringify(result(1, long)).length

describe("a batch with answers that are too large", () => {
  it.effect("keeps the answer that was too much; what comes later is not begun", () =>
    Effect.gen(function* () {
      const begun: Array<string> = []
      const { handle } = Dispatcher.make({
        limits: { concurrency: 1, maxAnswerBytes: 2 * longAnswer },
        call: ({ method }) => {
          begun.push(method)
          return Effect.succeed(bytes(JSON.stringify(long)))
        }
      })
      const answers = json(
        yield* handle(
          batch(request(1, "a"), request(2, "b"), request(3, "c"), request(4, "d"), request(undefined, "e"))
        )
      )
      assert.deepStrictEqual(answers, [result(1, long), result(2, long), result(3, long), tooLarge(4)])
      assert.deepStrictEqual(begun, ["a", "b", "c"])
    })
  )

  it.effect("is not one when they are exactly as large as allowed", () =>
    Effect.gen(function* () {
      const { handle } = Dispatcher.make({
        limits: { maxAnswerBytes: 2 * longAnswer },
        call: () => Effect.succeed(bytes(JSON.stringify(long)))
      })
      assert.deepStrictEqual(json(yield* handle(batch(request(1), request(2)))), [result(1, long), result(2, long)])
    })
  )

  it.effect("interrupts the calls that run, whatever their place, and keeps the order of the answers", () =>
    Effect.gen(function* () {
      const interrupted: Array<string> = []
      const open = yield* Latch.make()
      const { handle } = Dispatcher.make({
        limits: { concurrency: 3, maxAnswerBytes: 50 },
        call: ({ method }) =>
          method === "wait"
            ? Effect.onInterrupt(Effect.never, () => Effect.sync(() => void interrupted.push(method)))
            : method === "later"
              ? Effect.as(open.await, bytes(JSON.stringify(long)))
              : Effect.succeed(bytes("1"))
      })
      const fiber = yield* Effect.forkChild(
        handle(batch(request(1, "wait"), request(2), request(3, "later"), request(4, "wait"), request(5), "7"))
      )
      yield* Effect.yieldNow
      yield* open.open
      assert.deepStrictEqual(json(yield* Fiber.join(fiber)), [
        tooLarge(1),
        result(2, 1),
        result(3, long),
        tooLarge(4),
        tooLarge(5),
        error(null, -32600, "invalid request")
      ])
      // The answer does not wait for this work.
      yield* Effect.yieldNow
      assert.deepStrictEqual(interrupted, ["wait", "wait"])
    })
  )

  it.effect("does not concern a call alone", () =>
    Effect.gen(function* () {
      const { handle } = Dispatcher.make({
        limits: { maxAnswerBytes: 1 },
        call: () => Effect.succeed(bytes(JSON.stringify(long)))
      })
      assert.deepStrictEqual(json(yield* handle(request(1))), result(1, long))
    })
  )
})

describe("a packet that takes too long", () => {
  it.effect("is a call alone: it is answered when its time is up, and interrupted", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const { handle } = Dispatcher.make({
        call: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      })
      const fiber = yield* Effect.forkChild(handle(request("a")))
      yield* TestClock.adjust("29999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(json(yield* Fiber.join(fiber)), timedOut("a"))
      yield* Deferred.await(interrupted)
    })
  )

  it.effect("is a notification: it is interrupted, and not answered", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const { handle } = Dispatcher.make({
        limits: { timeout: "1 second" },
        call: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      })
      const fiber = yield* Effect.forkChild(handle(request(undefined)))
      yield* TestClock.adjust("1 second")
      assert.isUndefined(yield* Fiber.join(fiber))
      yield* Deferred.await(interrupted)
    })
  )

  it.effect(
    "is a batch: what was answered stays, the rest is answered with the error, and what did not begin never does",
    () =>
      Effect.gen(function* () {
        const begun: Array<string> = []
        const { handle } = Dispatcher.make({
          limits: { concurrency: 2, timeout: "5 seconds" },
          call: ({ method }) => {
            begun.push(method)
            return method === "quick" ? Effect.succeed(bytes("1")) : Effect.never
          }
        })
        const fiber = yield* Effect.forkChild(
          handle(
            batch(
              request(1, "quick"),
              request(2, "slow"),
              request(2, "quick"),
              request(undefined, "slow"),
              request(3, "quick"),
              request(3, "quick"),
              request(undefined, "last"),
              "null"
            )
          )
        )
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(json(yield* Fiber.join(fiber)), [
          result(1, 1),
          timedOut(2),
          result(2, 1),
          timedOut(3),
          timedOut(3),
          error(null, -32600, "invalid request")
        ])
        assert.deepStrictEqual(begun, ["quick", "slow", "quick", "slow"])
      })
  )

  it.effect("is answered though its call cannot be interrupted", () =>
    Effect.gen(function* () {
      const open = yield* Latch.make()
      const done = yield* Deferred.make<void>()
      const { handle } = Dispatcher.make({
        limits: { timeout: "1 second" },
        call: () =>
          Effect.uninterruptible(Effect.as(Effect.andThen(open.await, Deferred.succeed(done, undefined)), bytes("1")))
      })
      for (const packet of [request(1), batch(request(1))]) {
        const fiber = yield* Effect.forkChild(handle(packet))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual([json(yield* Fiber.join(fiber))].flat(), [timedOut(1)])
      }
      assert.isFalse(yield* Deferred.isDone(done))
      yield* open.open
      yield* Deferred.await(done)
    })
  )

  it.effect("is one whose hook for defects does not end", () =>
    Effect.gen(function* () {
      const { handle } = Dispatcher.make({
        limits: { timeout: "1 second" },
        call: () => Effect.die("x"),
        onDefect: () => Effect.never
      })
      const fiber = yield* Effect.forkChild(handle(request(1)))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(json(yield* Fiber.join(fiber)), timedOut(1))
    })
  )

  it.effect("is a batch of calls that never wait: no timer could fire, so the clock is read", () =>
    Effect.gen(function* () {
      let now = 0n
      const clock: Clock.Clock = Object.assign(Object.create(yield* Clock.Clock), {
        monotonicTimeNanosUnsafe: () => now
      })
      const { handle } = Dispatcher.make({
        limits: { timeout: "2 seconds" },
        call: () => {
          now += 1_000_000_000n
          return Effect.succeed(bytes("1"))
        }
      })
      const answers = yield* Effect.provideService(
        handle(batch(request(1), request(2), request(3), request(4))),
        Clock.Clock,
        clock
      )
      assert.deepStrictEqual(json(answers), [result(1, 1), result(2, 1), result(3, 1), timedOut(4)])
    })
  )
})

describe("the timer of a packet", () => {
  /** A clock that counts its timers. */
  const counting = (clock: Clock.Clock) => {
    const timers = { made: 0, stopped: 0 }
    const sleep = () =>
      Effect.suspend(() => {
        timers.made++
        return Effect.onInterrupt(Effect.never, () => Effect.sync(() => void timers.stopped++))
      })
    const counted: Clock.Clock = Object.assign(Object.create(clock), { sleep })
    return { timers, clock: counted }
  }

  it.effect("is made only for work that waits, once per packet, and stopped with it", () =>
    Effect.gen(function* () {
      const { clock, timers } = counting(yield* Clock.Clock)
      const { handle } = Dispatcher.make({
        call: ({ method }) =>
          method === "done"
            ? Effect.succeed(bytes("1"))
            : method === "sync"
              ? Effect.sync(() => bytes("1"))
              : method === "fail"
                ? Effect.fail(ErrorObject.invalidParams())
                : Effect.as(Effect.yieldNow, bytes("1"))
      })
      const run = (packet: string) => Effect.provideService(handle(packet), Clock.Clock, clock)
      for (const method of ["done", "sync", "fail"]) {
        yield* run(request(1, method))
        yield* run(batch(request(1, method), request(2, method), request(undefined, method)))
      }
      assert.deepStrictEqual(timers, { made: 0, stopped: 0 })
      yield* run(request(1, "wait"))
      assert.deepStrictEqual(timers, { made: 1, stopped: 1 })
      yield* run(batch(request(1, "wait"), request(2, "done"), request(3, "wait")))
      assert.deepStrictEqual(timers, { made: 2, stopped: 2 })
    })
  )

  it.effect("is not made when there is no limit, and stopped when the packet is interrupted", () =>
    Effect.gen(function* () {
      const { clock, timers } = counting(yield* Clock.Clock)
      const patient = Dispatcher.make({
        limits: { timeout: "Infinity" },
        call: () => Effect.as(Effect.yieldNow, bytes("1"))
      })
      yield* Effect.provideService(patient.handle(batch(request(1), request(2))), Clock.Clock, clock)
      assert.strictEqual(timers.made, 0)
      const { handle } = Dispatcher.make({ call: () => Effect.never })
      const fiber = yield* Effect.forkChild(Effect.provideService(handle(request(1)), Clock.Clock, clock))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(timers, { made: 1, stopped: 1 })
    })
  )
})
