import { assert, describe, it } from "@effect/vitest"

import * as History from "../src/eth/history.ts"
import { omissions } from "../src/eth/liars/liars.ts"
import * as Suite from "../src/eth/liars/liarSuite.ts"
import * as Blocks from "./support/blocks.ts"

// A file of its own, so that both cores search for false leaves.
// one after the other: all compute in one process, and the honest node has a time limit for each answer
describe("nodes whose lies agree with each other", { concurrent: false }, () => {
  it.each([...Blocks.blocks])(
    "get no omission accepted about block %i: what they leave out is filled in, claimed or refused",
    async (number) => {
      const [world] = await History.worlds([number])
      const arena = await Suite.prepare(world!, { trusts: ["pinned head"] })
      const counts = Suite.tally()
      for (const liar of omissions) await Suite.attack(arena, liar, counts)
      console.log(Suite.summary(`${world!.name}, omissions`, counts))
      assert.deepStrictEqual(counts.false.slice(0, 5), [])
      assert.isAbove(counts.lies, 150)
      for (const outcome of [counts.refuted, counts.claimed, counts.true]) assert.isAbove(outcome, counts.answers / 60)
    },
    Blocks.TIMEOUT
  )
})
