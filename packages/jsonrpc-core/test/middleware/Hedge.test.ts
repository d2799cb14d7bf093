import { assert, describe, it } from "@effect/vitest"
import { Hedge, type JsonRpcError, type Transport } from "@plumbline/jsonrpc-core"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import * as Nodes from "../support/nodes.ts"
import * as Scripted from "../support/scripted.ts"

const { failing, remote, saying } = Nodes

const after = (millis: number, ending: Scripted.Ending) => Nodes.always(Effect.delay(ending, millis))

/** Runs a program for `millis` milliseconds of the Clock, and returns its result for comparison. */
const within = <A>(millis: number, program: Effect.Effect<A, JsonRpcError.JsonRpcError>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.result(program), { startImmediately: true })
    yield* TestClock.adjust(millis)
    const exit = fiber.pollUnsafe()
    if (exit === undefined) {
      yield* Fiber.interrupt(fiber)
      return "still waiting"
    }
    assert(exit._tag === "Success")
    return Nodes.shown(exit.value)
  })

const options = { delay: "100 millis" } as const

describe("the second node", () => {
  it.effect("is not asked when the first is quick enough", () =>
    Effect.gen(function* () {
      const { nodes, sizes } = Nodes.of(after(99, Effect.succeed("a")), saying("b"))
      assert.strictEqual(yield* within(99, Hedge.make(nodes, options).call(Scripted.call())), "a")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(sizes(), [[1], []])
    })
  )

  it.effect("is asked when the first is slow, and the first good answer counts", () =>
    Effect.gen(function* () {
      for (const [quick, slow, expected] of [
        [120, 50, "a"],
        [200, 50, "b"]
      ] as const) {
        const start = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        const { nodes, scripts, times } = Nodes.of(after(quick, Effect.succeed("a")), after(slow, Effect.succeed("b")))
        assert.strictEqual(yield* within(150, Hedge.make(nodes, options).call(Scripted.call())), expected)
        assert.deepStrictEqual(times(), [[start], [start + 100]])
        // The slower node's call was interrupted.
        assert.deepStrictEqual(
          scripts.map(({ count }) => count),
          expected === "a"
            ? [
                { inFlight: 0, interrupted: 0 },
                { inFlight: 0, interrupted: 1 }
              ]
            : [
                { inFlight: 0, interrupted: 1 },
                { inFlight: 0, interrupted: 0 }
              ]
        )
      }
    })
  )

  it.effect("is asked at once when the first fails with what another node may do better on", () =>
    Effect.gen(function* () {
      const { nodes, times } = Nodes.of(after(30, Effect.fail(Scripted.limited())), saying("b"))
      assert.strictEqual(yield* within(30, Hedge.make(nodes, options).call(Scripted.call())), "b")
      assert.deepStrictEqual(times(), [[0], [30]])
    })
  )

  it.effect("is not asked after an answer that is an error", () =>
    Effect.gen(function* () {
      const { nodes, sizes } = Nodes.of(failing(Scripted.reverted()), saying("b"))
      assert.strictEqual(
        yield* within(1000, Hedge.make(nodes, options).call(Scripted.call())),
        "m: execution reverted (code 3, node a)"
      )
      assert.deepStrictEqual(sizes()[1], [])
    })
  )

  it.effect("is asked after what the caller says instead", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(failing(Scripted.reverted()), saying("b"))
      const transport = Hedge.make(nodes, { ...options, when: ({ reason }) => reason._tag === "RemoteError" })
      assert.strictEqual(yield* within(0, transport.call(Scripted.call())), "b")
    })
  )

  it.effect("never sees a call that is not idempotent", () =>
    Effect.gen(function* () {
      const { nodes, sizes } = Nodes.of(after(500, Effect.fail(Scripted.limited())), saying("b"))
      const transport = Hedge.make(nodes, options)
      const said = "send: project ID request rate exceeded (code -32005, node a)"
      assert.strictEqual(yield* within(500, transport.call(Scripted.once())), said)
      assert.strictEqual(
        yield* within(
          500,
          Effect.map(transport.callAll([Scripted.once()]), (all) => Nodes.shown(all[0]!))
        ),
        said
      )
      assert.deepStrictEqual(sizes(), [[1, 1], []])
    })
  )

  it.effect("cannot be asked where there are no nodes: that is a mistake of the program", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Scripted.impossibleOption(() => Hedge.make([], options)), "nodes")
    })
  )
})

describe("further nodes", () => {
  it.effect("are asked after twice the delay and so on, each once", () =>
    Effect.gen(function* () {
      const silent = () => Nodes.always(Effect.never)
      const { nodes, times } = Nodes.of(silent(), silent(), silent())
      assert.strictEqual(yield* within(10_000, Hedge.make(nodes, options).call(Scripted.call())), "still waiting")
      assert.deepStrictEqual(times(), [[0], [100], [200]])
    })
  )

  it.effect("are asked at once as long as one fails after the other", () =>
    Effect.gen(function* () {
      const { nodes, times } = Nodes.of(failing(Scripted.refused()), failing(Scripted.malformed()), saying("c"))
      assert.strictEqual(yield* within(0, Hedge.make(nodes, options).call(Scripted.call())), "c")
      assert.deepStrictEqual(times(), [[0], [0], [0]])
    })
  )

  it.effect("are waited for when an earlier one fails late", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(after(150, Effect.fail(Scripted.refused())), after(100, Effect.succeed("b")))
      assert.strictEqual(yield* within(200, Hedge.make(nodes, options).call(Scripted.call())), "b")
    })
  )
})

it.effect("when all nodes fail, the most telling error counts", () =>
  Effect.gen(function* () {
    const behind = remote(-32000, "header not found")
    for (const [node, ...order] of [
      ["b", Scripted.refused(), behind, Scripted.limited()],
      ["a", behind, Scripted.limited(), Scripted.refused()]
    ] as const) {
      const { nodes } = Nodes.of(...order.map(failing))
      assert.strictEqual(
        yield* within(0, Hedge.make(nodes, options).call(Scripted.call())),
        `m: header not found (code -32000, node ${node})`
      )
    }
  })
)

describe("callAll", () => {
  const shownAll = Effect.map((outcomes: ReadonlyArray<Transport.WireOutcome>) => outcomes.map(Nodes.shown))
  const together = (...keys: ReadonlyArray<string>) => keys.map((key) => Scripted.call("m", key))

  it.effect("asks the second node for all when the first is slow", () =>
    Effect.gen(function* () {
      const { nodes, sizes, times } = Nodes.of(after(500, Effect.succeed("a")), saying("b"))
      const fiber = yield* Effect.forkChild(shownAll(Hedge.make(nodes, options).callAll(together("x", "y"))), {
        startImmediately: true
      })
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["b", "b"])
      assert.deepStrictEqual(sizes(), [[2], [2]])
      assert.deepStrictEqual(times(), [[0], [100]])
    })
  )

  it.effect("asks the second node for what the first failed on, and keeps the rest", () =>
    Effect.gen(function* () {
      const { nodes, scripts } = Nodes.of(
        Nodes.table({
          good: Effect.succeed("a"),
          bad: Effect.fail(Scripted.malformed()),
          reverts: Effect.fail(Scripted.reverted())
        }),
        saying("b")
      )
      const outcomes = yield* shownAll(Hedge.make(nodes, options).callAll(together("good", "bad", "reverts", "bad")))
      assert.deepStrictEqual(outcomes, ["a", "b", "m: execution reverted (code 3, node a)", "b"])
      assert.deepStrictEqual(
        scripts[1]!.packets.map(({ calls }) => calls.map((call) => call.params[0])),
        [["bad", "bad"]]
      )
    })
  )

  it.effect("leaves calls that are not idempotent to the first node", () =>
    Effect.gen(function* () {
      const { nodes, scripts } = Nodes.of(after(150, Effect.succeed("a")), saying("b"))
      const fiber = yield* Effect.forkChild(
        shownAll(Hedge.make(nodes, options).callAll([Scripted.once(), Scripted.call()])),
        { startImmediately: true }
      )
      yield* TestClock.adjust(100)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(50)
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["a", "b"])
      assert.deepStrictEqual(
        scripts[1]!.packets.map(({ calls }) => calls.map((call) => call.method)),
        [["m"]]
      )
    })
  )

  it.effect("takes no calls for what they are", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(saying("a"), saying("b"))
      assert.deepStrictEqual(yield* Hedge.make(nodes, options).callAll([]), [])
    })
  )
})

it.effect("interruption reaches all nodes that are asked", () =>
  Effect.gen(function* () {
    for (const run of [
      (transport: Transport.Transport["Service"]) => transport.call(Scripted.call()),
      (transport: Transport.Transport["Service"]) => transport.callAll([Scripted.call(), Scripted.call()])
    ]) {
      const silent = () => Nodes.always(Effect.never)
      const { nodes, scripts } = Nodes.of(silent(), silent(), silent())
      const fiber = yield* Effect.forkChild(run(Hedge.make(nodes, options)), { startImmediately: true })
      yield* TestClock.adjust(150)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        scripts.map(({ count, packets }) => [packets.length, count.inFlight, count.interrupted]),
        [
          [1, 0, 1],
          [1, 0, 1],
          [0, 0, 0]
        ]
      )
    }
  })
)
