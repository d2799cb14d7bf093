/**
 * Whole services that are killed while clients call them. `pnpm lab metering-crashes --service` kills a hundred services
 * with each kind of state.
 */
import { assert, describe, it } from "@effect/vitest"
import { Accounts, MeteringStore } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Layer } from "effect"

import * as Databases from "./support/databases.ts"
import * as Crashes from "./support/serviceCrashes.ts"

describe.each(Databases.durableKinds)("a service over $name, durable as $durability", (kind) => {
  it.live.skipIf(kind.skipped)(
    "that is killed has metered every call that it answered, at its price, and none twice",
    () =>
      Effect.gen(function* () {
        const { layer, place } = yield* kind.fresh
        const report = yield* Crashes.crash({
          durability: kind.durability,
          place,
          kills: Random.runs(Random.sized(3)),
          random: Random.make(24)
        }).pipe(Effect.provide(Layer.merge(Accounts.layer(), MeteringStore.layer()).pipe(Layer.provideMerge(layer))))
        assert.deepStrictEqual(report.flaws, [])
        assert.isAbove(report.acknowledged, 0)
        assert.isAtLeast(report.stored, report.acknowledged)
        assert.isAtMost(report.stored, report.sent)
      }).pipe(Effect.scoped)
  )
})
