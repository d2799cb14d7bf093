/** Runs a scenario of `pnpm lab chaos` as a test, in its short size. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import * as Scenario from "../../src/chaos/scenario.ts"
import * as Service from "../../src/service.ts"

/** Tests that the scenario keeps its promises. */
export const holds = ({ about, name, run, skipped }: Scenario.Scenario): void => {
  describe(`chaos: ${name}${skipped === undefined ? "" : ` (${skipped})`}`, () => {
    it.live.skipIf(skipped !== undefined)(about, () =>
      Effect.gen(function* () {
        const finding = yield* run(Scenario.short)
        assert.deepStrictEqual(Scenario.faultsOf(finding), [])
        assert.isAbove(finding.right, 0)
      }).pipe(Effect.scoped, Service.quiet)
    )
  })
}
