/** Deadlines of 10 to 150 milliseconds, in real time. The tests check only the order and lower bounds. */
import { setTimeout as sleep } from "node:timers/promises"

import { assert, describe, it } from "@effect/vitest"

import { Deadlines } from "../../src/networks/deadlines.ts"

describe("deadlines", () => {
  it("are reported in their order, none early, and none that was removed", async () => {
    const deadlines = new Deadlines()
    const begun = performance.now()
    const late: Array<readonly [millis: number, after: number]> = []
    const add = (millis: number) => {
      const work = { late: () => void late.push([millis, performance.now() - begun]) }
      return { work, tick: deadlines.add(work, millis) }
    }
    const kept = [90, 30, 150, 30].map(add)
    const removed = [20, 60, 90, 140].map(add)
    for (const { tick, work } of removed) deadlines.remove(work, tick)
    while (late.length < kept.length) await sleep(10)
    assert.deepStrictEqual(
      late.map(([millis]) => millis),
      [30, 30, 90, 150]
    )
    for (const [millis, after] of late) assert.isAtLeast(after, millis)
  })

  it("of work that late work adds are kept too", async () => {
    const deadlines = new Deadlines()
    const late: Array<string> = []
    const first = {
      late: () => {
        late.push("first")
        deadlines.add({ late: () => void late.push("second") }, 10)
      }
    }
    deadlines.add(first, 10)
    while (late.length < 2) await sleep(10)
    assert.deepStrictEqual(late, ["first", "second"])
  })

  it("longer than a timer of Node can be are not reported at once", async () => {
    const deadlines = new Deadlines()
    let isLate = false
    const work = { late: () => void (isLate = true) }
    const tick = deadlines.add(work, 2 ** 40)
    await sleep(30)
    assert.isFalse(isLate)
    deadlines.remove(work, tick)
  })
})
