import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import * as Ours from "../src/clients/ourContenders.ts"
import type { Contender } from "../src/contender.ts"
import { type Fault, isOver, type Over } from "../src/fault.ts"
import * as Case from "../src/faultCase.ts"
import { families } from "../src/faults/index.ts"
import { KEY } from "../src/faultyServer.ts"
import * as Truth from "../src/liveAnswers.ts"
import * as Verdict from "../src/verdict.ts"

const truth = await Effect.runPromise(Truth.read)

const contenders: ReadonlyArray<readonly [name: Over, contender: Contender]> = [
  ["fetch", Ours.overFetch],
  ["undici", Ours.overUndici],
  ["webSocket", Ours.overWebSocket]
]

/** Returns the outcomes of a fault over each of our transports to which it applies. */
const outcomesOf = (fault: Fault) =>
  Effect.forEach(
    contenders.filter(([, { over }]) => isOver(fault, over)),
    ([name, contender]) =>
      Effect.map(Case.run(fault, contender, truth), (outcome) => ({
        name,
        expected: typeof fault.ours === "string" ? fault.ours : fault.ours[name],
        verdict: Verdict.judge(fault, outcome, truth),
        errors: outcome.seen.map((seen) => (seen._tag === "Failed" ? seen.printed + seen.content : "")).join("\n")
      })),
    { concurrency: "unbounded" }
  )

for (const { faults, name } of families) {
  describe(`${name}:`, () => {
    for (const fault of faults) {
      it.live(fault.name, () =>
        Effect.gen(function* () {
          const outcomes = yield* outcomesOf(fault)
          assert.isNotEmpty(outcomes)
          for (const { errors, expected, name, verdict } of outcomes) {
            assert.strictEqual(verdict.text, expected, name)
            assert.isFalse(verdict.flaws.has("words lost"), name)
            assert.notInclude(errors, KEY, name)
          }
        })
      )
    }
  })
}
