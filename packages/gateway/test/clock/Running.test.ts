/** Time limits count only the time in which the process runs. The test decides when timers fire. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"

import * as Running from "../../src/clock/running.ts"

describe("a limit in running time", () => {
  it.effect("ends the wait after its time, and not before", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(Running.timeoutOption(Effect.never, "2 seconds"))
      yield* TestClock.adjust(1999)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* Fiber.join(waiting), Option.none())
    })
  )

  it.effect("gives an answer that arrives in time, and its failure", () =>
    Effect.gen(function* () {
      const late = () => Effect.succeed("late")
      assert.strictEqual(yield* Running.timeoutOrElse(Effect.succeed(1), { duration: 5, orElse: late }), 1)
      const failed = yield* Effect.exit(Running.timeoutOrElse(Effect.fail("no"), { duration: 5, orElse: late }))
      assert.deepStrictEqual(failed, Exit.fail("no"))
      const waiting = yield* Effect.forkChild(Running.timeoutOrElse(Effect.never, { duration: 80, orElse: late }))
      yield* TestClock.adjust(80)
      assert.strictEqual(yield* Fiber.join(waiting), "late")
    })
  )

  it("does not end because the process stood still: an answer that waits is read before the next part ends", async () => {
    // The timers of a process that stood still fire late, each at once when the process runs again.
    const due: Array<() => void> = []
    const real = Clock.Clock.defaultValue()
    const clock = Object.assign(Object.create(real) as Clock.Clock, {
      sleep: () =>
        Effect.callback<void>((resume) => {
          due.push(() => resume(Effect.void))
        })
    })
    const answer = Deferred.makeUnsafe<string>()
    const program = Running.timeoutOption(Deferred.await(answer), "250 millis")
    const result = Effect.runPromise(Effect.provideService(program, Clock.Clock, clock))
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
    await turn()
    // a stall of any length makes one timer due, because the next part begins only afterwards
    for (let part = 1; part < Running.PARTS; part++) {
      assert.strictEqual(due.length, 1)
      due.pop()!()
      await turn()
      await turn()
    }
    Deferred.doneUnsafe(answer, Exit.succeed("here"))
    assert.deepStrictEqual(await result, Option.some("here"))
  })
})
