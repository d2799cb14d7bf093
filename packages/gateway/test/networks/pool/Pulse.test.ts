/** Nodes that die while no caller asks them. */
import { assert, describe, it } from "@effect/vitest"
import type { Upstream } from "@plumbline/gateway"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { type Answer, node, pool, quiet, refused } from "../../support/poolNodes.ts"

const states = (upstream: Upstream.Upstream) => upstream.health?.().map(({ state }) => state)
const deaths: ReadonlyArray<readonly [how: string, death: Answer, millis: number]> = [
  ["refuses connections", refused, 2750],
  ["hangs", "hangs", 4750]
]

describe("a node of a pool with a pulse", () => {
  for (const [how, death, millis] of deaths) {
    it.effect(`is down within seconds in a quiet moment if it ${how}, and up again when it answers`, () =>
      Effect.gen(function* () {
        const nodes = [node('"0x1"'), node('"0x1"')]
        const upstream = yield* pool(nodes, { pulse: "2 seconds" })
        yield* TestClock.adjust("30 seconds")
        assert.deepStrictEqual(states(upstream), ["up", "up"])
        assert.isAtMost(nodes[0]!.asked.length, 14, "one call in each time of silence")
        nodes[0]!.behaviour = () => death
        yield* TestClock.adjust(millis)
        assert.deepStrictEqual(states(upstream), ["down", "up"])
        nodes[0]!.behaviour = () => '"0x1"'
        yield* TestClock.adjust("13 seconds")
        assert.deepStrictEqual(states(upstream), ["up", "up"])
      }).pipe(Effect.scoped, quiet)
    )
  }

  it.effect("is not down if it is only slow, or answers one of several probes", () =>
    Effect.gen(function* () {
      let calls = 0
      const slow = node(() => Effect.delay(Effect.succeed('"0x1"'), 1900))
      const lossy = node(() => (++calls % 3 === 0 ? '"0x1"' : "hangs"))
      const upstream = yield* pool([slow, lossy], { pulse: "2 seconds" })
      for (let second = 0; second < 60; second++) {
        yield* TestClock.adjust("1 second")
        assert.isFalse(states(upstream)?.includes("down"))
      }
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("is not down after a single fault", () =>
    Effect.gen(function* () {
      let calls = 0
      const upstream = yield* pool([node(() => (++calls === 2 ? refused : '"0x1"'))], { pulse: "2 seconds" })
      yield* TestClock.adjust("60 seconds")
      assert.isAbove(calls, 5)
      assert.deepStrictEqual(states(upstream), ["up"])
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("is not probed while it answers callers", () =>
    Effect.gen(function* () {
      const own = node('"0x1"')
      const upstream = yield* pool([own], { pulse: "2 seconds" })
      for (let second = 0; second < 60; second++) {
        yield* TestClock.adjust("1 second")
        yield* upstream.call("eth_chainId", [])
      }
      assert.isFalse(own.asked.includes("eth_blockNumber"))
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("spends a tenth of its daily budget on probes at most", () =>
    Effect.gen(function* () {
      const bounded = node('"0x1"')
      yield* pool([bounded], { pulse: "2 seconds" }, [{ requestsPerDay: 10_000 }])
      yield* TestClock.adjust("1 hour")
      assert.isAtMost(bounded.asked.length, 42)
      assert.isAtLeast(bounded.asked.length, 38)
    }).pipe(Effect.scoped, quiet)
  )
})
