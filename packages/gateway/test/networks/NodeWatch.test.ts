/** Nodes that no pool asks, and that die between calls. */
import { assert, describe, it } from "@effect/vitest"
import { NodeWatch } from "@plumbline/gateway"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { quiet } from "../support/poolNodes.ts"

const deaths: ReadonlyArray<readonly [how: string, death: Effect.Effect<boolean>, millis: number]> = [
  ["refuses connections", Effect.succeed(false), 2750],
  ["hangs", Effect.never, 4750]
]

describe("a watched node", () => {
  for (const [how, death, millis] of deaths) {
    it.effect(`is down within seconds if it ${how}, and up again when it answers`, () =>
      Effect.gen(function* () {
        let answer: Effect.Effect<boolean> = Effect.succeed(true)
        let asked = 0
        const answers = Effect.suspend(() => {
          asked++
          return answer
        })
        const states = yield* NodeWatch.make([
          { name: "a", answers },
          { name: "b", answers: Effect.succeed(true) }
        ])
        const shown = () => states().map(({ name, state }) => `${name} ${state}`)
        assert.deepStrictEqual(shown(), ["a untried", "b untried"])
        yield* TestClock.adjust("30 seconds")
        assert.deepStrictEqual(shown(), ["a up", "b up"])
        assert.isAtMost(asked, 15, "one question in each time of silence")
        answer = death
        yield* TestClock.adjust(millis)
        assert.deepStrictEqual(shown(), ["a down", "b up"])
        answer = Effect.succeed(true)
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(shown(), ["a up", "b up"])
      }).pipe(Effect.scoped, quiet)
    )
  }

  it.effect("is not down if it answers one of several questions, or is slow", () =>
    Effect.gen(function* () {
      let asked = 0
      const lossy = Effect.suspend(() => (++asked % 3 === 0 ? Effect.succeed(true) : Effect.never))
      const states = yield* NodeWatch.make([
        { name: "lossy", answers: lossy },
        { name: "slow", answers: Effect.delay(Effect.succeed(true), "1900 millis") }
      ])
      for (let second = 0; second < 60; second++) {
        yield* TestClock.adjust("1 second")
        assert.isFalse(states().some(({ state }) => state === "down"))
      }
    }).pipe(Effect.scoped, quiet)
  )
})
