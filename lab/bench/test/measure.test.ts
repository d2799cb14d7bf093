/** Tests the bench itself: the order of turns, the comparison of results, the verdicts, and the exponents. */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"

import { exponent } from "../src/growth/subject.ts"
import type { Row } from "../src/measure/measuredRow.ts"
import { shuffled } from "../src/measure/order.ts"
import { line, verdict } from "../src/measure/outcomeTable.ts"
import { measure } from "../src/measure/turns.ts"

const outcome = (row: Partial<Row>, ours: number, peer: number) => ({
  row: { name: "row", ours: () => 1, peers: {}, ...row },
  ours,
  peers: [{ name: "peer", time: peer }],
  yardsticks: []
})

describe("order of turns", () => {
  it("has everyone once in each round, and is the same for the same seed", () => {
    const orders = (seed: number) => {
      const next = Random.make(seed)
      return Array.from({ length: 20 }, () => shuffled(5, next))
    }
    for (const order of orders(1))
      assert.deepStrictEqual(
        order.toSorted((a, b) => a - b),
        [0, 1, 2, 3, 4]
      )
    assert.deepStrictEqual(orders(1), orders(1))
    assert.notDeepEqual(orders(1), orders(2))
  })

  it("puts each behind every other about as often", () => {
    const next = Random.make(1)
    const follows = Array.from({ length: 4 }, () => [0, 0, 0, 0])
    for (let round = 0; round < 4000; round++) {
      const order = shuffled(4, next)
      for (let turn = 1; turn < 4; turn++) follows[order[turn - 1]!]![order[turn]!]!++
    }
    // each pair is expected a thousand times
    const counts = follows.flatMap((row, i) => row.filter((_, j) => i !== j))
    assert.isAbove(Math.min(...counts), 880)
    assert.isBelow(Math.max(...counts), 1120)
  })
})

describe("a row", () => {
  const options = { rounds: 1, seed: 1 }

  it("is not measured if a peer gives another value", async () => {
    const row: Row = { name: "sum", turn: 1, warmUp: 1, ours: () => [1, 2], peers: { peer: () => [1, 3] } }
    const failure = await measure({ ...row, show: JSON.stringify }, options).then(
      () => undefined,
      (error: unknown) => error
    )
    assert.match(String(failure), /peer does other work than we do/u)
  })

  it("makes a line of each meter, with the goal on that of the clock", async () => {
    const row: Row = {
      name: "row",
      turn: 1,
      warmUp: 1,
      goal: 0.001,
      meter: "both",
      ours: () => 1,
      peers: { peer: () => 1 }
    }
    const outcomes = await measure(row, options)
    assert.deepStrictEqual(
      outcomes.map((one) => [one.row.name, one.row.goal]),
      [
        ["row", 0.001],
        ["row: processor time", undefined]
      ]
    )
  })

  it("shows the latencies of requests, ours first", async () => {
    const requests = (time: number) => ({ run: () => 1, tail: () => time })
    const row: Row = { name: "row", turn: 1, warmUp: 1, ours: requests(2e6), peers: { peer: requests(3e6) } }
    const [found] = await measure(row, options)
    assert.isTrue(line("part", found!).endsWith("| ours 2.00 ms, peer 3.00 ms |"))
  })

  it("meets a goal by the best peer, and a ceiling by its own time", () => {
    assert.strictEqual(verdict(outcome({ goal: 2 }, 100, 200)), "met")
    assert.strictEqual(verdict(outcome({ goal: 2 }, 100, 199)), "missed")
    assert.strictEqual(verdict(outcome({ ceiling: 100 }, 101, 1000)), "missed")
    assert.strictEqual(verdict(outcome({}, 100, 200)), "-")
    assert.strictEqual(
      line("part", outcome({ goal: 2 }, 100, 200)),
      "| part | row | 100 ns | peer 200 ns | 2.00x | 2.00x | met |  |  |"
    )
  })
})

describe("growth", () => {
  it("is the exponent of the upper sizes", () => {
    const points = [1, 1000, 10_000, 100_000].map((size) => ({ size, time: size === 1 ? 1e9 : 7 * size ** 1.5 }))
    assert.closeTo(exponent(points, 1000), 1.5, 1e-9)
  })
})
