import { assert, describe, it } from "@effect/vitest"
import { Costs } from "@plumbline/gateway"
import { Result } from "effect"

const make = (changes?: unknown) => Result.getOrThrow(Costs.make(changes))

describe("costs", () => {
  it("are Infura's", () => {
    // Infura's published prices in credits.
    const published = {
      eth_getStorageAt: 80,
      eth_getBlockByHash: 80,
      eth_getUncleByBlockNumberAndIndex: 150,
      eth_getTransactionByBlockHashAndIndex: 150,
      eth_getTransactionByHash: 80,
      eth_getProof: 150,
      starknet_pendingTransactions: 160,
      eth_chainId: 5,
      net_version: 5,
      eth_syncing: 5,
      eth_blockNumber: 80,
      eth_call: 80,
      eth_getLogs: 255,
      eth_subscribe: 5,
      eth_unsubscribe: 10
    }
    const costs = make()
    for (const [method, credits] of Object.entries(published)) {
      assert.strictEqual(costs.call("mainnet", method), credits, method)
      // An unlisted method costs 80 too, so only another price proves that a method is in the table.
      if (credits !== 80) assert.strictEqual(Costs.defaults.methods[method], credits, method)
    }
    assert.strictEqual(costs.call("mainnet", "eth_unheardOf"), 80)
    assert.strictEqual(costs.call("mainnet", "toString"), 80)
    assert.deepStrictEqual(costs.event("newHeads"), { credits: 50, per: "block" })
    assert.deepStrictEqual(costs.event("logs"), { credits: 300, per: "block" })
    assert.deepStrictEqual(costs.event("newPendingTransactions"), { credits: 200, per: 750 })
    assert.deepStrictEqual(costs.event("syncing"), { credits: 80, per: "event" })
  })

  it("are looked up by network and method, then by method, then the fallback", () => {
    const costs = make({ methods: { eth_call: 7 }, networks: { test: { eth_call: 3, eth_new: 4 } }, fallback: 9 })
    assert.strictEqual(costs.call("test", "eth_call"), 3)
    assert.strictEqual(costs.call("test", "eth_new"), 4)
    assert.strictEqual(costs.call("main", "eth_call"), 7)
    assert.strictEqual(costs.call("main", "eth_new"), 9)
    assert.strictEqual(costs.call("test", "eth_getProof"), 150)
    assert.strictEqual(costs.call("constructor", "constructor"), 9)
    assert.strictEqual(make({ methods: { eth_chainId: 0 } }).call("main", "eth_chainId"), 0, "free is not unlisted")
  })

  it("of a batch are those of its calls and one more", () => {
    // Infura's example: a batch of 30 calls of one credit each costs 31 credits.
    assert.strictEqual(make().batch(30), 31)
    assert.strictEqual(make({ batch: 0 }).batch(30), 30)
  })

  it("follow the final status", () => {
    const costs = make()
    for (const status of [200, 204]) assert.strictEqual(costs.charged(150, status), 150)
    for (const status of [402, 429, 500, 502, 503, 504]) assert.strictEqual(costs.charged(150, status), 0)
    for (const status of [400, 401, 403, 404, 405, 413, 415, 499]) assert.strictEqual(costs.charged(150, status), 5)
    assert.strictEqual(make({ refused: 2 }).charged(150, 403), 2)
  })

  it("of a change leave the defaults of others as they are", () => {
    make({ methods: { eth_call: 1 }, events: { logs: { credits: 1, per: "event" } } })
    assert.strictEqual(make().call("main", "eth_call"), 80)
    assert.strictEqual(make().event("logs").credits, 300)
  })

  it("that make no sense are refused by their place", () => {
    const rows: ReadonlyArray<readonly [unknown, string]> = [
      [null, "costs"],
      [[], "costs"],
      [{ method: {} }, "costs"],
      [{ methods: [] }, "methods"],
      [{ methods: { eth_call: -1 } }, "methods.eth_call"],
      [{ methods: { eth_call: "80" } }, "methods.eth_call"],
      [{ methods: { eth_call: 1e9 + 1 } }, "methods.eth_call"],
      [{ networks: { a: 5 } }, "networks.a"],
      [{ networks: { a: { eth_call: Number.NaN } } }, "networks.a.eth_call"],
      [{ events: { logs: 300 } }, "events.logs"],
      [{ events: { logs: { credits: 300 } } }, "events.logs.per"],
      [{ events: { logs: { credits: 300, per: 0 } } }, "events.logs.per"],
      [{ events: { logs: { credits: 1.5, per: "block" } } }, "events.logs.credits"],
      [{ events: { logs: { credits: 1, per: "block", price: 1 } } }, "events.logs"],
      [{ fallback: undefined }, "fallback"],
      [{ refused: Infinity }, "refused"],
      [{ batch: "1" }, "batch"]
    ]
    for (const [changes, setting] of rows) {
      const made = Costs.make(changes)
      assert.isTrue(Result.isFailure(made) && made.failure.setting === setting, JSON.stringify(changes))
    }
  })
})

describe("events of a subscription", () => {
  const at = (block: string | undefined, time: number): Costs.EventMoment => ({ block, at: time })

  it("by block are paid for once in each block", () => {
    const cost = { credits: 300, per: "block" } as const
    const blocks = ["a", "a", "b", "a", undefined, undefined]
    const paid = blocks.map((block, index) =>
      Costs.due(cost, index === 0 ? undefined : at(blocks[index - 1], 0), at(block, 0))
    )
    // A block that appears again after another block is a reorganisation, and costs again. An event without a block
    // costs every time.
    assert.deepStrictEqual(paid, [300, 0, 300, 300, 300, 300])
  })

  it("by time are paid for once in each span", () => {
    const cost = { credits: 200, per: 750 }
    const times = [10, 749, 750, 1499, 1500, 9000, 100]
    const paid = times.map((time, index) =>
      Costs.due(cost, index === 0 ? undefined : at(undefined, times[index - 1]!), at(undefined, time))
    )
    assert.deepStrictEqual(paid, [200, 0, 200, 0, 200, 200, 200])
  })

  it("one by one are all paid for", () => {
    assert.strictEqual(Costs.due({ credits: 80, per: "event" }, at("a", 0), at("a", 0)), 80)
  })
})
