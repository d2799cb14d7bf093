import { assert, describe, it } from "@effect/vitest"
import { Dedupe, type JsonRpcError, type Transport } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Cause, Clock, Context, Deferred, Effect, Exit, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"

import * as Scripted from "../support/scripted.ts"

const fork = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

/** Makes a node that waits for a second, and then answers each call with the call's number. */
const slow = () => Scripted.make((_, nth) => Effect.delay(Effect.succeed(nth), "1 second"))

const together = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.gen(function* () {
    const fiber = yield* fork(Effect.all(effects, { concurrency: "unbounded" }))
    yield* TestClock.adjust("1 second")
    return yield* Fiber.join(fiber)
  })

const methods = (script: Scripted.Scripted) =>
  script.packets.map((packet) => packet.calls.map((call) => call.method).join(" "))

const values = (outcomes: ReadonlyArray<Transport.WireOutcome>) =>
  outcomes.map((outcome) => (Result.isSuccess(outcome) ? outcome.success : outcome.failure.reason._tag))

describe("equal calls", () => {
  it.effect("under way at the same time share one answer", () =>
    Effect.gen(function* () {
      const script = slow()
      const { call } = Dedupe.make()(script.transport)
      const answers = yield* together([
        call(Scripted.call("m", { to: "0x1", data: "0x" }, "latest")),
        call(Scripted.call("m", { to: "0x1", data: "0x" }, "latest")),
        call({ ...Scripted.call("m", { to: "0x1", data: "0x" }, "latest"), idempotent: true })
      ])
      assert.deepStrictEqual(answers, [0, 0, 0])
      assert.lengthOf(script.packets, 1)
    })
  )

  it.effect("share a failure too", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(
        Effect.delay(Effect.fail(Scripted.reverted()), "1 second"),
        Effect.succeed("later")
      )
      const { call } = Dedupe.make()(script.transport)
      const failures = yield* together([Effect.flip(call(Scripted.call())), Effect.flip(call(Scripted.call()))])
      assert.deepStrictEqual(
        failures.map((failure) => failure.message),
        ["m: execution reverted (code 3)", "m: execution reverted (code 3)"]
      )
      assert.strictEqual(yield* call(Scripted.call()), "later")
    })
  )

  it.effect("one after the other are asked one after the other: nothing is kept", () =>
    Effect.gen(function* () {
      const script = Scripted.make((_, nth) => Effect.succeed(nth))
      const { call, callAll } = Dedupe.make()(script.transport)
      assert.strictEqual(yield* call(Scripted.call()), 0)
      assert.strictEqual(yield* call(Scripted.call()), 1)
      assert.deepStrictEqual(values(yield* callAll([Scripted.call()])), [2])
      assert.strictEqual(yield* call(Scripted.call()), 3)
      const slowly = slow()
      const other = Dedupe.make()(slowly.transport)
      assert.deepStrictEqual(yield* together([other.call(Scripted.call())]), [0])
      assert.deepStrictEqual(yield* together([other.call(Scripted.call())]), [1])
    })
  )

  it.effect("are equal in method and parameters, and nothing else is", () =>
    Effect.gen(function* () {
      const different: ReadonlyArray<Transport.WireCall> = [
        Scripted.call("m"),
        Scripted.call("n"),
        Scripted.call("m", 1),
        Scripted.call("m", "1"),
        Scripted.call("m", 1, null),
        Scripted.call("m", [1]),
        Scripted.call("m", "0xAB"),
        Scripted.call("m", "0xab"),
        Scripted.call("m\n[]"),
        Scripted.call("m", { a: 1, b: 2 }),
        Scripted.call("m", { b: 2, a: 1 })
      ]
      const script = slow()
      const { call } = Dedupe.make()(script.transport)
      const answers = yield* together([...different, ...different].map((each) => call(each)))
      const numbers = different.map((_, index) => index)
      assert.deepStrictEqual(answers, [...numbers, ...numbers])
    })
  )

  it.effect("that are not idempotent are all sent", () =>
    Effect.gen(function* () {
      const script = slow()
      const { call, callAll } = Dedupe.make()(script.transport)
      const answers = yield* together([
        call(Scripted.once()),
        call(Scripted.once()),
        Effect.map(callAll([Scripted.once(), Scripted.once()]), values),
        call(Scripted.call("send"))
      ])
      assert.deepStrictEqual(answers, [0, 1, [2, 3], 4])
    })
  )

  it.effect("without a JSON text are left to the transport", () =>
    Effect.gen(function* () {
      const script = slow()
      const { call } = Dedupe.make()(script.transport)
      assert.deepStrictEqual(yield* together([call(Scripted.call("m", 1n)), call(Scripted.call("m", 1n))]), [0, 1])
    })
  )

  it.effect("die together", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(Effect.delay(Effect.die("boom"), "1 second"))
      const { call, callAll } = Dedupe.make()(script.transport)
      const exits = yield* together([
        Effect.exit(call(Scripted.call())),
        Effect.exit(call(Scripted.call())),
        Effect.exit(callAll([Scripted.call()]))
      ])
      for (const exit of exits) {
        assert(Exit.isFailure(exit))
        assert.strictEqual(Cause.squash(exit.cause), "boom")
      }
    })
  )

  it.effect("run in the context of the first", () =>
    Effect.gen(function* () {
      const name = Context.Reference<string>("name", { defaultValue: () => "nobody" })
      const script = Scripted.make(() => Effect.delay(Effect.map(Effect.context(), Context.get(name)), "1 second"))
      const { call } = Dedupe.make()(script.transport)
      const answers = yield* together([
        Effect.provideService(call(Scripted.call()), name, "first"),
        Effect.provideService(call(Scripted.call()), name, "second")
      ])
      assert.deepStrictEqual(answers, ["first", "first"])
    })
  )
})

describe("an interrupted caller", () => {
  it.effect("does the others no harm, even if it was the first", () =>
    Effect.gen(function* () {
      const script = slow()
      const { call } = Dedupe.make()(script.transport)
      const [first, second, third] = yield* Effect.forEach([0, 1, 2], () => fork(call(Scripted.call())))
      yield* Fiber.interrupt(first!)
      yield* TestClock.adjust("500 millis")
      yield* Fiber.interrupt(third!)
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(yield* Fiber.join(second!), 0)
      assert.deepStrictEqual({ ...script.count }, { inFlight: 0, interrupted: 0 })
    })
  )

  it.effect("ends the call if it is the last, and who comes then asks anew", () =>
    Effect.gen(function* () {
      const done = yield* Deferred.make<void>()
      // A call that takes some time to stop when it is interrupted.
      const script = Scripted.make((_, nth) =>
        nth === 0 ? Effect.onInterrupt(Effect.never, () => Deferred.await(done)) : Effect.succeed("anew")
      )
      const { call } = Dedupe.make()(script.transport)
      const [first, second] = yield* Effect.forEach([0, 1], () => fork(call(Scripted.call())))
      yield* Fiber.interrupt(first!)
      assert.strictEqual(script.count.interrupted, 0)
      const interrupting = yield* fork(Fiber.interrupt(second!))
      assert.isUndefined(interrupting.pollUnsafe())
      assert.strictEqual(yield* call(Scripted.call()), "anew")
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(interrupting)
      assert.deepStrictEqual({ ...script.count }, { inFlight: 0, interrupted: 1 })
    })
  )
})

describe("a packet", () => {
  it.effect("leaves out what it holds twice, and what is under way", () =>
    Effect.gen(function* () {
      const script = slow()
      const { call, callAll } = Dedupe.make()(script.transport)
      const answers = yield* together([
        Effect.map(call(Scripted.call("a")), (answer) => [answer]),
        Effect.map(
          callAll([Scripted.call("b"), Scripted.call("a"), Scripted.call("c"), Scripted.call("b"), Scripted.once("b")]),
          values
        ),
        Effect.map(callAll([Scripted.call("c"), Scripted.call("d")]), values),
        Effect.map(callAll([Scripted.call("a"), Scripted.call("d")]), values),
        Effect.map(call(Scripted.call("c")), (answer) => [answer])
      ])
      assert.deepStrictEqual(methods(script), ["a", "b c b", "d"])
      assert.deepStrictEqual(answers, [[0], [1, 0, 2, 1, 3], [2, 4], [0, 4], [2]])
    })
  )

  it.effect("goes as it is where there is nothing to share, and when it is empty", () =>
    Effect.gen(function* () {
      const script = Scripted.make((_, nth) => Effect.succeed(nth))
      const { callAll } = Dedupe.make()(script.transport)
      assert.deepStrictEqual(values(yield* callAll([Scripted.call("a"), Scripted.call("b")])), [0, 1])
      assert.deepStrictEqual(yield* callAll([]), [])
    })
  )

  it.effect("shares each call's own error", () =>
    Effect.gen(function* () {
      const script = Scripted.make(({ method }) =>
        Effect.delay(method === "b" ? Effect.fail(Scripted.reverted()) : Effect.succeed(method), "1 second")
      )
      const { call, callAll } = Dedupe.make()(script.transport)
      const answers = yield* together<unknown, never>([
        Effect.map(callAll([Scripted.call("a"), Scripted.call("b")]), values),
        Effect.map(Effect.result(call(Scripted.call("b"))), (outcome) => values([outcome])),
        call(Scripted.call("c")).pipe(Effect.orDie),
        Effect.map(callAll([Scripted.call("c"), Scripted.call("b")]), values)
      ])
      assert.deepStrictEqual(answers, [["a", "RemoteError"], ["RemoteError"], "c", ["c", "RemoteError"]])
    })
  )

  it.effect("goes on while anybody waits for any of its calls", () =>
    Effect.gen(function* () {
      const script = slow()
      const { call, callAll } = Dedupe.make()(script.transport)
      const packet = yield* fork(callAll([Scripted.call("a"), Scripted.call("b")]))
      const joined = yield* fork(call(Scripted.call("b")))
      const other = yield* fork(callAll([Scripted.call("a"), Scripted.call("c")]))
      yield* Fiber.interrupt(packet)
      yield* Fiber.interrupt(other)
      assert.deepStrictEqual({ ...script.count }, { inFlight: 1, interrupted: 1 })
      yield* Fiber.interrupt(joined)
      assert.deepStrictEqual({ ...script.count }, { inFlight: 0, interrupted: 2 })
    })
  )
})

describe("whoever asks what, and gives up when", () => {
  it.effect(
    "no equal calls are under way twice, each caller has a fresh answer of its own question, none is left",
    () =>
      Effect.gen(function* () {
        const random = Random.make(4)
        for (let round = 0; round < Random.runs(60); round++) {
          const underWay = new Set<string>()
          const began = new Map<unknown, number>()
          const node: Transport.Transport["Service"]["call"] = ({ method }) =>
            Effect.gen(function* () {
              assert.isFalse(underWay.has(method), "asked twice")
              underWay.add(method)
              const answer = { method }
              began.set(answer, yield* Clock.currentTimeMillis)
              yield* Effect.sleep(1 + Random.int(random, 20))
              return answer
            }).pipe(Effect.ensuring(Effect.sync(() => underWay.delete(method))))
          const ended = new Map<unknown, number>()
          const { call, callAll } = Dedupe.make()({
            call: (each) =>
              Effect.tap(node(each), (answer) => Effect.map(Clock.currentTimeMillis, (now) => ended.set(answer, now))),
            callAll: (calls) =>
              Effect.tap(
                Effect.forEach(calls, (each) => Effect.result(node(each)), { concurrency: "unbounded" }),
                (outcomes) =>
                  Effect.map(Clock.currentTimeMillis, (now) =>
                    outcomes.forEach((outcome) => Result.isSuccess(outcome) && ended.set(outcome.success, now))
                  )
              )
          })

          const check = (asked: Transport.WireCall, answer: unknown, at: number): void => {
            assert.strictEqual((answer as { method: string }).method, asked.method)
            assert.isAtMost(began.get(answer)!, ended.get(answer)!)
            assert.isAtLeast(ended.get(answer)!, at)
          }
          const caller = Effect.gen(function* () {
            yield* Effect.sleep(Random.int(random, 60))
            const asked = Array.from({ length: 1 + Random.int(random, 3) }, () =>
              Scripted.call(Random.pick(random, ["a", "b", "c"]))
            )
            const at = yield* Clock.currentTimeMillis
            if (Random.int(random, 2) === 0) {
              check(asked[0]!, yield* call(asked[0]!), at)
            } else {
              const outcomes = yield* callAll(asked)
              assert.lengthOf(outcomes, asked.length)
              outcomes.forEach((outcome, index) => {
                assert(Result.isSuccess(outcome))
                check(asked[index]!, outcome.success, at)
              })
            }
          })
          const callers = yield* Effect.forEach(Array.from({ length: 30 }), () =>
            fork(Random.int(random, 3) === 0 ? Effect.timeoutOption(caller, Random.int(random, 60)) : caller)
          )
          yield* TestClock.adjust("1 second")
          const exits = yield* Effect.forEach(callers, (fiber) =>
            Effect.exit(Fiber.join(fiber as Fiber.Fiber<unknown, JsonRpcError.JsonRpcError>))
          )
          assert.isTrue(exits.every(Exit.isSuccess))
          assert.strictEqual(underWay.size, 0)
        }
      })
  )
})
