/** eth_getLogs through a proving node: ranges of any length, bounded in work, from nodes that leave logs out. */
import { assert, describe, it } from "@effect/vitest"
import { EthEvidence, TrustedBlock } from "@plumbline/eth-methods"
import { Effect } from "effect"

import { ProviderRefusal } from "../../src/index.ts"
import { address, TestChain } from "../support/chain.ts"
import { proxyTo } from "../support/following.ts"

const LENGTH = 300

/** A chain with a log in every tenth block, whose node leaves out all logs of a range. */
const made = () => {
  const chain = new TestChain()
  for (let number = 1; number <= LENGTH; number++) {
    chain.mine(number % 10 === 0 ? [{ address: address(String((number / 10) % 9)), topics: [] }] : [])
  }
  return chain
}

const logsOf = (chain: TestChain): ReadonlyArray<any> =>
  chain.canonical.flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs))

const question = (to: number) => ({
  method: "eth_getLogs",
  params: [{ fromBlock: "0x0", toBlock: `0x${to.toString(16)}` }]
})

describe("the logs of a range", () => {
  it.effect("are complete, although the node leaves them out", () =>
    Effect.gen(function* () {
      const chain = made()
      const proxy = yield* proxyTo(chain, { trust: TrustedBlock.layerPinned(chain.head.hash) })
      const { result, verdict } = yield* proxy.answer(question(LENGTH))
      assert.strictEqual(verdict._tag, "VERIFIED")
      const truth = logsOf(chain)
      assert.deepEqual(
        (result as ReadonlyArray<any>).map(({ blockHash, logIndex }) => [blockHash, logIndex]),
        truth.map(({ blockHash, logIndex }) => [blockHash, logIndex])
      )
      assert.lengthOf(truth, LENGTH / 10)
      // by the number of a block, the node leaves its log out too; by its hash it does not, so it is not accused
      assert.isFalse(verdict.proven.some(EthEvidence.LogsRepaired.is))
      chain.lie = (method) => (method === "eth_getLogs" ? [] : undefined)
      const again = yield* proxy.answer(question(LENGTH))
      assert.deepEqual(again.result, result)
      assert.strictEqual(again.verdict.proven.find(EthEvidence.LogsRepaired.is)?.omitted, truth.length)
    })
  )

  it.effect("are refused beyond the bound on the work, with a smaller range that is answered", () =>
    Effect.gen(function* () {
      const chain = made()
      const options = { trust: TrustedBlock.layerPinned(chain.head.hash), maxLogWork: 100, maxSteps: LENGTH }
      const proxy = yield* proxyTo(chain, options)
      const refuse = Effect.flip(proxy.answer(question(LENGTH)))
      const claimed = yield* refuse
      assert.strictEqual(claimed.code, ProviderRefusal.OUT_OF_BOUNDS)
      assert.deepInclude(claimed.data, { verdict: "CLAIMED", bound: "logWork", limit: 100 })
      const [, to] = /Try with this block range \[0x0, (0x[0-9a-f]+)\]$/u.exec(claimed.message) ?? []
      const { verdict } = yield* proxy.answer(question(Number(to)))
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.isAtLeast(Number(to), 49)
      // a node that refuses the range is not needed for the same error
      chain.lie = (method) => (method === "eth_getLogs" ? null : undefined)
      const { code, message } = yield* refuse
      assert.deepEqual([code, message], [claimed.code, claimed.message])
    })
  )
})
