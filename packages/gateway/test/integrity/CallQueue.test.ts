import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, References, Result } from "effect"
import { TestClock } from "effect/testing"

import { CallQueue } from "../../src/index.ts"

/** A queue, and calls that go on until the test ends them. `begun` has their names in the order of their beginning. */
const setup = (options: CallQueue.CallQueueOptions) => {
  const queue = Result.getOrThrow(CallQueue.make(options))
  const begun: Array<string> = []
  const open = Effect.fnUntraced(function* (project: string, name: string) {
    const end = yield* Deferred.make<void>()
    const work = Effect.andThen(
      Effect.sync(() => begun.push(name)),
      Deferred.await(end)
    )
    const fiber = yield* Effect.forkChild(Effect.provideService(queue.run(work), CallQueue.Caller, project), {
      startImmediately: true
    })
    return { fiber, end: Effect.andThen(Deferred.succeed(end, undefined), Fiber.await(fiber)) }
  })
  return { queue, begun, open }
}

describe("a queue of calls", () => {
  it.effect("gives each project its turn: many calls of one do not come before the first of another", () =>
    Effect.gen(function* () {
      const { begun, open, queue } = setup({ atOnce: 2, perProject: 2, waiting: 10 })
      const ends = new Map<string, Effect.Effect<unknown>>()
      for (const name of ["a1", "a2", "a3", "a4", "a5", "b1", "c1", "b2"]) {
        ends.set(name, (yield* open(name[0]!, name)).end)
      }
      assert.deepStrictEqual(begun, ["a1", "a2"])
      // each end lets another call begin
      for (let ended = 0; ended < ends.size; ended++) yield* ends.get(begun[ended]!)!
      assert.deepStrictEqual(begun, ["a1", "a2", "b1", "a3", "c1", "b2", "a4", "a5"])
      assert.deepStrictEqual(queue.counts(), { running: 0, waiting: 0 })
    })
  )

  it.effect("gives one project only its share, and refuses what waits beyond its bound", () =>
    Effect.gen(function* () {
      const { begun, open, queue } = setup({ atOnce: 4, perProject: 1, waiting: 1 })
      const first = yield* open("a", "a1")
      yield* open("a", "a2")
      const third = yield* open("a", "a3")
      assert.strictEqual(yield* Effect.flip(Fiber.join(third.fiber)), CallQueue.busy)
      yield* open("b", "b1")
      assert.deepStrictEqual(begun, ["a1", "b1"])
      assert.deepStrictEqual(queue.counts(), { running: 2, waiting: 1 })
      yield* first.end
      assert.deepStrictEqual(begun, ["a1", "b1", "a2"])
    })
  )

  it.effect("gives a call its turn at whatever moment the call before it ends", () =>
    Effect.gen(function* () {
      for (let turns = 0; turns < 40; turns++) {
        const { begun, open, queue } = setup({ atOnce: 1, perProject: 1, waiting: 1 })
        const first = yield* open("a", "a1")
        // its fiber gives way after every few steps
        const second = yield* Effect.forkChild(
          Effect.provideService(
            Effect.provideService(queue.run(Effect.sync(() => begun.push("b1"))), CallQueue.Caller, "b"),
            References.MaxOpsBeforeYield,
            3
          )
        )
        for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
        yield* first.end
        for (let turn = 0; turn < 100 && second.pollUnsafe() === undefined; turn++) yield* Effect.yieldNow
        assert.deepStrictEqual(begun, ["a1", "b1"], `after ${turns} turns`)
        yield* Fiber.join(second)
        assert.deepStrictEqual(queue.counts(), { running: 0, waiting: 0 })
      }
    })
  )

  it.effect("refuses a call whose turn does not come in time, and frees its place", () =>
    Effect.gen(function* () {
      const { begun, open, queue } = setup({ atOnce: 1, perProject: 1, waiting: 1, queueTimeout: 1000 })
      const first = yield* open("a", "a1")
      const late = yield* open("a", "a2")
      yield* TestClock.adjust(1000)
      assert.strictEqual(yield* Effect.flip(Fiber.join(late.fiber)), CallQueue.busy)
      assert.deepStrictEqual(queue.counts(), { running: 1, waiting: 0 })
      const next = yield* open("a", "a3")
      yield* first.end
      yield* next.end
      assert.deepStrictEqual(begun, ["a1", "a3"])
    })
  )

  it.effect("loses no turn to a call that is interrupted while it waits, runs, or gets its turn", () =>
    Effect.gen(function* () {
      const { begun, open, queue } = setup({ atOnce: 1, perProject: 1, waiting: 10 })
      const running = yield* open("a", "a1")
      const leaving = yield* open("a", "a2")
      yield* Fiber.interrupt(leaving.fiber)
      const both = yield* open("b", "b1")
      // its turn comes, and it leaves before anything else happens
      running.fiber.interruptUnsafe()
      both.fiber.interruptUnsafe()
      yield* Fiber.await(running.fiber)
      yield* Fiber.await(both.fiber)
      assert.deepStrictEqual(queue.counts(), { running: 0, waiting: 0 })
      const last = yield* open("c", "c1")
      yield* last.end
      assert.deepStrictEqual(begun, ["a1", "b1", "c1"])
    })
  )

  it.effect("passes on the failure of a call, and frees its turn", () =>
    Effect.gen(function* () {
      const { queue } = setup({ atOnce: 1, perProject: 1, waiting: 0 })
      assert.strictEqual(yield* Effect.flip(queue.run(Effect.fail("broken"))), "broken")
      assert.strictEqual(yield* queue.run(Effect.succeed(1)), 1)
    })
  )

  it("refuses bounds that are none", () => {
    assert.isTrue(Result.isFailure(CallQueue.make({ atOnce: 0 })))
  })
})
