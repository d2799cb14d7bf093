import { assert, describe, it } from "@effect/vitest"
import { JsonRpcError, Retry, type Transport } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Duration, Effect, Fiber, Random as EffectRandom, Result, Schedule } from "effect"
import { TestClock } from "effect/testing"

import * as Scripted from "../support/scripted.ts"

/** Runs an effect in which each random wait is the fraction `part` of the longest wait. */
const withPart =
  (part: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, EffectRandom.Random, { nextDoubleUnsafe: () => part, nextIntUnsafe: () => 0 })

/**
 * Runs an effect to its end, with all its sleeps. Returns its result, and the times of the script's packets, counted
 * from the first.
 */
const sentAt = <A, E>(script: Scripted.Scripted, effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.result(effect), { startImmediately: true })
    yield* TestClock.adjust("1 day")
    return { result: yield* Fiber.join(fiber), at: script.packets.map((packet) => packet.at - script.packets[0]!.at) }
  })

const failing = (reason: JsonRpcError.Reason) => Scripted.inOrder(Effect.fail(reason))

const remote = (code: number, message: string, retryAfter?: Duration.Input) =>
  new JsonRpcError.RemoteError({
    code,
    message,
    ...(retryAfter === undefined ? {} : { retryAfter: Duration.fromInputUnsafe(retryAfter) })
  })

const ofStatus = (status: number) =>
  new JsonRpcError.TransportError({
    detail: `HTTP status ${status}`,
    status,
    retryable: JsonRpcError.isRetryableStatus(status)
  })

const withheld = () => new JsonRpcError.TransportError({ detail: "kept back", retryable: true, withheld: true })

describe("a call", () => {
  it.effect("that succeeds is sent once", () =>
    Effect.gen(function* () {
      const script = Scripted.echo()
      assert.deepStrictEqual(yield* Retry.make()(script.transport).call(Scripted.call("m", 1)), [1])
      assert.lengthOf(script.packets, 1)
    })
  )

  it.effect("is tried again until it succeeds", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(
        Effect.fail(Scripted.refused()),
        Effect.fail(Scripted.timedOut()),
        Effect.fail(Scripted.limited()),
        Effect.succeed("0x1")
      )
      const { result, at } = yield* sentAt(script, Retry.make()(script.transport).call(Scripted.call()))
      assert.deepStrictEqual(result, Result.succeed("0x1"))
      assert.lengthOf(at, 4)
    })
  )

  it.effect("is tried so many times more, and fails with the last error", () =>
    Effect.gen(function* () {
      for (const times of [0, 1, 5]) {
        const script = Scripted.make((_, nth) => Effect.fail(remote(-32005, `limit exceeded ${nth}`)))
        const { result, at } = yield* sentAt(script, Retry.make({ times })(script.transport).call(Scripted.call()))
        assert(Result.isFailure(result))
        assert.strictEqual(result.failure.message, `m: limit exceeded ${times} (code -32005)`)
        assert.lengthOf(at, times + 1)
      }
    })
  )

  it.effect("is not tried again where that cannot help", () =>
    Effect.gen(function* () {
      const hopeless: ReadonlyArray<JsonRpcError.Reason> = [
        Scripted.reverted(),
        Scripted.malformed(),
        remote(-32601, "the method m does not exist/is not available"),
        remote(-32602, "invalid argument 0"),
        remote(-32005, "daily request count exceeded, request rate limited"),
        remote(-32005, "query returned more than 10000 results"),
        remote(-32000, "nonce too low"),
        ofStatus(400),
        ofStatus(401),
        ofStatus(413),
        ofStatus(500),
        new JsonRpcError.EncodeError({ path: [], detail: "not JSON" }),
        new JsonRpcError.DisagreementError({ needed: 2, answers: [] })
      ]
      for (const reason of hopeless) {
        const script = failing(reason)
        const { result } = yield* sentAt(script, Retry.make()(script.transport).call(Scripted.call()))
        assert(Result.isFailure(result))
        assert.strictEqual(result.failure.reason, reason)
        assert.lengthOf(script.packets, 1, reason.message)
      }
    })
  )

  it.effect("is tried again for what `while` says instead", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(Effect.fail(remote(-32000, "header not found")), Effect.succeed("0x1"))
      const seen: Array<string> = []
      const { call } = Retry.make({
        while: (error, { method }) => {
          seen.push(`${method} ${error.message}`)
          return error.reason._tag === "RemoteError" && error.reason.kind === "notFound"
        }
      })(script.transport)
      assert.deepStrictEqual((yield* sentAt(script, call(Scripted.call()))).result, Result.succeed("0x1"))
      assert.deepStrictEqual(seen, ["m m: header not found (code -32000)"])
      const limited = failing(Scripted.limited())
      yield* sentAt(limited, Retry.make({ while: () => false })(limited.transport).call(Scripted.call()))
      assert.lengthOf(limited.packets, 1)
    })
  )

  it.effect("that is interrupted while it waits is not sent again", () =>
    Effect.gen(function* () {
      const script = failing(Scripted.limited("5 seconds"))
      const fiber = yield* Effect.forkChild(Retry.make()(script.transport).call(Scripted.call()), {
        startImmediately: true
      })
      yield* TestClock.adjust("4 seconds")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(script.packets, 1)
    })
  )
})

describe("the time for all tries", () => {
  it.effect("ends them: a wait beyond it is not begun, and the error is the last one", () =>
    Effect.gen(function* () {
      const options = { times: 9, initial: "1 second", factor: 1, within: "3500 millis" } as const
      const script = Scripted.make((_, nth) => Effect.fail(remote(-32005, `limit exceeded ${nth}`)))
      const fiber = yield* Effect.forkChild(
        Effect.flip(withPart(1)(Retry.make(options)(script.transport).call(Scripted.call()))),
        { startImmediately: true }
      )
      yield* TestClock.adjust("3 seconds")
      const exit = fiber.pollUnsafe()
      assert(exit?._tag === "Success", "it waited for the end")
      assert.strictEqual(exit.value.message, "m: limit exceeded 3 (code -32005)")
      assert.deepStrictEqual(
        script.packets.map(({ at }) => at),
        [0, 1000, 2000, 3000]
      )
    })
  )

  it.effect("counts what the tries take, not only the waits", () =>
    Effect.gen(function* () {
      const slow = Effect.delay(Effect.fail(Scripted.refused()), "2 seconds")
      for (const [within, tries] of [
        ["1999 millis", 1],
        ["3 seconds", 2],
        ["1 hour", 4]
      ] as const) {
        const script = Scripted.make(() => slow)
        yield* sentAt(script, withPart(0)(Retry.make({ within })(script.transport).call(Scripted.call())))
        assert.lengthOf(script.packets, tries, within)
      }
    })
  )

  it.effect("is not waited out for a server that asks for longer", () =>
    Effect.gen(function* () {
      const script = failing(Scripted.limited("5 seconds"))
      const { call } = Retry.make({ within: "4 seconds" })(script.transport)
      const fiber = yield* Effect.forkChild(Effect.flip(call(Scripted.call())), { startImmediately: true })
      assert(fiber.pollUnsafe() !== undefined, "it waits")
      assert.lengthOf(script.packets, 1)
    })
  )

  it.effect("is that of a packet too, whose outcomes stay", () =>
    Effect.gen(function* () {
      const script = Scripted.make(({ params }) =>
        params[0] === 0 ? Effect.succeed("0x1") : Effect.fail(Scripted.limited("5 seconds"))
      )
      const { callAll } = Retry.make({ within: "12 seconds", maxDelay: "5 seconds" })(script.transport)
      const { at, result } = yield* sentAt(script, callAll([Scripted.call("m", 0), Scripted.call("m", 1)]))
      assert.deepStrictEqual(at, [0, 5000, 10_000])
      assert(Result.isSuccess(result))
      assert.deepStrictEqual(result.success.map(Result.isSuccess), [true, false])
    })
  )

  it.effect("is told of, wait by wait", () =>
    Effect.gen(function* () {
      const told: Array<unknown> = []
      const script = Scripted.inOrder(
        Effect.fail(Scripted.limited("2 seconds")),
        Effect.fail(Scripted.refused()),
        Effect.succeed("0x1")
      )
      const { call } = Retry.make({
        times: 4,
        initial: "1 second",
        onWait: ({ duration, error, left, tried }) =>
          Effect.sync(() => told.push([error.reason._tag, tried, left, Duration.toMillis(duration)]))
      })(script.transport)
      yield* sentAt(script, withPart(1)(call(Scripted.call())))
      assert.deepStrictEqual(told, [
        ["RemoteError", 1, 4, 3000],
        ["TransportError", 2, 3, 2000]
      ])
    })
  )
})

describe("the wait", () => {
  it.effect("grows by the factor, up to the longest", () =>
    Effect.gen(function* () {
      const script = failing(Scripted.refused())
      const { call } = Retry.make({ times: 5, initial: "1 second", factor: 3, maxDelay: "20 seconds" })(
        script.transport
      )
      const { at } = yield* sentAt(script, withPart(1)(call(Scripted.call())))
      assert.deepStrictEqual(at, [0, 1000, 4000, 13_000, 33_000, 53_000])
    })
  )

  it.effect("is a random part of that", () =>
    Effect.gen(function* () {
      const script = failing(Scripted.refused())
      const { at } = yield* sentAt(script, withPart(0.5)(Retry.make()(script.transport).call(Scripted.call())))
      assert.deepStrictEqual(at, [0, 50, 150, 350])
      const same = failing(Scripted.refused())
      const seeded = yield* sentAt(
        same,
        Effect.repeat(Effect.ignore(Retry.make()(same.transport).call(Scripted.call())), { times: 50 }).pipe(
          EffectRandom.withSeed("seed")
        )
      )
      const firstWaits = seeded.at.flatMap((at, index) => (index % 4 === 1 ? [at - seeded.at[index - 1]!] : []))
      assert.lengthOf(firstWaits, 51)
      assert.isTrue(firstWaits.every((wait) => wait >= 0 && wait <= 100))
      assert.isTrue(Math.min(...firstWaits) < 20 && Math.max(...firstWaits) > 80)
    })
  )

  it.effect("is at least what the server asks for", () =>
    Effect.gen(function* () {
      for (const [part, expected] of [
        [0, 3000],
        [0.5, 3050]
      ] as const) {
        const script = failing(Scripted.limited("3 seconds"))
        const { call } = Retry.make({ times: 1 })(script.transport)
        assert.deepStrictEqual((yield* sentAt(script, withPart(part)(call(Scripted.call())))).at, [0, expected])
      }
      const exact = failing(Scripted.limited("10 seconds"))
      const { call } = Retry.make({ times: 1 })(exact.transport)
      assert.deepStrictEqual((yield* sentAt(exact, withPart(0.9)(call(Scripted.call())))).at, [0, 10_000])
    })
  )

  it.effect("is none where the server asks for too much: its error is given back at once", () =>
    Effect.gen(function* () {
      for (const asked of ["10001 millis", "1 day", Duration.infinity] as const) {
        const script = failing(Scripted.limited(asked))
        const error = yield* Effect.flip(Retry.make()(script.transport).call(Scripted.call()))
        assert.deepStrictEqual(error.retryAfter, Duration.fromInputUnsafe(asked))
        assert.lengthOf(script.packets, 1)
      }
    })
  )
})

describe("a call that is not idempotent", () => {
  it.effect("is sent again where it is known that it was not done", () =>
    Effect.gen(function* () {
      for (const reason of [Scripted.limited(), remote(-32016, "over rate limit"), ofStatus(429), withheld()]) {
        const script = Scripted.inOrder(Effect.fail(reason), Effect.succeed("0xhash"))
        const { result } = yield* sentAt(script, Retry.make()(script.transport).call(Scripted.once()))
        assert.deepStrictEqual(result, Result.succeed("0xhash"), reason.message)
      }
    })
  )

  it.effect("is never sent again where it may have been done", () =>
    Effect.gen(function* () {
      const unknown: ReadonlyArray<JsonRpcError.Reason> = [
        Scripted.refused(),
        Scripted.timedOut(),
        Scripted.malformed(),
        ofStatus(502),
        ofStatus(503),
        ofStatus(504),
        remote(-32002, "request timed out"),
        remote(-32011, "no backend is currently healthy to serve traffic"),
        remote(-32603, "Internal error")
      ]
      for (const reason of unknown) {
        for (const isWorthIt of [undefined, () => true]) {
          const script = failing(reason)
          yield* sentAt(script, Retry.make({ while: isWorthIt })(script.transport).call(Scripted.once()))
          assert.lengthOf(script.packets, 1, reason.message)
        }
      }
    })
  )
})

describe("a packet", () => {
  const calls = [
    Scripted.call("ok"),
    Scripted.call("busy"),
    Scripted.call("reverts"),
    Scripted.once("sends"),
    Scripted.call("limited")
  ]

  const respond = (healedAfter: number) => {
    const tries = new Map<string, number>()
    return Scripted.make(({ method }) => {
      const nth = tries.get(method) ?? 0
      tries.set(method, nth + 1)
      const isHealed = nth >= healedAfter
      switch (method) {
        case "busy":
          return isHealed ? Effect.succeed("later") : Effect.fail(Scripted.refused())
        case "limited":
          return isHealed ? Effect.succeed("later") : Effect.fail(Scripted.limited("2 seconds"))
        case "reverts":
          return Effect.fail(Scripted.reverted())
        case "sends":
          return Effect.fail(Scripted.refused())
        default:
          return Effect.succeed("at once")
      }
    })
  }

  const sentences = (outcomes: ReadonlyArray<Transport.WireOutcome>) =>
    outcomes.map((outcome) => (Result.isSuccess(outcome) ? outcome.success : outcome.failure.message))

  it.effect("is sent again without what succeeded and what cannot, and keeps its order", () =>
    Effect.gen(function* () {
      const script = respond(1)
      const { result, at } = yield* sentAt(script, withPart(0)(Retry.make()(script.transport).callAll(calls)))
      assert(Result.isSuccess(result))
      assert.deepStrictEqual(sentences(result.success), [
        "at once",
        "later",
        "reverts: execution reverted (code 3)",
        "sends: connection failed (ECONNREFUSED)",
        "later"
      ])
      assert.deepStrictEqual(
        script.packets.map((packet) => [packet.together, packet.calls.map((call) => call.method).join(" ")]),
        [
          [true, "ok busy reverts sends limited"],
          [true, "busy limited"]
        ]
      )
      assert.deepStrictEqual(at, [0, 2000])
    })
  )

  it.effect("is tried so many times more", () =>
    Effect.gen(function* () {
      const script = respond(Infinity)
      const { result, at } = yield* sentAt(script, Retry.make({ times: 2 })(script.transport).callAll(calls))
      assert(Result.isSuccess(result))
      assert.lengthOf(at, 3)
      assert.strictEqual(sentences(result.success)[4], "limited: project ID request rate exceeded (code -32005)")
    })
  )

  it.effect("of nothing stays nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Retry.make()(Scripted.echo().transport).callAll([]), [])
    })
  )
})

describe("whatever fails", () => {
  const REASONS: ReadonlyArray<() => JsonRpcError.Reason> = [
    Scripted.refused,
    Scripted.timedOut,
    Scripted.reverted,
    Scripted.malformed,
    Scripted.limited,
    withheld,
    () => Scripted.limited("700 millis"),
    () => Scripted.limited("1 hour"),
    () => ofStatus(429),
    () => ofStatus(503),
    () => ofStatus(401)
  ]

  it.effect("no call is sent more often than allowed, nor sooner, nor without need, nor twice against its nature", () =>
    Effect.gen(function* () {
      const random = Random.make(42)
      for (let run = 0; run < Random.runs(150); run++) {
        const times = Random.int(random, 4)
        const maxDelay = Random.pick(random, [1, 500, 10_000])
        const calls = Array.from({ length: 1 + Random.int(random, 6) }, (_, n) =>
          Random.int(random, 3) === 0 ? Scripted.once(`m${n}`) : Scripted.call(`m${n}`)
        )
        const endings = new Map(
          calls.map(({ method }) => [
            method,
            Array.from({ length: 5 }, () =>
              Random.int(random, 3) === 0 ? Effect.succeed(method) : Effect.fail(Random.pick(random, REASONS)())
            )
          ])
        )
        const tried = new Map<string, number>()
        const script = Scripted.make(({ method }) => {
          const nth = tried.get(method) ?? 0
          tried.set(method, nth + 1)
          return endings.get(method)![nth]!
        })
        const retry = Retry.make({ times, maxDelay })(script.transport)
        const together = Random.int(random, 2) === 0
        const { result } = yield* sentAt(
          script,
          together
            ? retry.callAll(calls)
            : Effect.forEach(calls, (call) => Effect.result(retry.call(call)), { concurrency: "unbounded" })
        )
        assert(Result.isSuccess(result))

        for (const [index, call] of calls.entries()) {
          const sent = script.packets.flatMap((packet) => (packet.calls.includes(call) ? [packet.at] : []))
          const outcomes = yield* Effect.forEach(endings.get(call.method)!.slice(0, sent.length), Effect.result)
          assert.isAtMost(sent.length, times + 1)
          assert.strictEqual(tried.get(call.method), sent.length)
          // Each try except the last failed with an error after which another try is permitted.
          for (const [nth, outcome] of outcomes.slice(0, -1).entries()) {
            assert(Result.isFailure(outcome))
            const error = new JsonRpcError.JsonRpcError({ method: call.method, reason: outcome.failure })
            assert.isTrue(error.retryable)
            assert.isTrue(call.idempotent !== false || error.notDone)
            const asked = error.retryAfter === undefined ? 0 : Duration.toMillis(error.retryAfter)
            assert.isAtLeast(sent[nth + 1]! - sent[nth]!, asked)
            assert.isAtMost(sent[nth + 1]! - sent[nth]!, maxDelay)
          }
          // After the last try, no further try was permitted.
          const last = outcomes.at(-1)!
          const outcome = result.success[index]!
          assert.strictEqual(Result.isSuccess(outcome), Result.isSuccess(last))
          if (Result.isFailure(last) && sent.length <= times) {
            const error = new JsonRpcError.JsonRpcError({ method: call.method, reason: last.failure })
            const asked = error.retryAfter === undefined ? 0 : Duration.toMillis(error.retryAfter)
            assert.isTrue(
              !error.retryable || asked > maxDelay || (call.idempotent === false && !error.notDone),
              error.message
            )
          }
        }
      }
    })
  )
})

describe("a schedule", () => {
  const schedule = Schedule.max([Schedule.exponential("100 millis"), Schedule.recurs(3)])

  it.effect("decides how often a call is tried again, and when", () =>
    Effect.gen(function* () {
      const script = failing(Scripted.refused())
      const { result, at } = yield* sentAt(script, Retry.make({ schedule })(script.transport).call(Scripted.call()))
      assert.isTrue(Result.isFailure(result))
      assert.deepStrictEqual(at, [0, 100, 300, 700])
      // each call begins it anew, and so does each packet
      const again = Scripted.make(() => Effect.fail(Scripted.refused()))
      const retry = Retry.make({ schedule })(again.transport)
      const both = Effect.andThen(Effect.result(retry.call(Scripted.call())), retry.callAll([Scripted.call()]))
      assert.deepStrictEqual((yield* sentAt(again, both)).at, [0, 100, 300, 700, 700, 800, 1000, 1400])
    })
  )

  it.effect("sees the errors, and ends when it says so", () =>
    Effect.gen(function* () {
      const passing = Schedule.spaced("1 second").pipe(
        Schedule.setInputType<JsonRpcError.JsonRpcError>(),
        Schedule.while(({ input }) => input.message !== "m: limit exceeded 2 (code -32005)")
      )
      const script = Scripted.make((_, nth) => Effect.fail(remote(-32005, `limit exceeded ${nth}`)))
      const { at } = yield* sentAt(script, Retry.make({ schedule: passing })(script.transport).call(Scripted.call()))
      assert.deepStrictEqual(at, [0, 1000, 2000])
    })
  )

  it.effect("does not decide what may be tried again: neither a call that may be done, nor before a server wants", () =>
    Effect.gen(function* () {
      const once = failing(Scripted.timedOut())
      yield* sentAt(once, Retry.make({ schedule })(once.transport).call(Scripted.once()))
      assert.lengthOf(once.packets, 1)
      const asked = failing(remote(-32005, "rate limit exceeded", "1 second"))
      const { at } = yield* sentAt(asked, Retry.make({ schedule })(asked.transport).call(Scripted.call()))
      assert.deepStrictEqual(at, [0, 1100, 2300, 3700])
      const late = failing(Scripted.refused())
      yield* sentAt(late, Retry.make({ schedule, within: "300 millis" })(late.transport).call(Scripted.call()))
      assert.lengthOf(late.packets, 3)
    })
  )

  it.effect("tells how long it waits, and not how often", () =>
    Effect.gen(function* () {
      const waits: Array<Retry.RetryWait> = []
      const onWait = (wait: Retry.RetryWait) => Effect.sync(() => void waits.push(wait))
      const script = failing(Scripted.refused())
      yield* sentAt(script, Retry.make({ schedule, onWait })(script.transport).call(Scripted.call()))
      assert.deepStrictEqual(
        waits.map(({ duration, left, tried }) => [Duration.toMillis(duration), left, tried]),
        [
          [100, Infinity, 1],
          [200, Infinity, 2],
          [400, Infinity, 3]
        ]
      )
    })
  )
})

describe("options", () => {
  it.effect("that make no sense fail each call", () =>
    Effect.gen(function* () {
      for (const times of [-1, NaN]) {
        assert.strictEqual(yield* Scripted.impossibleOption(Retry.make({ times })), "Retry.times")
      }
    })
  )
})
