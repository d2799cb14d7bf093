import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { allForks } from "../support/networks.ts"
import * as Worlds from "../support/world.ts"

describe("LightClient", () => {
  it.effect("starts from a checkpoint and is at the present", () =>
    Effect.gen(function* () {
      const world = Worlds.world(allForks)
      yield* Worlds.setSlot(allForks, 500n)
      const light = yield* Worlds.follow({
        network: allForks,
        nodes: [Worlds.node(world, [40n])],
        options: { checkpoint: Worlds.checkpointAt(world, 40n) }
      })
      const heads = yield* light.heads
      assert.strictEqual(heads.optimistic.header.beacon.slot, 499n)
      assert.strictEqual(heads.finalized.header.beacon.slot, 480n)
    })
  )
})
