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
  assert.deepStrictEqual(standing.counts, [
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
  standing.note("eth_getBalance", "balance", 1, { expected: "0x1", got: `\u001b[31m\u00e9${"f".repeat(1000)}` })
  const [{ expected, got } = {}] = standing.counts
  assert.deepStrictEqual([expected, got], ["0x1", `?[31m?${"f".repeat(194)}`])
  standing.note("eth_getBalance", "balance", 2)
  assert.deepStrictEqual([standing.counts[0]?.expected, standing.counts[0]?.got], [undefined, undefined])
})

it("an only node is trusted again at its first right answer, and one of several after its rest", () => {
  for (const rest of [0, 100]) {
    const standing = new NodeReputation("node", rest)
    standing.lied("eth_getBalance", "balance", 1000, 5)
    assert.deepStrictEqual(standing.trust(1001, 6), { isLying: true })
    // another method, and an answer that was asked for before the lie, say nothing about it
    standing.answered("eth_getCode", 6, 1002, 7)
    standing.answered("eth_getBalance", 4, 1002, 7)
    assert.deepStrictEqual(standing.trust(1002, 7), { isLying: true })
    standing.answered("eth_getBalance", 6, 1003, 8)
    assert.deepStrictEqual(
      standing.trust(1010, 15),
      rest === 0 ? { isLying: false, trustedSince: 1003 } : { isLying: true }
    )
    standing.answered("eth_getBalance", 105, 1101, 106)
    const trustedSince = rest === 0 ? 1003 : 1101
    assert.deepStrictEqual(standing.trust(1200, 205), { isLying: false, trustedSince })
    // no answer came for ten minutes
    standing.lied("eth_getBalance", "balance", 2000, 1005)
    assert.deepStrictEqual(standing.trust(603_000, 602_005), { isLying: false, trustedSince: 602_000 })
  }
})

it("the lies of a drill are counted apart from others, and forgotten an hour after its end", () => {
  const standing = new NodeReputation("node", 0)
  const drill = { by: "ops", at: 10, until: 20 }
  standing.lied("eth_getBalance", "balance", 1, 1)
  standing.lied("eth_getBalance", "balance", 11, 2, { drill, params: ["0x1"], block: { number: 7 } })
  standing.lied("eth_getBalance", "balance", 12, 3, { drill, params: ["0x2"] })
  assert.deepStrictEqual(
    standing.counts.map(({ count, drill, firstAt, lastAt, params }) => [count, drill?.by, firstAt, lastAt, params]),
    [
      [1, undefined, 1, 1, undefined],
      [2, "ops", 11, 12, '["0x2"]']
    ]
  )
  // metrics count only the other lies
  assert.deepInclude(standing.lies, { count: 3, ordered: 2, checks: { balance: 1 } })
  const next = { by: "ops", at: 3_600_021, until: 3_600_031 }
  standing.lied("eth_getBalance", "balance", 3_600_022, 4, { drill: next })
  assert.deepStrictEqual(
    standing.counts.map(({ drill }) => drill?.at),
    [undefined, 3_600_021]
  )
})
