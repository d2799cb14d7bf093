import { assert, it } from "@effect/vitest"

import { NodeReputation } from "../../src/integrity/nodeReputation.ts"

it("a lying node rests by the monotonic clock, whatever the wall clock says", () => {
  const standing = new NodeReputation("node", 100)
  const hour = 3_600_000
  assert.isTrue(standing.lied("eth_getBalance", "balance", 10 * hour, 5))
  assert.isTrue(standing.isResting(104))
  assert.isFalse(standing.isResting(105))
  // the wall clock was set back by an hour: the next rest is only twice as long, not an hour longer
  standing.lied("eth_getBalance", "balance", 9 * hour, 150, { expected: "0x1", got: "0x2" })
  assert.isTrue(standing.isResting(349))
  assert.isFalse(standing.isResting(350))
  assert.strictEqual(standing.lies?.count, 2)
  assert.deepStrictEqual(standing.counts(350), [
    {
      method: "eth_getBalance",
      check: "balance",
      count: 2,
      firstAt: 10 * hour,
      lastAt: 9 * hour,
      expected: "0x1",
      got: "0x2"
    }
  ])
})

it("the values of the last lie are printable and bounded, whatever the node says", () => {
  const standing = new NodeReputation("node", 100)
  standing.note("eth_getBalance", "balance", 1, 1, { expected: "0x1", got: `\u001b[31m\u00e9${"f".repeat(1000)}` })
  const [{ expected, got } = {}] = standing.counts(1)
  assert.deepStrictEqual([expected, got], ["0x1", `?[31m?${"f".repeat(194)}`])
  standing.note("eth_getBalance", "balance", 2, 2)
  const [last] = standing.counts(2)
  assert.deepStrictEqual([last?.expected, last?.got], [undefined, undefined])
})

it("a node is trusted again at its first right answer after a rest, also an only node, which is not set aside", () => {
  for (const isOnly of [true, false]) {
    const standing = new NodeReputation("node", 100, isOnly)
    standing.lied("eth_getBalance", "balance", 1000, 5)
    assert.strictEqual(standing.isResting(6), !isOnly)
    // the node alternates: a right answer soon after a lie says little
    standing.answered("eth_getBalance", 6, 1003, 8)
    assert.deepStrictEqual(standing.trust(1010, 15), { isLying: true })
    // another method, and an answer that was asked for before the lie, say nothing about it
    standing.answered("eth_getCode", 105, 1101, 106)
    standing.answered("eth_getBalance", 4, 1101, 106)
    assert.deepStrictEqual(standing.trust(1101, 106), { isLying: true })
    standing.answered("eth_getBalance", 105, 1101, 106)
    assert.deepStrictEqual(standing.trust(1200, 205), { isLying: false, trustedSince: 1101 })
    // no answer came for ten minutes
    standing.lied("eth_getBalance", "balance", 2000, 1005)
    assert.deepStrictEqual(standing.trust(603_000, 602_005), { isLying: false, trustedSince: 602_000 })
  }
  // the doubt about an only node does not double, but each lie begins it again
  const only = new NodeReputation("node", 100, true)
  for (const now of [0, 50, 100]) only.lied("eth_getBalance", "balance", now, now)
  only.answered("eth_getBalance", 199, 199, 199)
  assert.isTrue(only.trust(199, 199).isLying)
  only.answered("eth_getBalance", 200, 200, 200)
  assert.isFalse(only.trust(200, 200).isLying)
})

it("the lies of a drill are counted apart from others, and forgotten an hour after its end", () => {
  const standing = new NodeReputation("node", 0)
  const drill = { by: "ops", at: 10, until: 20 }
  standing.lied("eth_getBalance", "balance", 1, 1)
  standing.lied("eth_getBalance", "balance", 11, 2, { drill, params: ["0x1"], block: { number: 7 } })
  standing.lied("eth_getBalance", "balance", 12, 3, { drill, params: ["0x2"] })
  assert.deepStrictEqual(
    standing.counts(3).map(({ count, drill, firstAt, lastAt, params }) => [count, drill?.by, firstAt, lastAt, params]),
    [
      [1, undefined, 1, 1, undefined],
      [2, "ops", 11, 12, '["0x2"]']
    ]
  )
  // metrics count only the other lies
  assert.deepInclude(standing.lies, { count: 3, ordered: 2, checks: { balance: 1 } })
  const next = { by: "ops", at: 3_600_021, until: 3_600_031 }
  standing.lied("eth_getBalance", "balance", 3_600_022, 3_600_004, { drill: next })
  assert.deepStrictEqual(
    standing.counts(3_600_004).map(({ drill }) => drill?.at),
    [undefined, 3_600_021]
  )
  // also if no other lie comes
  assert.deepStrictEqual(
    standing.counts(7_200_005).map(({ drill }) => drill?.at),
    [undefined]
  )
})

it("the lies of the current drill are counted although the wall clock goes forward by hours", () => {
  const standing = new NodeReputation("node", 0)
  const drill = { by: "ops", at: 10, until: 60_010 }
  for (let i = 0; i < 3; i++) standing.lied("eth_getBalance", "balance", 11 + i * 7_200_000, i, { drill })
  assert.deepStrictEqual(
    standing.counts(3).map(({ count }) => count),
    [3]
  )
})

it("drills leave other lies their kinds, and are bounded themselves", () => {
  const standing = new NodeReputation("node", 0)
  for (let at = 0; at < 300; at++) {
    standing.lied("eth_getBalance", "balance", at, at, { drill: { by: "ops", at, until: at } })
  }
  standing.lied("eth_getBalance", "balance", 300, 300)
  const counts = standing.counts(300)
  assert.deepInclude(counts[0], { method: "eth_getBalance", check: "balance", count: 1 })
  assert.lengthOf(counts, 101)
  assert.strictEqual(counts.at(-1)?.drill?.at, 299)
})
