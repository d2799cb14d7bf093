/** `newHeads` of a proving node: proven, in order, and only as far as trust allows. */
import { assert, describe, it } from "@effect/vitest"
import { EthReason, TrustedBlock } from "@plumbline/eth-methods"
import { Effect, Layer } from "effect"

import { address, type Lie, TestChain, topic } from "../support/chain.ts"
import { brief, proxyTo, hashes, listen, look, settled } from "../support/following.ts"

const none = { trust: TrustedBlock.layerNone() }

describe("heads of a node that only answers", () => {
  it.effect("come at the interval, after the block that was there, as the header proves them", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain), "newHeads")
      assert.deepEqual(brief(heard), [])
      const next = chain.mine()
      yield* look
      yield* look
      assert.deepEqual(hashes(heard), [next.hash])
      const { transactions: _, uncles: __, ...header } = next.wire
      assert.deepEqual((heard[0] as any).result, header)
    })
  )

  it.effect("have the header fields of a later fork that the options name", () =>
    Effect.gen(function* () {
      const chain = new TestChain({ inventedRoot: topic("a") })
      const field = { name: "inventedRoot", kind: "hash" } as const
      const forks = { after: "baseFeePerGas", forks: [{ name: "invented", headerFields: [field] }] } as const
      const heard = yield* listen(yield* proxyTo(chain, { forks }), "newHeads")
      const next = chain.mine()
      yield* look
      const { transactions: _, uncles: __, ...header } = next.wire
      assert.deepEqual((heard[0] as any).result, header)
    })
  )

  it.effect("are asked for once for all listeners, and not without one", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain)
      yield* look
      assert.lengthOf(chain.asked, 0)
      const first = yield* proxy.subscribe(["newHeads"])
      const second = yield* proxy.subscribe(["newHeads"])
      yield* settled
      const before = chain.asked.length
      yield* look
      assert.strictEqual(chain.asked.length - before, 1)
      yield* first.close
      yield* second.close
      const after = chain.asked.length
      yield* look
      assert.strictEqual(chain.asked.length, after)
    })
  )

  it.effect("are awaited, and no lie, while the node has no latest block", () =>
    Effect.gen(function* () {
      for (const latest of [null, { hash: null }, { number: null }]) {
        const chain = new TestChain()
        const absent: Lie = (method, [tag], truth) =>
          method === "eth_getBlockByNumber" && tag === "latest" ? latest && { ...truth, ...latest } : undefined
        chain.lie = absent
        const proxy = yield* proxyTo(chain)
        const refused = yield* Effect.flip(proxy.subscribe(["newHeads"]))
        assert.deepInclude(refused, { code: -32002 })
        chain.lie = () => undefined
        const heard = yield* listen(proxy, "newHeads")
        chain.lie = absent
        chain.mine()
        yield* look
        chain.lie = () => undefined
        yield* look
        assert.lengthOf(heard, 2)
        assert.match(brief(heard)[0]!, /^Held: .*the node does not have the latest block$/u)
        assert.strictEqual(brief(heard)[1], "1 CLAIMED")
      }
    })
  )

  it.effect("come again after the node was away, and none is missing", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain), "newHeads")
      chain.isDown = true
      chain.mine()
      yield* look
      chain.mine()
      yield* look
      chain.isDown = false
      chain.mine()
      yield* look
      assert.deepEqual(brief(heard), ["Held: disconnected: refused", "1 CLAIMED", "2 CLAIMED", "3 CLAIMED"])
    })
  )
})

describe("heads of a node that pushes", () => {
  it.effect("come at once, each after its parent, those of a lost connection too", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain, { pushes: true }), "newHeads")
      chain.push("newHeads", chain.mine().wire)
      yield* settled
      assert.deepEqual(brief(heard), ["1 CLAIMED"])
      // the connection is lost, so the client misses the pushes of the next five blocks
      for (let block = 0; block < 5; block++) chain.mine()
      chain.reconnect()
      yield* settled
      chain.push("newHeads", chain.mine().wire)
      yield* settled
      assert.deepEqual(
        hashes(heard),
        chain.canonical.slice(1).map(({ hash }) => hash)
      )
    })
  )

  it.effect("end their subscription at the node with the last listener", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain, { pushes: true })
      const { close } = yield* proxy.subscribe(["newHeads"])
      yield* settled
      assert.strictEqual(chain.listeners, 1)
      yield* close
      assert.strictEqual(chain.listeners, 0)
    })
  )

  it.effect("are looked for if it is silent", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain, { pushes: true }), "newHeads")
      chain.mine()
      for (let time = 0; time < 8; time++) yield* look
      assert.deepEqual(brief(heard), ["1 CLAIMED"])
    })
  )
})

describe("a reorganisation", () => {
  it.effect("brings the blocks of the new branch, each after its parent and once", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain), "newHeads")
      const old = [chain.mine(), chain.mine()]
      yield* look
      const fresh = [chain.mine([], 2), chain.mine(), chain.mine()]
      yield* look
      yield* look
      assert.deepEqual(
        hashes(heard),
        [...old, ...fresh].map(({ hash }) => hash)
      )
    })
  )

  it.effect("may go below the block at which the listening began", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      chain.mine()
      chain.mine()
      const heard = yield* listen(yield* proxyTo(chain), "newHeads")
      const fresh = [chain.mine([], 2), chain.mine(), chain.mine()]
      yield* look
      assert.deepEqual(
        hashes(heard),
        fresh.map(({ hash }) => hash)
      )
    })
  )

  it.effect("of the trusted block is refuted", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const trusted = chain.mine()
      chain.mine()
      const heard = yield* listen(yield* proxyTo(chain, { trust: TrustedBlock.layerPinned(trusted.hash) }), "newHeads")
      chain.mine([], 2)
      chain.mine()
      chain.mine()
      yield* look
      yield* look
      assert.deepEqual(brief(heard), ["Held: refuted: trusted block"])
    })
  )
})

describe("a gap", () => {
  it.effect("of up to 128 blocks is filled", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain), "newHeads")
      for (let block = 0; block < 128; block++) chain.mine()
      yield* look
      yield* settled
      yield* settled
      assert.deepEqual(
        hashes(heard),
        chain.canonical.slice(1).map(({ hash }) => hash)
      )
    })
  )

  it.effect("of more is said, and the heads after it come", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain), "newHeads")
      for (let block = 0; block < 129; block++) chain.mine()
      for (let time = 0; time < 10; time++) yield* settled
      yield* look
      for (let time = 0; time < 10; time++) yield* settled
      chain.mine()
      yield* look
      assert.deepEqual(brief(heard), ["Missed: missed: blocks 1 to 129", "130 CLAIMED"])
      assert.deepEqual((heard[0] as any).error, {
        code: -32096,
        message: "missed: blocks 1 to 129",
        data: { from: "0x1", to: "0x81" }
      })
    })
  )
})

describe("a parent that the node does not have", () => {
  it.effect("is asked for ten times, and then missed", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain, { unprovable: "mark" }), "newHeads")
      const lost = chain.mine()
      chain.mine()
      chain.lie = (method, [hash]) => (method === "eth_getBlockByHash" && hash === lost.hash ? null : undefined)
      for (let time = 0; time < 9; time++) yield* look
      const absent = `Held: unproven: the node names block ${lost.hash} and does not have it`
      assert.deepEqual(brief(heard), [absent])
      yield* look
      chain.mine()
      yield* look
      assert.deepEqual(brief(heard), [absent, "Missed: missed: blocks 1 to 2", "3 CLAIMED"])
    })
  )
})

describe("trust", () => {
  it.effect("in a hash lets heads pass that follow from it, CLAIMED, under either policy", () =>
    Effect.gen(function* () {
      for (const unprovable of ["refuse", "mark"] as const) {
        const chain = new TestChain()
        const heard = yield* listen(yield* proxyTo(chain, { unprovable }), "newHeads")
        chain.mine()
        yield* look
        assert.deepEqual(brief(heard), ["1 CLAIMED"])
        const [claim] = (heard[0] as any).verdict.claimed
        assert.match(claim.reason.sentence, /^its parents lead to the trusted block 0x/u)
      }
    })
  )

  it.effect("in a later block makes heads before it VERIFIED", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const ahead = [chain.mine(), chain.mine()]
      chain.canonical.splice(1)
      const heard = yield* listen(
        yield* proxyTo(chain, { trust: TrustedBlock.layerPinned(ahead[1]!.hash) }),
        "newHeads"
      )
      chain.canonical.push(...ahead)
      yield* look
      chain.mine()
      yield* look
      assert.deepEqual(brief(heard), ["1 VERIFIED", "2 VERIFIED", "3 CLAIMED"])
    })
  )

  it.effect("in nothing gives no subscription under refuse, and claims under mark", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const error = yield* Effect.flip(listen(yield* proxyTo(chain, none), "newHeads"))
      assert.strictEqual(error.code, -32098)
      assert.match(error.message, /no trusted hash was given/u)
      const heard = yield* listen(yield* proxyTo(chain, { ...none, unprovable: "mark" }), "newHeads")
      chain.mine()
      yield* look
      assert.deepEqual(brief(heard), ["1 CLAIMED"])
    })
  )

  it.effect("in an authority lets pass what it names, when it names it", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const named = [...chain.canonical]
      const heard = yield* listen(
        yield* proxyTo(chain, { trust: TestChain.authority((number) => named[Number(number)]) }),
        "newHeads"
      )
      chain.mine()
      chain.mine()
      yield* look
      yield* look
      assert.lengthOf(heard, 1, "said once")
      assert.match(brief(heard)[0]!, /^Held: unproven: that block 0x.* is on the chain is the node's word/u)
      named.push(...chain.canonical.slice(1))
      yield* look
      assert.deepEqual(brief(heard).slice(1), ["1 VERIFIED", "2 VERIFIED"])
    })
  )

  for (const pushes of [false, true]) {
    it.effect(`in a light client lets heads pass when its head reaches them: pushes ${pushes}`, () =>
      Effect.gen(function* () {
        const chain = new TestChain()
        let head = chain.canonical[0]!
        const trust = Layer.succeed(TrustedBlock.TrustedBlock, {
          resolve: (block) =>
            Effect.sync((): TrustedBlock.TrustedAnswer =>
              typeof block === "bigint" && block <= BigInt(chain.canonical.indexOf(head))
                ? { _tag: "OnChain", hash: head.hash, by: "a light client" }
                : { _tag: "Nothing", reason: EthReason.NoTrust({}), isYet: true }
            )
        })
        const proxy = yield* proxyTo(chain, { pushes, trust })
        const heard = yield* listen(proxy, "newHeads")
        const logs = yield* listen(proxy, "logs", {})
        for (let number = 1; number <= 3; number++) {
          const block = chain.mine([{ address: address("1"), topics: [] }])
          chain.push("newHeads", block.wire)
          yield* look
          head = block
          yield* look
        }
        const items = (all: typeof heard) => brief(all).filter((one) => !one.startsWith("Held"))
        assert.deepEqual(items(heard), ["1 VERIFIED", "2 VERIFIED", "3 VERIFIED"])
        assert.lengthOf(items(logs), 3)
        assert.isTrue(
          items(logs).every((one) => one.endsWith("VERIFIED")),
          items(logs).join()
        )
      })
    )
  }

  it.effect("in an authority holds back the branch of a node that equivocates", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const named = [...chain.canonical]
      const trust = TestChain.authority((number) => named[Number(number)])
      const heard = yield* listen(yield* proxyTo(chain, { pushes: true, trust }), "newHeads")
      const truth = chain.mine()
      named.push(truth)
      const lie = chain.make([], chain.canonical[0])
      chain.push("newHeads", lie.wire)
      yield* settled
      assert.match(brief(heard)[0]!, /^Held: .*the operator's node names another block of this number, 0x/u)
      chain.push("newHeads", truth.wire)
      yield* settled
      assert.deepEqual(brief(heard).slice(1), ["1 VERIFIED"])
      assert.deepEqual(hashes(heard), [truth.hash])
    })
  )
})

describe("the receipt of a sent transaction", () => {
  it.effect("is null until the authority names its block, because a program that waits asks again", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const named = [...chain.canonical]
      const proxy = yield* proxyTo(chain, { trust: TestChain.authority((number) => named[Number(number)]) })
      const block = chain.mine([{ address: address("1"), topics: [] }])
      const answer = chain.answer.bind(chain)
      const [receipt] = block.receipts
      chain.answer = (call) => (call.method === "eth_getTransactionReceipt" ? receipt : answer(call))
      const ask = proxy.answer({ method: "eth_getTransactionReceipt", params: [receipt.transactionHash] })
      const refuted: any = yield* Effect.flip(ask)
      assert.strictEqual(refuted.message, "refuted: transaction.from", "a lie is told from a block that is new")
      receipt.from = refuted.data.expected
      const wire: any = block.wire
      wire.transactions[0].from = receipt.from
      const early = yield* ask
      assert.deepEqual([early.result, early.verdict._tag], [null, "CLAIMED"])
      assert.match(early.verdict.claimed[0]!.reason.sentence, /is on the chain is the node's word/u)
      named.push(block)
      const late = yield* ask
      assert.deepEqual([(late.result as any).blockHash, late.verdict._tag], [block.hash, "VERIFIED"])
    })
  )
})

describe("a node that lies", () => {
  it.effect("announces a block that is not there", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain, { pushes: true, unprovable: "mark" }), "newHeads")
      const hash = `0x${"ab".repeat(32)}`
      chain.push("newHeads", { ...chain.head.wire, hash })
      chain.push("newHeads", { ...chain.head.wire, hash })
      yield* settled
      assert.deepEqual(brief(heard), [`Held: unproven: the node names block ${hash} and does not have it`])
      chain.push("newHeads", chain.mine().wire)
      yield* settled
      assert.deepEqual(brief(heard).slice(1), ["1 CLAIMED"])
    })
  )

  it.effect("invents a block whose fields do not make its hash", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain, { unprovable: "mark" }), "newHeads")
      chain.mine()
      chain.lie = (method, _, block) =>
        method === "eth_getBlockByNumber" ? { ...block, timestamp: "0xffff" } : undefined
      yield* look
      yield* look
      assert.deepEqual(brief(heard), ["Held: refuted: header hash"])
      chain.lie = () => undefined
      yield* look
      assert.deepEqual(brief(heard).slice(1), ["1 CLAIMED"])
    })
  )

  it.effect("says more of a block in its push than the hash proves", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain, { pushes: true }), "newHeads")
      const next = chain.mine()
      chain.push("newHeads", { ...next.wire, number: "0x999", stateRoot: `0x${"ee".repeat(32)}`, secret: 1 })
      yield* settled
      const { transactions: _, uncles: __, ...header } = next.wire
      assert.deepEqual((heard[0] as any).result, header)
    })
  )

  it.effect("answers with another block for a parent", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const heard = yield* listen(yield* proxyTo(chain, { unprovable: "mark" }), "newHeads")
      const parent = chain.mine()
      chain.mine()
      chain.lie = (method, [hash]) =>
        method === "eth_getBlockByHash" && hash === parent.hash ? chain.canonical[0]!.wire : undefined
      yield* look
      assert.deepEqual(brief(heard), ["Held: refuted: block.hash"])
    })
  )

  it.effect("makes a block whose number is not that after its parent's", () =>
    Effect.gen(function* () {
      for (const depth of [0, 1]) {
        const chain = new TestChain()
        const heard = yield* listen(yield* proxyTo(chain, { pushes: true, unprovable: "mark" }), "newHeads")
        const wrong = chain.make([], chain.head, 7n)
        chain.push("newHeads", (depth === 0 ? wrong : chain.make([], wrong)).wire)
        yield* settled
        assert.deepEqual(brief(heard), ["Held: refuted: block.number"])
        chain.push("newHeads", chain.mine().wire)
        yield* settled
        assert.deepEqual(brief(heard).slice(1), ["1 CLAIMED"])
      }
    })
  )

  it.effect("at its present head is refused at once", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      chain.lie = (method, _, block) => (method === "eth_getBlockByNumber" ? { ...block, gasUsed: "0x1" } : undefined)
      const error = yield* Effect.flip(listen(yield* proxyTo(chain), "newHeads"))
      assert.deepInclude(error, { code: -32099, message: "refuted: header hash" })
    })
  )
})

describe("a block of another consensus", () => {
  /** The mixHash of QBFT: the hash of such a block leaves out its seals. */
  const seal = "0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365"
  const reason = "the block has the form of another consensus (IBFT or QBFT)"

  it.effect("holds the subscription back with this reason, as the head and as a parent", () =>
    Effect.gen(function* () {
      for (const depth of [0, 1]) {
        const chain = new TestChain()
        const heard = yield* listen(yield* proxyTo(chain, { unprovable: "mark" }), "newHeads")
        const sealed = chain.mine()
        for (let above = 0; above < depth; above++) chain.mine()
        chain.lie = (_, __, block) => (block?.hash === sealed.hash ? { ...block, mixHash: seal } : undefined)
        yield* look
        assert.lengthOf(heard, 1)
        assert.include(brief(heard)[0]!, `Held: unproven: ${reason}`)
      }
    })
  )

  it.effect("at the present head is the reason of the refusal, but on a chain of Ethereum it is a lie", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      chain.lie = (_, __, block) => (block?.hash === chain.head.hash ? { ...block, mixHash: seal } : undefined)
      const refused = yield* Effect.flip(listen(yield* proxyTo(chain, { unprovable: "mark" }), "newHeads"))
      assert.strictEqual(refused.code, -32098)
      assert.include(refused.message, reason)
      const refuted = yield* Effect.flip(listen(yield* proxyTo(chain, { unprovable: "mark", chainId: 1n }), "newHeads"))
      assert.deepInclude(refuted, { code: -32099, message: "refuted: header hash" })
    })
  )
})

describe("bad requests", () => {
  const wrong: ReadonlyArray<readonly [name: string, params: unknown, code: number]> = [
    ["no list", { newHeads: true }, -32602],
    ["no name", [], -32602],
    ["a kind that is not offered", ["syncing"], 4200],
    ["too many arguments", ["newHeads", {}, {}], -32602],
    ["a filter that is none", ["logs", { address: "0x1" }], -32602],
    ["five topics", ["logs", { topics: [null, null, null, null, null] }], -32602],
    ["whole pending transactions", ["newPendingTransactions", true], 4200]
  ]
  for (const [name, params, code] of wrong) {
    it.effect(`are refused: ${name}`, () =>
      Effect.gen(function* () {
        const chain = new TestChain()
        const proxy = yield* proxyTo(chain, { unprovable: "mark" })
        assert.strictEqual((yield* Effect.flip(proxy.subscribe(params))).code, code)
        assert.lengthOf(chain.asked, 0)
      })
    )
  }

  it.effect("are all, where the policy refuses the method", () =>
    Effect.gen(function* () {
      const chain = new TestChain()
      const proxy = yield* proxyTo(chain, { unprovable: "mark", methods: { eth_subscribe: "refuse" } })
      assert.strictEqual((yield* Effect.flip(proxy.subscribe(["newHeads"]))).code, -32098)
      assert.lengthOf(chain.asked, 0)
    })
  )
})
