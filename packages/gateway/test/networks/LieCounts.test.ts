import { assert, it } from "@effect/vitest"

import * as LieCounts from "../../src/networks/LieCounts.ts"

const lie = { node: "n", method: "eth_getProof", check: "account-proof", count: 1, firstAt: 1 }

it("a node that lies in one process has no time of trust from another, whichever lie is the latest", () => {
  const trusted = { ...lie, lastAt: 9, isLying: false, trustedSince: 10 }
  const lying = { ...lie, lastAt: 5, isLying: true, asideUntil: 20 }
  for (const counts of [
    [trusted, lying],
    [lying, trusted]
  ]) {
    assert.deepStrictEqual(LieCounts.sum(counts), [{ ...lie, count: 2, lastAt: 9, isLying: true, asideUntil: 20 }])
    const { asideUntil, isLying, trustedSince } = LieCounts.trustIn(counts)
    assert.deepStrictEqual([isLying, asideUntil, trustedSince], [true, 20, undefined])
  }
  const later = { ...trusted, lastAt: 3, asideUntil: 4, trustedSince: 12 }
  assert.deepStrictEqual(LieCounts.sum([trusted, later]), [{ ...trusted, count: 2, trustedSince: 12 }])
})
