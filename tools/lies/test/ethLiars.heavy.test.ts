import { assert, describe, it } from "@effect/vitest"
import { isWhole } from "@plumbline/seeded/Random"

import * as History from "../src/eth/history.ts"
import { liars } from "../src/eth/liars/liars.ts"
import { liars as omissions } from "../src/eth/liars/omissions.ts"
import * as Suite from "../src/eth/liars/suite.ts"

/** Each liar answers hundreds of questions in each world, and the worlds share the processor. */
const TIMEOUT = 3_600_000

/** True to test every trust in every world, which takes minutes. Set `PLUMBLINE_RUNS=1000` for that. */
const all = Number(process.env["PLUMBLINE_RUNS"] ?? 0) >= 1000

/**
 * In CI four blocks are tested: one from before Byzantium, one with two failed transactions, one with an uncle, and one
 * with every type of transaction. The second block is tested with every trust, the others with a pinned head, with a
 * quorum of liars, and without any trust. Outside CI, only the second block is tested, in these three ways. Every liar
 * runs in each test.
 */
const blocks = all ? History.BLOCKS : isWhole ? [7, 19, 27, 67] : [19]
const trustsOf = (number: number): ReadonlyArray<Suite.Trust> =>
  all || (number === 19 && isWhole) ? Suite.TRUSTS : ["none", "pinned head", "quorum of liars"]

describe("nodes whose lies agree with each other", () => {
  it("are as many as the outside suite has, and more", () => {
    assert.isAbove(liars.length, 43)
    assert.strictEqual(new Set(liars.map(({ name }) => name)).size, liars.length)
  })

  it.each([...blocks])(
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
    TIMEOUT
  )

  it.each([...blocks])(
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
    TIMEOUT
  )
})
