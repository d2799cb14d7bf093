/**
 * Nodes that fail at random, behind pools with random settings. They are killed, hang, are slow, limit calls, lag, lose
 * history and send garbage. Whatever the nodes do, a caller gets no wrong answer, no call takes effect twice, budgets
 * are kept, and heads do not go back.
 */
import { assert, describe, it } from "@effect/vitest"
import type { UpstreamPool } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Clock, Effect, Fiber, Random as Chance } from "effect"
import { TestClock } from "effect/testing"

import * as PlainWay from "../../support/plainWay.ts"
import { answerOf, error, fault, type Node, node, pool, quiet, refused } from "../../support/poolNodes.ts"

const ADDRESS = `0x${"cd".repeat(20)}`
const hex = (number: number) => `0x${number.toString(16)}`

/** Returns the state of the chain at a block. Every node that has the block gives this answer. */
const stateAt = (block: number) => `"0xs${block}"`

const moods = [
  "well",
  "well",
  "well",
  "killed",
  "broken",
  "hangs",
  "slow",
  "limited",
  "told",
  "busy",
  "pruned",
  "garbled",
  "lacking"
] as const
type Mood = (typeof moods)[number]

/** A node of a chain whose head only grows. The node may lag behind it. */
class Unruly {
  mood: Mood = "well"
  lag = 0
  /**
   * The times of all calls. `taken` lists the raw transactions that the node accepted. `done` lists the transactions
   * that the node itself was asked to sign and send.
   */
  readonly times: Array<number> = []
  readonly taken: Array<string> = []
  readonly done: Array<string> = []
  readonly node: Node

  constructor(chain: { head: number }, random: Random.Random) {
    this.node = node((method, params) =>
      Effect.gen({ self: this }, function* () {
        const now = yield* Clock.currentTimeMillis
        this.times.push(now)
        if (this.mood === "killed") return yield* Effect.fail(refused)
        if (this.mood === "limited") return yield* Effect.fail(error(-32_005, "rate limit exceeded"))
        if (this.mood === "told") return yield* Effect.fail(fault({ _tag: "BadStatus", status: 429, retryAfter: 3000 }))
        if (this.mood === "lacking" && method === "eth_getBalance") {
          return yield* Effect.fail(error(-32_601, "the method eth_getBalance does not exist/is not available"))
        }
        // From here on the node has read the call. A change takes effect, whatever happens to the answer.
        const [first] = params
        if (method === "eth_sendRawTransaction") this.taken.push(String(first))
        if (method === "eth_sendTransaction") this.done.push(String(first))
        if (this.mood === "hangs") return yield* Effect.never
        if (this.mood === "broken") {
          return yield* Effect.fail(fault({ _tag: "Unreachable", code: "UND_ERR_SOCKET" }))
        }
        if (this.mood === "garbled") return yield* Effect.fail(fault({ _tag: "BadAnswer", problem: "not JSON-RPC" }))
        if (this.mood === "slow") yield* Effect.sleep(Random.int(random, 3000))
        if (this.mood === "busy" && method === "eth_getBalance") {
          return yield* Effect.fail(error(-32_000, "server is too busy"))
        }
        const head = chain.head - this.lag
        switch (method) {
          case "eth_blockNumber":
            return `"${hex(head)}"`
          case "eth_getBlockByNumber":
            return `{"hash":"0x00","number":"${hex(head)}","transactions":[]}`
          case "eth_getBalance": {
            const block = params[1] === "latest" ? head : Number(params[1])
            if (block > head) return yield* Effect.fail(error(-32_000, "header not found"))
            if (this.mood === "pruned" && block < head - 50) {
              return yield* Effect.fail(error(-32_000, "missing trie node"))
            }
            return stateAt(block)
          }
          default:
            return '"0xdone"'
        }
      })
    )
  }
}

const options = (random: Random.Random, count: number): Partial<UpstreamPool.PoolOptions> => ({
  balance: Random.pick(random, ["order", "weight", "cost"]),
  timeout: 8000,
  tryTimeout: 2000,
  failures: 1 + Random.int(random, 3),
  cooldown: 1000 + Random.int(random, 4000),
  ...(Random.chance(random, 0.5) ? { watch: "5 seconds" } : {}),
  ...(Random.chance(random, 0.3) ? { maxLag: 2, watch: "3 seconds" } : {}),
  ...(Random.chance(random, 0.4) ? { hedge: { percentile: 90, minimum: 100, most: 1 + Random.int(random, 2) } } : {}),
  ...(count > 1 && Random.chance(random, 0.3) ? { quorum: { methods: ["eth_getBalance"], agree: 2, of: 2 } } : {})
})

/** Makes a pool with random settings and uses it. Returns the number of answers and of failures. */
const live = Effect.fnUntraced(function* (random: Random.Random, way: PlainWay.Way) {
  const seen = { answers: 0, failures: 0 }
  const chain = { head: 1000 }
  const unruly = Array.from({ length: 1 + Random.int(random, 4) }, () => new Unruly(chain, random))
  const budgets = unruly.map(() => (Random.chance(random, 0.3) ? 1 + Random.int(random, 5) : undefined))
  const settings = options(random, unruly.length)
  const nodes = yield* Effect.forEach(unruly, (each) =>
    Effect.map(PlainWay.withPlain(each.node.upstream), (upstream) => ({ ...each.node, upstream }))
  )
  const made = yield* pool(
    way === "plain" ? nodes : unruly.map((each) => each.node),
    settings,
    budgets.map((perSecond) => ({
      cost: Random.int(random, 5),
      weight: 1 + Random.int(random, 5),
      requestsPerSecond: perSecond
    }))
  )
  const upstream = PlainWay.through(way, made)
  let highest = 0
  for (let step = 0; step < 40; step++) {
    if (Random.chance(random, 0.5)) chain.head++
    // At each step the nodes may change their behaviour and their lag.
    for (const each of unruly) {
      if (Random.chance(random, 0.25)) each.mood = Random.pick(random, moods)
      if (Random.chance(random, 0.1)) each.lag = Random.int(random, 4)
    }
    const before = unruly.map(({ lag }) => chain.head - lag)
    // The nodes that the pool can ask now: they are up, and their pause has ended.
    const asked = upstream.health!().map(({ nextAttemptAt, state }) => state === "up" && nextAttemptAt === undefined)
    const kind = Random.int(random, 5)
    const id = `0x02c0${String(step).padStart(2, "0")}`
    const old = chain.head - Random.int(random, 200)
    const [method, params] = (
      [
        ["eth_blockNumber", []],
        ["eth_getBalance", [ADDRESS, hex(old)]],
        ["eth_getBalance", [ADDRESS, "latest"]],
        ["eth_sendTransaction", [id]],
        ["eth_chainId", []]
      ] as const
    )[kind]!
    const fiber = yield* Effect.forkChild(answerOf(upstream.call(method, params)), { startImmediately: true })
    // Every call ends within its time limit plus the wait for a budget.
    yield* TestClock.adjust(Random.chance(random, 0.5) ? 50 : 10_100)
    if (fiber.pollUnsafe() === undefined) yield* TestClock.adjust(10_100)
    assert.isDefined(fiber.pollUnsafe())
    const answer = yield* Fiber.join(fiber)
    if (typeof answer !== "string") {
      seen.failures++
      const words = Object(answer)
      assert.isTrue("_tag" in words || "code" in words)
    } else {
      seen.answers++
      if (kind === 1) assert.strictEqual(answer, stateAt(old))
      if (kind === 2) assert.match(answer, /^"0xs\d+"$/u)
      if (kind === 0) {
        const head = Number(JSON.parse(answer))
        // The head may be lower than a head that a caller has seen, but only if no available node has that head.
        const reachable = unruly.filter(
          ({ mood }, index) => mood === "well" && budgets[index] === undefined && asked[index] === true
        )
        const best = Math.max(0, ...reachable.map((each) => before[unruly.indexOf(each)]!))
        assert.isAtLeast(head, Math.min(highest, best))
        highest = head
      }
    }
    const times = unruly.filter(({ done }) => done.includes(id)).length
    assert.isAtMost(times, 1)
    if (kind === 3 && answer === '"0xdone"') assert.strictEqual(times, 1)
  }
  for (const [index, { times }] of unruly.entries()) {
    const most = budgets[index]
    if (most === undefined) continue
    for (let at = most; at < times.length; at++) assert.isAtLeast(times[at]! - times[at - most]!, 1000)
  }
  // When all nodes work again, the pool must work again too. It remembers a missing method for ten minutes.
  for (const each of unruly) {
    each.mood = "well"
    each.lag = 0
  }
  yield* TestClock.adjust("11 minutes")
  // The pool also asks a node for its head, at most once every three seconds. These queries use the node's budget per
  // second too. If no budget is left, a call waits, or too few nodes vote for a quorum.
  let last: unknown
  for (let second = 0; second < 4 && last !== stateAt(chain.head); second++) {
    const call = answerOf(upstream.call("eth_getBalance", [ADDRESS, hex(chain.head)]))
    const fiber = yield* Effect.forkChild(call, { startImmediately: true })
    yield* TestClock.adjust("1 second")
    last = yield* Fiber.join(fiber)
  }
  assert.strictEqual(last, stateAt(chain.head))
  assert.isTrue(upstream.health!().every(({ state }) => state !== "down"))
  return seen
}, Effect.scoped)

describe("a pool of unruly nodes", () => {
  it.effect.each(PlainWay.ways)(
    "gives no wrong answer, does nothing twice, keeps budgets, and lets no head go back: %s",
    (way) =>
      Effect.gen(function* () {
        const random = Random.make(0xc4a05)
        let answers = 0
        let failures = 0
        for (let run = 0; run < Random.runs(Random.sized(150)); run++) {
          const seen = yield* Chance.withSeed(live(random, way), run)
          answers += seen.answers
          failures += seen.failures
        }
        // Most pools have a node that can answer, so answers outnumber failures. Many calls change something and cannot
        // be repeated.
        assert.isAbove(answers, failures)
      }).pipe(quiet)
  )
})
