import { assert, describe, it } from "@effect/vitest"
import { Batching, JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Cause, Clock, Context, Deferred, Effect, Exit, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"

import * as Nodes from "../support/nodes.ts"
import * as Scripted from "../support/scripted.ts"

const sizes = ({ packets }: Scripted.Scripted): ReadonlyArray<number> => packets.map(({ calls }) => calls.length)

const tooMany = () => new JsonRpcError.RemoteError({ code: -32600, message: "batch too large" })
const tooMuch = () => new JsonRpcError.RemoteError({ code: -32003, message: "response too large" })
const status413 = () => new JsonRpcError.TransportError({ detail: "HTTP status 413", status: 413, retryable: false })

const calls = (count: number): ReadonlyArray<Transport.WireCall> =>
  Array.from({ length: count }, (_, n) => Scripted.call("echo", n))

/** Makes a node that answers packet by packet and records its packets. */
const nodeOf = (answer: (calls: ReadonlyArray<Transport.WireCall>) => ReadonlyArray<Transport.WireOutcome>) => {
  const sent: Array<ReadonlyArray<Transport.WireCall>> = []
  const transport = Transport.Transport.of({
    call: (call) => Effect.suspend(() => (sent.push([call]), Effect.fromResult(answer([call])[0]!))),
    callAll: (calls) => Effect.sync(() => (sent.push(calls), answer(calls)))
  })
  return { sent, transport, sizes: () => sent.map((calls) => calls.length) }
}

const echo = (call: Transport.WireCall): Transport.WireOutcome => Result.succeed(call.params[0])

const failing = (call: Transport.WireCall, reason: JsonRpcError.Reason): Transport.WireOutcome =>
  Result.fail(new JsonRpcError.JsonRpcError({ method: call.method, reason }))

/** Refuses packets of more than `most` calls as a whole. */
const limitedTo = (most: () => number, refusal: () => JsonRpcError.Reason = tooMany) =>
  nodeOf((calls) => calls.map((call) => (calls.length > most() ? failing(call, refusal()) : echo(call))))

const askAll = (transport: Transport.Transport["Service"], calls: ReadonlyArray<Transport.WireCall>) =>
  Effect.forEach(calls, (call) => transport.call(call), { concurrency: "unbounded" })

describe("gathering", () => {
  it.effect("makes one packet of what is asked in the same turn", () =>
    Effect.gen(function* () {
      const node = Scripted.echo()
      const transport = Batching.make()(node.transport)
      const fibers = yield* Effect.forEach(calls(5), (call) => Effect.forkChild(transport.call(call)))
      assert.deepStrictEqual(yield* Fiber.joinAll(fibers), [[0], [1], [2], [3], [4]])
      assert.deepStrictEqual(sizes(node), [5])
      assert.deepStrictEqual(yield* transport.call(Scripted.call("echo", "later")), ["later"])
      assert.deepStrictEqual(sizes(node), [5, 1])
    })
  )

  it.effect("makes one packet of what is asked within the window, by the Clock", () =>
    Effect.gen(function* () {
      const node = Scripted.echo()
      const transport = Batching.make({ window: "10 millis" })(node.transport)
      for (const n of [0, 1, 2]) {
        yield* Effect.forkChild(transport.call(Scripted.call("echo", n)))
        yield* TestClock.adjust("3 millis")
      }
      assert.deepStrictEqual(sizes(node), [])
      yield* TestClock.adjust("1 millis")
      yield* Effect.forkChild(transport.call(Scripted.call("echo", 3)))
      yield* TestClock.adjust("10 millis")
      assert.deepStrictEqual(
        node.packets.map(({ at, calls }) => [at, calls.map((call) => call.params[0])]),
        [
          [10, [0, 1, 2]],
          [20, [3]]
        ]
      )
    })
  )

  it.effect("sends a full packet at once, and begins another", () =>
    Effect.gen(function* () {
      const node = Scripted.echo()
      const transport = Batching.make({ window: "1 second", size: 3 })(node.transport)
      const all = yield* Effect.forkChild(askAll(transport, calls(7)))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        node.packets.map(({ at, calls }) => [at, calls.length]),
        [
          [0, 3],
          [0, 3],
          [1000, 1]
        ]
      )
      assert.strictEqual((yield* Fiber.join(all)).length, 7)
    })
  )

  it.effect("cuts what is asked in one turn to size", () =>
    Effect.gen(function* () {
      const node = Scripted.echo()
      const transport = Batching.make({ size: 3 })(node.transport)
      assert.strictEqual((yield* askAll(transport, calls(7))).length, 7)
      assert.deepStrictEqual(sizes(node), [3, 3, 1])
    })
  )

  it.effect("gives each call its own outcome", () =>
    Effect.gen(function* () {
      const node = Scripted.make(({ params: [n] }) =>
        n === 1 ? Effect.fail(Scripted.reverted()) : n === 2 ? Effect.succeed(null) : Effect.succeed(n)
      )
      const transport = Batching.make()(node.transport)
      const outcomes = yield* Effect.forEach(calls(4), (call) => Effect.result(transport.call(call)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(outcomes.map(Nodes.shown), [0, "echo: execution reverted (code 3)", null, 3])
      assert.deepStrictEqual(sizes(node), [4])
    })
  )

  it.effect("lets a caller that calls one after the other pass without a turn of waiting", () =>
    Effect.gen(function* () {
      const node = nodeOf((calls) => calls.map(echo))
      const transport = Batching.make()(node.transport)
      const ask = (n: number) => transport.call(Scripted.call("echo", n))
      const isAnsweredAtOnce = () => Effect.runForkWith(Context.empty())(ask(0)).pollUnsafe() !== undefined
      for (let n = 0; n < 8; n++) {
        assert.strictEqual(yield* ask(n), n)
      }
      assert.isTrue(isAnsweredAtOnce())
      assert.isTrue(isAnsweredAtOnce())
      assert.deepStrictEqual(node.sizes(), [1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    })
  )

  it.effect("gathers again as soon as a call finds another one under way", () =>
    Effect.gen(function* () {
      const node = Scripted.make((call) => Effect.delay(Effect.succeed(call.params), "1 second"))
      const transport = Batching.make()(node.transport)
      const ask = (n: number) => transport.call(Scripted.call("echo", n))
      for (let n = 0; n < 8; n++) {
        const fiber = yield* Effect.forkChild(ask(n))
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(fiber)
      }
      const first = yield* Effect.forkChild(askAll(transport, calls(5)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(first)).length, 5)
      const second = yield* Effect.forkChild(askAll(transport, calls(5)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(second)).length, 5)
      assert.deepStrictEqual(sizes(node), [1, 1, 1, 1, 1, 1, 1, 1, 1, 4, 5])
    })
  )

  it.effect("counts a call as ended when its caller is interrupted", () =>
    Effect.gen(function* () {
      const node = nodeOf((calls) => calls.map(echo))
      const transport = Batching.make()(node.transport)
      for (let n = 0; n < 20; n++) {
        yield* Fiber.interrupt(yield* Effect.forkChild(transport.call(Scripted.call("echo", n))))
        yield* Effect.forkChild(transport.call(Scripted.call("echo", n)))
        yield* Effect.yieldNow
        yield* Effect.yieldNow
      }
      const fiber = Effect.runForkWith(Context.empty())(transport.call(Scripted.call("echo", "now")))
      assert.isDefined(fiber.pollUnsafe())
    })
  )

  it.effect("keeps the states of two transports apart", () =>
    Effect.gen(function* () {
      const [one, two] = [Scripted.echo(), Scripted.echo()]
      const middleware = Batching.make()
      const [a, b] = [middleware(one.transport), middleware(two.transport)]
      yield* Effect.all([a.call(Scripted.call()), b.call(Scripted.call()), a.call(Scripted.call())], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual([sizes(one), sizes(two)], [[2], [1]])
    })
  )

  it.effect("runs a packet in the context of its first call", () =>
    Effect.gen(function* () {
      const Who = Context.Reference<string>("test/Who", { defaultValue: () => "nobody" })
      const node = Scripted.make(() => Who)
      const transport = Batching.make()(node.transport)
      const results = yield* Effect.all(
        ["first", "second"].map((name) => Effect.provideService(transport.call(Scripted.call()), Who, name)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results, ["first", "first"])
    })
  )

  it.effect("takes no size but a whole number above zero", () =>
    Effect.gen(function* () {
      for (const size of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        assert.strictEqual(yield* Scripted.impossibleOption(Batching.make({ size })), "Batching.size")
      }
    })
  )

  it.effect("takes a size of one", () =>
    Effect.gen(function* () {
      const node = Scripted.echo()
      const transport = Batching.make({ size: 1, window: "1 minute" })(node.transport)
      assert.deepStrictEqual(yield* askAll(transport, calls(3)), [[0], [1], [2]])
      assert.deepStrictEqual(sizes(node), [1, 1, 1])
    })
  )

  it.effect("does not hang on a Clock whose sleep is not a sleep", () =>
    Effect.gen(function* () {
      const node = Scripted.echo()
      const transport = Batching.make({ window: "1 nano" })(node.transport)
      const restless: Clock.Clock = Object.create(yield* Clock.Clock, { sleep: { value: () => Effect.void } })
      const results = yield* Effect.provideService(askAll(transport, calls(2)), Clock.Clock, restless)
      assert.deepStrictEqual(results, [[0], [1]])
    })
  )
})

describe("callAll", () => {
  it.effect("goes as a packet of its own, without waiting", () =>
    Effect.gen(function* () {
      const node = Scripted.echo()
      const transport = Batching.make({ window: "1 second", size: 3 })(node.transport)
      yield* Effect.forkChild(transport.call(Scripted.call("echo", "single")))
      const outcomes = yield* transport.callAll(calls(7))
      assert.deepStrictEqual(outcomes.map(Nodes.shown), [[0], [1], [2], [3], [4], [5], [6]])
      assert.deepStrictEqual(sizes(node), [3, 3, 1])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(sizes(node), [3, 3, 1, 1])
    })
  )

  it.effect("makes no packet of no calls", () =>
    Effect.gen(function* () {
      const node = Scripted.echo()
      assert.deepStrictEqual(yield* Batching.make()(node.transport).callAll([]), [])
      assert.deepStrictEqual(sizes(node), [])
    })
  )

  it.effect("stops all of its packets when it is interrupted", () =>
    Effect.gen(function* () {
      const node = Scripted.make(({ params: [n] }) => (n === 0 ? Effect.succeed(0) : Effect.never))
      const transport = Batching.make({ size: 1 })(node.transport)
      const fiber = yield* Effect.forkChild(transport.callAll(calls(4)), { startImmediately: true })
      assert.strictEqual(node.count.inFlight, 3)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(node.count, { inFlight: 0, interrupted: 3 })
    })
  )

  it.effect("dies of a defect below, and stops the packets that are still under way", () =>
    Effect.gen(function* () {
      const node = Scripted.make(({ params: [n] }) =>
        n === 0 ? Effect.andThen(Effect.yieldNow, Effect.die("broken")) : Effect.never
      )
      const transport = Batching.make({ size: 1 })(node.transport)
      const exit = yield* Effect.exit(transport.callAll(calls(3)))
      assert(Exit.isFailure(exit))
      assert.strictEqual(Cause.squash(exit.cause), "broken")
      assert.strictEqual(node.count.interrupted, 2)
    })
  )
})

describe("interruption", () => {
  it.effect("of a caller takes its call out of a packet that has not left", () =>
    Effect.gen(function* () {
      const node = Scripted.echo()
      const transport = Batching.make({ window: "1 second" })(node.transport)
      const fibers = yield* Effect.forEach(calls(3), (call) =>
        Effect.forkChild(transport.call(call), { startImmediately: true })
      )
      yield* Fiber.interrupt(fibers[0]!)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.joinAll(fibers.slice(1)), [[1], [2]])
      assert.deepStrictEqual(
        node.packets.map(({ at, calls }) => [at, calls.map((call) => call.params[0])]),
        [[1000, [1, 2]]]
      )
    })
  )

  it.effect("of all callers before the packet leaves sends nothing", () =>
    Effect.gen(function* () {
      const node = Scripted.echo()
      const transport = Batching.make({ window: "1 second" })(node.transport)
      const fiber = yield* Effect.forkChild(askAll(transport, calls(3)), { startImmediately: true })
      yield* TestClock.adjust("500 millis")
      yield* Fiber.interrupt(fiber)
      const later = yield* Effect.forkChild(transport.call(Scripted.call("echo", "later")), { startImmediately: true })
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(sizes(node), [])
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(yield* Fiber.join(later), ["later"])
      assert.deepStrictEqual(
        node.packets.map(({ at }) => at),
        [1500]
      )
    })
  )

  it.effect("of the first caller leaves the others their answers", () =>
    Effect.gen(function* () {
      const reply = yield* Deferred.make<void>()
      const node = Scripted.make(({ params: [n] }) => Effect.as(Deferred.await(reply), n))
      const transport = Batching.make()(node.transport)
      const fibers = yield* Effect.forEach(calls(3), (call) => Effect.forkChild(transport.call(call)))
      while (node.count.inFlight === 0) {
        yield* Effect.yieldNow
      }
      yield* Fiber.interrupt(fibers[0]!)
      assert.deepStrictEqual(node.count, { inFlight: 1, interrupted: 0 })
      yield* Deferred.succeed(reply, undefined)
      assert.deepStrictEqual(yield* Fiber.joinAll(fibers.slice(1)), [1, 2])
    })
  )

  it.effect("of all callers interrupts the packet that has left, and waits for that", () =>
    Effect.gen(function* () {
      const node = Scripted.make(() => Effect.never)
      const transport = Batching.make()(node.transport)
      const fibers = yield* Effect.forEach(calls(3), (call) => Effect.forkChild(transport.call(call)))
      while (node.count.inFlight === 0) {
        yield* Effect.yieldNow
      }
      yield* Fiber.interrupt(fibers[2]!)
      yield* Fiber.interrupt(fibers[0]!)
      assert.deepStrictEqual(node.count, { inFlight: 1, interrupted: 0 })
      yield* Fiber.interrupt(fibers[1]!)
      assert.deepStrictEqual(node.count, { inFlight: 0, interrupted: 1 })
    })
  )

  it.effect("of a caller keeps its call out of the smaller packets that follow a refusal", () =>
    Effect.gen(function* () {
      const reply = yield* Deferred.make<void>()
      const sent: Array<ReadonlyArray<unknown>> = []
      const transport = Batching.make()({
        call: () => Effect.die(new Error("a packet must come through callAll")),
        callAll: (calls) => {
          sent.push(calls.map((call) => call.params[0]))
          return calls.length > 2
            ? Effect.as(
                Deferred.await(reply),
                calls.map((call) => failing(call, tooMany()))
              )
            : Effect.succeed(calls.map(echo))
        }
      })
      const fibers = yield* Effect.forEach(calls(4), (call) => Effect.forkChild(transport.call(call)))
      while (sent.length === 0) {
        yield* Effect.yieldNow
      }
      yield* Fiber.interrupt(fibers[1]!)
      yield* Deferred.succeed(reply, undefined)
      assert.deepStrictEqual(yield* Fiber.joinAll([fibers[0]!, fibers[2]!, fibers[3]!]), [0, 2, 3])
      assert.deepStrictEqual(sent, [[0, 1, 2, 3], [0, 2], [3]])
    })
  )

  it.effect("from below ends every call of the packet", () =>
    Effect.gen(function* () {
      const transport = Batching.make()({ call: () => Effect.interrupt, callAll: () => Effect.interrupt })
      const fibers = yield* Effect.forEach(calls(2), (call) => Effect.forkChild(transport.call(call)))
      const exits = yield* Fiber.awaitAll(fibers)
      assert.deepStrictEqual(exits.map(Exit.hasInterrupts), [true, true])
    })
  )

  it.effect("has a twin: a defect from below ends every call of the packet too", () =>
    Effect.gen(function* () {
      const transport = Batching.make()(Scripted.make(() => Effect.die("broken")).transport)
      const exits = yield* Effect.forEach(calls(2), (call) => Effect.exit(transport.call(call)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        exits.map((exit) => Exit.isFailure(exit) && Cause.squash(exit.cause)),
        ["broken", "broken"]
      )
    })
  )
})

describe("a server that takes single calls only", () => {
  const refusals = {
    "an error of the whole packet": () => Nodes.remote(-32600, "invalid request"),
    "an error of the parser": () => Nodes.remote(-32700, "expected an object"),
    "something else than a list": () => new JsonRpcError.ProtocolError({ detail: "no array in answer to a batch" }),
    "HTTP status 400": () =>
      new JsonRpcError.TransportError({ detail: "HTTP status 400", status: 400, retryable: false })
  }
  for (const [name, refusal] of Object.entries(refusals)) {
    it.effect(`gets them one by one after the first packet: ${name}`, () =>
      Effect.gen(function* () {
        const node = limitedTo(() => 1, refusal)
        const transport = Batching.make()(node.transport)
        assert.deepStrictEqual(yield* askAll(transport, calls(5)), [0, 1, 2, 3, 4])
        assert.deepStrictEqual(node.sizes(), [5, 1, 1, 1, 1, 1])
        node.sent.length = 0
        assert.deepStrictEqual(yield* askAll(transport, calls(3)), [0, 1, 2])
        assert.deepStrictEqual(node.sizes(), [1, 1, 1])
      })
    )
  }

  it.effect("is not taken for one that refuses a single call of many", () =>
    Effect.gen(function* () {
      const wrong = () => Nodes.remote(-32600, "invalid request")
      const node = nodeOf((calls) => calls.map((call, n) => (n === 1 ? failing(call, wrong()) : echo(call))))
      const outcomes = yield* Batching.make()(node.transport).callAll(calls(3))
      assert.deepStrictEqual(outcomes.map(Nodes.shown), [0, "echo: invalid request (code -32600)", 2])
      assert.deepStrictEqual(node.sizes(), [3])
    })
  )

  it.effect("gets no call twice that is not idempotent and may have been done", () =>
    Effect.gen(function* () {
      const node = limitedTo(() => 1, refusals["something else than a list"])
      const outcomes = yield* Batching.make()(node.transport).callAll([...calls(1), Scripted.once()])
      assert.deepStrictEqual(outcomes.map(Nodes.shown), [0, "send: no array in answer to a batch"])
      assert.deepStrictEqual(node.sizes(), [2, 1])
    })
  )
})

describe("a packet refused as too large", () => {
  it.effect("is sent again in halves, down to what gets through", () =>
    Effect.gen(function* () {
      const node = limitedTo(() => 3)
      const transport = Batching.make()(node.transport)
      assert.deepStrictEqual(
        yield* askAll(transport, calls(10)),
        calls(10).map((call) => call.params[0])
      )
      assert.deepStrictEqual(node.sizes(), [10, 5, 3, 2, 5, 3, 2])
    })
  )

  it.effect("makes the following ones smaller at once", () =>
    Effect.gen(function* () {
      const node = limitedTo(() => 3)
      const transport = Batching.make()(node.transport)
      yield* askAll(transport, calls(10))
      node.sent.length = 0
      yield* askAll(transport, calls(10))
      yield* transport.callAll(calls(10))
      assert.deepStrictEqual(node.sizes(), [3, 3, 3, 1, 3, 3, 3, 1])
    })
  )

  it.effect("is known by HTTP status 413 too", () =>
    Effect.gen(function* () {
      const node = limitedTo(() => 2, status413)
      const transport = Batching.make()(node.transport)
      assert.deepStrictEqual(yield* askAll(transport, calls(4)), [0, 1, 2, 3])
      assert.deepStrictEqual(node.sizes(), [4, 2, 2])
    })
  )

  it.effect("may hold calls that are not idempotent: the server has done none of them", () =>
    Effect.gen(function* () {
      const node = limitedTo(() => 1)
      const transport = Batching.make()(node.transport)
      const outcomes = yield* transport.callAll([Scripted.once("send", "a"), Scripted.once("send", "b")])
      assert.deepStrictEqual(outcomes.map(Nodes.shown), ["a", "b"])
      assert.deepStrictEqual(node.sizes(), [2, 1, 1])
      // calls that are made one by one are not gathered
      assert.deepStrictEqual(yield* askAll(transport, [Scripted.once("send", "c"), Scripted.once("send", "d")]), [
        "c",
        "d"
      ])
      assert.deepStrictEqual(node.sizes(), [2, 1, 1, 1, 1])
    })
  )

  it.effect("leaves out what is not idempotent where the refusal does not say that nothing was done", () =>
    Effect.gen(function* () {
      const refusal = () => Nodes.remote(-32021, "request body too large", 413)
      const node = limitedTo(() => 1, refusal)
      const outcomes = yield* Batching.make()(node.transport).callAll([...calls(2), Scripted.once()])
      assert.deepStrictEqual(outcomes.map(Nodes.shown), [0, 1, "send: request body too large (code -32021)"])
      assert.deepStrictEqual(node.sizes(), [3, 2, 1, 1])
    })
  )

  it.effect("ends with the server's own error when single calls are refused too", () =>
    Effect.gen(function* () {
      for (const [refusal, message] of [
        [tooMany, "echo: batch too large (code -32600)"],
        [status413, "echo: HTTP status 413"]
      ] as const) {
        const node = limitedTo(() => 0, refusal)
        const outcomes = yield* Batching.make()(node.transport).callAll(calls(3))
        assert.deepStrictEqual(outcomes.map(Nodes.shown), [message, message, message])
        assert.deepStrictEqual(node.sizes(), [3, 2, 1, 1, 1])
      }
    })
  )

  it.effect("keeps what was answered when only some calls are refused", () =>
    Effect.gen(function* () {
      const node = nodeOf((calls) => calls.map((call, n) => (n < 4 ? echo(call) : failing(call, tooMany()))))
      const transport = Batching.make()(node.transport)
      const outcomes = yield* transport.callAll(calls(10))
      assert.deepStrictEqual(outcomes.map(Nodes.shown), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      assert.deepStrictEqual(
        node.sent.map((calls) => calls.map((call) => call.params[0])),
        [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [4, 5, 6, 7, 8], [8], [9]]
      )
    })
  )

  it.effect("is tried again at twice the size after 64 full ones, and costs one more if that fails", () =>
    Effect.gen(function* () {
      let most = 3
      const node = limitedTo(() => most)
      const transport = Batching.make({ size: 8 })(node.transport)
      const packetsOf = (count: number) =>
        Effect.suspend(() => {
          node.sent.length = 0
          return Effect.map(transport.callAll(calls(count)), () => node.sizes())
        })
      assert.deepStrictEqual(yield* packetsOf(8), [8, 4, 2, 2, 4, 2, 2])
      // Only the last two packets count, because the others were not full.
      assert.deepStrictEqual(yield* packetsOf(1), [1])
      assert.deepStrictEqual(
        yield* packetsOf(124),
        Array.from({ length: 62 }, () => 2)
      )
      assert.deepStrictEqual(yield* packetsOf(4), [4, 2, 2])
      assert.deepStrictEqual(yield* packetsOf(4), [2, 2])
      // Four full packets were sent since the failed try.
      assert.deepStrictEqual(
        yield* packetsOf(120),
        Array.from({ length: 60 }, () => 2)
      )
      most = 100
      assert.deepStrictEqual(yield* packetsOf(4), [4])
      // The packet was the first of its size.
      assert.deepStrictEqual(
        yield* packetsOf(63 * 4),
        Array.from({ length: 63 }, () => 4)
      )
      assert.deepStrictEqual(yield* packetsOf(20), [8, 8, 4])
    })
  )
})

describe("answers that are too large together", () => {
  /**
   * Makes a node that limits its answers as geth does: after the first `most` answers of a packet, every answer is an
   * error.
   */
  const bounded = (most: number) =>
    nodeOf((calls) => calls.map((call, n) => (n < most ? echo(call) : failing(call, tooMuch()))))

  it.effect("are asked for again in smaller packets, and only those that are missing", () =>
    Effect.gen(function* () {
      const node = bounded(3)
      const transport = Batching.make()(node.transport)
      assert.deepStrictEqual(yield* askAll(transport, calls(10)), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      assert.deepStrictEqual(
        node.sent.map((calls) => calls.map((call) => call.params[0])),
        [
          [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
          [3, 4, 5, 6, 7],
          [6, 7],
          [8, 9]
        ]
      )
    })
  )

  it.effect("say nothing about the packets that follow", () =>
    Effect.gen(function* () {
      const node = bounded(3)
      const transport = Batching.make()(node.transport)
      yield* transport.callAll(calls(4))
      node.sent.length = 0
      yield* transport.callAll(calls(4))
      assert.deepStrictEqual(node.sizes(), [4, 1])
    })
  )

  it.effect("are not asked for again where the call is not idempotent", () =>
    Effect.gen(function* () {
      const node = bounded(1)
      const transport = Batching.make()(node.transport)
      const outcomes = yield* transport.callAll([Scripted.call("echo", 0), Scripted.once(), Scripted.call("echo", 2)])
      assert.deepStrictEqual(outcomes.map(Nodes.shown), [0, "send: response too large (code -32003)", 2])
      assert.deepStrictEqual(node.sizes(), [3, 1])
    })
  )

  it.effect("leave a call its error when its answer alone is too large", () =>
    Effect.gen(function* () {
      const node = nodeOf((calls) => calls.map((call, n) => (n === 0 ? failing(call, tooMuch()) : echo(call))))
      const outcomes = yield* Batching.make()(node.transport).callAll(calls(3))
      assert.deepStrictEqual(outcomes.map(Nodes.shown), ["echo: response too large (code -32003)", 1, 2])
      assert.deepStrictEqual(node.sizes(), [3, 1])
    })
  )

  it.effect("are asked for again in halves where the transport itself takes no more", () =>
    Effect.gen(function* () {
      const refusal = () =>
        new JsonRpcError.TransportError({ detail: "the answer is larger", retryable: false, tooLarge: true })
      const node = limitedTo(() => 3, refusal)
      assert.deepStrictEqual(yield* askAll(Batching.make()(node.transport), calls(10)), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      assert.deepStrictEqual(
        node.sizes().toSorted((a, b) => b - a),
        [10, 5, 5, 3, 3, 2, 2]
      )
      const never = limitedTo(() => 0, refusal)
      const outcomes = yield* Batching.make()(never.transport).callAll([...calls(2), Scripted.once()])
      assert.deepStrictEqual(outcomes.map(Nodes.shown), [
        "echo: the answer is larger",
        "echo: the answer is larger",
        "send: the answer is larger"
      ])
      // the call that is not idempotent was sent once
      assert.strictEqual(never.sent.flat().filter(({ idempotent }) => idempotent === false).length, 1)
    })
  )

  it.effect("are not confused with a question that is too large by itself", () =>
    Effect.gen(function* () {
      const reason = new JsonRpcError.RemoteError({ code: -32005, message: "query returned more than 10000 results" })
      assert.strictEqual(reason.kind, "tooLarge")
      const node = nodeOf((calls) => calls.map((call, n) => (n === 0 ? failing(call, reason) : echo(call))))
      const outcomes = yield* Batching.make()(node.transport).callAll(calls(2))
      assert.deepStrictEqual(outcomes.map(Nodes.shown), [`echo: ${reason.message} (code -32005)`, 1])
      assert.deepStrictEqual(node.sizes(), [2])
    })
  )
})

it.effect("a transport that gives too few outcomes fails the calls without one, and no other", () =>
  Effect.gen(function* () {
    const node = nodeOf((calls) => calls.slice(0, 1).map(echo))
    const outcomes = yield* Batching.make()(node.transport).callAll(calls(2))
    assert.deepStrictEqual(outcomes.map(Nodes.shown), [0, "echo: no answer to this call in the answer to the batch"])
  })
)
