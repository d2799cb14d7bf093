/** Filters of a proving node: kept in the process, bounded, and answered with proven results. */
import { assert, describe, it } from "@effect/vitest"
import { Verdict } from "@plumbline/verdict"
import { Effect, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"

import { Filters, type Notice, ProviderReason } from "../../src/index.ts"
import { address, TestChain, topic } from "../support/chain.ts"
import { proxyTo, type Following, listen, look, settled } from "../support/following.ts"

const log = (digit: string) => ({ address: address(digit), topics: [] })
const vouched = (chain: TestChain) => ({ trust: TestChain.authority((number) => chain.canonical[Number(number)]) })

const ask = (proxy: Following, method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.map(Effect.tap(proxy.answer({ method, params }), settled), ({ result }) => result as any)

const changesOf = (proxy: Following, id: unknown) => ask(proxy, "eth_getFilterChanges", id)

describe("a filter of blocks", () => {
  it.effect("returns the hashes since the last question", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain)
      const id = yield* ask(proxy, "eth_newBlockFilter")
      assert.match(id, /^0x[0-9a-f]{32}$/u)
      assert.deepEqual(yield* changesOf(proxy, id), [])
      const made = [chain.mine(), chain.mine()].map(({ hash }) => hash)
      yield* look
      assert.deepEqual(yield* changesOf(proxy, id), made)
      assert.deepEqual(yield* changesOf(proxy, id), [])
    })
  )

  it.effect("says at the next question what did not pass, and goes on", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain)
      const id = yield* ask(proxy, "eth_newBlockFilter")
      const made = chain.mine()
      yield* look
      chain.lie = (method, _, block) => (method === "eth_getBlockByNumber" ? { ...block, gasUsed: "0x1" } : undefined)
      chain.mine()
      yield* look
      chain.lie = () => undefined
      assert.deepInclude(yield* Effect.flip(changesOf(proxy, id)), { code: -32099, message: "refuted: header hash" })
      assert.deepEqual(yield* changesOf(proxy, id), [made.hash])
    })
  )
})

describe("a filter before an authority that is behind the node", () => {
  it.effect("says nothing until the authority names the block, and then its logs", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const named = [...chain.canonical]
      const proxy = yield* proxyTo(chain, { trust: TestChain.authority((number) => named[Number(number)]) })
      const id = yield* ask(proxy, "eth_newFilter", {})
      const block = chain.mine([log("1")])
      yield* look
      assert.deepEqual(yield* changesOf(proxy, id), [])
      named.push(block)
      yield* look
      assert.lengthOf(yield* changesOf(proxy, id), 1)
    })
  )
})

describe("a filter of logs", () => {
  it.effect("returns the logs of new blocks, and those that are taken back", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain, vouched(chain))
      const id = yield* ask(proxy, "eth_newFilter", { address: address("1") })
      const { receipts, wire } = chain.mine([log("1"), log("2")])
      yield* look
      const truth = { ...receipts[0].logs[0], blockTimestamp: wire["timestamp"] }
      const { result, verdict } = yield* proxy.answer({ method: "eth_getFilterChanges", params: [id] })
      assert.deepEqual([result, verdict._tag], [[truth], "VERIFIED"])
      chain.mine([], 1)
      yield* look
      assert.deepEqual(yield* changesOf(proxy, id), [{ ...truth, removed: true }])
    })
  )

  it.effect("leaves out what is beyond its numbers", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain, vouched(chain))
      const id = yield* ask(proxy, "eth_newFilter", { fromBlock: "0x2", toBlock: "0x3" })
      for (let number = 1; number <= 4; number++) chain.mine([log("1")])
      yield* look
      assert.deepEqual(
        (yield* changesOf(proxy, id)).map(({ blockNumber }: any) => blockNumber),
        ["0x2", "0x3"]
      )
    })
  )

  it.effect("is asked for with 0X too, as geth reads it", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain, vouched(chain))
      const selection = { address: `0X${"1".repeat(40)}`, topics: [`0X${"2".repeat(64)}`] }
      const id = yield* ask(proxy, "eth_newFilter", { ...selection, fromBlock: "0X2", toBlock: "0X3" })
      const heard = yield* listen(proxy, "logs", selection)
      for (let number = 1; number <= 4; number++) chain.mine([{ ...log("1"), topics: [topic("2")] }, log("1")])
      yield* look
      assert.deepEqual(
        (yield* changesOf(proxy, id)).map(({ blockNumber }: any) => blockNumber),
        ["0x2", "0x3"]
      )
      assert.lengthOf(heard, 4)
    })
  )

  it.effect("reads all its logs as eth_getLogs does", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain, vouched(chain))
      chain.mine([log("1"), log("2")])
      const range = { fromBlock: "0x1", toBlock: "0x1" }
      const id = yield* ask(proxy, "eth_newFilter", range)
      const logs = yield* ask(proxy, "eth_getFilterLogs", id)
      assert.lengthOf(logs, 2)
      assert.deepEqual(logs, yield* ask(proxy, "eth_getLogs", range))
      chain.lie = (method, _, logs) => (method === "eth_getLogs" ? logs.slice(1) : undefined)
      // what the node leaves out is taken from the receipts
      assert.deepEqual(yield* ask(proxy, "eth_getFilterLogs", id), logs)
      const blocks = yield* ask(proxy, "eth_newBlockFilter")
      assert.deepInclude(yield* Effect.flip(ask(proxy, "eth_getFilterLogs", blocks)), { message: "filter not found" })
    })
  )
})

describe("filters", () => {
  it.effect("end after five minutes without a question, and not while they are asked", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain)
      const id = yield* ask(proxy, "eth_newBlockFilter")
      yield* TestClock.adjust("4 minutes")
      yield* changesOf(proxy, id)
      yield* TestClock.adjust("4 minutes")
      yield* changesOf(proxy, id)
      yield* TestClock.adjust("5 minutes")
      yield* settled
      assert.deepInclude(yield* Effect.flip(changesOf(proxy, id)), { code: -32000, message: "filter not found" })
      const { length } = chain.asked
      yield* look
      assert.lengthOf(chain.asked, length, "the node is not asked any more")
    })
  )

  it.effect("are bounded in number; one that is uninstalled makes room", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain, { maxFilters: 2 })
      const [first] = [yield* ask(proxy, "eth_newBlockFilter"), yield* ask(proxy, "eth_newBlockFilter")]
      assert.deepInclude(yield* Effect.flip(ask(proxy, "eth_newBlockFilter")), { code: -32005 })
      assert.isTrue(yield* ask(proxy, "eth_uninstallFilter", first))
      assert.isFalse(yield* ask(proxy, "eth_uninstallFilter", first))
      yield* ask(proxy, "eth_newBlockFilter")
    })
  )

  it.effect("that could not begin count for nothing", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain, { maxFilters: 1 })
      chain.isDown = true
      assert.deepInclude(yield* Effect.flip(ask(proxy, "eth_newBlockFilter")), { code: 4900 })
      chain.isDown = false
      yield* ask(proxy, "eth_newBlockFilter")
    })
  )

  it.effect("hold a bounded number of results, and say if there were more", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain, vouched(chain))
      const id = yield* ask(proxy, "eth_newFilter", {})
      const many = Array.from({ length: 3_400 }, () => log("1"))
      for (let block = 0; block < 3; block++) chain.mine(many)
      yield* look
      for (let time = 0; time < 20; time++) yield* settled
      assert.deepInclude(yield* Effect.flip(changesOf(proxy, id)), { code: -32005 })
    })
  )

  it.effect("hold a bounded number of bytes, of an owner and of all, and keep nothing after they dropped results", () =>
    Effect.gen(function* () {
      const queues: Array<Queue.Queue<Notice.Notice>> = []
      const filters = Filters.make({
        open: () =>
          Effect.map(Queue.unbounded<Notice.Notice>(), (queue) => {
            queues.push(queue)
            return { notices: Stream.fromQueue(queue) }
          }),
        getLogs: () => Effect.die("not asked"),
        scope: yield* Effect.scope,
        max: 10,
        maxBytes: { ofOwner: 100, ofAll: 150 }
      })
      const asked = (owner: string, method: string, ...params: ReadonlyArray<unknown>) =>
        Effect.map(filters.get(method)!(params, { id: owner, mayRead: () => true }), ({ result }) => result as any)
      const begin = (owner: string) => asked(owner, "eth_newPendingTransactionFilter", true)
      const changes = (owner: string, id: string) => asked(owner, "eth_getFilterChanges", id)
      const tell = (queue: number, result: string, bytes: number) => {
        const verdict = Verdict.claim(result, ProviderReason.Pending({}))
        return Effect.andThen(Queue.offer(queues[queue]!, { _tag: "Item", result, verdict, bytes }), settled)
      }
      const tooLarge = {
        code: -32005,
        message: "the results that waited were too large together: ask more often, or for fewer"
      }
      const [a, b] = [yield* begin("one"), yield* begin("two")]
      yield* tell(0, "a1", 100)
      yield* tell(1, "b1", 50)
      // the owner has room left, and all owners together have none
      yield* tell(1, "b2", 1)
      yield* tell(1, "b3", 1)
      assert.deepInclude(yield* Effect.flip(changes("two", b)), tooLarge)
      assert.deepEqual(yield* changes("two", b), [])
      // a dropped result takes no room, and neither does one that was read
      yield* tell(1, "b4", 50)
      assert.deepEqual(yield* changes("two", b), ["b4"])
      yield* tell(0, "a2", 1)
      assert.deepInclude(yield* Effect.flip(changes("one", a)), tooLarge)
      yield* tell(0, "a3", 100)
      // neither does one of a filter that ended
      assert.isTrue(yield* asked("one", "eth_uninstallFilter", a))
      const c = yield* begin("one")
      yield* tell(2, "c1", 100)
      yield* tell(1, "b5", 50)
      assert.deepEqual([yield* changes("one", c), yield* changes("two", b)], [["c1"], ["b5"]])
    })
  )

  it.effect("of pending transactions need the policy mark", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const refusing = yield* proxyTo(chain)
      assert.deepInclude(yield* Effect.flip(ask(refusing, "eth_newPendingTransactionFilter")), { code: -32098 })
      const proxy = yield* proxyTo(chain, { unprovable: "mark" })
      const id = yield* ask(proxy, "eth_newPendingTransactionFilter")
      chain.pending = [`0x${"ab".repeat(32)}`]
      yield* look
      assert.deepEqual(yield* changesOf(proxy, id), chain.pending)
    })
  )

  const wrong: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>, code: number]> = [
    ["eth_newFilter", [], -32602],
    ["eth_newFilter", [{ address: "0x1" }], -32602],
    ["eth_newFilter", [{ blockHash: `0x${"ab".repeat(32)}` }], -32602],
    ["eth_newFilter", [{ topics: [null, null, null, null, null] }], -32602],
    ["eth_newFilter", [{ fromBlock: "0x10", toBlock: "0x9" }], -32000],
    ["eth_newPendingTransactionFilter", [1], -32602],
    ["eth_getFilterChanges", [], -32602],
    ["eth_getFilterChanges", ["0x1"], -32000],
    ["eth_getFilterLogs", [7], -32602],
    ["eth_uninstallFilter", [], -32602]
  ]
  for (const [method, params, code] of wrong) {
    it.effect(`refuse a bad question: ${method} ${JSON.stringify(params)}`, () =>
      Effect.gen(function* () {
        const chain = new TestChain()
        const error = yield* Effect.flip(ask(yield* proxyTo(chain), method, ...params))
        assert.strictEqual(error.code, code)
        assert.lengthOf(chain.asked, 0)
      })
    )
  }
})
