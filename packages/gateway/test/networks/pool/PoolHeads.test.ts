/** Tests which heads callers see when the nodes have different heads. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { answerOf, chain, HASH, hex, node, pool, quiet, refused } from "../../support/poolNodes.ts"

const ADDRESS = `0x${"cd".repeat(20)}`

const numberOf = (answer: unknown) => Number(/0x[0-9a-f]+(?=")/u.exec(String(answer).replace(HASH, ""))?.[0])

describe("a head that a caller has seen", () => {
  const asks = [
    ["eth_blockNumber", []],
    ["eth_getBlockByNumber", ["latest", false]],
    ["eth_getBlockByNumber", ["finalized", false]]
  ] as const
  it.effect.each(asks.map((ask) => [`${ask[0]} ${ask[1].join()}`, ask] as const))(
    "does not go back when another node answers: %s",
    ([, [method, params]]) =>
      Effect.gen(function* () {
        const nodes = [chain("a", 1000), chain("b", 998), chain("c", 1001)]
        const upstream = yield* pool(nodes)
        const ask = Effect.map(answerOf(upstream.call(method, params)), numberOf)
        const first = yield* ask
        nodes[0]!.isDown = true
        assert.strictEqual(yield* ask, first + 1)
        assert.strictEqual(yield* ask, first + 1)
        nodes[0]!.isDown = false
        // The first node is behind now. The pool does not use it until it has caught up.
        assert.strictEqual(yield* ask, first + 1)
        nodes[0]!.latest = nodes[2]!.latest = 1002
        nodes[0]!.finalized = 938
        yield* TestClock.adjust("2 seconds")
        yield* ask
        yield* TestClock.adjust("2 seconds")
        const { length } = nodes[0]!.asked
        assert.isAtLeast(yield* ask, first + 1)
        if (method === "eth_blockNumber") {
          assert.strictEqual(yield* ask, first + 2)
          assert.isAbove(nodes[0]!.asked.length, length)
        }
      }).pipe(Effect.scoped, quiet)
  )

  it.effect("goes back if no node has it any more: the answer is the highest of what nodes have", () =>
    Effect.gen(function* () {
      const nodes = [chain("a", 1000), chain("b", 997), chain("c", 998)]
      const upstream = yield* pool(nodes)
      const ask = Effect.map(answerOf(upstream.call("eth_blockNumber", [])), numberOf)
      assert.strictEqual(yield* ask, 1000)
      nodes[0]!.isDown = true
      assert.strictEqual(yield* ask, 998)
      nodes[2]!.isDown = true
      assert.strictEqual(yield* ask, 997)
      assert.strictEqual(yield* ask, 997)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("keeps state at the head from a node that is behind: it is asked for its number first", () =>
    Effect.gen(function* () {
      const nodes = [chain("a", 1000), chain("b", 998), chain("c", 1000)]
      const upstream = yield* pool(nodes)
      const state = (block: string) => answerOf(upstream.call("eth_getBalance", [ADDRESS, block]))
      yield* answerOf(upstream.call("eth_blockNumber", []))
      nodes[0]!.isDown = true
      assert.strictEqual(yield* state("latest"), '"c"')
      assert.deepStrictEqual(nodes[1]!.asked, ["eth_blockNumber"])
      assert.deepStrictEqual(nodes[2]!.asked, ["eth_blockNumber", "eth_getBalance"])
      // The pool knows the node's head now, and does not ask for it again.
      assert.strictEqual(yield* state("pending"), '"c"')
      assert.deepStrictEqual(nodes[1]!.asked, ["eth_blockNumber"])
      // A block by its number or hash is the same at every node, so heads do not matter.
      assert.strictEqual(yield* state(hex(900)), '"b"')
      assert.strictEqual(yield* state(HASH), '"b"')
      nodes[2]!.isDown = true
      assert.strictEqual(yield* state("latest"), '"b"')
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("costs nothing while the first node answers", () =>
    Effect.gen(function* () {
      const nodes = [chain("a", 1000), chain("b", 998)]
      const upstream = yield* pool(nodes)
      for (let count = 0; count < 20; count++) {
        yield* answerOf(upstream.call("eth_blockNumber", []))
        yield* answerOf(upstream.call("eth_getBalance", [ADDRESS, "latest"]))
        nodes[0]!.latest++
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(nodes[0]!.asked.length, 40)
      assert.deepStrictEqual(nodes[1]!.asked, [])
    }).pipe(Effect.scoped)
  )

  it.effect("is looked for at a preferred node that came back, once a second at most, until it has it", () =>
    Effect.gen(function* () {
      const nodes = [chain("a", 1000), chain("b", 1000)]
      const upstream = yield* pool(nodes, { failures: 1, cooldown: "1 second" })
      const ask = answerOf(upstream.call("eth_getBalance", [ADDRESS, "latest"]))
      const number = answerOf(upstream.call("eth_blockNumber", []))
      yield* number
      nodes[0]!.isDown = true
      nodes[1]!.latest = 1003
      yield* number
      nodes[0]!.isDown = false
      yield* TestClock.adjust("1 second")
      const { length } = nodes[0]!.asked
      for (let count = 0; count < 100; count++) {
        assert.strictEqual(yield* ask, '"b"')
        yield* TestClock.adjust(50)
      }
      assert.closeTo(nodes[0]!.asked.length - length, 5, 1)
      nodes[0]!.latest = 1003
      yield* TestClock.adjust("1 second")
      yield* ask
      yield* TestClock.adjust(0)
      assert.strictEqual(yield* ask, '"a"')
    }).pipe(Effect.scoped, quiet)
  )
})

describe("an empty answer", () => {
  it.effect("of a node that is behind is asked again of one that is further on", () =>
    Effect.gen(function* () {
      const lost = node((method) => (method === "eth_blockNumber" ? hex2(998) : "null"))
      const found = node((method) => (method === "eth_blockNumber" ? hex2(1000) : '{"found":true}'))
      const upstream = yield* pool([lost, found], { maxLag: 100, probe: "eth_blockNumber" })
      yield* TestClock.adjust(0)
      for (const [method, params] of [
        ["eth_getTransactionReceipt", [HASH]],
        ["eth_getTransactionByHash", [HASH]],
        ["eth_getBlockByHash", [HASH, false]],
        ["eth_getBlockByNumber", [hex(990), false]],
        ["eth_getBlockReceipts", [HASH]]
      ] as const) {
        assert.strictEqual(yield* answerOf(upstream.call(method, params)), '{"found":true}', method)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("is the answer where no node is known to be further on, or the other has nothing either", () =>
    Effect.gen(function* () {
      const ask = (first: number, second: number, other: string) =>
        Effect.gen(function* () {
          const nodes = [first, second].map((head, index) =>
            node((method) => (method === "eth_blockNumber" ? hex2(head) : index === 0 ? "null" : other))
          )
          const upstream = yield* pool(nodes, { maxLag: 100, probe: "eth_blockNumber" })
          yield* TestClock.adjust(0)
          const answer = yield* answerOf(upstream.call("eth_getTransactionReceipt", [HASH]))
          return [answer, nodes[1]!.asked.includes("eth_getTransactionReceipt")]
        })
      assert.deepStrictEqual(yield* ask(1000, 1000, "{}"), ["null", false])
      assert.deepStrictEqual(yield* ask(1000, 999, "{}"), ["null", false])
      assert.deepStrictEqual(yield* ask(999, 1000, "null"), ["null", true])
      const broken = [node((method) => (method === "eth_blockNumber" ? hex2(9) : "null")), node(refused)]
      const upstream = yield* pool(broken)
      assert.strictEqual(yield* answerOf(upstream.call("eth_getTransactionReceipt", [HASH])), "null")
    }).pipe(Effect.scoped, quiet)
  )
})

describe("a block by its number", () => {
  it.effect("is asked of a node that is known to have it", () =>
    Effect.gen(function* () {
      const nodes = [chain("a", 998), chain("b", 1000)]
      const upstream = yield* pool(nodes, { maxLag: 100 })
      yield* TestClock.adjust(0)
      const at = (block: number) => answerOf(upstream.call("eth_getBalance", [ADDRESS, hex(block)]))
      assert.strictEqual(yield* at(999), '"b"')
      assert.strictEqual(yield* at(998), '"a"')
      // No node is known to have this block, so the first node in order is asked.
      assert.strictEqual(yield* at(1001), '"a"')
      const range = (toBlock: string) =>
        answerOf(upstream.call("eth_getLogs", [{ fromBlock: hex(990), toBlock, address: ADDRESS }]))
      assert.strictEqual(yield* range(hex(1000)), '"b"')
      assert.strictEqual(yield* range(hex(995)), '"a"')
    }).pipe(Effect.scoped)
  )
})

const hex2 = (number: number): string => `"${hex(number)}"`
