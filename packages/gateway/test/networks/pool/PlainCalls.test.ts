/** The plain form of a pool's calls: when it is used, and that it ends like the form with an Effect. */
import { assert, describe, it } from "@effect/vitest"
import type { Upstream, UpstreamPool } from "@plumbline/gateway"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import * as PlainWay from "../../support/plainWay.ts"
import { answerOf, error, fault, type Node, node, pool, quiet, refused } from "../../support/poolNodes.ts"

/** A pool whose nodes have the plain form, and the counts of the ways that its calls went. */
const plainPool = Effect.fnUntraced(function* (
  nodes: ReadonlyArray<Node>,
  options: Partial<UpstreamPool.PoolOptions> = {},
  members: ReadonlyArray<Partial<UpstreamPool.PoolNode>> = []
) {
  const made = yield* pool(
    yield* Effect.forEach(nodes, (each) =>
      Effect.map(PlainWay.withPlain(each.upstream), (upstream) => ({ ...each, upstream }))
    ),
    options,
    members
  )
  const counts: PlainWay.Counts = { plain: 0, other: 0 }
  return { pool: made, counts, upstream: PlainWay.through("plain", made, counts) }
})

const refusedLate = fault({ _tag: "Unreachable", code: "UND_ERR_SOCKET" })

const callsOf = (upstream: Upstream.Upstream) => upstream.health!().map(({ calls }) => calls)

describe("a plain call of a pool", () => {
  it.effect("is one call to the first node, which is counted once", () =>
    Effect.gen(function* () {
      const [first, second] = [node('"0x1"'), node('"0x2"')]
      const { counts, pool, upstream } = yield* plainPool([first, second])
      assert.strictEqual(yield* answerOf(upstream.call("eth_gasPrice", [])), '"0x1"')
      assert.deepStrictEqual([first.asked, second.asked], [["eth_gasPrice"], []])
      assert.deepStrictEqual(callsOf(pool), [1, 0])
      assert.deepStrictEqual(counts, { plain: 1, other: 0 })
    }).pipe(Effect.scoped)
  )

  it.effect("goes on to the next node after a fault, which counts once, and asks no node twice", () =>
    Effect.gen(function* () {
      const [first, second] = [node(refused), node('"0x2"')]
      const { counts, pool, upstream } = yield* plainPool([first, second], { failures: 2 })
      assert.strictEqual(yield* answerOf(upstream.call("eth_gasPrice", [])), '"0x2"')
      assert.deepStrictEqual([first.asked, second.asked], [["eth_gasPrice"], ["eth_gasPrice"]])
      assert.deepStrictEqual(
        pool.health!().map(({ faults, state }) => [faults, state]),
        [
          [1, "untried"],
          [0, "up"]
        ]
      )
      assert.deepStrictEqual(counts, { plain: 1, other: 0 })
    }).pipe(quiet, Effect.scoped)
  )

  it.effect("fails with the error of the node, and with the fault of a call that may have taken effect", () =>
    Effect.gen(function* () {
      const reverted = error(3, "execution reverted")
      const [first, second] = [node(reverted), node('"0x2"')]
      const { upstream } = yield* plainPool([first, second])
      assert.deepStrictEqual(yield* answerOf(upstream.call("eth_call", [{}, "latest"])), reverted)
      first.behaviour = () => Effect.fail(refusedLate)
      assert.deepStrictEqual(yield* answerOf(upstream.call("eth_sendTransaction", [{}])), refusedLate.reason)
      assert.deepStrictEqual(second.asked, [])
    }).pipe(quiet, Effect.scoped)
  )

  it.effect("asks another node for what is null, or below a head that a caller has seen", () =>
    Effect.gen(function* () {
      const [first, second] = [node("null"), node("null")]
      const { counts, upstream } = yield* plainPool([first, second])
      const head = (number: string) => `"${number}"`
      first.behaviour = () => head("0x10")
      assert.strictEqual(yield* answerOf(upstream.call("eth_blockNumber", [])), head("0x10"))
      first.behaviour = () => head("0xf")
      second.behaviour = () => head("0x11")
      assert.strictEqual(yield* answerOf(upstream.call("eth_blockNumber", [])), head("0x11"))
      assert.strictEqual(counts.other, 0)
    }).pipe(quiet, Effect.scoped)
  )

  it.effect("ends at the time of a try, and the next node answers", () =>
    Effect.gen(function* () {
      const [first, second] = [node("hangs"), node('"0x2"')]
      const { upstream } = yield* plainPool([first, second], { timeout: 8000, tryTimeout: 2000 })
      const fiber = yield* Effect.forkChild(answerOf(upstream.call("eth_gasPrice", [])), { startImmediately: true })
      yield* TestClock.adjust(1999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* Fiber.join(fiber), '"0x2"')
    }).pipe(quiet, Effect.scoped)
  )

  it.effect("that is given up after a long wait has its node probed", () =>
    Effect.gen(function* () {
      const hanging = node("hangs")
      const { upstream } = yield* plainPool([hanging], { timeout: 60_000, tryTimeout: 60_000 })
      const fiber = yield* Effect.forkChild(answerOf(upstream.call("eth_gasPrice", [])), { startImmediately: true })
      yield* TestClock.adjust(5000)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(hanging.asked, ["eth_gasPrice", "eth_blockNumber"])
    }).pipe(quiet, Effect.scoped)
  )

  it.effect("is an effect where something comes before it: a budget, a hedge, a quorum, a node that is down", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<
        readonly [Partial<UpstreamPool.PoolOptions>, ReadonlyArray<Partial<UpstreamPool.PoolNode>>]
      > = [
        [{}, [{ requestsPerSecond: 5 }]],
        [{ hedge: { percentile: 90, minimum: 100, most: 1 } }, []],
        [{ quorum: { methods: ["eth_gasPrice"], agree: 2, of: 2 } }, []],
        [{ chain: { method: "eth_chainId", id: 1 } }, []]
      ]
      for (const [options, members] of cases) {
        const never = node((method) => (method === "eth_chainId" ? "hangs" : '"0x1"'))
        const { counts, upstream } = yield* plainPool([never, node('"0x1"')], options, members)
        const fiber = yield* Effect.forkChild(answerOf(upstream.call("eth_gasPrice", [])), { startImmediately: true })
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual(yield* Fiber.join(fiber), '"0x1"')
        assert.deepStrictEqual(counts, { plain: 0, other: 1 })
      }
    }).pipe(quiet, Effect.scoped)
  )
})
