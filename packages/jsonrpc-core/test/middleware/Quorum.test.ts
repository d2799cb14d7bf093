import { assert, describe, it } from "@effect/vitest"
import { type Fallback, JsonRpcError, Quorum, type Transport } from "@plumbline/jsonrpc-core"
import { Effect, Fiber } from "effect"

import * as Nodes from "../support/nodes.ts"
import * as Scripted from "../support/scripted.ts"

const { failing, remote, saying } = Nodes
const silent = () => Nodes.always(Effect.never)

const ask = (nodes: ReadonlyArray<Fallback.NamedTransport>, needed: number, call = Scripted.call()) =>
  Effect.map(Effect.result(Quorum.make(nodes, { needed }).call(call)), Nodes.shown)

/** Returns the answers of nodes that did not agree. */
const disagreement = (nodes: ReadonlyArray<Fallback.NamedTransport>, options: Quorum.QuorumOptions) =>
  Effect.map(Effect.flip(Quorum.make(nodes, options).call(Scripted.call())), ({ reason }) => {
    assert(reason._tag === "DisagreementError")
    return reason
  })

describe("agreement", () => {
  it.effect("is what enough nodes say, whoever says otherwise", () =>
    Effect.gen(function* () {
      for (const order of [
        ["liar", "truth", "truth"],
        ["truth", "liar", "truth"],
        ["truth", "truth", "liar"]
      ]) {
        const { nodes } = Nodes.of(...order.map(saying))
        assert.strictEqual(yield* ask(nodes, 2), "truth")
      }
    })
  )

  it.effect("is given as the first of them wrote it", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(
        saying({ to: null, hash: "0xAB" }),
        saying({ hash: "0xab", to: null }),
        saying({ hash: "0xaB" })
      )
      assert.deepStrictEqual(yield* ask(nodes, 2), { to: null, hash: "0xAB" })
    })
  )

  it.effect("asks all at the same time, ends as soon as it is there, and interrupts the rest", () =>
    Effect.gen(function* () {
      const { nodes, scripts } = Nodes.of(silent(), saying("x"), silent(), saying("x"))
      assert.strictEqual(yield* ask(nodes, 2), "x")
      assert.deepStrictEqual(
        scripts.map(({ count, packets }) => [packets.length, count.inFlight, count.interrupted]),
        [
          [1, 0, 1],
          [1, 0, 0],
          [1, 0, 1],
          [1, 0, 0]
        ]
      )
    })
  )

  it.effect("may be on null", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(saying(null), saying("x"), saying(null))
      assert.isNull(yield* ask(nodes, 2))
    })
  )

  it.effect("is not disturbed by faults", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(failing(Scripted.refused()), saying("x"), failing(Scripted.malformed()), saying("x"))
      assert.strictEqual(yield* ask(nodes, 2), "x")
    })
  )

  it.effect("is on what the caller says two results have to share", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(
        saying({ hash: "0x1", totalDifficulty: "0x2" }),
        saying({ hash: "0x1", totalDifficulty: null }),
        saying({ hash: "0x2" })
      )
      const canonical: Quorum.QuorumOptions["canonical"] = (result, call) =>
        `${call.method} ${(result as { readonly hash: string }).hash}`
      assert.deepStrictEqual(yield* Quorum.make(nodes, { needed: 2, canonical }).call(Scripted.call()), {
        hash: "0x1",
        totalDifficulty: "0x2"
      })
      assert.strictEqual((yield* disagreement(nodes, { needed: 2 })).needed, 2)
    })
  )

  it.effect("needs a number of nodes that there are", () =>
    Effect.gen(function* () {
      for (const needed of [0, -1, 3, 1.5, Number.NaN]) {
        const option = yield* Scripted.impossibleOption((transport) =>
          Quorum.make(
            [
              { name: "a", transport },
              { name: "b", transport }
            ],
            { needed }
          )
        )
        assert.strictEqual(option, "Quorum.needed")
      }
      assert.strictEqual(yield* Scripted.impossibleOption(() => Quorum.make([], { needed: 1 })), "nodes")
    })
  )
})

describe("agreement on an error", () => {
  const revertedWith = (message: string, data: unknown) => new JsonRpcError.RemoteError({ code: 3, message, data })

  it.effect("is an answer: the first of the errors that agree by code and kind", () =>
    Effect.gen(function* () {
      const first = revertedWith("execution reverted: a", "0x01")
      const { nodes } = Nodes.of(failing(first), saying("x"), failing(revertedWith("execution reverted", "0x")))
      const error = yield* Effect.flip(Quorum.make(nodes, { needed: 2 }).call(Scripted.call()))
      assert.strictEqual(error.reason, first)
    })
  )

  it.effect("is none when the codes or the kinds are others", () =>
    Effect.gen(function* () {
      for (const [one, other] of [
        [remote(-32000, "execution reverted"), remote(3, "execution reverted")],
        [remote(-32000, "execution reverted"), remote(-32000, "nonce too low")]
      ] as const) {
        const { nodes } = Nodes.of(failing(one), failing(other))
        assert.strictEqual((yield* disagreement(nodes, { needed: 2 })).answers.length, 2)
      }
    })
  )

  it.effect("that says more about the nodes counts only where nothing better can be agreed on", () =>
    Effect.gen(function* () {
      const limited = () => failing(Scripted.limited())
      const few = Nodes.of(limited(), limited(), saying("x"), saying("x"))
      assert.strictEqual(yield* ask(few.nodes, 2), "x")
      const most = Nodes.of(limited(), limited(), silent())
      assert.strictEqual(yield* ask(most.nodes, 2), "m: project ID request rate exceeded (code -32005)")
      const behind = Nodes.of(failing(remote(-32000, "header not found")), saying("x"))
      assert.strictEqual(yield* ask(behind.nodes, 1), "x")
    })
  )

  it.effect("is never one on faults", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(failing(Scripted.refused()), failing(Scripted.refused()))
      assert.strictEqual((yield* disagreement(nodes, { needed: 1 })).answers.length, 2)
    })
  )
})

describe("disagreement", () => {
  it.effect("holds what each node said, by name", () =>
    Effect.gen(function* () {
      const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000))
      const { nodes } = Nodes.of(
        saying({ hash: "0x1" }),
        failing(Scripted.refused()),
        failing(Scripted.reverted()),
        saying(deep),
        silent()
      )
      const reason = yield* disagreement(nodes.slice(0, 4), { needed: 2 })
      assert.strictEqual(reason.needed, 2)
      assert.deepStrictEqual(reason.answers, [
        { node: "a", result: { hash: "0x1" } },
        { node: "b", error: "m: connection failed (ECONNREFUSED)" },
        { node: "c", error: "m: execution reverted (code 3)" },
        { node: "d", error: "a result that cannot be compared" }
      ])
      // The answers of the first three nodes all differ, so at most three of the five nodes can still agree.
      const early = yield* disagreement(nodes, { needed: 4 })
      assert.deepStrictEqual(early.answers.slice(2), [
        { node: "c", error: "m: execution reverted (code 3)" },
        { node: "d", error: "not waited for" },
        { node: "e", error: "not waited for" }
      ])
    })
  )

  it.effect("is told as soon as agreement is impossible, and the rest is interrupted", () =>
    Effect.gen(function* () {
      const { nodes, scripts } = Nodes.of(saying("x"), saying("y"), silent())
      const reason = yield* disagreement(nodes, { needed: 3 })
      assert.deepStrictEqual(reason.answers, [
        { node: "a", result: "x" },
        { node: "b", result: "y" },
        { node: "c", error: "not waited for" }
      ])
      assert.strictEqual(scripts[2]!.count.inFlight, 0)
      const open = Nodes.of(saying("x"), saying("y"), silent())
      const fiber = yield* Effect.forkChild(ask(open.nodes, 2), { startImmediately: true })
      assert.isUndefined(fiber.pollUnsafe())
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("takes a result on which the caller's function throws for no answer", () =>
    Effect.gen(function* () {
      const { nodes } = Nodes.of(saying("x"), saying("x"))
      const canonical = (): string => {
        throw new Error("broken")
      }
      assert.deepStrictEqual((yield* disagreement(nodes, { needed: 1, canonical })).answers, [
        { node: "a", error: "a result that cannot be compared" },
        { node: "b", error: "a result that cannot be compared" }
      ])
    })
  )
})

it.effect("a call that is not idempotent is the first node's alone", () =>
  Effect.gen(function* () {
    const { nodes, sizes } = Nodes.of(saying("a"), saying("b"), saying("b"))
    assert.strictEqual(yield* ask(nodes, 2, Scripted.once()), "a")
    const outcomes = yield* Quorum.make(nodes, { needed: 2 }).callAll([Scripted.call(), Scripted.once()])
    assert.deepStrictEqual(outcomes.map(Nodes.shown), ["b", "a"])
    assert.deepStrictEqual(sizes(), [[1, 2], [1], [1]])
  })
)

it.effect("of a packet each call is decided by itself", () =>
  Effect.gen(function* () {
    const answers = (same: unknown, other: unknown) =>
      Nodes.table({
        same: Effect.as(Effect.yieldNow, same),
        other: Effect.succeed(other),
        reverts: Effect.fail(Scripted.reverted())
      })
    const { nodes, sizes } = Nodes.of(answers("x", 1), answers("x", 2), answers("y", 3))
    const outcomes = yield* Quorum.make(nodes, { needed: 2 }).callAll(
      ["same", "other", "reverts"].map((key) => Scripted.call("m", key))
    )
    assert.deepStrictEqual(outcomes.map(Nodes.shown), [
      "x",
      "m: fewer than 2 of 3 nodes agree",
      "m: execution reverted (code 3)"
    ])
    assert.deepStrictEqual(sizes(), [[3], [3], [3]])
    assert.deepStrictEqual(yield* Quorum.make(nodes, { needed: 2 }).callAll([]), [])
  })
)

it.effect("interruption reaches all nodes", () =>
  Effect.gen(function* () {
    for (const run of [
      (transport: Transport.Transport["Service"]) => transport.call(Scripted.call()),
      (transport: Transport.Transport["Service"]) => transport.callAll([Scripted.call(), Scripted.call()])
    ]) {
      const { nodes, scripts } = Nodes.of(silent(), silent())
      const fiber = yield* Effect.forkChild(run(Quorum.make(nodes, { needed: 1 })), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(
        scripts.map(({ count }) => count),
        [
          { inFlight: 0, interrupted: 1 },
          { inFlight: 0, interrupted: 1 }
        ]
      )
    }
  })
)
