/** Tests the served tip: the head that callers see of nodes with different heads, honest or not. */
import { assert, describe, it } from "@effect/vitest"
import type { UpstreamPool } from "@plumbline/gateway"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"

import { HeadClaim } from "../../../src/networks/pool/headClaim.ts"
import { answerOf, type Chain, chain, error, hex, pool, quiet } from "../../support/poolNodes.ts"

const ADDRESS = `0x${"cd".repeat(20)}`
const LIE = 1_000_000_000

/** A pool as a service makes it, after its first look at the nodes. */
const watched = Effect.fnUntraced(function* (
  nodes: ReadonlyArray<Chain>,
  members: ReadonlyArray<Partial<UpstreamPool.PoolNode>> = []
) {
  const upstream = yield* pool(nodes, { pulse: "2 seconds", watch: "1 minute" }, members)
  yield* TestClock.adjust(0)
  const numberIn = (answer: unknown) => Number(/(?:"number":|^)"(0x[0-9a-f]+)"/u.exec(String(answer))?.[1])
  return {
    upstream,
    answer: answerOf(upstream.call("eth_blockNumber", [])),
    number: Effect.map(answerOf(upstream.call("eth_blockNumber", [])), numberIn),
    block: Effect.map(answerOf(upstream.call("eth_getBlockByNumber", ["latest", false])), numberIn),
    finalized: Effect.map(answerOf(upstream.call("eth_getBlockByNumber", ["finalized", false])), numberIn),
    state: answerOf(upstream.call("eth_getBalance", [ADDRESS, "latest"])),
    health: () => upstream.health!().map(({ behind, problem }) => [behind, problem] as const)
  }
})

const three = (a: number, b: number, c: number) => [chain("a", a), chain("b", b), chain("c", c)] as const

describe("the served tip of three nodes", () => {
  it.effect("is not the head of the node that is alone ahead, until another has it", () =>
    Effect.gen(function* () {
      const nodes = three(1005, 1000, 1000)
      const ask = yield* watched(nodes)
      assert.strictEqual(yield* ask.number, 1000)
      assert.strictEqual(yield* ask.block, 1000)
      nodes[1].latest = 1003
      assert.strictEqual(yield* ask.number, 1003)
      nodes[2].latest = 1005
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* ask.number, 1005)
      assert.strictEqual(yield* ask.block, 1005)
    }).pipe(Effect.scoped)
  )

  it.effect("is not held back by a node that is alone behind, and reads go to one that has it", () =>
    Effect.gen(function* () {
      const nodes = three(950, 1000, 1000)
      const ask = yield* watched(nodes)
      assert.strictEqual(yield* ask.state, '"b"')
      assert.strictEqual(yield* ask.number, 1000)
      assert.strictEqual(yield* ask.block, 1000)
      assert.notInclude(nodes[0].asked, "eth_getBalance")
      assert.deepStrictEqual(ask.health(), [
        [50, undefined],
        [0, undefined],
        [0, undefined]
      ])
      nodes[0].latest = 1001
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* ask.state, '"a"')
    }).pipe(Effect.scoped)
  )

  it.effect("is not held back by a node that falls behind before its head is looked at again", () =>
    Effect.gen(function* () {
      const nodes = three(1000, 1000, 1000)
      const ask = yield* watched(nodes)
      nodes[0].latest = 950
      assert.strictEqual(yield* ask.number, 1000)
    }).pipe(Effect.scoped)
  )

  it.effect("never goes back while a node flaps, and follows the others", () =>
    Effect.gen(function* () {
      const nodes = three(1000, 1000, 1000)
      const ask = yield* watched(nodes)
      const seen: Array<number> = []
      for (let turn = 0; turn < 40; turn++) {
        nodes[0].latest = turn % 2 === 0 ? 1000 + turn : 900
        nodes[1].latest = nodes[2].latest = 1000 + Math.floor(turn / 2)
        seen.push(yield* turn % 3 === 0 ? ask.block : ask.number)
        yield* TestClock.adjust("700 millis")
      }
      assert.deepStrictEqual(
        seen,
        seen.toSorted((a, b) => a - b)
      )
      assert.isAtMost(seen.at(-1)!, 1020)
      assert.isAtLeast(seen.at(-1)!, 1017)
    }).pipe(Effect.scoped)
  )

  it.effect("is no lie about a height, and the liar gets no reads at the head", () =>
    Effect.gen(function* () {
      const nodes = three(LIE, 1000, 1000)
      const ask = yield* watched(nodes)
      assert.strictEqual(yield* ask.number, 1000)
      assert.strictEqual(yield* ask.block, 1000)
      assert.strictEqual(yield* ask.finalized, 936)
      assert.strictEqual(yield* ask.state, '"b"')
      assert.notInclude(nodes[0].asked, "eth_getBalance")
      const problem = `its latest block is not believed: it is ${LIE - 1000} blocks above that of most nodes`
      assert.deepStrictEqual(ask.health(), [
        [0, problem],
        [0, undefined],
        [0, undefined]
      ])
      // The network goes on without the liar, and takes it back when it is honest.
      nodes[1].latest = nodes[2].latest = 1010
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* ask.number, 1010)
      nodes[0].latest = 1010
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* ask.state, '"a"')
      assert.strictEqual(ask.health()[0]![1], undefined)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("does not make the honest nodes late: a lie is not the height that they are compared with", () =>
    Effect.gen(function* () {
      const nodes = three(1000, 1000, LIE)
      const upstream = yield* pool(nodes, { maxLag: 3, watch: "1 minute" })
      yield* TestClock.adjust(0)
      const balance = (block: number) => answerOf(upstream.call("eth_getBalance", [ADDRESS, hex(block)]))
      assert.strictEqual(yield* balance(990), '"a"')
      // No honest node has this block. The liar, which says that it has it, is not preferred for it.
      assert.strictEqual(yield* balance(5000), '"a"')
      assert.deepStrictEqual(
        upstream.health!().map(({ behind }) => behind),
        [0, 0, 0]
      )
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("forgets a lie that was believed while no other head was known", () =>
    Effect.gen(function* () {
      const nodes = three(LIE, 1000, 1000)
      const upstream = yield* pool(nodes)
      const number = answerOf(upstream.call("eth_blockNumber", []))
      assert.strictEqual(yield* number, `"${hex(LIE)}"`)
      nodes[0].isDown = true
      yield* number
      nodes[0].isDown = false
      assert.strictEqual(yield* number, `"${hex(1000)}"`)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("does not follow for long a small lie that was served while the honest nodes were down", () =>
    Effect.gen(function* () {
      const nodes = three(1000, 1000, 1060)
      const ask = yield* watched(nodes)
      assert.strictEqual(yield* ask.number, 1000)
      nodes[0].isDown = nodes[1].isDown = true
      assert.strictEqual(yield* ask.number, 1060)
      nodes[0].isDown = nodes[1].isDown = false
      const seen: Array<number> = []
      for (let second = 0; second < 40; second++) {
        yield* TestClock.adjust("1 second")
        seen.push(yield* ask.number)
        if (second % 12 === 0) for (const node of nodes) node.latest++
      }
      assert.strictEqual(seen.at(-1), nodes[0].latest)
      const problem = "its latest block is not believed: it is 60 blocks above that of most nodes"
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* ask.state, '"a"')
      assert.strictEqual(ask.health()[2]![1], problem)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("lets no node that is ahead by a small lie keep the reads at the head, or refuse them for all", () =>
    Effect.gen(function* () {
      const nodes = three(1040, 1000, 1000)
      const ask = yield* watched(nodes)
      assert.strictEqual(yield* ask.state, '"a"')
      const before = nodes[0].behaviour
      nodes[0].behaviour = (method, params) =>
        method === "eth_getBalance" ? error(-32_000, "header not found") : before(method, params)
      assert.strictEqual(yield* ask.state, '"b"')
      nodes[0].behaviour = before
      // A lower head in between does not give the liar another time.
      for (let second = 0; second < 40; second++) {
        nodes[0].latest = second % 5 === 0 ? 1000 : 1040
        yield* TestClock.adjust("1 second")
        yield* ask.number
      }
      nodes[0].asked.length = 0
      for (let turn = 0; turn < 10; turn++) assert.strictEqual(yield* ask.state, '"b"')
      assert.notInclude(nodes[0].asked, "eth_getBalance")
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("follows a node that is always a block ahead of the others", () =>
    Effect.gen(function* () {
      const nodes = three(1001, 1000, 1000)
      const ask = yield* watched(nodes)
      for (let turn = 0; turn < 20; turn++) {
        for (const node of nodes) node.latest++
        assert.isAtLeast(yield* ask.number, nodes[1].latest)
        assert.strictEqual(yield* ask.state, '"a"')
        yield* TestClock.adjust("5 seconds")
      }
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("goes back if all nodes went back, as in a reorganisation, and the operator is told", () =>
    Effect.gen(function* () {
      const nodes = three(1000, 1000, 1000)
      const ask = yield* watched(nodes)
      assert.strictEqual(yield* ask.number, 1000)
      for (const node of nodes) node.latest = 998
      const told: Array<unknown> = []
      const logger = Logger.make(({ message }) => void told.push(message))
      const heard = Effect.provideService(Logger.CurrentLoggers, new Set([logger]))
      assert.strictEqual(yield* ask.number.pipe(heard), 998)
      assert.deepStrictEqual(told, [["the head went back"]])
      assert.strictEqual(yield* ask.block.pipe(heard), 998)
      nodes[0].latest = nodes[1].latest = 1001
      assert.strictEqual(yield* ask.number.pipe(heard), 1001)
      assert.strictEqual(told.length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("is that of the nodes that are left when others are down", () =>
    Effect.gen(function* () {
      const nodes = three(1003, 1000, 1000)
      const ask = yield* watched(nodes)
      assert.strictEqual(yield* ask.number, 1000)
      nodes[1].isDown = nodes[2].isDown = true
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* ask.number, 1003)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("asks a node that is behind before the one whose head is not believed", () =>
    Effect.gen(function* () {
      const nodes = three(LIE, 1000, 1000)
      const ask = yield* watched(nodes)
      assert.strictEqual(yield* ask.number, 1000)
      nodes[1].latest = nodes[2].latest = 1001
      yield* ask.number
      nodes[1].isDown = true
      nodes[2].latest = 1000
      assert.strictEqual(yield* ask.state, '"c"')
    }).pipe(Effect.scoped, quiet)
  )

  it.effect.each(["state", "number"] as const)(
    "believes a head that a caller has seen for 30 seconds from then on, whether or not there were calls: %s",
    (seen) =>
      Effect.gen(function* () {
        const nodes = three(1040, 1000, 1000)
        const ask = yield* watched(nodes)
        if (seen === "number") nodes[1].isDown = nodes[2].isDown = true
        yield* ask[seen]
        nodes[1].isDown = nodes[2].isDown = false
        yield* TestClock.adjust("32 seconds")
        nodes[1].asked.length = 0
        assert.strictEqual(yield* ask.state, '"b"')
        assert.deepStrictEqual(nodes[1].asked, ["eth_getBalance"])
      }).pipe(Effect.scoped, quiet)
  )

  it.effect("believes a node that was down as if it were new, whatever was not believed before", () =>
    Effect.gen(function* () {
      const nodes = three(1040, 1000, 1000)
      const ask = yield* watched(nodes)
      for (let second = 0; second < 35; second++) {
        yield* ask.state
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(yield* ask.state, '"b"')
      nodes[0].isDown = true
      yield* TestClock.adjust("10 seconds")
      nodes[0].isDown = false
      nodes[0].latest = 1003
      yield* TestClock.adjust("12 seconds")
      assert.strictEqual(yield* ask.state, '"a"')
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("forgets a claim from before a reorganisation: the time of a node that is ahead begins again", () =>
    Effect.gen(function* () {
      const nodes = three(1040, 1000, 1000)
      const ask = yield* watched(nodes)
      assert.strictEqual(yield* ask.state, '"a"')
      yield* TestClock.adjust("25 seconds")
      nodes[0].latest = 901
      nodes[1].latest = nodes[2].latest = 900
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* ask.state, '"a"')
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(yield* ask.state, '"a"')
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("is not that of nodes of another chain, whatever heads they had before", () =>
    Effect.gen(function* () {
      const nodes = three(5000, 5000, 1000)
      const ids = ["0x5", "0x5", "0x5"]
      for (const [at, node] of nodes.entries()) {
        const { behaviour } = node
        node.behaviour = (method, params) => (method === "eth_chainId" ? `"${ids[at]}"` : behaviour(method, params))
      }
      const upstream = yield* pool(nodes, {
        pulse: "2 seconds",
        watch: "1 minute",
        chain: { method: "eth_chainId", id: 5, every: "10 seconds" }
      })
      yield* TestClock.adjust(0)
      const behind = () => upstream.health!().map((node) => node.behind)
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(behind(), [0, 0, 4000])
      ids[0] = ids[1] = "0x6"
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(behind()[2], 0)
    }).pipe(Effect.scoped, quiet)
  )
})

describe("the served tip of two nodes", () => {
  it.effect("is the higher head, because neither can outvote the other", () =>
    Effect.gen(function* () {
      const nodes = [chain("a", 998), chain("b", 1000)]
      const ask = yield* watched(nodes)
      assert.strictEqual(yield* ask.number, 1000)
      assert.strictEqual(yield* ask.state, '"b"')
    }).pipe(Effect.scoped)
  )
})

describe("the served tip of five nodes", () => {
  it.effect("hides no head that a state was based on: a lie counts for nothing, even if only the liar answers", () =>
    Effect.gen(function* () {
      const honest = ["a", "b", "c", "d"].map((name) => chain(name, 1000))
      const [a, b] = honest as [Chain, Chain]
      const ask = yield* watched([...honest, chain("liar", LIE)])
      const own = honest.map(({ behaviour }) => behaviour)
      for (const [at, node] of honest.entries()) {
        node.behaviour = (method, params) =>
          method === "eth_getBalance" ? error(-32_000, "server is busy") : own[at]!(method, params)
      }
      assert.strictEqual(yield* ask.state, '"liar"')
      for (const [at, node] of honest.entries()) node.behaviour = own[at]!
      a.latest = 1001
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* ask.state, '"a"')
      a.isDown = true
      b.latest = 1001
      b.asked.length = 0
      assert.strictEqual(yield* ask.state, '"b"')
      assert.deepStrictEqual(b.asked, ["eth_blockNumber", "eth_getBalance"])
    }).pipe(Effect.scoped, quiet)
  )
})

describe("the served tip of one node beside two with a budget", () => {
  const members = (requestsPerDay: number) => [{}, { requestsPerDay }, { requestsPerDay }]

  it.effect.each([1000, LIE])("is no lie of the node that is asked most: the silent ones are asked, %s", (lead) =>
    Effect.gen(function* () {
      const nodes = three(1000, 1000, 1000)
      const ask = yield* watched(nodes, members(10_000))
      for (const seconds of [15, 40, 50]) {
        nodes[0].latest = 1000
        yield* TestClock.adjust(`${seconds} seconds`)
        nodes[0].latest = 1000 + lead
        assert.strictEqual(yield* ask.number, 1000)
        assert.strictEqual(yield* ask.block, 1000)
      }
    }).pipe(Effect.scoped, quiet)
  )

  /** Lets an honest chain grow for hours, in which the budgets run out. Returns the answers that were late. */
  const grown = Effect.fnUntraced(function* (
    nodes: ReadonlyArray<Chain>,
    ask: Effect.Effect<unknown>,
    { blocks, hours, millis }: { readonly blocks: number; readonly hours: number; readonly millis: number }
  ) {
    const others: Array<unknown> = []
    for (let at = 0; at < hours * 3_600_000; at += millis) {
      yield* TestClock.adjust(millis)
      for (const node of nodes) node.latest += blocks
      const answer = yield* ask
      if (answer !== `"${hex(nodes[0]!.latest)}"`) others.push(answer)
    }
    return others
  })

  it.effect.each([
    { blocks: 1, millis: 12_000, hours: 2, budget: 90 },
    { blocks: 40, millis: 10_000, hours: 1, budget: 45 }
  ])("follows an honest node when their budgets are used up, but no lie: %j", ({ budget, ...growth }) =>
    Effect.gen(function* () {
      const nodes = three(1000, 1000, 1000)
      // a few minutes longer before midnight of UTC than the chain grows
      yield* TestClock.setTime((20 * 24 - growth.hours) * 3_600_000 - 300_000)
      const ask = yield* watched(nodes, members(budget))
      assert.deepStrictEqual(yield* grown(nodes, ask.answer, growth), [])
      assert.deepStrictEqual(
        ask.upstream.health!().map(({ leftToday }) => leftToday),
        [undefined, 0, 0]
      )
      const honest = nodes[0].latest
      nodes[0].latest = LIE
      const tip = yield* ask.answer
      assert.deepInclude(tip, { _tag: "Unconfirmed", head: LIE })
      assert.isAtMost((tip as { readonly tip: number }).tip, honest)
      // the next day they are asked again
      yield* TestClock.adjust("6 minutes")
      for (const node of nodes) node.latest = honest + 10_000
      assert.strictEqual(yield* ask.number, honest + 10_000)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("follows an honest node when the chain goes on after it stood still", () =>
    Effect.gen(function* () {
      const nodes = three(1000, 1000, 1000)
      const ask = yield* watched(nodes, members(20))
      assert.deepStrictEqual(yield* grown(nodes, ask.answer, { blocks: 1, hours: 0.1, millis: 12_000 }), [])
      assert.deepStrictEqual(yield* grown(nodes, ask.answer, { blocks: 0, hours: 0.2, millis: 12_000 }), [])
      assert.deepStrictEqual(yield* grown(nodes, ask.answer, { blocks: 1, hours: 0.5, millis: 12_000 }), [])
    }).pipe(Effect.scoped, quiet)
  )

  it.effect.each([
    { blocks: 1, millis: 300_000, later: { blocks: 1, millis: 12_000 } },
    { blocks: 0, millis: 60_000, later: { blocks: 1, millis: 12_000 } },
    { blocks: 10, millis: 10_000, later: { blocks: 40, millis: 10_000 } }
  ])("follows an honest node when the chain gets faster after their budgets are used up: %j", ({ later, ...first }) =>
    Effect.gen(function* () {
      const nodes = three(1000, 1000, 1000)
      yield* TestClock.setTime((20 * 24 - 6) * 3_600_000)
      const ask = yield* watched(nodes, members(45))
      assert.deepStrictEqual(yield* grown(nodes, ask.answer, { ...first, hours: 2.5 }), [])
      assert.deepStrictEqual(
        ask.upstream.health!().map(({ leftToday }) => leftToday),
        [undefined, 0, 0]
      )
      assert.deepStrictEqual(yield* grown(nodes, ask.answer, { ...later, hours: 1 }), [])
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("follows an honest node when both were heard only once", () =>
    Effect.gen(function* () {
      const nodes = three(1000, 1000, 1000)
      const ask = yield* watched(nodes, members(1))
      assert.deepStrictEqual(yield* grown(nodes, ask.answer, { blocks: 1, hours: 1, millis: 12_000 }), [])
      nodes[0].latest = LIE
      assert.deepInclude(yield* ask.answer, { _tag: "Unconfirmed", head: LIE })
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("goes back with the chain while they are silent", () =>
    Effect.gen(function* () {
      const nodes = three(1000, 1000, 1000)
      const ask = yield* watched(nodes, members(10_000))
      assert.strictEqual(yield* ask.number, 1000)
      yield* TestClock.adjust("20 seconds")
      for (const node of nodes) node.latest = 990
      assert.strictEqual(yield* ask.number, 990)
      for (const node of nodes) node.latest = 991
      assert.strictEqual(yield* ask.number, 991)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("is the head of the node that is left when they are down", () =>
    Effect.gen(function* () {
      const nodes = three(1000, 1000, 1000)
      const ask = yield* watched(nodes, members(10_000))
      nodes[1].isDown = nodes[2].isDown = true
      yield* TestClock.adjust("2 minutes")
      nodes[0].latest = 1200
      assert.strictEqual(yield* ask.number, 1200)
    }).pipe(Effect.scoped, quiet)
  )
})

describe("a claim of a head above the tip", () => {
  it("has its whole time again after the tip reached it and the chain went back", () => {
    const claim = new HeadClaim()
    assert.isFalse(claim.isFar(100, 99, 0))
    assert.isFalse(claim.isFar(100, 100, 1000))
    assert.isFalse(claim.isFar(96, 95, 600_000))
    assert.isTrue(claim.isFar(96, 95, 631_000))
  })
})
