/** Usages that are folded into rows, against sums by their dimensions. */
import { assert, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"

import type { Usage } from "../../src/metering/Usage.ts"
import * as UsageBatch from "../../src/metering/usageBatch.ts"

it("a fold has one row for each minute and dimensions, whatever the order of the usages", () => {
  const random = Random.make(7)
  const pick = <A>(values: ReadonlyArray<A>): A => Random.pick(random, values)
  for (let round = 0; round < 20; round++) {
    const fold = UsageBatch.make(10_000)
    const sums = new Map<string, ReadonlyArray<number>>()
    for (let call = 0; call < 500; call++) {
      const minute = pick([0, 60_000])
      const ipfs = pick([undefined, { uploaded: Random.int(random, 100), downloaded: Random.int(random, 100) }])
      const usage: Usage = {
        project: pick(["p1", "p2"]),
        product: "rpc",
        ...(ipfs === undefined ? {} : { ipfs }),
        network: pick(["live", "test"]),
        method: pick(["eth_call", "eth_chainId"]),
        status: pick([200, 200, 429]),
        key: pick(["k1", "k2"]),
        outcome: pick([undefined, undefined, "error"] as const),
        calls: 1,
        credits: Random.int(random, 100),
        bytesIn: Random.int(random, 1000),
        bytesOut: Random.int(random, 1000)
      }
      fold.add(minute, usage)
      const { credits, key, method, network, outcome, product, project, status } = usage
      const name = outcome ?? (status === 429 ? "limited" : "ok")
      const dimensions = JSON.stringify([minute, project, product, network, method, status, key, name])
      const before = sums.get(dimensions) ?? [0, 0, 0, 0, 0, 0]
      const counts = [1, credits, usage.bytesIn, usage.bytesOut, ipfs?.uploaded ?? 0, ipfs?.downloaded ?? 0]
      sums.set(
        dimensions,
        before.map((sum, index) => sum + counts[index]!)
      )
    }
    const rows = fold.rows().map((row) => [JSON.stringify(row.slice(0, 8)), row.slice(8)] as const)
    assert.strictEqual(fold.size(), sums.size)
    assert.deepStrictEqual(new Map(rows), new Map([...sums].map(([key, counts]) => [key, [...counts]])))
  }
})

it("a fold takes usages until its rows are full, and then those that need no further row", () => {
  const fold = UsageBatch.make(2)
  const usage = (method: string): Usage => ({
    project: "p",
    product: "rpc",
    network: "live",
    method,
    status: 200,
    key: "k",
    calls: 1,
    credits: 1,
    bytesIn: 1,
    bytesOut: 1
  })
  const [one, two, three] = [usage("eth_call"), usage("eth_chainId"), usage("eth_getLogs")] as const
  assert.isTrue(fold.fits(0, [one, two]))
  assert.isFalse(fold.fits(0, [one, two, three]))
  for (const each of [one, two]) fold.add(0, each)
  assert.isTrue(fold.fits(0, [two, one]))
  assert.isFalse(fold.fits(0, [one, three]))
  assert.isFalse(fold.fits(60_000, [one]))
})

it("a fold begins a second row before a sum could be inexact", () => {
  const fold = UsageBatch.make(10)
  const usage: Usage = {
    project: "p",
    product: "rpc",
    network: "live",
    method: "eth_call",
    status: 200,
    key: "k",
    calls: 1,
    credits: 2 ** 44,
    bytesIn: 1,
    bytesOut: 1
  }
  const count = 1200
  for (let call = 0; call < count; call++) fold.add(0, usage)
  const rows = fold.rows()
  assert.isAbove(rows.length, 1)
  for (const row of rows) assert.isTrue(row.slice(8).every(Number.isSafeInteger))
  const credits = rows.reduce((sum, row) => sum + BigInt(row[9]), 0n)
  assert.strictEqual(credits, BigInt(count) * 2n ** 44n)
})
