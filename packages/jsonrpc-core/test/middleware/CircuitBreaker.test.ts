import { assert, describe, it } from "@effect/vitest"
import { CircuitBreaker, JsonRpcError, type Transport } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Duration, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"

import * as Scripted from "../support/scripted.ts"

const ofStatus = (status: number) =>
  new JsonRpcError.TransportError({
    detail: `HTTP status ${status}`,
    status,
    retryable: JsonRpcError.isRetryableStatus(status)
  })

const remote = (code: number, message: string) => new JsonRpcError.RemoteError({ code, message })

const withheld = new JsonRpcError.TransportError({ detail: "kept back", retryable: true, withheld: true })

const ILL: ReadonlyArray<JsonRpcError.Reason> = [
  Scripted.refused(),
  Scripted.timedOut(),
  Scripted.malformed(),
  ofStatus(500),
  ofStatus(502),
  ofStatus(503),
  ofStatus(504),
  remote(-32011, "no backend is currently healthy to serve traffic")
]

const WELL: ReadonlyArray<JsonRpcError.Reason> = [
  Scripted.reverted(),
  Scripted.limited(),
  remote(-32602, "invalid argument 0"),
  remote(-32601, "the method m does not exist/is not available"),
  remote(-32000, "header not found"),
  remote(-32603, "Internal error"),
  ofStatus(401),
  ofStatus(429)
]

const SAYS_NOTHING: ReadonlyArray<JsonRpcError.Reason> = [
  withheld,
  new JsonRpcError.EncodeError({ path: [], detail: "not JSON" }),
  new JsonRpcError.TransportError({ detail: "the answer is larger than 5 bytes", retryable: false })
]

const repeat = (times: number, { call }: Transport.Transport["Service"]) =>
  Effect.replicateEffect(Effect.result(call(Scripted.call())), times)

const isOpen = (outcome: Result.Result<unknown, JsonRpcError.JsonRpcError>): boolean =>
  Result.isFailure(outcome) && outcome.failure.message.includes("circuit is open")

describe("a circuit", () => {
  it.effect("that is closed lets everything through", () =>
    Effect.gen(function* () {
      const script = Scripted.echo()
      const { call, callAll } = CircuitBreaker.make()(script.transport)
      assert.deepStrictEqual(yield* call(Scripted.call("m", 1)), [1])
      assert.deepStrictEqual(yield* callAll([Scripted.call("m", 2)]), [Result.succeed([2])])
      assert.lengthOf(script.packets, 2)
    })
  )

  it.effect("opens after so many failures in a row, and then sends nothing", () =>
    Effect.gen(function* () {
      for (const reason of ILL) {
        const script = Scripted.inOrder(Effect.fail(reason))
        const node = CircuitBreaker.make()(script.transport)
        const outcomes = yield* repeat(7, node)
        assert.deepStrictEqual(outcomes.map(isOpen), [false, false, false, false, false, true, true], reason.message)
        assert.lengthOf(script.packets, 5)
        assert.isTrue((yield* node.callAll([Scripted.call(), Scripted.call()])).every(isOpen))
        assert.lengthOf(script.packets, 5)
      }
    })
  )

  it.effect("says what it does, and until when", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(Effect.fail(Scripted.refused()))
      const node = CircuitBreaker.make({ failures: 2, cooldown: "3 seconds" })(script.transport)
      yield* repeat(2, node)
      yield* TestClock.adjust("1 second")
      const error = yield* Effect.flip(node.call(Scripted.once("eth_sendRawTransaction")))
      assert.strictEqual(error.message, "eth_sendRawTransaction: the circuit is open (failures in a row: 2)")
      assert.isTrue(error.retryable)
      assert.isTrue(error.notDone)
      assert.deepStrictEqual(error.retryAfter, Duration.seconds(2))
    })
  )

  it.effect("counts failures in a row only", () =>
    Effect.gen(function* () {
      for (const sign of [Effect.succeed(null), ...WELL.map((reason) => Effect.fail(reason))]) {
        const script = Scripted.make((_, nth) => (nth % 5 === 4 ? sign : Effect.fail(Scripted.refused())))
        const outcomes = yield* repeat(20, CircuitBreaker.make()(script.transport))
        assert.isFalse(outcomes.some(isOpen))
      }
    })
  )

  it.effect("learns nothing from what was not sent or not read", () =>
    Effect.gen(function* () {
      for (const reason of SAYS_NOTHING) {
        const script = Scripted.make((_, nth) => Effect.fail(nth % 2 === 0 ? Scripted.refused() : reason))
        const outcomes = yield* repeat(12, CircuitBreaker.make()(script.transport))
        assert.strictEqual(outcomes.findIndex(isOpen), 9, reason.message)
        const alone = yield* repeat(12, CircuitBreaker.make()(Scripted.inOrder(Effect.fail(reason)).transport))
        assert.isFalse(alone.some(isOpen))
      }
    })
  )

  it.effect("counts what `counts` says instead", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(Effect.fail(Scripted.limited()))
      const node = CircuitBreaker.make({ failures: 2, counts: (error) => error.retryable })(script.transport)
      assert.deepStrictEqual((yield* repeat(3, node)).map(isOpen), [false, false, true])
    })
  )

  it.effect("counts a packet once, as a failure if nothing in it was answered", () =>
    Effect.gen(function* () {
      const refusing = Scripted.inOrder(Effect.fail(Scripted.refused()))
      const node = CircuitBreaker.make({ failures: 2 })(refusing.transport)
      const packet = [Scripted.call("a"), Scripted.call("b"), Scripted.call("c")]
      assert.isFalse((yield* node.callAll(packet)).some(isOpen))
      assert.isFalse((yield* node.callAll(packet)).some(isOpen))
      const outcomes = yield* node.callAll(packet)
      assert.isTrue(outcomes.every(isOpen))
      assert.deepStrictEqual(
        outcomes.map((outcome) => Result.isFailure(outcome) && outcome.failure.method),
        ["a", "b", "c"]
      )
      const mixed = Scripted.make(({ method }) =>
        Effect.fail(method === "b" ? Scripted.reverted() : Scripted.refused())
      )
      const other = CircuitBreaker.make({ failures: 1 })(mixed.transport)
      yield* other.callAll(packet)
      assert.isFalse((yield* other.callAll(packet)).some(isOpen))
      assert.deepStrictEqual(yield* other.callAll([]), [])
    })
  )
})

describe("after the cooldown", () => {
  /** Makes a node that fails for the first `illness` calls. */
  const healing = (illness: number, ending: (nth: number) => Scripted.Ending) =>
    Scripted.make((_, nth) => (nth < illness ? Effect.fail(Scripted.refused()) : ending(nth)))

  const opened = (script: Scripted.Scripted) =>
    Effect.gen(function* () {
      const node = CircuitBreaker.make({ failures: 1, cooldown: "10 seconds" })(script.transport)
      yield* repeat(1, node)
      yield* TestClock.adjust("9999 millis")
      assert.isTrue((yield* repeat(1, node)).every(isOpen))
      yield* TestClock.adjust("1 millis")
      return node
    })

  it.effect("one call is let through, and closes the circuit if it succeeds", () =>
    Effect.gen(function* () {
      const script = healing(1, () => Effect.delay(Effect.succeed("well"), "2 seconds"))
      const node = yield* opened(script)
      const probe = yield* Effect.forkChild(node.call(Scripted.call()), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      const meanwhile = yield* Effect.flip(node.call(Scripted.call()))
      assert.deepStrictEqual(meanwhile.retryAfter, Duration.seconds(9))
      assert.lengthOf(script.packets, 2)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(probe), "well")
      const after = yield* Effect.forkChild(repeat(3, node), { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      assert.isFalse((yield* Fiber.join(after)).some(isOpen))
    })
  )

  it.effect("an answer of any kind closes it", () =>
    Effect.gen(function* () {
      for (const reason of WELL) {
        const node = yield* opened(healing(1, () => Effect.fail(reason)))
        assert.isFalse((yield* repeat(3, node)).some(isOpen), reason.message)
      }
    })
  )

  it.effect("a failure begins another cooldown", () =>
    Effect.gen(function* () {
      const script = healing(2, () => Effect.succeed(1))
      const node = yield* opened(script)
      assert.deepStrictEqual((yield* repeat(2, node)).map(isOpen), [false, true])
      yield* TestClock.adjust("9999 millis")
      assert.isTrue((yield* repeat(1, node)).every(isOpen))
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* node.call(Scripted.call()), 1)
      assert.lengthOf(script.packets, 3)
    })
  )

  it.effect("a call that is interrupted, or says nothing, lets the next one try", () =>
    Effect.gen(function* () {
      const hanging = healing(1, (nth) => (nth === 1 ? Effect.never : Effect.succeed(nth)))
      const node = yield* opened(hanging)
      const probe = yield* Effect.forkChild(node.call(Scripted.call()), { startImmediately: true })
      assert.isTrue((yield* repeat(1, node)).every(isOpen))
      yield* Fiber.interrupt(probe)
      assert.strictEqual(yield* node.call(Scripted.call()), 2)

      const silent = healing(1, (nth) => (nth === 1 ? Effect.fail(withheld) : Effect.succeed(nth)))
      const other = yield* opened(silent)
      yield* repeat(1, other)
      assert.strictEqual(yield* other.call(Scripted.call()), 2)
    })
  )

  it.effect("a call that never ends keeps others out for one more cooldown only", () =>
    Effect.gen(function* () {
      const script = healing(1, (nth) => (nth === 1 ? Effect.never : Effect.succeed(nth)))
      const node = yield* opened(script)
      const probe = yield* Effect.forkChild(node.call(Scripted.call()), { startImmediately: true })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* node.call(Scripted.call()), 2)
      yield* Fiber.interrupt(probe)
      assert.strictEqual(yield* node.call(Scripted.call()), 3)
    })
  )

  it.effect("a packet may be the one that tries", () =>
    Effect.gen(function* () {
      const script = healing(1, () => Effect.succeed("well"))
      const node = yield* opened(script)
      assert.deepStrictEqual(yield* node.callAll([Scripted.call(), Scripted.call()]), [
        Result.succeed("well"),
        Result.succeed("well")
      ])
      assert.isFalse((yield* repeat(1, node)).some(isOpen))
    })
  )
})

describe("calls that began before", () => {
  it.effect("close the circuit when they succeed, and do not renew it when they fail", () =>
    Effect.gen(function* () {
      const script = Scripted.make(({ method }) => {
        switch (method) {
          case "slow success":
            return Effect.delay(Effect.succeed(1), "3 seconds")
          case "slow failure":
            return Effect.delay(Effect.fail(Scripted.refused()), "2 seconds")
          default:
            return Effect.fail(Scripted.refused())
        }
      })
      const node = CircuitBreaker.make({ failures: 1 })(script.transport)
      const slow = yield* Effect.forEach(["slow success", "slow failure"], (name) =>
        Effect.forkChild(Effect.result(node.call(Scripted.call(name))), { startImmediately: true })
      )
      yield* repeat(1, node)
      yield* TestClock.adjust("2500 millis")
      const error = yield* Effect.flip(node.call(Scripted.call()))
      assert.deepStrictEqual(error.retryAfter, Duration.millis(7500))
      yield* TestClock.adjust("500 millis")
      assert.isFalse((yield* repeat(1, node)).some(isOpen))
      yield* Fiber.joinAll(slow)
    })
  )
})

describe("whoever watches", () => {
  it.effect("is told when the circuit opens and when it closes, and cannot harm a call", () =>
    Effect.gen(function* () {
      const told: Array<CircuitBreaker.CircuitState> = []
      const script = Scripted.make((_, nth) => (nth < 3 ? Effect.fail(Scripted.refused()) : Effect.succeed("well")))
      const node = CircuitBreaker.make({
        failures: 2,
        cooldown: "1 second",
        onChange: (state) =>
          Effect.andThen(
            Effect.sync(() => told.push(state)),
            Effect.die("the log is full")
          )
      })(script.transport)
      yield* repeat(1, node)
      assert.deepStrictEqual(told, [])
      yield* repeat(2, node)
      assert.deepStrictEqual(told, ["open"])
      yield* TestClock.adjust("1 second")
      yield* repeat(2, node)
      assert.deepStrictEqual(told, ["open"])
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* node.call(Scripted.call()), "well")
      assert.deepStrictEqual(told, ["open", "closed"])
      yield* repeat(3, node)
      assert.deepStrictEqual(told, ["open", "closed"])
    })
  )
})

describe("whatever happens", () => {
  it.effect("the circuit is open exactly when the row is full and the cooldown is not over", () =>
    Effect.gen(function* () {
      const random = Random.make(3)
      for (let round = 0; round < Random.runs(50); round++) {
        const failures = 1 + Random.int(random, 4)
        const verdicts = Array.from({ length: 60 }, () => Random.pick(random, ["ill", "ill", "ill", "well", "nothing"]))
        let verdict = ""
        const script = Scripted.make(() =>
          verdict === "ill"
            ? Effect.fail(Random.pick(random, ILL))
            : verdict === "nothing"
              ? Effect.fail(Random.pick(random, SAYS_NOTHING))
              : Random.int(random, 2) === 0
                ? Effect.succeed(1)
                : Effect.fail(Random.pick(random, WELL))
        )
        const node = CircuitBreaker.make({ failures, cooldown: 100 })(script.transport)
        // An independent model: the documented rules, in the same order.
        let row = 0
        let openedAt: number | undefined
        let now = 0
        for (verdict of verdicts) {
          const wait = Random.pick(random, [0, 30, 70, 100])
          now += wait
          yield* TestClock.adjust(wait)
          const mustBeOpen = openedAt !== undefined && now - openedAt < 100
          const before = script.packets.length
          const [outcome] = yield* repeat(1, node)
          assert.strictEqual(isOpen(outcome!), mustBeOpen)
          assert.strictEqual(script.packets.length - before, mustBeOpen ? 0 : 1)
          if (mustBeOpen) {
            continue
          }
          if (verdict === "well") {
            row = 0
            openedAt = undefined
          } else if (verdict === "ill") {
            row++
            openedAt = openedAt !== undefined || row >= failures ? now : undefined
          }
        }
      }
    })
  )
})

describe("options", () => {
  it.effect("that make no sense fail each call", () =>
    Effect.gen(function* () {
      for (const failures of [0, -1, 1.5, NaN]) {
        const option = yield* Scripted.impossibleOption(CircuitBreaker.make({ failures }))
        assert.strictEqual(option, "CircuitBreaker.failures")
      }
    })
  )
})
