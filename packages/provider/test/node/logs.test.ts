/**
 * `logs` of a proving node: the logs come from proven receipts, and are exactly those that the filter selects. They are
 * marked as removed when their block leaves the chain.
 */
import { assert, describe, it } from "@effect/vitest"
import { TrustedBlock } from "@plumbline/eth-methods"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { address, TestChain, topic } from "../support/chain.ts"
import { brief, proxyTo, listen, look, settled } from "../support/following.ts"

const log = (digit: string, ...topics: ReadonlyArray<string>) => ({ address: address(digit), topics })
const mark = { unprovable: "mark" } as const

/** Options with an authority that names each block, so that logs are VERIFIED. */
const vouched = (chain: TestChain) => ({ trust: TestChain.authority((number) => chain.canonical[Number(number)]) })

const receiptsAsked = (chain: TestChain): number =>
  chain.asked.filter(({ method }) => method === "eth_getBlockReceipts").length

describe("logs", () => {
  it.effect("are those that the filter selects, VERIFIED in a block that trust names", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain, vouched(chain))
      const all = yield* listen(proxy, "logs", {})
      const some = yield* listen(proxy, "logs", { address: [address("1"), address("9")], topics: [[topic("7")]] })
      const none = yield* listen(proxy, "logs", { address: address("8") })
      const block = chain.mine([log("1", topic("7")), log("2", topic("7")), log("1", topic("6"))])
      yield* look
      assert.deepEqual(brief(all), ["+1@1 VERIFIED", "+2@1 VERIFIED", "+1@1 VERIFIED"])
      assert.deepEqual(brief(some), ["+1@1 VERIFIED"])
      assert.deepEqual(brief(none), [])
      const [truth] = block.receipts[0].logs
      assert.deepEqual((some[0] as any).result, { ...truth, blockTimestamp: block.wire["timestamp"] })
      assert.strictEqual(receiptsAsked(chain), 1, "read once for all filters")
    })
  )

  it.effect("are CLAIMED where the operator's node names the block, and pass only if that is accepted by name", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const trust = (accept: boolean) => TestChain.operator((number) => chain.canonical[Number(number)], { accept })
      const accepting = yield* proxyTo(chain, { trust: trust(true) })
      const [logs, heads] = [yield* listen(accepting, "logs", {}), yield* listen(accepting, "newHeads")]
      const refusing = yield* proxyTo(chain, { trust: trust(false) })
      const before = yield* Effect.flip(listen(refusing, "logs", {}))
      assert.match(before.message, /^unproven: it rests on the operator's node/u)
      chain.mine([log("1")])
      yield* look
      assert.deepEqual(brief(logs), ["+1@1 CLAIMED"])
      assert.deepEqual(brief(heads), ["1 CLAIMED"])
      const [notice] = logs
      assert(notice?._tag === "Item")
      assert.strictEqual(notice.verdict.anchor?._tag, "Operator")
    })
  )

  it.effect("are not read where the block's bloom filter excludes them", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain, vouched(chain)), "logs", { address: address("8") })
      chain.mine([log("1")])
      yield* look
      assert.deepEqual([brief(heard), receiptsAsked(chain)], [[], 0])
    })
  )

  it.effect("are taken back with their block, before those of the new one", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain, mark), "logs", {})
      chain.mine([log("1"), log("2")])
      chain.mine([log("3")])
      yield* look
      chain.mine([log("4")], 2)
      chain.mine()
      chain.mine()
      yield* look
      assert.deepEqual(
        brief(heard).map((text) => text.replace(" CLAIMED", "")),
        ["+1@1", "+2@1", "+3@2", "-3@2", "-2@1", "-1@1", "+4@1"]
      )
    })
  )

  for (const unprovable of ["refuse", "mark"] as const) {
    it.effect(`are not taken back for a branch that only the node names, under ${unprovable}`, () =>
      Effect.gen(function* () {
        const chain = new TestChain()
        const named = [...chain.canonical]
        const trust = TestChain.authority((number) => named[Number(number)])
        const heard = yield* listen(yield* proxyTo(chain, { trust, unprovable, pushes: true }), "logs", {})
        named.push(chain.mine([log("1")]), chain.mine([log("2")]))
        chain.push("newHeads", chain.head.wire)
        yield* settled
        const sibling = chain.make([log("3")], chain.canonical[0])
        for (const lie of [sibling, chain.make([log("4")], sibling), chain.make([], chain.canonical[1])]) {
          chain.push("newHeads", lie.wire)
          yield* settled
          yield* look
        }
        named.push(chain.mine([log("5")]))
        chain.push("newHeads", chain.head.wire)
        yield* settled
        const told = brief(heard).filter((text) => !text.startsWith("Held"))
        assert.deepEqual(told, ["+1@1 VERIFIED", "+2@2 VERIFIED", "+5@3 VERIFIED"])
      })
    )
  }

  it.effect("are taken back when trust moves to another branch, however long the node was there before", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const named = [...chain.canonical]
      const trust = TestChain.authority((number) => named[Number(number)])
      const heard = yield* listen(yield* proxyTo(chain, { trust }), "logs", {})
      named.push(chain.mine([log("1")]))
      yield* look
      chain.mine([log("2")], 1)
      yield* look
      chain.mine([log("3")])
      yield* look
      const passed = () => brief(heard).filter((text) => !text.startsWith("Held"))
      assert.deepEqual(passed(), ["+1@1 VERIFIED"])
      named.splice(1, 1, ...chain.canonical.slice(1))
      yield* look
      assert.deepEqual(passed(), ["+1@1 VERIFIED", "-1@1 VERIFIED", "+2@1 VERIFIED", "+3@2 VERIFIED"])
      const back = heard.find((notice) => notice._tag === "Item" && (notice.result as any).removed)
      assert.deepEqual((back as any).verdict.claimed, [])
    })
  )

  it.effect("come from the receipts, whatever the node pushes", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain, { ...mark, pushes: true }), "logs", {})
      chain.push("logs", { ...log("5"), blockHash: chain.head.hash, removed: false })
      chain.push("newHeads", chain.mine([log("1")]).wire)
      yield* settled
      assert.deepEqual(brief(heard), ["+1@1 CLAIMED"])
    })
  )

  it.effect("are read again if the node has no receipts at this moment", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain, mark), "logs", {})
      chain.lie = (method) => (method === "eth_getBlockReceipts" ? null : undefined)
      chain.mine([log("1")])
      yield* look
      assert.deepEqual(brief(heard), [])
      chain.lie = () => undefined
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.deepEqual(brief(heard), ["+1@1 CLAIMED"])
    })
  )

  it.effect("are missed, and this is said, if the node never gives the receipts", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain, mark), "logs", {})
      chain.lie = (method) => (method === "eth_getBlockReceipts" ? null : undefined)
      const { hash } = chain.mine([log("1")])
      for (let time = 0; time < 10; time++) yield* look
      assert.deepEqual(brief(heard), [
        `Held: unproven: the node names block ${hash} and does not have it`,
        "Missed: missed: blocks 1 to 1"
      ])
      chain.lie = () => undefined
      chain.mine([log("2")])
      yield* look
      assert.deepEqual(brief(heard).slice(2), ["+2@2 CLAIMED"])
    })
  )

  it.effect("of a block that left the chain before they were read are nobody's", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain, mark), "logs", {})
      const gone = chain.mine([log("1")])
      chain.lie = (method, [block]) =>
        method === "eth_getBlockReceipts" && block.blockHash === gone.hash ? null : undefined
      yield* look
      chain.mine([log("2")], 1)
      for (let time = 0; time < 10; time++) yield* look
      assert.deepEqual(brief(heard), ["+2@1 CLAIMED"])
    })
  )
})

describe("a node that lies about logs", () => {
  const lies: ReadonlyArray<readonly [name: string, change: (logs: ReadonlyArray<any>) => ReadonlyArray<any>]> = [
    ["hides one", (logs) => logs.slice(1)],
    ["adds one", (logs) => [...logs, { ...logs[0], logIndex: "0x2" }]],
    ["changes one", (logs) => [{ ...logs[0], data: "0x01" }, ...logs.slice(1)]],
    ["changes their order", (logs) => logs.toReversed()]
  ]
  for (const [name, change] of lies) {
    it.effect(`is refuted: it ${name}`, () =>
      Effect.gen(function* () {
        const chain = new TestChain()
        // on an unknown chain, the blocks could be from before Byzantium, and the node could send no roots
        const heard = yield* listen(yield* proxyTo(chain, { ...mark, chainId: 11_155_111n }), "logs", {})
        chain.lie = (method, _, receipts) =>
          method === "eth_getBlockReceipts" ? [{ ...receipts[0], logs: change(receipts[0].logs) }] : undefined
        chain.mine([log("1"), log("2")])
        yield* look
        assert.match(brief(heard)[0]!, /^Held: refuted: receipts/u)
        assert.deepEqual(brief(heard).slice(1), ["Missed: missed: blocks 1 to 1"])
      })
    )
  }
})

describe("logs that are only claimed", () => {
  it.effect("give no subscription under refuse, if trust does not go on with the chain", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      chain.mine()
      for (const trust of [TrustedBlock.layerNone(), TrustedBlock.layerPinned(chain.canonical[0]!.hash)]) {
        const error = yield* Effect.flip(listen(yield* proxyTo(chain, { trust }), "logs", {}))
        assert.strictEqual(error.code, -32098)
      }
    })
  )

  it.effect("are held back under refuse after the trusted block, and this is said once", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain), "logs", {})
      chain.mine([log("1")])
      chain.mine([log("1")])
      yield* look
      assert.lengthOf(heard, 1)
      assert.match(brief(heard)[0]!, /^Held: unproven: its parents lead to the trusted block/u)
      assert.strictEqual(receiptsAsked(chain), 0)
    })
  )

  it.effect("by a node without receipts pass under mark, and are missed under refuse", () =>
    Effect.gen(function* () {
      for (const unprovable of ["mark", "refuse"] as const) {
        const chain = new TestChain()
        const answer = chain.answer.bind(chain)
        chain.answer = (call) => (call.method === "eth_getBlockReceipts" ? undefined : answer(call))
        const heard = yield* listen(yield* proxyTo(chain, { ...vouched(chain), unprovable }), "logs", {})
        chain.mine([log("1")])
        yield* look
        if (unprovable === "mark") assert.deepEqual(brief(heard), ["+1@1 CLAIMED"])
        else {
          assert.match(brief(heard)[0]!, /^Held: unproven: /u)
          assert.deepEqual(brief(heard).slice(1), ["Missed: missed: blocks 1 to 1"])
        }
      }
    })
  )
})

describe("pending transactions", () => {
  it.effect("are hashes by the node's word, under mark only, each said once", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      assert.strictEqual(
        (yield* Effect.flip(listen(yield* proxyTo(chain, { pushes: true }), "newPendingTransactions"))).code,
        -32098
      )
      const heard = yield* listen(yield* proxyTo(chain, { ...mark, pushes: true }), "newPendingTransactions")
      for (const hash of [topic("a"), topic("b"), topic("a"), "no hash"]) chain.push("newPendingTransactions", hash)
      yield* settled
      assert.deepEqual(brief(heard), [`${topic("a")} CLAIMED`, `${topic("b")} CLAIMED`])
    })
  )

  it.effect("of a node that does not push are those of its pending block that are new", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      chain.pending = [topic("a")]
      const heard = yield* listen(yield* proxyTo(chain, mark), "newPendingTransactions")
      chain.pending = [topic("a"), topic("b")]
      yield* look
      assert.deepEqual(brief(heard), [`${topic("b")} CLAIMED`])
    })
  )
})
