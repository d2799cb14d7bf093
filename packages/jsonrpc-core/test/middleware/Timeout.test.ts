import { assert, describe, it } from "@effect/vitest"
import { HttpTransport, type JsonRpcError, Timeout } from "@plumbline/jsonrpc-core"
import { Cause, Clock, Deferred, Duration, Effect, Exit, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"

import * as Scripted from "../support/scripted.ts"

const under = (script: Scripted.Scripted) => Timeout.make("2 seconds")(script.transport)

const reasonsOf = (outcomes: ReadonlyArray<Result.Result<unknown, JsonRpcError.JsonRpcError>>) =>
  outcomes.map((outcome) => (Result.isSuccess(outcome) ? outcome.success : outcome.failure.message))

describe("a call", () => {
  it.effect("that is answered in time passes, with its result or its error", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(
        Effect.succeed(null),
        Effect.fail(Scripted.reverted()),
        Effect.delay(Effect.succeed("late"), "1999 millis")
      )
      const { call } = under(script)
      assert.isNull(yield* call(Scripted.call()))
      assert.deepStrictEqual((yield* Effect.flip(call(Scripted.call()))).reason, Scripted.reverted())
      const waiting = yield* Effect.forkChild(call(Scripted.call()), { startImmediately: true })
      yield* TestClock.adjust("1999 millis")
      assert.strictEqual(yield* Fiber.join(waiting), "late")
      assert.strictEqual(script.count.interrupted, 0)
    })
  )

  it.effect("that is not fails at that time, and is interrupted beneath", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(Effect.never)
      const waiting = yield* Effect.forkChild(under(script).call(Scripted.call("eth_call")), { startImmediately: true })
      yield* TestClock.adjust("1999 millis")
      assert.isUndefined(waiting.pollUnsafe())
      assert.deepStrictEqual({ ...script.count }, { inFlight: 1, interrupted: 0 })
      yield* TestClock.adjust("1 millis")
      const error = yield* Effect.flip(Fiber.join(waiting))
      assert.strictEqual(error.message, "eth_call: no answer within 2s")
      assert(error.reason._tag === "TimeoutError")
      assert.deepStrictEqual(error.reason.after, Duration.seconds(2))
      assert.isTrue(error.retryable)
      assert.deepStrictEqual({ ...script.count }, { inFlight: 0, interrupted: 1 })
    })
  )

  it.effect("is over only when what is beneath has ended", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(Effect.uninterruptible(Effect.delay(Effect.succeed("too late"), "3 seconds")))
      const waiting = yield* Effect.forkChild(under(script).call(Scripted.call()), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Effect.flip(Fiber.join(waiting))).reason._tag, "TimeoutError")
    })
  )

  it.effect("that is interrupted takes what is beneath with it", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(Effect.never)
      const waiting = yield* Effect.forkChild(under(script).call(Scripted.call()), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      assert.deepStrictEqual({ ...script.count }, { inFlight: 0, interrupted: 1 })
    })
  )

  it.effect("leaves no timer behind, however it ends", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let timers = 0
      const sleep: Clock.Clock["sleep"] = (duration) => {
        timers++
        return Effect.ensuring(
          clock.sleep(duration),
          Effect.sync(() => timers--)
        )
      }
      const counting: Clock.Clock = Object.create(clock, { sleep: { value: sleep } })
      const answer = yield* Deferred.make<unknown>()
      const script = Scripted.inOrder(Deferred.await(answer), Effect.never)
      const { call } = under(script)
      const run = Effect.provideService(call(Scripted.call()), Clock.Clock, counting)
      const answered = yield* Effect.forkChild(run, { startImmediately: true })
      assert.strictEqual(timers, 1)
      yield* Deferred.succeed(answer, "0x1")
      yield* Fiber.join(answered)
      assert.strictEqual(timers, 0)
      const interrupted = yield* Effect.forkChild(run, { startImmediately: true })
      assert.strictEqual(timers, 1)
      yield* Fiber.interrupt(interrupted)
      assert.strictEqual(timers, 0)
    })
  )

  it.effect("that dies, dies", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(under(Scripted.inOrder(Effect.die("boom"))).call(Scripted.call()))
      assert(Exit.isFailure(exit))
      assert.strictEqual(Cause.squash(exit.cause), "boom")
    })
  )

  it.effect("has all the time without a finite duration", () =>
    Effect.gen(function* () {
      const script = Scripted.echo()
      assert.strictEqual(Timeout.make(Duration.infinity)(script.transport), script.transport)
    })
  )

  it.live("is timed by the platform's clock too", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(Effect.never)
      const error = yield* Effect.flip(Timeout.make("1 millis")(script.transport).call(Scripted.call()))
      assert.strictEqual(error.reason._tag, "TimeoutError")
      assert.strictEqual(script.count.interrupted, 1)
    })
  )
})

describe("a packet", () => {
  it.effect("that is answered in time passes as it is", () =>
    Effect.gen(function* () {
      const script = Scripted.make((_, nth) => (nth === 1 ? Effect.fail(Scripted.reverted()) : Effect.succeed(nth)))
      const outcomes = yield* under(script).callAll([Scripted.call("a"), Scripted.call("b"), Scripted.call("c")])
      assert.deepStrictEqual(reasonsOf(outcomes), [0, "b: execution reverted (code 3)", 2])
      assert.deepStrictEqual(yield* under(script).callAll([]), [])
    })
  )

  it.effect("that is not fails for each call by its name", () =>
    Effect.gen(function* () {
      const script = Scripted.make((_, nth) => (nth === 0 ? Effect.succeed("in time") : Effect.never))
      const waiting = yield* Effect.forkChild(under(script).callAll([Scripted.call("a"), Scripted.call("b")]), {
        startImmediately: true
      })
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(reasonsOf(yield* Fiber.join(waiting)), [
        "a: no answer within 2s",
        "b: no answer within 2s"
      ])
      assert.deepStrictEqual({ ...script.count }, { inFlight: 0, interrupted: 1 })
    })
  )
})

describe("over a transport that keeps a limit of its own", () => {
  const silent = (timeout: Duration.Input) =>
    HttpTransport.make({ url: "https://node.example", timeout, fetch: () => new Promise(() => {}) })

  const endOf = Effect.fnUntraced(function* (own: Duration.Input, limit: Duration.Input) {
    const transport = Timeout.make(limit)(yield* silent(own))
    const one = yield* Effect.forkChild(Effect.flip(transport.call(Scripted.call("eth_call"))))
    const both = yield* Effect.forkChild(transport.callAll([Scripted.call("eth_call"), Scripted.call("eth_call")]))
    yield* TestClock.adjust("10 seconds")
    return [(yield* Fiber.join(one)).message, ...reasonsOf(yield* Fiber.join(both))]
  })

  it.effect("adds nothing if that limit is no longer than its own", () =>
    Effect.gen(function* () {
      const transport = yield* silent("2 seconds")
      assert.strictEqual(Timeout.make("2 seconds")(transport), transport)
      assert.strictEqual(Timeout.make("3 seconds")(transport), transport)
      const message = "eth_call: no answer within 2s"
      assert.deepStrictEqual(yield* endOf("2 seconds", "3 seconds"), [message, message, message])
    })
  )

  it.effect("ends calls by its own limit if that is the shorter one", () =>
    Effect.gen(function* () {
      const message = "eth_call: no answer within 1s"
      assert.deepStrictEqual(yield* endOf("2 seconds", "1 second"), [message, message, message])
    })
  )
})
