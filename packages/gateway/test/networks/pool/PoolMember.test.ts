/** The state of one node: how long its head counts, which blocks it may have since, and how long it is left alone. */
import { assert, describe, it } from "@effect/vitest"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import { Effect, Result } from "effect"

import { PoolMember, SILENT_AGE, VOTE_AGE } from "../../../src/networks/pool/poolMember.ts"
import * as PoolSettings from "../../../src/networks/pool/poolSettings.ts"
import { UpstreamError } from "../../../src/networks/UpstreamError.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** A node that goes down after two faults. */
const made = (): PoolMember => {
  const settings = Result.getOrThrow(PoolSettings.resolve([{ name: "a" }], { methods: EthMethods.group, failures: 2 }))
  const upstream = { call: () => Effect.never }
  return new PoolMember({ name: "a", upstream, ...settings.members[0]! }, settings, 0)
}

/** A node whose latest block was 1000 at the time 0. */
const seen = (): PoolMember => {
  const member = made()
  member.sees("latest", 1000, 0)
  return member
}

describe("the highest block that a silent node may have", () => {
  it("is its last head for ten seconds, and then grows by eight blocks a second of its silence", () => {
    const member = seen()
    assert.deepStrictEqual(
      [0, 5, 10, 11, 60, 3600, 24 * 3600].map((seconds) => member.reach(seconds * SECOND)),
      [1000, 1000, 1000, 1088, 1480, 29_800, 692_200]
    )
    // a block that is being made counts
    assert.strictEqual(member.reach(10 * SECOND + 1), 1081)
  })

  it("begins again with each report of the latest block, and with no report of another", () => {
    const member = seen()
    member.sees("finalized", 900, MINUTE)
    member.sees("safe", 950, MINUTE)
    assert.strictEqual(member.reach(MINUTE), 1480)
    member.sees("latest", 1200, MINUTE)
    assert.strictEqual(member.reach(MINUTE + 5 * SECOND), 1200)
  })
})

describe("the head of a node", () => {
  it("counts up to its age, and not longer", () => {
    const member = seen()
    assert.deepStrictEqual([VOTE_AGE, SILENT_AGE], [10 * SECOND, 24 * HOUR])
    for (const age of [VOTE_AGE, SILENT_AGE]) {
      assert.isTrue(member.hasHead(age, age))
      assert.isFalse(member.hasHead(age + 1, age))
    }
  })

  it("does not count if it is unknown, or the block before the chain begins", () => {
    const member = made()
    assert.isFalse(member.hasHead(0, SILENT_AGE))
    member.sees("latest", 0, 0)
    assert.isFalse(member.hasHead(0, SILENT_AGE))
    member.sees("latest", 1, 0)
    assert.isTrue(member.hasHead(0, SILENT_AGE))
  })

  it("does not count while the node is of another chain", () => {
    const member = seen()
    member.wrong = new UpstreamError({ reason: { _tag: "Limited", after: 0 } })
    assert.isFalse(member.hasHead(0, SILENT_AGE))
  })

  it("is forgotten with the fault that takes the node down, and not before", () => {
    const member = seen()
    member.sees("safe", 950, 0)
    member.sees("finalized", 900, 0)
    assert.isFalse(member.failed("Unreachable"))
    assert.deepStrictEqual(member.heads, { latest: 1000, safe: 950, finalized: 900 })
    assert.isTrue(member.hasHead(0, SILENT_AGE))
    assert.isTrue(member.failed("Unreachable"))
    assert.deepStrictEqual(member.heads, { latest: -1, safe: -1, finalized: -1 })
    // a report that was under way does not bring a node back
    member.sees("latest", 1001, 0)
    assert.isFalse(member.hasHead(0, SILENT_AGE))
    member.answered()
    assert.isTrue(member.hasHead(0, SILENT_AGE))
  })
})

describe("a node that asks for a pause", () => {
  const nextAttempt = (member: PoolMember) => member.health(0, 0).nextAttemptAt

  it("gets the one that it names, up to five minutes, and never a shorter one than before", () => {
    const member = made()
    member.limited(10 * SECOND, 0, 0)
    assert.strictEqual(member.restLeft(0), 10 * SECOND)
    member.limited(SECOND, 0, 0)
    assert.strictEqual(member.restLeft(0), 10 * SECOND)
    member.limited(HOUR, 0, 0)
    assert.strictEqual(member.restLeft(0), 5 * MINUTE)
  })

  it("gets twice as long each time in a row, up to a minute, if it names none", () => {
    const member = made()
    const rests = Array.from({ length: 8 }, () => {
      member.limited(undefined, SECOND, 0)
      return nextAttempt(member)
    })
    assert.deepStrictEqual(
      rests,
      [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * SECOND)
    )
    member.answered()
    member.limited(undefined, SECOND, 0)
    assert.strictEqual(nextAttempt(member), SECOND)
  })
})
