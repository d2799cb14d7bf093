/** Nodes that accept calls and never answer: how long a caller waits. */
import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { UpstreamError, UpstreamPool } from "@plumbline/gateway"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

const hanging = { call: () => Effect.never }

/** Returns the milliseconds until a call fails, and the reason. */
const waited = Effect.fnUntraced(function* (call: Effect.Effect<unknown, unknown>) {
  const began = yield* Clock.currentTimeMillis
  const fiber = yield* Effect.forkChild(
    Effect.flatMap(Effect.flip(call), (error) =>
      Effect.map(Clock.currentTimeMillis, (now) => [now - began, error] as const)
    )
  )
  yield* TestClock.adjust("60 seconds")
  const [millis, error] = yield* Fiber.join(fiber)
  assert.instanceOf(error, UpstreamError.UpstreamError)
  assert.strictEqual(error.reason._tag, "TimedOut")
  return millis
})

describe("a call while all nodes hang", () => {
  for (const count of [1, 2, 4]) {
    it.effect(`waits no longer than the settings say, with ${count} of them`, () =>
      Effect.gen(function* () {
        const members = Array.from({ length: count }, (_, index) => ({ name: `node-${index}`, upstream: hanging }))
        const usual = yield* UpstreamPool.make(members, { methods: EthMethods.group, failures: 100 })
        assert.strictEqual(yield* waited(usual.call("eth_blockNumber", [])), 20_000)
        const set = yield* UpstreamPool.make(members, {
          methods: EthMethods.group,
          failures: 100,
          timeout: "5 seconds",
          tryTimeout: "2 seconds"
        })
        assert.strictEqual(yield* waited(set.call("eth_blockNumber", [])), 5000)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("waits 3 seconds once they are known to be down", () =>
    Effect.gen(function* () {
      const pool = yield* UpstreamPool.make([{ name: "a", upstream: hanging }], {
        methods: EthMethods.group,
        failures: 1,
        tryTimeout: "10 seconds"
      })
      yield* waited(pool.call("eth_blockNumber", []))
      assert.strictEqual(pool.health!()[0]!.state, "down")
      assert.strictEqual(yield* waited(pool.call("eth_blockNumber", [])), 3000)
    }).pipe(Effect.scoped)
  )
})
