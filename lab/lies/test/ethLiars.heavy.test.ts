import { assert, describe, it } from "@effect/vitest"
import { isWhole } from "@plumbline/seeded/Random"

import * as History from "../src/eth/history.ts"
import { liars } from "../src/eth/liars/liars.ts"
import * as Suite from "../src/eth/liars/liarSuite.ts"
import * as Blocks from "./support/blocks.ts"

/** The second block is tested with every trust, the others with a pinned head, with a quorum of liars, and without any trust. */
const trustsOf = (number: number): ReadonlyArray<Suite.Trust> =>
  Blocks.isEvery || (number === 19 && isWhole) ? Suite.TRUSTS : ["none", "pinned head", "quorum of liars"]

// one after the other: all compute in one process, and the honest node has a time limit for each answer
describe("nodes whose lies agree with each other", { concurrent: false }, () => {
  it("are as many as the outside suite has, and more", () => {
    assert.isAbove(liars.length, 43)
    assert.strictEqual(new Set(liars.map(({ name }) => name)).size, liars.length)
  })

  it.each([...Blocks.blocks])(
    "get no false leaf accepted about block %i",
    async (number) => {
      const [world] = await History.worlds([number])
      const arena = await Suite.prepare(world!, { trusts: trustsOf(number) })
      const { honest } = arena
      console.log(Suite.summary(`${world!.name}, honest`, honest))
      assert.strictEqual(honest.refuted + honest.malformed + honest.moved + honest.failed, 0)
      assert.deepStrictEqual(honest.false, [])
      const counts = Suite.tally()
      for (const liar of liars) await Suite.attack(arena, liar, counts)
      console.log(Suite.summary(world!.name, counts))
      assert.deepStrictEqual(counts.false.slice(0, 5), [])
      assert.isAbove(counts.lies, 43)
      // a suite with only one kind of outcome tests nothing
      for (const outcome of [counts.refuted, counts.claimed, counts.true]) assert.isAbove(outcome, counts.answers / 50)
    },
    Blocks.TIMEOUT
  )
})
