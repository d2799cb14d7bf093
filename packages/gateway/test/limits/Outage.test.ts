/** The pauses after a failure of the limit store. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Random } from "effect"

import { LimiterError } from "../../src/limits/LimiterError.ts"
import { Outage } from "../../src/limits/outage.ts"

describe("a pause of the limit store", () => {
  it.effect("ends in time although the wall clock was set back an hour", () =>
    Effect.gen(function* () {
      const real = yield* Clock.Clock
      const random = yield* Random.Random
      let wall = 1_800_000_000_000
      let monotonic = 0n
      const clock: Clock.Clock = Object.assign(Object.create(real), {
        currentTimeMillisUnsafe: () => wall,
        monotonicTimeNanosUnsafe: () => monotonic
      })
      const outage = new Outage(clock, random)
      const error = new LimiterError({ reason: { _tag: "Unreachable", code: "ECONNREFUSED" } })
      assert.isUndefined(outage.begin())
      outage.failed(error)
      assert.strictEqual(outage.begin(), error)
      wall -= 60 * 60 * 1000
      monotonic += 300_000_000n
      assert.isUndefined(outage.begin())
    })
  )
})
