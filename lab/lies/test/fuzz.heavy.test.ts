import { assert, describe, it } from "@effect/vitest"
import { sized } from "@plumbline/seeded/Random"

import { targets } from "../src/allTargets.ts"
import * as Run from "../src/fuzzRun.ts"
import type { Outcome, Target } from "../src/fuzzTarget.ts"

const usual = sized(200)
const runs = Number(process.env["PLUMBLINE_RUNS"] ?? usual)

const target = (round: (seed: number) => Outcome | Promise<Outcome>): Target => ({
  name: "made up",
  about: "",
  prepare: async () => round
})

describe("a run", () => {
  it("counts outcomes, names a lie with its seed, and takes a defect for a lie", async () => {
    const outcomes: ReadonlyArray<Outcome> = [
      { _tag: "Refused", check: "logs[3].topics[0]" },
      { _tag: "Claimed" },
      { _tag: "True" },
      { _tag: "False", leaf: "status", expected: "0x0", got: "1" }
    ]
    const report = await Run.run(
      target((seed) => {
        if (seed === 14) throw new Error("thrown")
        return seed === 15 ? Promise.reject(new Error("rejected")) : outcomes[seed % 4]!
      }),
      { runs: 6, seed: 10 }
    )
    assert.deepStrictEqual(Object.fromEntries(report.tally), {
      true: 1,
      false: 3,
      "refused: logs[].topics[]": 1,
      claimed: 1
    })
    assert.deepStrictEqual(
      report.lies.map(({ leaf, seed }) => [seed, leaf]),
      [
        [11, "status"],
        [14, "defect"],
        [15, "defect"]
      ]
    )
    assert.strictEqual(Run.count(report, "refused"), 1)
    assert.strictEqual(Run.count(report, "false"), 3)
    assert.include(Run.shown(report), "FALSE seed 11: status: expected 0x0, got 1")
  })
})

// not concurrent, because each case only computes; the timeout is long, because a machine may be busy
describe("every verifier", { concurrent: false }, () => {
  it("is there once", () => {
    const names = targets.map(({ name }) => name)
    assert.strictEqual(new Set(names).size, names.length)
  })

  for (const target of targets) {
    it(`${target.name} lets no lie pass`, async () => {
      const few = target.slow === true && process.env["PLUMBLINE_RUNS"] === undefined ? usual / 4 : runs
      const report = await Run.run(target, { runs: few, seed: 1 })
      assert.deepStrictEqual(report.lies, [], Run.shown(report))
      assert.isAbove(Run.count(report, "refused"), few / 4, Run.shown(report))
    })
  }
})
