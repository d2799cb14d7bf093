import { assert, describe, it } from "@effect/vitest"
import {
  Batching,
  CircuitBreaker,
  Dedupe,
  type Fallback,
  RateLimit,
  Retry,
  Stack,
  Timeout,
  Transport
} from "@plumbline/jsonrpc-core"
import { Clock, Context, Effect, Exit, Fiber, Layer, Metric, Random } from "effect"
import { TestClock } from "effect/testing"

import * as Nodes from "../support/nodes.ts"
import * as Scripted from "../support/scripted.ts"

type Service = Transport.Transport["Service"]

/** Runs a program for `seconds` seconds of the Clock, and returns its result for comparison. */
const within = <A, E>(seconds: number, program: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program, { startImmediately: true })
    yield* TestClock.adjust(seconds * 1000)
    const exit = fiber.pollUnsafe()
    assert(exit !== undefined && Exit.isSuccess(exit), "still waiting, or failed")
    return exit.value
  })

const now = Clock.currentTimeMillis

const askAll = (transport: Service, calls: ReadonlyArray<Transport.WireCall>) =>
  Effect.forEach(calls, (call) => Effect.map(Effect.result(transport.call(call)), Nodes.shown), {
    concurrency: "unbounded"
  })

const calls = (count: number): ReadonlyArray<Transport.WireCall> =>
  Array.from({ length: count }, (_, n) => Scripted.call("m", n))

/** Options of one node. They leave out the parts that a test does not need. */
const bare = { timeout: false, circuitBreaker: false, batching: false } as const
const nothingOver = { retry: false, dedupe: false, observe: false } as const

const stackOf = (script: Scripted.Scripted, node: Stack.StackNodeOptions, options: Stack.StackOptions): Service =>
  Stack.make([{ name: "a", transport: script.transport, ...bare, ...node }], { ...nothingOver, ...options })

/** Applies the same parts in another order, to show that the order matters. */
const inOrder = (script: Scripted.Scripted, ...middleware: ReadonlyArray<Transport.Middleware>): Service =>
  middleware.reduce((inner, outer) => outer(inner), script.transport)

const times = ({ packets }: Scripted.Scripted) => packets.map(({ at }) => at)
const sizes = ({ packets }: Scripted.Scripted) => packets.map(({ calls }) => calls.length)

const oncePerSecond: RateLimit.RateLimitOptions = { permits: 1, per: "1 second" }

describe("a silent node", () => {
  it.effect("is given up after two timeouts, and not after four", () =>
    Effect.gen(function* () {
      const script = Scripted.make(() => Effect.never)
      const node = { name: "a", transport: script.transport, circuitBreaker: false, batching: false } as const
      const { call } = Stack.make([node])
      const error = yield* within(61, Effect.flip(call(Scripted.call())))
      assert.strictEqual(error.message, "m: no answer within 30s")
      assert.lengthOf(script.packets, 2)
    })
  )
})

describe("the order around one node", () => {
  it.effect("the timeout does not measure the wait for a permit", () =>
    Effect.gen(function* () {
      const run = (make: (script: Scripted.Scripted) => Service) =>
        Effect.suspend(() => within(5, askAll(make(Nodes.saying("x")), calls(2))))
      const timeout = "500 millis"
      const stacked = yield* run((script) => stackOf(script, { timeout, rateLimit: oncePerSecond }, {}))
      assert.deepStrictEqual(stacked, ["x", "x"])
      const other = yield* run((script) => inOrder(script, RateLimit.make(oncePerSecond), Timeout.make(timeout)))
      assert.deepStrictEqual(other, ["x", "m: no answer within 500ms"])
    })
  )

  it.effect("the timeout does not measure the window of a packet", () =>
    Effect.gen(function* () {
      const run = (make: (script: Scripted.Scripted) => Service) =>
        Effect.suspend(() => within(5, askAll(make(Nodes.saying("x")), calls(1))))
      const batching = { window: "2 seconds" } as const
      assert.deepStrictEqual(yield* run((script) => stackOf(script, { timeout: "1 second", batching }, {})), ["x"])
      assert.deepStrictEqual(
        yield* run((script) => inOrder(script, Batching.make(batching), Timeout.make("1 second"))),
        ["m: no answer within 1s"]
      )
    })
  )

  it.effect("each half of a refused packet takes its permits", () =>
    Effect.gen(function* () {
      const refusing = () => Scripted.make(() => Effect.fail(Nodes.remote(-32600, "batch too large")))
      const rateLimit = { permits: 4, per: "1 second" } as const
      const right = refusing()
      yield* within(5, stackOf(right, { rateLimit, batching: {} }, {}).callAll(calls(2)))
      assert.deepStrictEqual(sizes(right), [2, 1, 1])
      const start = yield* now
      const more = refusing()
      yield* within(5, stackOf(more, { rateLimit, batching: {} }, {}).callAll(calls(4)))
      // The packet takes four permits, and further calls wait for new permits.
      assert.deepStrictEqual(
        more.packets.map(({ at, calls }) => [at - start, calls.length]),
        [
          [0, 4],
          [500, 2],
          [1000, 2],
          [1250, 1],
          [1500, 1],
          [1750, 1],
          [2000, 1]
        ]
      )
      const other = refusing()
      yield* within(5, inOrder(other, Batching.make(), RateLimit.make(rateLimit)).callAll(calls(4)))
      assert.deepStrictEqual(new Set(times(other)).size, 1)
    })
  )

  it.effect("an open circuit spends no permit", () =>
    Effect.gen(function* () {
      const run = (make: (script: Scripted.Scripted) => Service) =>
        Effect.gen(function* () {
          const start = yield* now
          const script = Scripted.inOrder(Effect.fail(Scripted.refused()), Effect.succeed("x"))
          const transport = make(script)
          yield* within(1, askAll(transport, calls(1)))
          yield* within(1, askAll(transport, calls(3)))
          // The cooldown is over, but there are few new permits.
          yield* TestClock.adjust("8 seconds")
          yield* within(3600, askAll(transport, calls(1)))
          return times(script).map((at) => at - start)
        })
      const rateLimit = { permits: 4, per: "10 hours" } as const
      const circuitBreaker = { failures: 1, cooldown: "10 seconds" } as const
      assert.deepStrictEqual(yield* run((script) => stackOf(script, { rateLimit, circuitBreaker }, {})), [0, 10_000])
      const other = yield* Effect.exit(
        run((script) => inOrder(script, CircuitBreaker.make(circuitBreaker), RateLimit.make(rateLimit)))
      )
      // In this order, calls take permits even while the circuit is open. So the last call waits for new permits.
      assert.isTrue(Exit.isFailure(other))
    })
  )

  it.effect("a packet that fails is one failure for the circuit", () =>
    Effect.gen(function* () {
      const run = (make: (script: Scripted.Scripted) => Service) =>
        Effect.gen(function* () {
          const script = Scripted.make((_, nth) => (nth < 10 ? Effect.fail(Scripted.refused()) : Effect.succeed("x")))
          const transport = make(script)
          yield* within(1, askAll(transport, calls(10)))
          return yield* within(1, askAll(transport, calls(1)))
        })
      const circuitBreaker = { failures: 3, cooldown: "1 minute" } as const
      assert.deepStrictEqual(yield* run((script) => stackOf(script, { circuitBreaker, batching: {} }, {})), ["x"])
      assert.deepStrictEqual(
        yield* run((script) => inOrder(script, Batching.make(), CircuitBreaker.make(circuitBreaker))),
        ["m: the circuit is open (failures in a row: 3)"]
      )
    })
  )

  it.effect("packets are no larger than what the rate limit lets go at once", () =>
    Effect.gen(function* () {
      const run = (make: (script: Scripted.Scripted) => Service) =>
        Effect.gen(function* () {
          const start = yield* now
          const ends: Array<number> = []
          const transport = make(Nodes.saying("x"))
          const program = Effect.forEach(
            calls(4),
            (call) => Effect.map(Effect.andThen(transport.call(call), now), (end) => ends.push(end - start)),
            { concurrency: "unbounded", discard: true }
          )
          yield* within(10, program)
          return ends
        })
      const rateLimit = { permits: 2, per: "1 second" } as const
      assert.deepStrictEqual(
        yield* run((script) => stackOf(script, { rateLimit, batching: {} }, {})),
        [0, 0, 1000, 1000]
      )
      assert.deepStrictEqual(
        yield* run((script) => inOrder(script, RateLimit.make(rateLimit), Batching.make())),
        [1000, 1000, 1000, 1000]
      )
    })
  )
})

describe("the order over the nodes", () => {
  it.effect("each try takes a permit", () =>
    Effect.gen(function* () {
      const failing = () => Nodes.failing(Scripted.refused())
      const retry = { times: 2, initial: "1 millis" } as const
      const right = failing()
      yield* within(10, askAll(stackOf(right, { rateLimit: oncePerSecond }, { retry }), calls(1)))
      assert.deepStrictEqual(times(right), [0, 1000, 2000])
      const other = failing()
      yield* within(10, askAll(inOrder(other, Retry.make(retry), RateLimit.make(oncePerSecond)), calls(1)))
      assert.strictEqual(times(other).length, 3)
      assert.isBelow(times(other)[2]! - times(other)[0]!, 10)
    })
  )

  it.effect("of a packet only the calls that failed wait and go again, with what is asked by then", () =>
    Effect.gen(function* () {
      const run = (make: (script: Scripted.Scripted) => Service) =>
        Effect.gen(function* () {
          const script = Scripted.make(({ params: [n] }, nth) =>
            n === 1 && nth < 3 ? Effect.fail(Scripted.limited("1 second")) : Effect.succeed(n)
          )
          const transport = make(script)
          const fibers = yield* Effect.forEach(calls(3), (call) =>
            Effect.forkChild(transport.call(call), { startImmediately: true })
          )
          yield* TestClock.adjust("100 millis")
          const early = fibers.map((fiber) => fiber.pollUnsafe() !== undefined)
          yield* TestClock.adjust("905 millis")
          yield* Effect.forkChild(transport.call(Scripted.call("m", "later")), { startImmediately: true })
          yield* TestClock.adjust("5 seconds")
          assert.deepStrictEqual(yield* Fiber.joinAll(fibers), [0, 1, 2])
          return [early, ...script.packets.map(({ calls }) => calls.map((call) => call.params[0]))]
        })
      const batching = { window: "10 millis" } as const
      const retry = { initial: 0 } as const
      assert.deepStrictEqual(yield* run((script) => stackOf(script, { batching }, { retry })), [
        [true, false, true],
        [0, 1, 2],
        ["later", 1]
      ])
      assert.deepStrictEqual(yield* run((script) => inOrder(script, Retry.make(retry), Batching.make(batching))), [
        [false, false, false],
        [0, 1, 2],
        [1],
        ["later"]
      ])
    })
  )

  it.effect("the next node is asked before anybody waits", () =>
    Effect.gen(function* () {
      for (const over of overs(1).slice(0, 2)) {
        const start = yield* now
        const { nodes, times } = Nodes.of(Nodes.failing(Scripted.limited("5 seconds")), Nodes.saying("b"))
        assert.deepStrictEqual(yield* within(0, askAll(Stack.make(nodes.map(plain), over), calls(1))), ["b"])
        assert.deepStrictEqual(times(), [[start], [start]])
      }
    })
  )

  it.effect("the error of a stack names the node, through all of its parts", () =>
    Effect.gen(function* () {
      const sources = [
        { name: "own", transport: Effect.succeed(Nodes.failing(Scripted.refused()).transport) },
        { name: "rented", transport: Effect.succeed(Nodes.failing(Scripted.malformed()).transport) }
      ]
      for (const options of [{}, { hedge: { delay: "1 second" } }] as const) {
        const call = Transport.Transport.use(({ call }) => call(Scripted.call()))
        const failed = Effect.flip(Effect.provide(call, Stack.layer(sources, { retry: false, ...options })))
        const error = yield* within(60, failed)
        assert.strictEqual(error.node, "rented")
        assert.strictEqual(error.message, "m: the answer is HTML, not JSON (node rented)")
      }
    })
  )

  it.effect("when all nodes failed all are tried again", () =>
    Effect.gen(function* () {
      const { nodes, times } = Nodes.of(
        Scripted.inOrder(Effect.fail(Scripted.limited("1 second")), Effect.succeed("a")),
        Nodes.failing(Scripted.refused())
      )
      const transport = Stack.make(nodes.map(plain), { retry: { times: 1, initial: 0 } })
      assert.deepStrictEqual(yield* within(1, askAll(transport, calls(1))), ["a"])
      assert.deepStrictEqual(times(), [[0, 1000], [0]])
    })
  )

  it.effect("under a quorum each node is tried again by itself", () =>
    Effect.gen(function* () {
      const { nodes, sizes } = Nodes.of(
        Scripted.inOrder(Effect.fail(Scripted.refused()), Effect.succeed("x")),
        Nodes.saying("x"),
        Nodes.failing(Scripted.reverted())
      )
      const transport = Stack.make(nodes.map(plain), { quorum: { needed: 2 }, retry: { times: 1 } })
      assert.deepStrictEqual(yield* within(1, askAll(transport, calls(1))), ["x"])
      assert.deepStrictEqual(sizes(), [[1, 1], [1], [1]])
    })
  )

  it.effect("a hedge takes one permit of each node that is asked", () =>
    Effect.gen(function* () {
      const slow = () => Nodes.always(Effect.delay(Effect.succeed("x"), "1 second"))
      const { nodes, sizes } = Nodes.of(slow(), slow(), slow())
      const rateLimit = { permits: 1, per: "1 hour", maxWaiting: 0 } as const
      const transport = Stack.make(
        nodes.map((node) => ({ ...plain(node), rateLimit })),
        { hedge: { delay: "600 millis" }, retry: false }
      )
      assert.deepStrictEqual(yield* within(2, askAll(transport, calls(1))), ["x"])
      assert.deepStrictEqual(sizes(), [[1], [1], []])
      // Only the third node has a permit left: the other nodes fail at once, and the third is asked.
      assert.deepStrictEqual(yield* within(2, askAll(transport, calls(1))), ["x"])
      assert.deepStrictEqual(sizes(), [[1], [1], [1]])
    })
  )

  it.effect("what is too much for one node goes to the next, where nobody may wait", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(Nodes.saying("a"), Nodes.saying("b"))
      const transport = Stack.make(
        nodes.map((node, index) => ({
          ...plain(node),
          rateLimit: index === 0 && { permits: 2, per: "1 hour", maxWaiting: 0 }
        }))
      )
      assert.deepStrictEqual(yield* within(0, askAll(transport, calls(4))), ["a", "a", "b", "b"])
    })
  )

  it.effect("callers who ask the same share one place in a packet, one permit and one wait", () =>
    Effect.gen(function* () {
      const flaky = () => Scripted.inOrder(Effect.fail(Scripted.refused()), Effect.succeed("x"))
      const rateLimit = { permits: 10, per: "1 hour" } as const
      const same = () => [...calls(1), ...calls(1), ...calls(1)]
      const script = flaky()
      const transport = stackOf(script, { rateLimit, batching: {} }, { retry: {}, dedupe: true })
      assert.deepStrictEqual(yield* within(1, askAll(transport, same())), ["x", "x", "x"])
      assert.deepStrictEqual(sizes(script), [1, 1])
      const other = flaky()
      const shuffled = inOrder(other, Dedupe.make(), Batching.make(), Retry.make())
      assert.deepStrictEqual(yield* within(1, Random.withSeed(askAll(shuffled, same()), "seed")), ["x", "x", "x"])
      // The three calls are one packet and fail together, but each call waits and tries again separately.
      assert.isAbove(times(other).length, 2)
    })
  )

  it.effect("what is observed is what the program asked", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(Effect.fail(Scripted.refused()), Effect.succeed("x"))
      const transport = stackOf(script, {}, { retry: {}, dedupe: true, observe: { name: "all" } })
      const snapshot = yield* within(
        5,
        Effect.andThen(askAll(transport, [...calls(1), ...calls(1)]), Metric.snapshot)
      ).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
      const counts = snapshot.filter(({ id }) => id === "rpc.client.calls")
      assert.deepStrictEqual(
        counts.map(({ attributes, state }) => [attributes, state]),
        [
          [
            { "rpc.system.name": "jsonrpc", "service.peer.name": "all", "rpc.method": "m", outcome: "ok" },
            { count: 2, incremental: true }
          ]
        ]
      )
    })
  )
})

const overs = (needed: number): ReadonlyArray<Stack.StackOptions> => [
  {},
  { hedge: { delay: "1 second" } },
  { quorum: { needed } }
]

/** Returns a node whose stack does not gather packets, so that its times are easy to read. */
const plain = (node: Fallback.NamedTransport): Stack.StackNode => ({ ...node, batching: false })

describe("a stack", () => {
  it.effect("is a good client without any options", () =>
    Effect.gen(function* () {
      const { nodes, sizes } = Nodes.of(
        Scripted.make((_, nth) => (nth < 6 ? Effect.never : Effect.succeed("a"))),
        Scripted.make((_, nth) => (nth < 2 ? Effect.fail(Scripted.limited("2 seconds")) : Effect.succeed("b")))
      )
      const transport = Stack.make(nodes)
      // The first node is silent for 30 seconds, the second asks for a wait of two seconds, then the first is silent
      // again.
      assert.deepStrictEqual(yield* within(70, askAll(transport, [...calls(2), ...calls(2)])), ["b", "b", "b", "b"])
      // Each call waits separately, so the second tries need not be in one packet.
      assert.deepStrictEqual(
        sizes().map((sizes) => [sizes[0], sizes.reduce((a, b) => a + b)]),
        [
          [2, 4],
          [2, 4]
        ]
      )
    })
  )

  it.effect("adds nothing when all is switched off", () =>
    Effect.gen(function* () {
      const script = Nodes.failing(Scripted.refused())
      const off = { timeout: false, rateLimit: false, circuitBreaker: false, batching: false } as const
      assert.strictEqual(Stack.node(script.transport, off), script.transport)
      const transport = Stack.make([{ name: "a", transport: script.transport, ...off }], nothingOver)
      assert.strictEqual(transport, script.transport)
    })
  )

  it.effect("carries packets through all of its parts", () =>
    Effect.gen(function* () {
      const reverting = Nodes.failing(Scripted.reverted())
      for (const options of overs(2)) {
        const { nodes } = Nodes.of(Scripted.echo(), Scripted.echo(), reverting)
        const transport = Stack.make(nodes, options)
        const outcomes = yield* within(
          5,
          transport.callAll([...calls(3), Scripted.once(), { method: "m", params: [1n] }])
        )
        assert.deepStrictEqual(outcomes.slice(0, 4).map(Nodes.shown), [[0], [1], [2], []])
      }
    })
  )

  it.effect("is interrupted down to the wire", () =>
    Effect.gen(function* () {
      for (const options of overs(1)) {
        for (const run of [
          (transport: Service) => askAll(transport, calls(2)),
          (transport: Service) => transport.callAll(calls(2))
        ]) {
          const { nodes, scripts } = Nodes.of(Nodes.always(Effect.never), Nodes.always(Effect.never))
          const fiber = yield* Effect.forkChild(run(Stack.make(nodes, options)), { startImmediately: true })
          yield* TestClock.adjust("2 seconds")
          assert.isAbove(scripts[0]!.count.inFlight, 0)
          yield* Fiber.interrupt(fiber)
          assert.deepStrictEqual(
            scripts.map(({ count }) => count.inFlight),
            [0, 0]
          )
        }
      }
    })
  )

  it.effect("comes as a layer, whose nodes live as long as it does", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const source = (name: string) => ({
        name,
        transport: Effect.acquireRelease(
          Effect.sync(() => (log.push(`${name} opened`), Nodes.saying(name).transport)),
          () => Effect.sync(() => void log.push(`${name} closed`))
        )
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const context = yield* Layer.build(Stack.layer([source("a"), source("b")], { dedupe: false }))
          const transport = Context.get(context, Transport.Transport)
          assert.strictEqual(yield* transport.call(Scripted.call()), "a")
          assert.deepStrictEqual(log, ["a opened", "b opened"])
        })
      )
      assert.deepStrictEqual(log, ["a opened", "b opened", "b closed", "a closed"])
    })
  )

  it.effect("of no nodes is a mistake of the program", () =>
    Effect.gen(function* () {
      for (const options of overs(1)) {
        assert.strictEqual(yield* Scripted.impossibleOption(() => Stack.make([], options)), "nodes")
      }
    })
  )

  it.effect("with an impossible option fails each call because of it, even if another node could answer", () =>
    Effect.gen(function* () {
      const impossible: ReadonlyArray<readonly [option: string, node: Stack.StackNodeOptions]> = [
        ["RateLimit", { rateLimit: { permits: 0, per: "1 second" } }],
        ["RateLimit.burst", { rateLimit: { permits: 1, per: "1 second", burst: 0 } }],
        ["RateLimit.burst", { rateLimit: { permits: 1, per: "1 second", burst: Number.NaN } }],
        ["CircuitBreaker.failures", { circuitBreaker: { failures: 0 } }],
        ["Batching.size", { batching: { size: 0 } }],
        ["Batching.size", { batching: { size: 0 }, rateLimit: { permits: 1, per: "1 second" } }]
      ]
      for (const [option, node] of impossible) {
        const found = yield* Scripted.impossibleOption((transport) =>
          Stack.make([
            { name: "a", transport, ...node },
            { name: "b", transport }
          ])
        )
        assert.strictEqual(found, option)
      }
    })
  )
})
