/** The rules of limits, step by step: what each call is told, what a reading shows, and when counts may be forgotten. */
import { assert, describe, it } from "@effect/vitest"
import type { LimitExceeded, ProjectLimits } from "@plumbline/gateway"

import * as LimitCounts from "../../src/limits/limitCounts.ts"
import * as QuotaStatus from "../../src/limits/quotaStatus.ts"

const MIDNIGHT = Date.UTC(2026, 11, 1)
const DAY = 86_400_000

/** A call: its time after midnight, its credits, and the limit that refuses it. */
type Step = readonly [
  at: number,
  credits: number,
  refused?: readonly [LimitExceeded.LimitExceeded["limit"], current: number, retryAfter?: number]
]

const rules: ReadonlyArray<readonly [rule: string, ProjectLimits.ProjectLimits, ...ReadonlyArray<Step>]> = [
  [
    "a day begins at midnight by UTC, not a millisecond before",
    { creditsPerDay: 10 },
    [-60_000, 10],
    [-60_000, 1, ["day", 10, 60_000]],
    [-1, 1, ["day", 10, 1]],
    [0, 10],
    [0, 1, ["day", 10, DAY]]
  ],
  [
    "a day does not come back when the clock is put back",
    { creditsPerDay: 10 },
    [0, 10],
    [-1000, 1, ["day", 10, DAY + 1000]],
    [0, 1, ["day", 10, DAY]]
  ],
  ["what costs more than a day has is never let through", { creditsPerDay: 10 }, [0, 11, ["day", 0]], [0, 10]],
  ["a day without credits lets through what is free", { creditsPerDay: 0 }, [0, 0], [0, 1, ["day", 0]]],
  [
    "the bucket fills by the millisecond, and never over its brim",
    { creditsPerSecond: 100, burst: 5 },
    [0, 5],
    [9, 1, ["rate", 6, 1]],
    [10, 1],
    [3_600_000, 5],
    [3_600_000, 1, ["rate", 6, 10]]
  ],
  [
    "the wait for the bucket is rounded up",
    { creditsPerSecond: 3 },
    [0, 3],
    [0, 1, ["rate", 4, 334]],
    [333, 1, ["rate", 5, 1]],
    [334, 1]
  ],
  [
    "the bucket goes on filling after the clock was put back",
    { creditsPerSecond: 1 },
    [0, 1],
    [-3_600_000, 1, ["rate", 1, 1000]],
    [-3_599_000, 1]
  ],
  ["what costs more than the bucket holds never passes", { creditsPerSecond: 5 }, [0, 6, ["burst", 6]], [0, 5]],
  [
    "the credits asked for are those of a second, refused calls included",
    { creditsPerSecond: 10 },
    [0, 10],
    [0, 2, ["rate", 12, 200]],
    // half a second of the second before: 6 of 12
    [1500, 10],
    [1500, 10, ["rate", 26, 1000]],
    // the last second without a call counts for nothing
    [3500, 10],
    [3500, 1, ["rate", 11, 100]]
  ],
  ["the credits asked for are bounded", { creditsPerSecond: 1e12 }, [0, 1e12], [0, 1e12, ["rate", 1e12, 1000]]],
  ["calls under way are bounded", { concurrency: 2 }, [0, 1], [0, 1], [0, 0, ["concurrency", 2]]],
  [
    "of several limits the day is told first, then the rate, then the calls under way; a refusal takes nothing",
    { creditsPerDay: 5, creditsPerSecond: 1, burst: 4, concurrency: 1 },
    [0, 4],
    [0, 6, ["day", 4]],
    [0, 2, ["day", 4, DAY]],
    [0, 1, ["rate", 13, 1000]],
    [1000, 1, ["concurrency", 1]]
  ],
  ["without limits everything passes", {}, [0, 1e9], [0, 1e9]]
]

describe("limits", () => {
  for (const [rule, limits, ...steps] of rules) {
    it(`rule: ${rule}`, () => {
      const counts = LimitCounts.make()
      for (const [at, credits, refused] of steps) {
        const told = LimitCounts.take(counts, limits, credits, MIDNIGHT + at)
        assert.deepStrictEqual(
          told && [told.limit, told.current, told.retryAfter, told.at],
          refused && [refused[0], refused[1], refused[2], MIDNIGHT + at]
        )
      }
    })
  }

  it("that change hold from the next call on, and a lower burst empties the bucket to it", () => {
    const counts = LimitCounts.make()
    const told = (limits: ProjectLimits.ProjectLimits, credits: number) =>
      LimitCounts.take(counts, limits, credits, MIDNIGHT)?.limit
    assert.isUndefined(told({ creditsPerDay: 10, creditsPerSecond: 1, burst: 100 }, 10))
    assert.strictEqual(told({ creditsPerDay: 10 }, 1), "day")
    assert.isUndefined(told({ creditsPerDay: 11 }, 1))
    assert.isUndefined(told({ creditsPerSecond: 1, burst: 2 }, 2))
    assert.strictEqual(told({ creditsPerSecond: 1, burst: 200 }, 1), "rate")
  })

  it("give back the rest of a call's credits on its day only, never more than was taken, and its place", () => {
    const counts = LimitCounts.make()
    const limits = { creditsPerDay: 10, concurrency: 9 }
    LimitCounts.take(counts, limits, 8, MIDNIGHT)
    const today = counts.day
    const rows: ReadonlyArray<
      readonly [day: number | undefined, more: number, ends: boolean, used: number, n: number]
    > = [
      [today - 1, -8, false, 8, 1],
      [undefined, -8, false, 8, 1],
      [today, -3, false, 5, 1],
      [today, 4, true, 9, 0],
      [today, -10, false, 0, 0]
    ]
    for (const [day, more, ends, used, underWay] of rows) {
      LimitCounts.settle(counts, day, more, ends)
      assert.deepStrictEqual([counts.used, counts.underWay], [used, underWay], `${day} ${more}`)
    }
  })

  it("of a project and its members are told by the longest wait, and one refusal takes nothing of all", () => {
    const claim = (limits: LimitCounts.LimitClaim["limits"], amount: number, of?: "key" | "user") => ({
      counts: LimitCounts.make(),
      limits,
      amount,
      credits: amount,
      of
    })
    const busy = claim({ concurrency: 0 }, 1)
    const key = claim({ creditsPerSecond: 10, burst: 10 }, 10, "key")
    const user = claim({ creditsPerSecond: 1, burst: 10 }, 10, "user")
    assert.isUndefined(LimitCounts.takeAll([key, user], MIDNIGHT))
    const refused = LimitCounts.takeAll([key, user, busy], MIDNIGHT)
    assert.deepStrictEqual([refused?.limit, refused?.of, refused?.retryAfter], ["rate", "user", 10_000])
    assert.deepStrictEqual(LimitCounts.takeAll([busy, key], MIDNIGHT)?.of, "key")
    assert.strictEqual(LimitCounts.takeAll([claim({ creditsPerDay: 0 }, 1), user], MIDNIGHT)?.limit, "day")
    const other = claim({ creditsPerDay: 10, concurrency: 1 }, 10)
    assert.strictEqual(LimitCounts.takeAll([other, busy], MIDNIGHT)?.limit, "concurrency")
    assert.deepStrictEqual([other.counts.used, other.counts.underWay], [0, 0])
  })
})

describe("counts", () => {
  it.each<readonly [ProjectLimits.ProjectLimits, credits: number, idleAfter: number]>([
    [{ creditsPerDay: 5 }, 1, DAY],
    [{ creditsPerSecond: 10, burst: 1000 }, 500, 50_000],
    [{ creditsPerSecond: 3, burst: 30 }, 10, 3334],
    // the figure of the credits asked for lasts for two seconds
    [{ creditsPerSecond: 10 }, 1, 2000],
    [{ creditsPerSecond: 10 }, 11, 2000],
    [{ concurrency: 1 }, 1, -MIDNIGHT]
  ])("under %j are as good as new in time", (limits, credits, idleAfter) => {
    const counts = LimitCounts.make()
    LimitCounts.take(counts, limits, credits, MIDNIGHT)
    assert.strictEqual(counts.idleFrom - MIDNIGHT, idleAfter)
  })

  it("are read without a change", () => {
    const limits = { creditsPerSecond: 100, burst: 1000, creditsPerDay: 5000, concurrency: 3 }
    const counts = LimitCounts.make()
    LimitCounts.take(counts, limits, 400, MIDNIGHT - 500)
    const rows: ReadonlyArray<readonly [at: number, used: number, endsAt: number, current: number, available: number]> =
      [
        [-500, 400, 0, 400, 600],
        // the clock was set back: the day stays, and nothing flows in
        [-1500, 400, 0, 0, 600],
        [-1, 400, 0, 400, 649],
        [0, 0, DAY, 400, 650],
        [750, 0, DAY, 100, 725],
        [1000, 0, DAY, 0, 750],
        [10_000, 0, DAY, 0, 1000],
        [DAY, 0, 2 * DAY, 0, 1000]
      ]
    for (const [after, used, endsAt, current, available] of rows) {
      const at = MIDNIGHT + after
      assert.deepStrictEqual(
        QuotaStatus.of(counts, limits, at),
        { at, day: { used, endsAt: MIDNIGHT + endsAt }, rate: { current, available }, underWay: 1 },
        String(after)
      )
    }
    const none = { at: MIDNIGHT, day: undefined, rate: undefined, underWay: undefined }
    assert.deepStrictEqual(QuotaStatus.of(counts, {}, MIDNIGHT), none)
  })

  it("that are not there yet read as those of a new project", () => {
    const limits = { creditsPerSecond: 10, creditsPerDay: 1, concurrency: 3 }
    assert.deepStrictEqual(QuotaStatus.of(undefined, limits, MIDNIGHT), {
      at: MIDNIGHT,
      day: { used: 0, endsAt: MIDNIGHT + DAY },
      rate: { current: 0, available: 10 },
      underWay: 0
    })
  })
})
