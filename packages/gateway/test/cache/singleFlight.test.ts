import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, References, Scope } from "effect"

import { SingleFlight } from "../../src/cache/singleFlight.ts"

/** Gives other fibers some turns, until the fiber has ended. */
const settled = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>) {
  for (let turn = 0; turn < 100 && fiber.pollUnsafe() === undefined; turn++) yield* Effect.yieldNow
  return fiber.pollUnsafe()
})

describe("callers of the same call", () => {
  it.effect("share it, and end it when the last of them leaves", () =>
    Effect.gen(function* () {
      const flights = new SingleFlight<number, never>(yield* Effect.scope)
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      let count = 0
      const work = Effect.suspend(() => {
        count++
        return Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      }).pipe(Effect.onInterrupt(() => Deferred.succeed(ended, undefined)))
      const callers = yield* Effect.all(Array.from({ length: 3 }, () => Effect.forkChild(flights.join("a", work))))
      yield* Deferred.await(begun)
      for (const [index, caller] of callers.entries()) {
        assert.isTrue(flights.has("a"), `${index} have left`)
        assert.isFalse(yield* Deferred.isDone(ended), `${index} have left`)
        yield* Fiber.interrupt(caller)
      }
      assert.isFalse(flights.has("a"))
      yield* Deferred.await(ended)
      assert.strictEqual(count, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("leave nothing behind, at whatever moment the first of them leaves", () =>
    Effect.gen(function* () {
      for (let turns = 0; turns < 40; turns++) {
        const flights = new SingleFlight<string, never>(yield* Effect.scope)
        const first = yield* Deferred.make<string>()
        // its fiber gives way after every few steps
        const leaving = yield* Effect.forkChild(
          Effect.provideService(flights.join("a", Deferred.await(first)), References.MaxOpsBeforeYield, 3)
        )
        for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
        leaving.interruptUnsafe()
        assert.isDefined(yield* settled(leaving), `after ${turns} turns`)
        assert.isFalse(flights.has("a"), `after ${turns} turns`)
        const next = yield* Effect.forkChild(flights.join("a", Effect.succeed("next")))
        assert.deepStrictEqual(yield* settled(next), Exit.succeed("next"), `after ${turns} turns`)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("do not wait for a call of a scope that has closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const flights = new SingleFlight<string, never>(scope)
      yield* Scope.close(scope, Exit.void)
      const caller = yield* Effect.forkChild(flights.join("a", Effect.succeed("late")))
      assert.strictEqual((yield* settled(caller))?._tag, "Failure")
      assert.isFalse(flights.has("a"))
    })
  )
})
