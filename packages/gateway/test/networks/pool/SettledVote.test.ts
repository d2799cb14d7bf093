/** Tests the vote of a pool's nodes on the safe and the finalized block. */
import { assert, describe, it } from "@effect/vitest"
import type { UpstreamPool } from "@plumbline/gateway"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"

import { type Answer, answerOf, error, hex, type Node, node, pool, quiet } from "../../support/poolNodes.ts"

const ADDRESS = `0x${"cd".repeat(20)}`

/** A node with a settled block of its own, the same for both tags. */
interface Voter extends Node {
  /** The number of the block; `null` if the node knows none, and an error if it does not know the tag. */
  settled: number | "null" | "hangs" | "unknown"
  latest: number
  isDown: boolean
  /** The time of each answer, in milliseconds. */
  delay: number
  /** The blocks that the node was asked for, by tag or number. */
  readonly blocks: Array<unknown>
}

const voter = (settled: Voter["settled"], delay = 0): Voter => {
  const self: Voter = Object.assign(
    node((method, params) => {
      if (self.isDown) return error(-32_603, "unreachable", "down")
      const asked = method === "eth_getBalance" ? params[1] : method === "eth_getBlockByNumber" ? params[0] : undefined
      if (asked !== undefined) self.blocks.push(asked)
      const answer = answerTo(self, method, asked)
      return delay === 0 || answer === "hangs" || typeof answer !== "string"
        ? answer
        : Effect.delay(Effect.succeed(answer), self.delay)
    }),
    { settled, latest: 1000, isDown: false, delay, blocks: [] }
  )
  return self
}

const answerTo = ({ latest, settled }: Voter, method: string, asked: unknown): Answer => {
  const isTag = asked === "finalized" || asked === "safe"
  if (isTag && settled === "unknown") return error(-32_602, "invalid block tag")
  if (isTag && typeof settled === "string") return settled
  if (method === "eth_blockNumber") return `"${hex(latest)}"`
  if (method === "eth_chainId") return '"0x1"'
  if (method === "eth_getBalance") return `"${String(asked)}"`
  const number = isTag ? Number(settled) : asked === "latest" ? latest : Number(asked)
  return number > Math.max(latest, Number(settled)) ? "null" : `{"number":"${hex(number)}","transactions":[]}`
}

const asked = Effect.fnUntraced(function* (
  nodes: ReadonlyArray<Voter>,
  members: ReadonlyArray<Partial<UpstreamPool.PoolNode>> = [],
  options: Partial<UpstreamPool.PoolOptions> = {}
) {
  const upstream = yield* pool(nodes, { pulse: "2 seconds", watch: "1 minute", ...options }, members)
  yield* TestClock.adjust(0)
  for (const each of nodes) each.blocks.length = each.asked.length = 0
  const numberIn = (answer: unknown) => {
    const number = /"number":"(0x[0-9a-f]+)"/u.exec(String(answer))?.[1]
    return number === undefined ? answer : Number(number)
  }
  return {
    upstream,
    finalized: Effect.map(answerOf(upstream.call("eth_getBlockByNumber", ["finalized", false])), numberIn),
    safe: Effect.map(answerOf(upstream.call("eth_getBlockByNumber", ["safe", false])), numberIn),
    state: answerOf(upstream.call("eth_getBalance", [ADDRESS, "finalized"])),
    balance: (tag: unknown) => answerOf(upstream.call("eth_getBalance", [ADDRESS, tag]))
  }
})

/** Advances the clock until an effect ends. Returns its result and the time that it took, in steps of 100 ms. */
const timed = <A>(effect: Effect.Effect<A>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
    yield* TestClock.adjust(0)
    let millis = 0
    while (fiber.pollUnsafe() === undefined && millis < 30_000) {
      yield* TestClock.adjust(100)
      millis += 100
    }
    return { value: yield* Fiber.join(fiber), millis }
  })

const polls = ({ blocks }: Voter): number => blocks.filter((block) => block === "finalized" || block === "safe").length

describe("the settled block of several nodes", () => {
  it.effect.each([
    ["far ahead", 1_000_000],
    ["ahead, up to the newest block", 1000],
    ["behind", 500],
    ["at block 0", 0],
    ["unknown to it", "null"]
  ] as const)("is not the word of one that lies first: %s", ([, lie]) =>
    Effect.gen(function* () {
      const nodes = [voter(lie), voter(936, 10), voter(936, 10)]
      const ask = yield* asked(nodes)
      assert.deepStrictEqual(yield* timed(ask.finalized), { value: 936, millis: 100 })
      assert.strictEqual((yield* timed(ask.state)).value, `"${hex(936)}"`)
      for (let epoch = 1; epoch < 20; epoch++) {
        nodes[1]!.settled = nodes[2]!.settled = 936 + epoch
        yield* TestClock.adjust(epoch % 2 === 0 ? "3 seconds" : "20 seconds")
        yield* timed(ask.finalized)
        yield* TestClock.adjust(100)
        assert.strictEqual((yield* timed(ask.finalized)).value, 936 + epoch)
      }
      assert.deepStrictEqual(
        ask.upstream.health!().map(({ faults, state }) => [faults, state]),
        nodes.map(() => [0, "up" as const])
      )
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("slow4: is not that of a fast liar beside three slow nodes, once they have answered", () =>
    Effect.gen(function* () {
      const nodes = [voter(936, 1500), voter(936, 1500), voter(936, 1500), voter(990)]
      const ask = yield* asked(nodes)
      yield* TestClock.adjust("10 seconds")
      // the first read waits a second, and then gets the word of the first node
      const first = yield* timed(ask.finalized)
      assert.deepStrictEqual(first, { value: 936, millis: 2500 })
      for (let read = 0; read < 10; read++) {
        assert.deepStrictEqual(yield* timed(ask.finalized), { value: 936, millis: 1500 })
      }
      assert.notInclude(
        nodes.flatMap(({ blocks }) => blocks.slice(4)),
        hex(990)
      )
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("slow4: replaces the lie that a fast liar told before the slow nodes could vote", () =>
    Effect.gen(function* () {
      const nodes = [voter(990), voter(936, 1500), voter(936, 1500), voter(936, 1500)]
      const messages: Array<unknown> = []
      const logger = Logger.make(({ message }) => void messages.push(message))
      yield* Effect.gen(function* () {
        const ask = yield* asked(nodes)
        // three silent nodes: one node's word
        assert.deepStrictEqual(yield* timed(ask.finalized), { value: 990, millis: 1000 })
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual((yield* timed(ask.finalized)).value, 936)
        // a lie that was served does not outlive the votes either
        for (const honest of nodes.slice(1)) honest.settled = "hangs"
        nodes[0]!.settled = 936
        yield* TestClock.adjust("2 minutes")
        assert.strictEqual((yield* timed(ask.finalized)).value, 936)
      }).pipe(Effect.scoped, Effect.provideService(Logger.CurrentLoggers, new Set([logger])))
      assert.deepInclude(messages, ["the head went back"])
    })
  )

  it.effect("zeroFirst: is block 0 on a new chain, which is a vote", () =>
    Effect.gen(function* () {
      const nodes = [voter(900), voter(0), voter(0)]
      const ask = yield* asked(nodes)
      assert.deepStrictEqual(yield* timed(ask.finalized), { value: 0, millis: 0 })
      assert.strictEqual(yield* ask.state, '"0x0"')
      nodes[1]!.settled = 32
      nodes[2]!.settled = 32
      yield* TestClock.adjust("3 seconds")
      yield* ask.finalized
      yield* TestClock.adjust(0)
      assert.strictEqual(yield* ask.finalized, 32)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("twoAhead: is that of the two nodes behind while half of four are ahead, and none is blamed", () =>
    Effect.gen(function* () {
      const nodes = [voter(968), voter(968), voter(936), voter(936)]
      const ask = yield* asked(nodes)
      assert.strictEqual(yield* ask.finalized, 936)
      assert.strictEqual(yield* ask.state, `"${hex(936)}"`)
      // the node that is ahead answers calls
      assert.include(nodes[0]!.asked, "eth_getBalance")
      nodes[3]!.settled = 968
      yield* TestClock.adjust("3 seconds")
      yield* ask.finalized
      yield* TestClock.adjust(0)
      assert.strictEqual(yield* ask.finalized, 968)
      nodes[0]!.settled = nodes[1]!.settled = 936
      yield* TestClock.adjust("3 seconds")
      yield* ask.finalized
      yield* TestClock.adjust(0)
      // it does not go back while a node has it
      assert.strictEqual(yield* ask.finalized, 968)
      assert.isTrue(ask.upstream.health!().every(({ faults, state }) => faults === 0 && state === "up"))
    }).pipe(Effect.scoped, quiet)
  )

  it.effect.each([
    ["hangs", 936, 936],
    ["lies far ahead", 1000, 936]
  ] as const)("threeOneDown: is agreed by two of three nodes while one is down and another %s", ([, other, agreed]) =>
    Effect.gen(function* () {
      const nodes = [voter(other), voter(936), voter(936)]
      nodes[2]!.settled = "hangs"
      const ask = yield* asked(nodes)
      nodes[2]!.isDown = true
      assert.deepStrictEqual(yield* timed(ask.finalized), { value: agreed, millis: 0 })
      assert.strictEqual(yield* ask.state, `"${hex(agreed)}"`)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("threeOneDown: stays at the agreed block, and not below it, when the other node left is far back", () =>
    Effect.gen(function* () {
      const nodes = [voter(936), voter(936), voter(936)]
      const ask = yield* asked(nodes)
      assert.strictEqual(yield* ask.finalized, 936)
      nodes[2]!.settled = "hangs"
      nodes[1]!.settled = 500
      for (let minute = 0; minute < 5; minute++) {
        yield* TestClock.adjust("1 minute")
        yield* timed(ask.finalized)
        assert.strictEqual((yield* timed(ask.finalized)).value, 936)
      }
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("twoBack: is not voted on by two nodes, and one far back does not hold it", () =>
    Effect.gen(function* () {
      const nodes = [voter(936), voter(500)]
      const ask = yield* asked(nodes)
      for (const epoch of [936, 968, 1000]) {
        nodes[0]!.settled = epoch
        assert.strictEqual(yield* ask.finalized, epoch)
        assert.strictEqual(yield* ask.state, '"finalized"')
        yield* TestClock.adjust("20 seconds")
      }
      assert.strictEqual(polls(nodes[1]!), 0)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect.each([
    ["threeNull: know no such block", "null"],
    ["do not know the tag", "unknown"]
  ] as const)("is what a node says if all %s, without a wait", ([, settled]) =>
    Effect.gen(function* () {
      const nodes = [voter(settled, 10), voter(settled, 10), voter(settled, 10)]
      const ask = yield* asked(nodes)
      const expected = settled === "null" ? "null" : { code: -32_602, message: "invalid block tag" }
      assert.deepStrictEqual((yield* timed(ask.finalized)).value, expected)
      const before = polls(nodes[2]!)
      for (let read = 0; read < 50; read++) {
        assert.deepStrictEqual((yield* timed(ask.finalized)).value, expected)
        yield* TestClock.adjust("900 millis")
      }
      // a chain without such blocks is asked every ten seconds
      assert.isAtMost(polls(nodes[2]!) - before, settled === "null" ? 55 : 6)
      for (const each of nodes) each.settled = 0
      yield* TestClock.adjust("10 seconds")
      yield* timed(ask.finalized)
      yield* TestClock.adjust(100)
      assert.strictEqual((yield* timed(ask.state)).value, '"0x0"')
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("silent3: is the word of the node that answers, and silent nodes delay the first read only", () =>
    Effect.gen(function* () {
      const nodes = [voter(936), voter("hangs"), voter("hangs"), voter("hangs")]
      const ask = yield* asked(nodes)
      assert.deepStrictEqual(yield* timed(ask.finalized), { value: 936, millis: 1000 })
      for (const pause of [0, 500, 5000, 12_000, 40_000, 100]) {
        yield* TestClock.adjust(pause)
        assert.deepStrictEqual(yield* timed(ask.finalized), { value: 936, millis: 0 })
      }
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("waits for no silent node once more than half have voted", () =>
    Effect.gen(function* () {
      const nodes = [voter("hangs"), voter(936, 200), voter(936, 200)]
      const ask = yield* asked(nodes)
      const said = `"${hex(936)}"`
      const reads = yield* timed(Effect.all([ask.state, ask.state, ask.state], { concurrency: "unbounded" }))
      assert.deepStrictEqual(reads, { value: [said, said, said], millis: 200 })
      assert.deepStrictEqual(nodes.map(polls), [1, 1, 1])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* timed(ask.state), { value: `"${hex(936)}"`, millis: 0 })
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("budget: takes at most a tenth of a budget, and an old vote holds no other node back", () =>
    Effect.gen(function* () {
      const nodes = [voter(936), voter(936), voter(936)]
      const ask = yield* asked(nodes, [{}, {}, { requestsPerDay: 8640 }])
      assert.strictEqual(yield* ask.finalized, 936)
      nodes[1]!.settled = "hangs"
      let vote = { polls: polls(nodes[2]!), at: 0 }
      for (let second = 0; second < 1200; second++) {
        nodes[0]!.settled = nodes[2]!.settled = 936 + second
        for (const each of nodes) each.latest = 1000 + second
        yield* TestClock.adjust("1 second")
        const { value } = yield* timed(ask.finalized)
        // 30 seconds after the vote of the node with a budget, the word of the node that is asked counts
        if (polls(nodes[2]!) > vote.polls) vote = { polls: polls(nodes[2]!), at: second }
        assert.isAtLeast(Number(value), 936 + (second - vote.at <= 30 ? vote.at - 1 : second))
      }
      // 120 calls in 20 minutes: half of a tenth for each tag
      assert.isAtMost(polls(nodes[2]!), 7)
      assert.isTrue(ask.upstream.health!().every(({ faults, refusals }) => faults === 0 && refusals === 0))
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("budget: has no vote if most nodes could not be asked often, and never goes back", () =>
    Effect.gen(function* () {
      const nodes = [voter(936), voter(936), voter(936)]
      const small = { requestsPerDay: 8640 }
      const ask = yield* asked(nodes, [{}, small, small])
      for (let second = 0; second < 600; second++) {
        nodes[0]!.settled = 936 + second
        for (const each of nodes) each.latest = 1000 + second
        assert.strictEqual(yield* ask.finalized, 936 + second)
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual(nodes.slice(1).map(polls), [0, 0])
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("budget: is not asked of a node beyond its calls per second, whatever is read", () =>
    Effect.gen(function* () {
      const nodes = [voter(936), voter(936), voter(936)]
      const ask = yield* asked(nodes, [{}, {}, { requestsPerSecond: 1 }])
      for (let read = 0; read < 600; read++) {
        assert.strictEqual(yield* ask.finalized, 936)
        yield* TestClock.adjust("200 millis")
      }
      // two minutes: one poll each 20 seconds
      assert.isAtMost(polls(nodes[2]!), 7)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("is not asked of a node during the pause that it asked for, which is no fault", () =>
    Effect.gen(function* () {
      const nodes = [voter(936), voter(936), voter(936)]
      const { behaviour } = nodes[2]!
      const limit = error(-32_005, "rate limit exceeded", { backoff_seconds: 60 })
      const ask = yield* asked(nodes)
      nodes[2]!.behaviour = (method, params) => {
        behaviour(method, params)
        return params[0] === "finalized" ? limit : behaviour(method, params)
      }
      for (let read = 0; read < 100; read++) {
        assert.strictEqual(yield* ask.finalized, 936)
        yield* TestClock.adjust("500 millis")
      }
      assert.isAtMost(polls(nodes[2]!), 2)
      assert.strictEqual(ask.upstream.health!()[2]!.faults, 0)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("goes back in a reorganisation that takes it from all nodes, and the operator is told", () => {
    const messages: Array<unknown> = []
    const logger = Logger.make(({ message }) => void messages.push(message))
    return Effect.gen(function* () {
      const nodes = [voter(990), voter(990), voter(990)]
      const ask = yield* asked(nodes)
      assert.strictEqual(yield* ask.safe, 990)
      nodes[0]!.settled = nodes[1]!.settled = 960
      yield* TestClock.adjust("3 seconds")
      yield* ask.safe
      yield* TestClock.adjust(0)
      assert.strictEqual(yield* ask.safe, 990)
      assert.notDeepInclude(messages, ["the head went back"])
      nodes[2]!.settled = 960
      yield* TestClock.adjust("3 seconds")
      yield* ask.safe
      yield* TestClock.adjust(0)
      assert.strictEqual(yield* ask.safe, 960)
      assert.deepInclude(messages, ["the head went back"])
    }).pipe(Effect.scoped, Effect.provideService(Logger.CurrentLoggers, new Set([logger])))
  })

  it.effect("is never a finalized block above the safe one", () =>
    Effect.gen(function* () {
      const nodes = [voter(936), voter(936), voter(936)]
      const ask = yield* asked(nodes)
      assert.strictEqual(yield* ask.safe, 936)
      yield* TestClock.adjust("20 seconds")
      for (const each of nodes) each.settled = 968
      assert.strictEqual(yield* ask.finalized, 968)
      assert.strictEqual(yield* ask.safe, 968)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("replaces the tag wherever a call names a block, and no other parameter", () =>
    Effect.gen(function* () {
      const nodes = [voter(936), voter(936), voter(936)]
      const seen: Array<unknown> = []
      for (const each of nodes) {
        const { behaviour } = each
        each.behaviour = (method, params) => {
          if (method !== "eth_getBlockByNumber") seen.push(params)
          return behaviour(method, params)
        }
      }
      const ask = yield* asked(nodes)
      seen.length = 0
      yield* ask.balance({ blockNumber: "finalized" })
      yield* ask.balance("latest")
      const filter = { address: "finalized", fromBlock: "safe", toBlock: "finalized" }
      yield* answerOf(ask.upstream.call("eth_getLogs", [filter]))
      yield* answerOf(ask.upstream.call("eth_getLogs", [{ fromBlock: "finalized", toBlock: "latest" }]))
      yield* answerOf(ask.upstream.call("eth_feeHistory", ["0x1", "finalized", []]))
      assert.deepStrictEqual(
        seen.filter((params) => (params as ReadonlyArray<unknown>).length > 0),
        [
          [ADDRESS, { blockNumber: "0x3a8" }],
          [ADDRESS, "latest"],
          [{ address: "finalized", fromBlock: "0x3a8", toBlock: "0x3a8" }],
          [{ fromBlock: "0x3a8", toBlock: "latest" }],
          ["0x1", "0x3a8", []]
        ]
      )
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("is asked of another node if one answers with the block of another number", () =>
    Effect.gen(function* () {
      const nodes = [voter(936), voter(936), voter(936)]
      const ask = yield* asked(nodes)
      nodes[0]!.behaviour = () => `{"number":"${hex(990)}"}`
      assert.strictEqual(yield* ask.finalized, 936)
      assert.strictEqual(yield* ask.finalized, 936)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("is asked of a node that has the block", () =>
    Effect.gen(function* () {
      const nodes = [voter(936), voter(936), voter(936)]
      nodes[0]!.latest = 900
      nodes[0]!.settled = 850
      const ask = yield* asked(nodes)
      assert.strictEqual(yield* ask.finalized, 936)
      assert.strictEqual(yield* ask.state, `"${hex(936)}"`)
      assert.notInclude(nodes[0]!.asked, "eth_getBalance")
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("has no vote of a node of another chain", () =>
    Effect.gen(function* () {
      const nodes = [voter(10), voter(10), voter(936), voter(936), voter(936)]
      const { behaviour } = nodes[0]!
      nodes[0]!.behaviour = nodes[1]!.behaviour = (method, params) =>
        method === "eth_chainId" ? '"0x2"' : behaviour(method, params)
      const ask = yield* asked(nodes, [], { chain: { method: "eth_chainId", id: 1 } })
      nodes[4]!.settled = "hangs"
      assert.strictEqual(yield* ask.finalized, 936)
      assert.strictEqual(polls(nodes[0]!), 0)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect.each([
    ["by a lone node", 1, {}],
    ["if the answers are proven", 3, { hasVote: false }]
  ] as const)("takes no further call %s, and reads at other blocks take none at all", ([, count, options]) =>
    Effect.gen(function* () {
      const nodes = Array.from({ length: count }, () => voter(936))
      const ask = yield* asked(nodes, [], options)
      for (const each of nodes) each.asked.length = 0
      assert.strictEqual(yield* ask.finalized, 936)
      assert.strictEqual(yield* ask.state, '"finalized"')
      assert.deepStrictEqual(
        nodes.flatMap(({ asked }) => asked).filter((method) => method !== "eth_blockNumber"),
        ["eth_getBlockByNumber", "eth_getBalance"]
      )
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("takes no call while callers read other blocks", () =>
    Effect.gen(function* () {
      const nodes = [voter(936), voter(936), voter(936)]
      const ask = yield* asked(nodes)
      for (let read = 0; read < 30; read++) {
        yield* ask.balance("latest")
        yield* ask.balance("0x10")
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual(nodes.map(polls), [0, 0, 0])
      // read once, they are asked once
      yield* ask.finalized
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(nodes.map(polls), [1, 1, 1])
    }).pipe(Effect.scoped, quiet)
  )
})
