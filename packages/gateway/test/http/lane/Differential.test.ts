/** The lane against `node:http` of the Node that runs: what the lane takes, `node:http` takes too, and sees the same. */
import { assert, describe, it } from "@effect/vitest"
import * as Seeded from "@plumbline/seeded/Random"

import type { Setting } from "./conversation.ts"
import { behind, compare, type Comparison } from "./differential.ts"
import { framing } from "./framingVectors.ts"
import { mutation } from "./mutations.ts"
import { sequences } from "./sequenceVectors.ts"
import { type FramingVector, GOOD } from "./vector.ts"

const vectors: ReadonlyArray<FramingVector> = [...framing, ...sequences]

const ways: ReadonlyArray<readonly [name: string, setting: Setting, before: string]> = [
  ["alone", { bytewise: false, isSecond: false }, ""],
  ["after the answer to another request", { bytewise: false, isSecond: true }, ""],
  ["in one write behind another request", { bytewise: false, isSecond: false }, GOOD],
  ["byte by byte", { bytewise: true, isSecond: false }, ""],
  ["byte by byte after the answer to another request", { bytewise: true, isSecond: true }, ""]
]

/** Compares many conversations. Returns those with a difference, and the number of each result. */
const compareAll = async (
  conversations: Iterable<{ readonly steps: ReadonlyArray<string>; readonly setting: Setting }>
) => {
  const count: Record<Comparison, number> = { equal: 0, "in order": 0, "cut off": 0, different: 0 }
  const differences: Array<unknown> = []
  let taken = 0
  for (const { setting, steps } of conversations) {
    const { lane, node, result } = await compare(steps, setting)
    count[result]++
    taken += lane.taken
    if (result === "different") differences.push({ steps, setting, lane, node })
  }
  return { count, differences, taken }
}

describe("a framing vector", () => {
  for (const [name, setting, before] of ways) {
    it(`has the same effect on both, ${name}`, async () => {
      const found = await compareAll(vectors.map(({ steps }) => ({ steps: behind(before, steps), setting })))
      assert.deepStrictEqual(found.differences, [])
      // The lane takes some of them, so that there is something to compare.
      assert.isAbove(found.taken, setting.bytewise && !setting.isSecond ? 0 : 20)
    }, 120_000)
  }
})

describe("random changes of good requests", () => {
  it("have the same effect on both", async () => {
    const random = Seeded.make(SEED)
    const runs = Seeded.sized(20_000)
    const found = await compareAll(
      (function* () {
        for (let run = 0; run < runs; run++) {
          yield { steps: mutation(random), setting: { bytewise: false, isSecond: Seeded.chance(random, 0.5) } }
        }
      })()
    )
    assert.deepStrictEqual(found.differences, [], `PLUMBLINE_SEED=${SEED}`)
    assert.isAbove(found.taken, runs / 4)
  }, 240_000)
})

const SEED = Number(process.env["PLUMBLINE_SEED"] ?? 20_261_129)
