/** Reads that are sent to a second node, because the first one is slow. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { after, answerOf, type Node, node, pool, quiet, refused } from "../../support/poolNodes.ts"

/** A node that answers after a time that the test can change. It counts the calls that were given up. */
interface Slow extends Node {
  millis: number
  interrupted: number
}

const slow = (answer: string, millis: number): Slow => {
  const self: Slow = Object.assign(
    node(() =>
      Effect.onInterrupt(
        Effect.suspend(() => Effect.as(Effect.sleep(self.millis), answer)),
        () =>
          Effect.sync(() => {
            self.interrupted++
          })
      )
    ),
    { millis, interrupted: 0 }
  )
  return self
}

const hedge = { percentile: 90, minimum: "50 millis", most: 1 } as const

/** Makes a pool whose first node has answered `eth_gasPrice` sixteen times, each time after `millis`. */
const taught = Effect.fnUntraced(function* (millis: number, options: Parameters<typeof pool>[1] = { hedge }) {
  const nodes = [slow('"a"', millis), slow('"b"', 10), slow('"c"', 10)]
  const upstream = yield* pool(nodes, options)
  const ask = answerOf(upstream.call("eth_gasPrice", []))
  for (let count = 0; count < 16; count++) yield* after(ask, millis)
  return { nodes, upstream, ask }
})

describe("a slow answer", () => {
  it.effect("is hedged after what the method usually takes at that node, and the loser is given up", () =>
    Effect.gen(function* () {
      const { ask, nodes, upstream } = yield* taught(100)
      assert.deepStrictEqual(nodes[1]!.asked, [])
      nodes[0]!.millis = 5000
      const fiber = yield* Effect.forkChild(ask, { startImmediately: true })
      yield* TestClock.adjust(99)
      assert.deepStrictEqual(nodes[1]!.asked, [])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(nodes[1]!.asked, ["eth_gasPrice"])
      yield* TestClock.adjust(10)
      assert.strictEqual(yield* Fiber.join(fiber), '"b"')
      assert.deepStrictEqual([nodes[0]!.interrupted, nodes[1]!.interrupted], [1, 0])
      assert.deepStrictEqual(
        upstream.health!().map(({ hedges }) => hedges),
        [0, 1, 0]
      )
      // The first node can still answer before the second node, even after the second node was asked.
      nodes[0]!.millis = 105
      assert.strictEqual(yield* after(ask, 105), '"a"')
      assert.strictEqual(nodes[1]!.interrupted, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("of a fast method is hedged after the minimum, and of no method before it is known", () =>
    Effect.gen(function* () {
      const { ask, nodes, upstream } = yield* taught(1)
      nodes[0]!.millis = 5000
      const fiber = yield* Effect.forkChild(ask, { startImmediately: true })
      yield* TestClock.adjust(49)
      assert.deepStrictEqual(nodes[1]!.asked, [])
      yield* TestClock.adjust(11)
      assert.strictEqual(yield* Fiber.join(fiber), '"b"')
      assert.strictEqual(yield* after(answerOf(upstream.call("eth_chainId", [])), 5000), '"a"')
    }).pipe(Effect.scoped)
  )

  it.effect("is hedged at so many nodes at most, none of which is down", () =>
    Effect.gen(function* () {
      const { ask, nodes } = yield* taught(100, { hedge: { ...hedge, most: 2 }, failures: 1 })
      for (const each of nodes) each.millis = 5000
      const fiber = yield* Effect.forkChild(ask, { startImmediately: true })
      yield* TestClock.adjust(1000)
      assert.deepStrictEqual(
        nodes.map(({ asked }) => asked.length),
        [17, 1, 1]
      )
      yield* TestClock.adjust(4000)
      assert.strictEqual(yield* Fiber.join(fiber), '"a"')
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("that ends in a fault leaves the other nodes' answers", () =>
    Effect.gen(function* () {
      const { ask, nodes } = yield* taught(100)
      const broken = (millis: number) => () => Effect.andThen(Effect.sleep(millis), Effect.fail(refused))
      nodes[0]!.behaviour = broken(200)
      nodes[1]!.millis = 400
      assert.strictEqual(yield* after(ask, 500), '"c"')
      nodes[0]!.behaviour = broken(200)
      nodes[1]!.behaviour = broken(500)
      nodes[2]!.behaviour = broken(10)
      assert.deepStrictEqual(yield* after(ask, 1000), refused.reason)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("is never hedged if the call changes something, or unless it is wanted", () =>
    Effect.gen(function* () {
      const { nodes, upstream } = yield* taught(100)
      nodes[0]!.millis = 5000
      for (const method of ["eth_sendRawTransaction", "eth_sendTransaction"]) {
        assert.strictEqual(yield* after(answerOf(upstream.call(method, ["0x02c0"])), 5000), '"a"')
      }
      assert.deepStrictEqual(nodes[1]!.asked, [])
      const off = yield* taught(100, {})
      off.nodes[0]!.millis = 5000
      assert.strictEqual(yield* after(off.ask, 5000), '"a"')
    }).pipe(Effect.scoped, quiet)
  )
})
