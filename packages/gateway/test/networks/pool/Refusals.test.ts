/** Errors of nodes that say more about the node than about the question. */
import { assert, describe, it } from "@effect/vitest"
import type { ErrorObject } from "@plumbline/jsonrpc-core"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { after, answerOf, error, fault, node, pool, quiet, refused } from "../../support/poolNodes.ts"

const ADDRESS = `0x${"cd".repeat(20)}`
const HASH = `0x${"ab".repeat(32)}`

/** Error objects of nodes and providers after which another node is asked. */
const words: ReadonlyArray<readonly [who: string, said: ErrorObject.ErrorObject]> = [
  ["geth: pruned state", error(-32_000, "missing trie node 5ec2e7 (path 0a) state 0x1 is not available")],
  ["geth: path scheme", error(-32_000, "historical state 5ec2e7 is not available")],
  ["geth: EIP-4444", error(4444, "pruned history unavailable")],
  ["geth: no such header", error(-32_000, "header not found")],
  ["geth: no finalized block", error(-39_001, "finalized block not found")],
  ["geth: no such method", error(-32_601, "the method eth_getBalance does not exist/is not available")],
  ["geth: busy", error(-32_000, "server is too busy")],
  ["geth: timeout", error(-32_002, "request timed out")],
  ["nethermind: pruned", error(-32_002, "No state available for block 0x1")],
  ["nethermind: no header", error(-32_001, "header not found")],
  ["nethermind: disabled", error(-32_600, "eth_getBalance method is not enabled")],
  ["erigon: pruned", error(-32_000, "block #1 state is pruned")],
  ["reth: pruned", error(-32_603, "state at block #1 is pruned")],
  ["reth: no header", error(-32_001, "block not found: hash 0x1")],
  ["besu: world state", error(-32_000, "World state unavailable")],
  ["besu: no block", error(-32_000, "Block not found")],
  ["besu: method", error(-32_604, "Method not enabled")],
  ["anvil: fork limit", error(-32_005, "rate limited")],
  ["juno: no block", error(24, "Block not found")],
  ["infura: rate", error(-32_005, "project ID request rate exceeded")],
  ["infura: day", error(-32_005, "daily request count exceeded, request rate limited")],
  ["infura: since 2024", error(402, "Payment Required")],
  ["alchemy: rate", error(429, "Your app has exceeded its compute units per second capacity")],
  ["quicknode: rate", error(-32_007, "50/second request limit reached")],
  ["ankr: archive", error(-32_000, "missing trie node")],
  ["proxyd: backends", error(-32_011, "no backends available for method")],
  ["cloudflare", error(-32_055, "upstream temporarily unavailable, try again later")],
  ["infura: key", error(-32_002, "rejected due to project ID settings")],
  ["any: internal", error(-32_603, "Internal error")]
]

/** Error objects that answer the question, whichever node sends them. */
const answers: ReadonlyArray<ErrorObject.ErrorObject> = [
  error(3, "execution reverted", "0x08c379a0"),
  error(3, "execution reverted: missing trie node"),
  error(3, "execution reverted: rate limit exceeded"),
  error(-32_000, "execution reverted"),
  error(-32_015, "VM execution error.", "revert: header not found"),
  error(-32_602, "invalid argument 0: hex string of odd length"),
  error(-32_600, "invalid request"),
  error(-32_000, "nonce too low"),
  error(-32_000, "already known"),
  error(-32_000, "insufficient funds for gas * price + value"),
  error(-32_000, "gas required exceeds allowance (0)"),
  error(-32_005, "query returned more than 10000 results"),
  error(-32_000, "hash 0x1 is not currently canonical"),
  error(-32_000, "something that no table knows")
]

describe("a node's refusal", () => {
  it.effect.each(words)("%s: another node is asked, and no health is lost", ([, said]) =>
    Effect.gen(function* () {
      const nodes = [node(said), node('"0x2"')]
      const upstream = yield* pool(nodes, { failures: 1 })
      assert.strictEqual(yield* answerOf(upstream.call("eth_getBalance", [ADDRESS, HASH])), '"0x2"')
      assert.deepStrictEqual(
        upstream.health!().map(({ state }) => state),
        ["up", "up"]
      )
    }).pipe(Effect.scoped)
  )

  it.effect.each(answers.map((said) => [said.message, said] as const))("%s: is the answer", ([, said]) =>
    Effect.gen(function* () {
      const nodes = [node(said), node('"0x2"')]
      const upstream = yield* pool(nodes)
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [{}, "latest"])), said)
      assert.deepStrictEqual(nodes[1]!.asked, [])
    }).pipe(Effect.scoped)
  )

  it.effect("is what the caller gets if all refuse: the first node's own words, and not a fault", () =>
    Effect.gen(function* () {
      const [, [, pruned], [, header]] = [0, words[0]!, words[3]!] as const
      const ask = (...nodes: ReadonlyArray<Parameters<typeof node>[0]>) =>
        Effect.flatMap(pool(nodes.map(node)), (upstream) => answerOf(upstream.call("eth_getBalance", [ADDRESS, HASH])))
      assert.strictEqual(yield* ask(pruned, header), pruned)
      assert.strictEqual(yield* ask(header, pruned), header)
      assert.strictEqual(yield* ask(refused, pruned), pruned)
      assert.strictEqual(yield* ask(pruned, refused), pruned)
      assert.strictEqual(yield* ask(pruned), pruned)
    }).pipe(Effect.scoped)
  )

  it.effect("sends a transaction on only if the node has certainly not taken it, and nothing else", () =>
    Effect.gen(function* () {
      for (const [said, goesOn] of [
        [error(-32_005, "rate limit exceeded"), true],
        [error(-32_601, "the method eth_sendRawTransaction does not exist/is not available"), true],
        [error(-32_603, "internal error"), false],
        [error(-32_000, "server is too busy"), false],
        [error(-32_000, "nonce too low"), false]
      ] as const) {
        const nodes = [node(said), node('"0xhash"')]
        const upstream = yield* pool(nodes)
        assert.deepStrictEqual(
          yield* answerOf(upstream.call("eth_sendRawTransaction", ["0x02c0"])),
          goesOn ? '"0xhash"' : said
        )
        const other = [node(said), node('"0xhash"')]
        assert.deepStrictEqual(yield* answerOf((yield* pool(other)).call("eth_sendTransaction", [{}])), said)
      }
    }).pipe(Effect.scoped)
  )
})

describe("a node that asks for a rest", () => {
  const balance = ["eth_getBalance", [ADDRESS, HASH]] as const

  it.effect("gets it, up to five minutes, and the others take its calls", () =>
    Effect.gen(function* () {
      for (const [said, millis] of [
        [fault({ _tag: "BadStatus", status: 429, retryAfter: 20_000 }), 20_000],
        [fault({ _tag: "BadStatus", status: 503, retryAfter: 3_600_000 }), 300_000],
        [error(-32_005, "project ID request rate exceeded", { backoff_seconds: 30 }), 30_000]
      ] as const) {
        const nodes = [node(said), node('"0x2"')]
        const upstream = yield* pool(nodes, { failures: 1 })
        for (const _ of [1, 2, 3]) assert.strictEqual(yield* answerOf(upstream.call(...balance)), '"0x2"')
        assert.deepStrictEqual([nodes[0]!.asked.length, nodes[1]!.asked.length], [1, 3])
        const [first] = upstream.health!()
        assert.strictEqual(first!.state, "up")
        assert.strictEqual(first!.faults, 0)
        assert.strictEqual(first!.refusals, 1)
        // The pause is exact to the millisecond of the test's clock.
        yield* TestClock.adjust(millis - 1)
        yield* answerOf(upstream.call(...balance))
        assert.strictEqual(nodes[0]!.asked.length, 1)
        nodes[0]!.behaviour = () => '"0x1"'
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* answerOf(upstream.call(...balance)), '"0x1"')
      }
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("is not asked even if there is no other: the caller is told for how long", () =>
    Effect.gen(function* () {
      const only = node(fault({ _tag: "BadStatus", status: 429, retryAfter: 20_000 }))
      const upstream = yield* pool([only])
      assert.deepStrictEqual(yield* answerOf(upstream.call(...balance)), {
        _tag: "BadStatus",
        status: 429,
        retryAfter: 20_000
      })
      yield* TestClock.adjust(5000)
      assert.deepStrictEqual(yield* answerOf(upstream.call(...balance)), { _tag: "Limited", after: 15_000 })
      assert.strictEqual(only.asked.length, 1)
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("that names no time is asked last for a second, then two, and so on, until it answers", () =>
    Effect.gen(function* () {
      const nodes = [node(error(-32_005, "limit exceeded")), node('"0x2"')]
      const upstream = yield* pool(nodes)
      for (const seconds of [1, 2, 4, 8]) {
        const before = nodes[0]!.asked.length
        yield* answerOf(upstream.call(...balance))
        yield* TestClock.adjust(seconds * 1000 - 1)
        yield* answerOf(upstream.call(...balance))
        assert.strictEqual(nodes[0]!.asked.length, before + 1)
        yield* TestClock.adjust(1)
      }
      // The node is only asked last, because the duration of its pause is a guess.
      nodes[1]!.behaviour = () => refused
      nodes[0]!.behaviour = () => '"0x1"'
      yield* answerOf(upstream.call(...balance))
      assert.strictEqual(yield* answerOf(upstream.call(...balance)), '"0x1"')
    }).pipe(Effect.scoped, quiet)
  )

  it.effect("is not made to rest by the words of a contract", () =>
    Effect.gen(function* () {
      const nodes = [node(error(-32_000, "rate limit exceeded", { backoff_seconds: 60 })), node('"0x2"')]
      const upstream = yield* pool(nodes)
      for (const _ of [1, 2, 3]) yield* answerOf(upstream.call("eth_call", [{}, HASH]))
      assert.strictEqual(nodes[0]!.asked.length, 3)
      yield* answerOf(upstream.call(...balance))
      yield* answerOf(upstream.call(...balance))
      assert.strictEqual(nodes[0]!.asked.length, 4)
    }).pipe(Effect.scoped, quiet)
  )
})

describe("a method that a node lacks", () => {
  const lacks = error(-32_601, "the method eth_getProof does not exist/is not available")
  const proof = ["eth_getProof", [ADDRESS, [], HASH]] as const

  it.effect("is not asked of it again for ten minutes, and other methods are", () =>
    Effect.gen(function* () {
      const nodes = [node((method) => (method === "eth_getProof" ? lacks : '"0x1"')), node('"0x2"')]
      const upstream = yield* pool(nodes)
      for (const _ of [1, 2, 3]) assert.strictEqual(yield* answerOf(upstream.call(...proof)), '"0x2"')
      assert.deepStrictEqual(nodes[0]!.asked, ["eth_getProof"])
      assert.strictEqual(yield* answerOf(upstream.call("eth_chainId", [])), '"0x1"')
      assert.deepStrictEqual(upstream.health!()[0]!.lacks, ["eth_getProof"])
      yield* TestClock.adjust("10 minutes")
      yield* answerOf(upstream.call(...proof))
      assert.strictEqual(nodes[0]!.asked.length, 3)
    }).pipe(Effect.scoped)
  )

  it.effect("is answered with its own words if no node has it, without asking again", () =>
    Effect.gen(function* () {
      const nodes = [node(lacks), node(error(-32_601, "no"))]
      const upstream = yield* pool(nodes)
      for (const _ of [1, 2, 3]) assert.strictEqual(yield* answerOf(upstream.call(...proof)), lacks)
      assert.deepStrictEqual([nodes[0]!.asked.length, nodes[1]!.asked.length], [1, 1])
    }).pipe(Effect.scoped)
  )

  it.effect("is forgotten with a fault: another node may answer at the address", () =>
    Effect.gen(function* () {
      const only = node(lacks)
      const upstream = yield* pool([only])
      yield* answerOf(upstream.call(...proof))
      only.behaviour = () => refused
      yield* answerOf(upstream.call("eth_chainId", []))
      only.behaviour = () => '"0x1"'
      assert.strictEqual(yield* answerOf(upstream.call(...proof)), '"0x1"')
    }).pipe(Effect.scoped)
  )

  it.effect("is remembered only of methods of the network's table", () =>
    Effect.gen(function* () {
      const only = node(error(-32_601, "no"))
      const upstream = yield* pool([only])
      for (let count = 0; count < 1000; count++) yield* answerOf(upstream.call(`eth_made_up_${count}`, []))
      assert.isUndefined(upstream.health!()[0]!.lacks)
    }).pipe(Effect.scoped)
  )
})

describe("old blocks", () => {
  it.effect("are asked of a node that still has them, once the others have said that they dropped them", () =>
    Effect.gen(function* () {
      const head = 20_000
      const full = node((method, params) =>
        method === "eth_blockNumber"
          ? `"0x${head.toString(16)}"`
          : Number(params[1]) < head - 128
            ? error(-32_000, "missing trie node")
            : '"full"'
      )
      const archive = node((method) => (method === "eth_blockNumber" ? `"0x${head.toString(16)}"` : '"archive"'))
      const upstream = yield* pool([full, archive])
      yield* answerOf(upstream.call("eth_blockNumber", []))
      const at = (block: number) => answerOf(upstream.call("eth_getBalance", [ADDRESS, `0x${block.toString(16)}`]))
      assert.strictEqual(yield* at(5000), '"archive"')
      const { length } = full.asked
      for (const block of [0, 1, 4999, 5000]) assert.strictEqual(yield* at(block), '"archive"')
      assert.strictEqual(full.asked.length, length)
      // The node has not refused a call about this block yet, so the pool asks it.
      assert.strictEqual(yield* at(5001), '"archive"')
      assert.strictEqual(full.asked.length, length + 1)
      assert.strictEqual(yield* at(head - 100), '"full"')
      // Nodes keep blocks longer than states, so the pool still asks this node for an old block.
      assert.strictEqual(yield* answerOf(upstream.call("eth_getBlockReceipts", ["0x10"])), '"full"')
    }).pipe(Effect.scoped)
  )

  it.effect("are asked of any node all the same if no other has them", () =>
    Effect.gen(function* () {
      const pruned = error(-32_000, "missing trie node")
      const nodes = [node((method) => (method === "eth_blockNumber" ? '"0x4e20"' : pruned)), node(pruned)]
      const upstream = yield* pool(nodes)
      yield* answerOf(upstream.call("eth_blockNumber", []))
      for (const _ of [1, 2]) {
        assert.strictEqual(yield* answerOf(upstream.call("eth_getBalance", [ADDRESS, "0x1"])), pruned)
      }
      assert.strictEqual(nodes[1]!.asked.length, 2)
    }).pipe(Effect.scoped)
  )
})

describe("the health of a node", () => {
  it.effect("names its last error, the first of its series, and what was counted", () =>
    Effect.gen(function* () {
      const only = node(refused)
      const upstream = yield* pool([only], { failures: 10 })
      const call = Effect.andThen(answerOf(upstream.call("eth_chainId", [])), TestClock.adjust(1000))
      for (const behaviour of [refused, refused]) {
        only.behaviour = () => behaviour
        yield* call
      }
      assert.deepStrictEqual(upstream.health!()[0]!.lastError, { kind: "Unreachable", since: 0, at: 1000 })
      only.behaviour = () => error(-32_603, "Internal error")
      yield* call
      assert.deepStrictEqual(upstream.health!()[0]!.lastError, { kind: "internal", since: 2000, at: 2000 })
      only.behaviour = () => '"0x1"'
      yield* call
      yield* call
      const [health] = upstream.health!()
      assert.deepStrictEqual(health!.lastError, { kind: "internal", since: 2000, at: 2000 })
      assert.deepStrictEqual([health!.calls, health!.faults, health!.refusals], [5, 2, 1])
      assert.deepStrictEqual(health!.faultsBy, { Unreachable: 2 })
      only.behaviour = () => refused
      yield* call
      assert.deepStrictEqual(upstream.health!()[0]!.lastError, { kind: "Unreachable", since: 5000, at: 5000 })
    }).pipe(Effect.scoped)
  )

  it.effect("shows the time to an answer, and the latest block with its age, of one node too", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_100_000)
      const only = node((method) =>
        method === "eth_getBlockByNumber"
          ? `{"number":"0x64","hash":"${HASH}","timestamp":"0x${(1_700_000_088).toString(16)}","transactions":[]}`
          : Effect.as(Effect.sleep(40), '"0x1"')
      )
      const upstream = yield* pool([only], { watch: "1 minute" })
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(upstream.health!()[0]!.head, {
        number: 100,
        hash: HASH,
        time: 1_700_000_088_000,
        seenAt: 1_700_000_100_000
      })
      assert.strictEqual(upstream.health!()[0]!.lagMillis, 12_000)
      assert.strictEqual(upstream.health!()[0]!.behind, 0)
      for (let count = 0; count < 60; count++) yield* after(answerOf(upstream.call("eth_chainId", [])), 40)
      assert.closeTo(upstream.health!()[0]!.responseMillis!, 40, 1)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(only.asked.filter((method) => method === "eth_getBlockByNumber").length, 2)
    }).pipe(Effect.scoped)
  )
})
