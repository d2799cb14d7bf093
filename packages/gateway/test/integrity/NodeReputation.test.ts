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
    { method: "eth_getBalance", check: "balance", count: 2, lastAt: 9 * hour, expected: "0x1", got: "0x2" }
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
