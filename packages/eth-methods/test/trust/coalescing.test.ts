/** Reads that several callers make at the same time. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"

import * as Coalescing from "../../src/trust/coalescing.ts"

/** A read that counts how often it is asked, and answers with its number when the gate opens. */
const counted = Effect.map(Deferred.make<void>(), (gate) => {
  const asked = { times: 0 }
  const read = Effect.suspend(() => {
    const time = ++asked.times
    return Effect.as(Deferred.await(gate), time)
  })
  return { asked, gate, read }
})

const ten = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.all(
    Array.from({ length: 10 }, () => effect),
    { concurrency: "unbounded" }
  )

/** Lets all other work of this turn go first. */
const turn = Effect.yieldNow

describe("reads of one name", () => {
  it.effect("are one while it is under way, and another one afterwards", () =>
    Effect.gen(function* () {
      const { asked, gate, read } = yield* counted
      const once = Coalescing.make<number, never>("underWay")
      const first = yield* Effect.forkChild(ten(once("a", read)), { startImmediately: true })
      yield* turn
      const later = yield* Effect.forkChild(once("a", read), { startImmediately: true })
      const other = yield* Effect.forkChild(once("b", read), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      assert.deepEqual(yield* Fiber.join(first), Array(10).fill(1))
      assert.strictEqual(yield* Fiber.join(later), 1)
      assert.strictEqual(yield* Fiber.join(other), 2)
      assert.strictEqual(yield* once("a", read), 3)
      assert.strictEqual(asked.times, 3)
    })
  )

  it.effect("whose answer can change are one only in the turn in which it begins", () =>
    Effect.gen(function* () {
      const { gate, read } = yield* counted
      const once = Coalescing.make<number, never>("turn")
      const first = yield* Effect.forkChild(ten(once("latest", read)), { startImmediately: true })
      yield* turn
      yield* turn
      const later = yield* Effect.forkChild(ten(once("latest", read)), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      assert.deepEqual(yield* Fiber.join(first), Array(10).fill(1))
      assert.deepEqual(yield* Fiber.join(later), Array(10).fill(2))
    })
  )

  it.effect("fail for all callers", () =>
    Effect.gen(function* () {
      const once = Coalescing.make<never, string>("underWay")
      const failed = yield* ten(Effect.flip(once("a", Effect.andThen(turn, Effect.fail("refused")))))
      assert.deepEqual(failed, Array(10).fill("refused"))
    })
  )

  for (const during of ["underWay", "turn"] as const) {
    it.effect(`go on when the caller that began them is interrupted (${during})`, () =>
      Effect.gen(function* () {
        const { asked, gate, read } = yield* counted
        const once = Coalescing.make<number, never>(during)
        const first = yield* Effect.forkChild(once("a", read), { startImmediately: true })
        const others = yield* Effect.forkChild(ten(once("a", read)), { startImmediately: true })
        yield* Fiber.interrupt(first)
        yield* turn
        yield* Deferred.succeed(gate, undefined)
        assert.deepEqual(yield* Fiber.join(others), Array(10).fill(2))
        assert.strictEqual(asked.times, 2)
      })
    )

    it.effect(`do not end when a caller that joined them is interrupted (${during})`, () =>
      Effect.gen(function* () {
        const { asked, gate, read } = yield* counted
        const once = Coalescing.make<number, never>(during)
        const first = yield* Effect.forkChild(once("a", read), { startImmediately: true })
        const joined = yield* Effect.forkChild(once("a", read), { startImmediately: true })
        yield* Fiber.interrupt(joined)
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual(yield* Fiber.join(first), 1)
        assert.strictEqual(asked.times, 1)
      })
    )
  }
})
