/** Calls whose reader leaves at any moment. */
import { assert, it } from "@effect/vitest"
import { Hardforks } from "@plumbline/verified-calls"
import { Effect, Fiber, Scheduler } from "effect"

import { CONTRACT, using } from "./support/calling.ts"
import * as MadeNode from "./support/madeNode.ts"

it.live("a call that ends at any step holds up no later call about its block", () =>
  Effect.gen(function* () {
    const made = yield* Effect.promise(() =>
      MadeNode.make({ [CONTRACT]: { code: "0x6001545f5260205ff3", storage: { 1: 42n } } })
    )
    const chain = Hardforks.always(MadeNode.CHAIN_ID, "prague")
    const options = { chain, bounds: { time: "20 seconds" } } as const
    for (let n = 0; n < 240; n++) {
      const [ops, turns] = [5 + (n % 8), Math.floor(n / 8)]
      const { value } = yield* using(
        made.answers,
        (eth) =>
          Effect.gen(function* () {
            const first = yield* Effect.forkChild(
              // gives way after few steps, so that the end can come between any two
              Effect.provideService(eth.call({ to: CONTRACT }, made.hash), Scheduler.MaxOpsBeforeYield, ops)
            )
            for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
            yield* Fiber.interrupt(first)
            return yield* Effect.result(eth.call({ to: CONTRACT }, made.hash))
          }),
        options
      )
      assert.strictEqual(
        value._tag,
        "Success",
        `${ops} steps, ${turns} turns: ${value._tag === "Failure" ? value.failure.message : ""}`
      )
    }
  })
)
