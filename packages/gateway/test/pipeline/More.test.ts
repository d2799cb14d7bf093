/** Further credits for work that is under way: it waits for them instead of failing. */
import { assert, describe, it } from "@effect/vitest"
import { Limiter, LimiterStore, Metering, MeteringStore } from "@plumbline/gateway"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

import type { Project } from "../../src/accounts/Account.ts"
import * as Allowlist from "../../src/accounts/Allowlist.ts"
import * as Settlement from "../../src/pipeline/settlement.ts"

const project = (limits: Project["limits"]): Project => ({
  id: "p",
  account: "a",
  name: "p",
  suspended: false,
  secretRequired: false,
  allowlist: Allowlist.none,
  limits
})

const store: MeteringStore.UsageStore = {
  commit: () => Effect.void,
  ping: Effect.void,
  addLatencies: () => Effect.void,
  forget: () => Effect.void
}

const settlement = Effect.gen(function* () {
  const limits = Limiter.layer().pipe(Layer.provide(LimiterStore.layerMemory()))
  const metering = Metering.layer().pipe(Layer.provide(Layer.succeed(MeteringStore.MeteringStore, store)))
  const context = yield* Layer.build(Layer.merge(limits, metering))
  return Settlement.make(Context.get(context, Limiter.Limiter), Context.get(context, Metering.Metering))
})

describe("more credits", () => {
  it.effect("come from the rate of the project, and are waited for", () =>
    Effect.gen(function* () {
      const { more } = yield* settlement
      const limited = project({ creditsPerSecond: 10, burst: 10 })
      yield* more(limited, 10)
      const waiting = yield* Effect.forkChild(more(limited, 5))
      yield* TestClock.adjust(499)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(waiting)
    }).pipe(Effect.scoped)
  )

  it.effect("are not waited for if the limit never permits them, or if there is no limit", () =>
    Effect.gen(function* () {
      const { more } = yield* settlement
      yield* more(project({ creditsPerSecond: 10, burst: 10 }), 11)
      yield* more(project({}), 1_000_000)
    }).pipe(Effect.scoped)
  )
})
