/** Compares the memory budget of all requests with a simple list. */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"

import { MemoryBudget } from "../../src/http/memoryBudget.ts"

describe("a budget", () => {
  it("serves those who wait in turn, and never gives more than there is", () => {
    for (let seed = 0; seed < 200; seed++) {
      const random = Random.make(seed)
      const limit = 50
      const budget = new MemoryBudget(() => limit)
      const held: Array<number> = []
      const waiting: Array<{ readonly id: number; readonly bytes: number; readonly leave: () => void }> = []
      const served: Array<number> = []
      const expected: Array<number> = []
      const serve = () => {
        while (waiting[0] !== undefined && waiting[0].bytes <= limit - sum(held)) {
          const { bytes, id } = waiting.shift()!
          held.push(bytes)
          expected.push(id)
        }
      }
      const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((all, one) => all + one, 0)
      for (let id = 0; id < 100; id++) {
        const bytes = 1 + Math.floor(random() * 30)
        const kind = random()
        if (kind < 0.4) {
          const leave = budget.wait(bytes, (isTaken) => {
            assert.isTrue(isTaken)
            served.push(id)
          })
          waiting.push({ id, bytes, leave })
        } else if (kind < 0.55) {
          const isFree = bytes <= limit - sum(held)
          assert.strictEqual(budget.take(bytes), isFree)
          if (isFree) held.push(bytes)
        } else if (kind < 0.65 && waiting.length > 0) {
          const [left] = waiting.splice(Math.floor(random() * waiting.length), 1)
          left!.leave()
          left!.leave()
        } else if (held.length > 0) {
          const [given] = held.splice(Math.floor(random() * held.length), 1)
          serve()
          budget.give(given!)
        }
        serve()
        assert.deepStrictEqual(served, expected)
        assert.strictEqual(budget.used, sum(held))
        assert.isAtMost(budget.used, limit)
      }
    }
  })

  it("tells who waits for more than it ever has, also when it has become less", () => {
    let limit = 10
    const budget = new MemoryBudget(() => limit)
    const told: Array<string> = []
    const wait = (bytes: number) => budget.wait(bytes, (isTaken) => told.push(`${bytes} ${isTaken}`))
    wait(11)
    assert.deepStrictEqual(told, ["11 false"])
    assert.isTrue(budget.take(5))
    wait(8)
    wait(2)
    assert.deepStrictEqual(told, ["11 false"])
    limit = 7
    budget.give(5)
    assert.deepStrictEqual(told, ["11 false", "8 false", "2 true"])
    assert.strictEqual(budget.used, 2)
  })

  it("serves any number one after the other without a stack of them", () => {
    const budget = new MemoryBudget(() => 1)
    assert.isTrue(budget.take(1))
    let served = 0
    for (let count = 0; count < 100_000; count++) {
      budget.wait(1, () => {
        served++
        budget.give(1)
      })
    }
    budget.give(1)
    assert.strictEqual(served, 100_000)
    assert.strictEqual(budget.used, 0)
  })

  it("raises a holder to a number of bytes, and takes nothing from one that has them when the limit falls", () => {
    let limit = 100
    const budget = new MemoryBudget(() => limit)
    const holder = { held: 0 }
    assert.isTrue(budget.raise(holder, 80))
    assert.isFalse(budget.raise(holder, 101))
    assert.deepStrictEqual([holder.held, budget.used], [80, 80])
    limit = 50
    assert.isTrue(budget.raise(holder, 10))
    assert.isTrue(budget.raise(holder, 80))
    assert.isFalse(budget.raise(holder, 81))
    assert.deepStrictEqual([holder.held, budget.used], [80, 80])
  })
})
