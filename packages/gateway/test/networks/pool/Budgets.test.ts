/** Tests pools whose nodes have a price, and pools whose nodes have a maximum number of calls. */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"

import { after, answerOf, error, node, pool, quiet, refused } from "../../support/poolNodes.ts"

const ADDRESS = `0x${"cd".repeat(20)}`

/** Makes a node that records the time of each call. */
const timed = (answer: string) => {
  const times: Array<number> = []
  const self = node(() =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      times.push(now)
      return answer
    })
  )
  return Object.assign(self, { times })
}

describe("a budget by the second", () => {
  it.effect("is kept in every period of a second, and calls go to the next node meanwhile", () =>
    Effect.gen(function* () {
      const random = Random.make(0xb0d6)
      const nodes = [timed('"a"'), timed('"b"')]
      const upstream = yield* pool(nodes, {}, [{ requestsPerSecond: 5 }])
      for (let count = 0; count < 500; count++) {
        yield* answerOf(upstream.call("eth_chainId", []))
        yield* TestClock.adjust(Random.int(random, 100))
      }
      const { times } = nodes[0]!
      assert.isAbove(times.length, 50)
      for (let at = 5; at < times.length; at++) assert.isAtLeast(times[at]! - times[at - 5]!, 1000)
      assert.strictEqual(times.length + nodes[1]!.times.length, 500)
    }).pipe(Effect.scoped)
  )

  it.effect("lets calls wait for up to two seconds where there is no other node, and says how long it is used up", () =>
    Effect.gen(function* () {
      const only = timed('"a"')
      const upstream = yield* pool([only], {}, [{ requestsPerSecond: 2 }])
      const all = Effect.forEach(Array.from({ length: 7 }), () => answerOf(upstream.call("eth_chainId", [])), {
        concurrency: "unbounded"
      })
      const answers = yield* after(all, 5000)
      assert.deepStrictEqual(
        answers.slice(0, 6),
        Array.from({ length: 6 }, () => '"a"')
      )
      assert.deepStrictEqual(answers[6], { _tag: "Limited", after: 1000 })
      assert.deepStrictEqual(only.times, [0, 0, 1000, 1000, 2000, 2000])
    }).pipe(Effect.scoped)
  )
})

describe("a budget by the day", () => {
  it.effect("is never exceeded, by probes neither, and is new at midnight of UTC", () =>
    Effect.gen(function* () {
      const day = 86_400_000
      yield* TestClock.setTime(20 * day + day / 2)
      const nodes = [timed('"a"'), timed('"b"')]
      const upstream = yield* pool(nodes, { maxLag: 1, watch: "1 minute" }, [{ requestsPerDay: 100 }])
      for (let minute = 0; minute < 12 * 60; minute++) {
        yield* answerOf(upstream.call("eth_chainId", []))
        yield* TestClock.adjust("1 minute")
      }
      const today = nodes[0]!.times.filter((time) => time < 21 * day)
      assert.strictEqual(today.length, 100)
      yield* answerOf(upstream.call("eth_chainId", []))
      assert.isAbove(nodes[0]!.times.length, 100)
      assert.isBelow(upstream.health!()[0]!.leftToday!, 100)
      assert.isUndefined(upstream.health!()[1]!.leftToday)
    }).pipe(Effect.scoped)
  )

  it.effect("is told when it is used up everywhere, and a node in doubt is left alone", () =>
    Effect.gen(function* () {
      const only = node(refused)
      const upstream = yield* pool([only], { failures: 3 }, [{ requestsPerDay: 2 }])
      for (let count = 0; count < 5; count++) yield* answerOf(upstream.call("eth_chainId", []))
      const answer = yield* answerOf(upstream.call("eth_chainId", []))
      assert.deepStrictEqual(answer, { _tag: "Limited", after: 86_400_000 })
      assert.strictEqual(only.asked.length, 2)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(only.asked.length, 2)
    }).pipe(Effect.scoped, quiet)
  )
})

describe("the cheapest node", () => {
  it.effect("is asked first, then the next cheapest while its budget is used up or it is down", () =>
    Effect.gen(function* () {
      const nodes = [node('"dear"'), node('"cheap"'), node('"middle"')]
      const upstream = yield* pool(nodes, { balance: "cost", failures: 1 }, [
        { cost: 10 },
        { cost: 1, requestsPerDay: 2 },
        { cost: 5 }
      ])
      const ask = answerOf(upstream.call("eth_chainId", []))
      assert.deepStrictEqual(yield* Effect.all([ask, ask, ask]), ['"cheap"', '"cheap"', '"middle"'])
      nodes[2]!.behaviour = () => refused
      assert.strictEqual(yield* ask, '"dear"')
      assert.strictEqual(yield* ask, '"dear"')
      // The health report keeps the order of the configuration.
      assert.deepStrictEqual(
        upstream.health!().map(({ name }) => name),
        ["0", "1", "2"]
      )
    }).pipe(Effect.scoped, quiet)
  )
})

describe("an archive", () => {
  it.effect("is asked first for states of old blocks, and a node that is none last", () =>
    Effect.gen(function* () {
      const named = (name: string) => node((method) => (method === "eth_blockNumber" ? '"0x3e8"' : name))
      const nodes = [named('"full"'), named('"unknown"'), named('"archive"')]
      const upstream = yield* pool(nodes, { maxLag: 5, probe: "eth_blockNumber" }, [
        { archive: false },
        {},
        { archive: true }
      ])
      yield* TestClock.adjust(0)
      const at = (block: unknown) => answerOf(upstream.call("eth_getBalance", [ADDRESS, block]))
      assert.strictEqual(yield* at("0x10"), '"archive"')
      assert.strictEqual(yield* at("earliest"), '"archive"')
      assert.strictEqual(yield* at({ blockNumber: "0x10" }), '"archive"')
      assert.strictEqual(yield* at("0x3e0"), '"full"')
      assert.strictEqual(yield* at("latest"), '"full"')
      // Every node has all blocks and receipts.
      assert.strictEqual(yield* answerOf(upstream.call("eth_getBlockReceipts", ["0x10"])), '"full"')
      nodes[2]!.behaviour = () => error(-32_000, "server is busy")
      assert.strictEqual(yield* at("0x10"), '"unknown"')
    }).pipe(Effect.scoped)
  )
})
