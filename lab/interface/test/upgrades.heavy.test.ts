/** A short run of `pnpm lab upgrades`: two processes behind nginx, replaced one by one under load. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import * as Rolling from "../src/upgrades/rolling.ts"

describe(`a rolling upgrade${Rolling.skipped === undefined ? "" : ` (${Rolling.skipped})`}`, () => {
  it.live.skipIf(Rolling.skipped !== undefined)("loses no call, and meters exactly the acknowledged ones", () =>
    Effect.gen(function* () {
      const { acknowledged, lost, metered, replaced, why, wrong } = yield* Rolling.run({ upgrades: 1, clients: 10 })
      assert.deepStrictEqual([[...why], lost, wrong, replaced], [[], 0, 0, 2])
      assert.isAbove(acknowledged, 100)
      assert.strictEqual(metered, acknowledged)
    }).pipe(Effect.scoped)
  )
})
