/** Kills processes while they record usage. `pnpm lab metering-crashes` kills a hundred processes for each database. */
import { assert, describe, it } from "@effect/vitest"
import { MeteringStore, UsageFigures } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Layer } from "effect"

import * as Databases from "../support/databases.ts"
import * as Crashes from "../support/meteringCrashes.ts"

describe.each(Databases.durableKinds)("a process that meters into $name, durable as $durability", (kind) => {
  it.live.skipIf(kind.skipped)("and is killed has stored every call that it acknowledged, whole, and none twice", () =>
    Effect.gen(function* () {
      const { layer, place } = yield* kind.fresh
      const { crashes, shared } = yield* Crashes.crash({
        durability: kind.durability,
        place,
        kills: Random.runs(Random.sized(4)),
        random: Random.make(9)
      }).pipe(
        Effect.provide(UsageFigures.layer().pipe(Layer.provide(MeteringStore.layer()), Layer.provideMerge(layer)))
      )
      for (const crash of crashes) {
        const about = JSON.stringify(crash)
        assert.deepStrictEqual([crash.lost, crash.doubled, crash.invented], [0, 0, 0], about)
        assert.isAbove(crash.acknowledged, 0, about)
        assert.isAtMost(crash.acknowledged, crash.stored, about)
        assert.isAtMost(crash.stored, crash.sent, about)
      }
      assert.strictEqual(shared, BigInt(crashes.reduce((sum, { stored }) => sum + stored, 0)))
    }).pipe(Effect.scoped)
  )
})
