import { assert, describe, it } from "@effect/vitest"
import { JsonRpcError, RateLimit, type Transport } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Clock, Duration, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"

import * as Scripted from "../support/scripted.ts"

const fork = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

/** Returns the times at which calls were sent. */
const times = (script: Scripted.Scripted) => script.packets.map((packet) => packet.at)

const names = (script: Scripted.Scripted) => script.packets.map((packet) => packet.calls[0]!.method)

const callsOf = (count: number, prefix = "m") => Array.from({ length: count }, (_, n) => Scripted.call(`${prefix}${n}`))

const sentences = (outcomes: ReadonlyArray<Transport.WireOutcome>) =>
  outcomes.map((outcome) => (Result.isSuccess(outcome) ? outcome.success : outcome.failure.reason.message))

describe("calls", () => {
  it.effect("start at once while there are permits, and then at the rate, in their order", () =>
    Effect.gen(function* () {
      const script = Scripted.echo()
      const { call } = RateLimit.make({ permits: 4, per: "2 seconds", burst: 3 })(script.transport)
      const all = yield* fork(Effect.forEach(callsOf(6), call, { concurrency: "unbounded" }))
      assert.deepStrictEqual(times(script), [0, 0, 0])
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(all)
      assert.deepStrictEqual(times(script), [0, 0, 0, 500, 1000, 1500])
      assert.deepStrictEqual(names(script), ["m0", "m1", "m2", "m3", "m4", "m5"])
    })
  )

  it.effect("find as many permits saved up as the burst, and no more", () =>
    Effect.gen(function* () {
      const script = Scripted.echo()
      const { call } = RateLimit.make({ permits: 2, per: "1 second" })(script.transport)
      yield* Effect.forEach(callsOf(2), call)
      yield* TestClock.adjust("750 millis")
      yield* call(Scripted.call("later"))
      yield* TestClock.adjust("1 hour")
      const all = yield* fork(Effect.forEach(callsOf(3), call, { concurrency: "unbounded" }))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(all)
      const hour = 3_600_750
      assert.deepStrictEqual(times(script), [0, 0, 750, hour, hour, hour + 500])
    })
  )

  it.effect("spread evenly with a burst of one, also at less than one a second", () =>
    Effect.gen(function* () {
      for (const permits of [1, 0.1]) {
        const script = Scripted.echo()
        const { call } = RateLimit.make({ permits, per: "1 second", burst: 1 })(script.transport)
        const all = yield* fork(Effect.forEach(callsOf(3), call, { concurrency: "unbounded" }))
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(all)
        const [first, ...others] = times(script)
        assert.deepStrictEqual(
          others.map((at) => at - first!),
          [1000 / permits, 2000 / permits]
        )
      }
    })
  )

  it.effect("wait for permits, not for each other's answers", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(Effect.never)
      const { call } = RateLimit.make({ permits: 1, per: "1 second" })(script.transport)
      yield* fork(Effect.forEach(callsOf(3), call, { concurrency: "unbounded" }))
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(times(script), [0, 1000, 2000])
    })
  )

  it.effect("beyond those that may wait fail at once, with the time until a permit is due", () =>
    Effect.gen(function* () {
      const script = Scripted.echo()
      const { call, callAll } = RateLimit.make({ permits: 1, per: "1 second", maxWaiting: 2 })(script.transport)
      const waiting = yield* fork(Effect.forEach(callsOf(3), call, { concurrency: "unbounded" }))
      yield* TestClock.adjust("250 millis")
      const error = yield* Effect.flip(call(Scripted.once("eth_sendRawTransaction")))
      assert.strictEqual(error.method, "eth_sendRawTransaction")
      assert(error.reason._tag === "TransportError")
      assert.strictEqual(error.reason.detail, "over this client's own rate limit: 2 permits are waited for already")
      assert.isTrue(error.retryable)
      assert.isTrue(error.notDone)
      // Two calls wait for the permits at 1 s and 2 s, so the next permit is free at 3 s, in 2.75 s.
      assert.deepStrictEqual(error.retryAfter, Duration.millis(2750))
      const outcomes = yield* callAll([Scripted.call("a"), Scripted.call("b")])
      assert.deepStrictEqual(
        outcomes.map((outcome) => Result.isFailure(outcome) && `${outcome.failure.method} ${outcome.failure.notDone}`),
        ["a true", "b true"]
      )
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(waiting)
      assert.lengthOf(script.packets, 3)
    })
  )

  it.effect("that are interrupted while they wait give their place back", () =>
    Effect.gen(function* () {
      const script = Scripted.echo()
      const { call } = RateLimit.make({ permits: 1, per: "1 second", maxWaiting: 3 })(script.transport)
      yield* call(Scripted.call("first"))
      const [a, b, c] = yield* Effect.forEach(["a", "b", "c"], (name) => fork(call(Scripted.call(name))))
      yield* TestClock.adjust("500 millis")
      // Interrupts the call in the middle of the queue, and then the first one, which waits for the clock.
      yield* Fiber.interrupt(b!)
      yield* Fiber.interrupt(a!)
      const d = yield* fork(call(Scripted.call("d")))
      const e = yield* fork(call(Scripted.call("e")))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.joinAll([c!, d, e])
      assert.deepStrictEqual(names(script), ["first", "c", "d", "e"])
      assert.deepStrictEqual(times(script), [0, 1000, 2000, 3000])
    })
  )

  it.effect("that are interrupted on their way are interrupted beneath", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(Effect.never)
      const fiber = yield* fork(RateLimit.make({ permits: 1, per: "1 second" })(script.transport).call(Scripted.call()))
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual({ ...script.count }, { inFlight: 0, interrupted: 1 })
    })
  )

  it.effect("keep their errors", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(Effect.fail(Scripted.reverted()))
      const { call } = RateLimit.make({ permits: 1, per: "1 second" })(script.transport)
      assert.deepStrictEqual((yield* Effect.flip(call(Scripted.call()))).reason, Scripted.reverted())
    })
  )
})

describe("a packet", () => {
  it.effect("takes a permit for each call", () =>
    Effect.gen(function* () {
      const script = Scripted.echo()
      const { call, callAll } = RateLimit.make({ permits: 4, per: "4 seconds" })(script.transport)
      yield* callAll(callsOf(3))
      const both = yield* fork(Effect.all([callAll(callsOf(3)), call(Scripted.call())], { concurrency: "unbounded" }))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(both)
      assert.deepStrictEqual(
        script.packets.map((packet) => [packet.at, packet.together, packet.calls.length]),
        [
          [0, true, 3],
          [2000, true, 3],
          [3000, false, 1]
        ]
      )
    })
  )

  it.effect("of more than the burst goes in pieces, and its outcomes keep their places", () =>
    Effect.gen(function* () {
      const script = Scripted.make(({ method }) =>
        method === "m3" ? Effect.fail(Scripted.reverted()) : Effect.succeed(method)
      )
      const { callAll } = RateLimit.make({ permits: 2, per: "1 second", maxWaiting: 1 })(script.transport)
      const fiber = yield* fork(callAll(callsOf(5)))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(sentences(yield* Fiber.join(fiber)), ["m0", "m1", "m2", "execution reverted", "m4"])
      assert.deepStrictEqual(
        script.packets.map((packet) => [packet.at, packet.calls.map((call) => call.method).join(" ")]),
        [
          [0, "m0 m1"],
          [1000, "m2 m3"],
          [1500, "m4"]
        ]
      )
    })
  )

  it.effect("of nothing takes nothing", () =>
    Effect.gen(function* () {
      const script = Scripted.echo()
      const { call, callAll } = RateLimit.make({ permits: 1, per: "1 hour", maxWaiting: 0 })(script.transport)
      yield* call(Scripted.call())
      assert.deepStrictEqual(yield* callAll([]), [])
    })
  )
})

describe("a cost for each call", () => {
  const cost = ({ method }: Transport.WireCall) => (method.startsWith("dear") ? 3 : method === "odd" ? NaN : 0.5)

  it.effect("is taken from the permits, whole, at least one and at most the burst", () =>
    Effect.gen(function* () {
      const script = Scripted.echo()
      const { call } = RateLimit.make({ permits: 2, per: "2 seconds", cost })(script.transport)
      const calls = ["cheap", "odd", "dear", "cheap"].map((method) => Scripted.call(method))
      const all = yield* fork(Effect.forEach(calls, call, { concurrency: "unbounded" }))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(all)
      assert.deepStrictEqual(names(script), ["cheap", "odd", "dear", "cheap"])
      assert.deepStrictEqual(times(script), [0, 0, 2000, 3000])
    })
  )

  it.effect("cuts a packet into pieces of at most the burst", () =>
    Effect.gen(function* () {
      const script = Scripted.echo()
      const { callAll } = RateLimit.make({ permits: 4, per: "4 seconds", cost })(script.transport)
      const packet = ["cheap", "dear1", "cheap", "dear2", "dear3"].map((method) => Scripted.call(method))
      const all = yield* fork(callAll(packet))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(all)).length, 5)
      assert.deepStrictEqual(
        script.packets.map((packet) => [packet.at, packet.calls.map((call) => call.method).join(" ")]),
        [
          [0, "cheap dear1"],
          [4000, "cheap dear2"],
          [7000, "dear3"]
        ]
      )
    })
  )

  it.effect("is in the time after which a refused call may come again", () =>
    Effect.gen(function* () {
      const { call } = RateLimit.make({ permits: 3, per: "3 seconds", maxWaiting: 0, cost })(Scripted.echo().transport)
      yield* call(Scripted.call("dear"))
      const again = (method: string) =>
        Effect.map(Effect.flip(call(Scripted.call(method))), (error) => error.retryAfter)
      assert.deepStrictEqual(yield* again("dear"), Duration.seconds(3))
      assert.deepStrictEqual(yield* again("cheap"), Duration.seconds(1))
    })
  )
})

describe("a server's own limit", () => {
  const limitedOnce = (reason: JsonRpcError.Reason) =>
    Scripted.make((_, nth) => (nth === 0 ? Effect.fail(reason) : Effect.succeed(nth)))

  const tooMany = new JsonRpcError.TransportError({
    detail: "HTTP status 429",
    status: 429,
    retryable: true,
    retryAfter: Duration.seconds(5)
  })

  it.effect("stops everything until the time it names, and then one call starts, and the others at the rate", () =>
    Effect.gen(function* () {
      for (const reason of [Scripted.limited("5 seconds"), tooMany]) {
        for (const together of [false, true]) {
          const script = limitedOnce(reason)
          const { call, callAll } = RateLimit.make({ permits: 10, per: "10 seconds" })(script.transport)
          yield* together ? callAll([Scripted.call()]) : Effect.flip(call(Scripted.call()))
          const all = yield* fork(Effect.forEach(callsOf(3), call, { concurrency: "unbounded" }))
          yield* TestClock.adjust("1 minute")
          yield* Fiber.join(all)
          const [first, ...others] = times(script)
          assert.deepStrictEqual(
            others.map((at) => at - first!),
            [5000, 6000, 7000]
          )
        }
      }
    })
  )

  it.effect("holds up those who wait already", () =>
    Effect.gen(function* () {
      const script = Scripted.make((_, nth) =>
        nth === 0 ? Effect.delay(Effect.fail(Scripted.limited("5 seconds")), "500 millis") : Effect.succeed(nth)
      )
      const { call } = RateLimit.make({ permits: 1, per: "1 second" })(script.transport)
      const all = yield* fork(
        Effect.forEach(callsOf(3), (each) => Effect.result(call(each)), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(all)
      assert.deepStrictEqual(times(script), [0, 5500, 6500])
    })
  )

  it.effect("is heeded up to the longest pause, and not at all where that is zero", () =>
    Effect.gen(function* () {
      for (const [maxPause, pause] of [
        [undefined, 30_000],
        ["2 seconds", 2000],
        [0, 1000]
      ] as const) {
        const script = limitedOnce(Scripted.limited("1 hour"))
        const { call } = RateLimit.make({ permits: 1, per: "1 second", maxPause })(script.transport)
        yield* Effect.flip(call(Scripted.call()))
        const next = yield* fork(call(Scripted.call()))
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(next)
        const [first, second] = times(script)
        assert.strictEqual(second! - first!, pause)
      }
    })
  )

  it.effect("is no other error: these stop nothing", () =>
    Effect.gen(function* () {
      const others: ReadonlyArray<JsonRpcError.Reason> = [
        Scripted.limited(),
        new JsonRpcError.RemoteError({
          code: -32005,
          message: "daily request count exceeded",
          retryAfter: Duration.seconds(5)
        }),
        new JsonRpcError.TransportError({
          detail: "HTTP status 503",
          status: 503,
          retryable: true,
          retryAfter: Duration.seconds(5)
        })
      ]
      for (const reason of others) {
        const script = limitedOnce(reason)
        const { call } = RateLimit.make({ permits: 10, per: "1 second" })(script.transport)
        yield* Effect.flip(call(Scripted.call()))
        yield* call(Scripted.call())
        const [first, second] = times(script)
        assert.strictEqual(first, second)
      }
    })
  )
})

describe("whatever comes, whenever it comes", () => {
  interface Arrival {
    readonly at: number
    readonly calls: ReadonlyArray<Transport.WireCall>
    /** Time for which the caller waits for the answer. */
    readonly patience: number
  }

  const arrivals = (random: Random.Random, patient: boolean): ReadonlyArray<Arrival> => {
    let at = 0
    return Array.from({ length: 40 }, (_, n) => {
      at += Random.pick(random, [0, 0, 1, 7, 50, 400])
      return {
        at,
        calls: callsOf(Random.pick(random, [1, 1, 1, 2, 3, 7]), `${n}.`),
        patience: patient ? Infinity : Random.pick(random, [Infinity, Infinity, 1, 90])
      }
    })
  }

  const run = (limit: Transport.Transport["Service"], arrivals: ReadonlyArray<Arrival>) =>
    Effect.gen(function* () {
      const fiber = yield* fork(
        Effect.forEach(
          arrivals,
          ({ at, calls, patience }) =>
            Effect.delay(
              calls.length === 1
                ? Effect.asVoid(Effect.result(limit.call(calls[0]!)))
                : Effect.asVoid(limit.callAll(calls)),
              at
            ).pipe(Effect.timeoutOption(Duration.millis(at + patience))),
          { concurrency: "unbounded", discard: true }
        )
      )
      yield* TestClock.adjust("1 hour")
      yield* Fiber.join(fiber)
    })

  it.effect("never do more calls start in any stretch of time than the burst and the rate allow", () =>
    Effect.gen(function* () {
      const random = Random.make(1)
      for (let round = 0; round < Random.runs(30); round++) {
        const permits = 1 + Random.int(random, 5)
        const burst = 1 + Random.int(random, 6)
        const per = Random.pick(random, [7, 100, 1000])
        const script = Scripted.make(() =>
          Random.int(random, 10) === 0 ? Effect.fail(Scripted.limited("30 millis")) : Effect.succeed(1)
        )
        const limit = RateLimit.make({ permits, per, burst, maxWaiting: Random.pick(random, [5, 1000]) })
        yield* run(limit(script.transport), arrivals(random, false))
        const sent = script.packets.map(({ at, calls }) => ({ at, count: calls.length }))
        for (let from = 0; from < sent.length; from++) {
          let started = 0
          for (let to = from; to < sent.length; to++) {
            started += sent[to]!.count
            const stretch = sent[to]!.at - sent[from]!.at
            assert.isAtMost(started, burst + (stretch * permits) / per + 1e-6)
          }
        }
      }
    })
  )

  it.effect("each starts as early as that allows, and none before one that came earlier", () =>
    Effect.gen(function* () {
      const random = Random.make(2)
      for (let round = 0; round < Random.runs(30); round++) {
        const burst = 1 + Random.int(random, 6)
        const interval = Random.pick(random, [1, 10, 250])
        const script = Scripted.echo()
        const all = arrivals(random, true)
        const begun = yield* Clock.currentTimeMillis
        yield* run(RateLimit.make({ permits: 1, per: interval, burst })(script.transport), all)

        // The oracle: a call starts after the previous call, as soon as no period would exceed its permits.
        const expected: Array<{ at: number; count: number; first: string }> = []
        for (const { at, calls } of all) {
          for (let from = 0; from < calls.length; from += burst) {
            const count = Math.min(burst, calls.length - from)
            let start = Math.max(at, expected.at(-1)?.at ?? 0)
            let sum = count
            for (const before of expected.toReversed()) {
              sum += before.count
              start = Math.max(start, before.at + (sum - burst) * interval)
            }
            expected.push({ at: start, count, first: calls[from]!.method })
          }
        }
        assert.deepStrictEqual(
          script.packets.map(({ at, calls }) => ({ at: at - begun, count: calls.length, first: calls[0]!.method })),
          expected
        )
      }
    })
  )
})

describe("options", () => {
  it.effect("that make no sense fail each call", () =>
    Effect.gen(function* () {
      const impossible: ReadonlyArray<readonly [option: string, options: RateLimit.RateLimitOptions]> = [
        ["RateLimit", { permits: 0, per: "1 second" }],
        ["RateLimit", { permits: -1, per: "1 second" }],
        ["RateLimit", { permits: NaN, per: "1 second" }],
        ["RateLimit", { permits: Infinity, per: "1 second" }],
        ["RateLimit", { permits: 1, per: 0 }],
        ["RateLimit", { permits: 1, per: Duration.infinity }],
        ["RateLimit.burst", { permits: 1, per: "1 second", burst: 0 }],
        ["RateLimit.burst", { permits: 1, per: "1 second", burst: 1.5 }]
      ]
      for (const [option, options] of impossible) {
        assert.strictEqual(yield* Scripted.impossibleOption(RateLimit.make(options)), option)
      }
    })
  )
})
