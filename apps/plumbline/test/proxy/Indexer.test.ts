/** The calls of an indexer through `plumbline proxy`. The oracle is the node itself, asked the same way. */
import { assert, describe, it } from "@effect/vitest"
import { PreparedState } from "@plumbline/devnet"
import * as Random from "@plumbline/seeded/Random"

import * as Children from "../support/Children.ts"
import * as Devnet from "../support/Devnet.ts"
import * as Indexer from "../support/Indexer.ts"
import * as LyingNode from "../support/LyingNode.ts"

const anvil = Devnet.lyingNode()
const indexed = { token: PreparedState.contracts.token.address, holder: PreparedState.accounts[0]!.address }

/** Starts a proxy before a node that tells lies. */
const open = async (lies: ReadonlyArray<LyingNode.Lie>, args: ReadonlyArray<string> = []) => {
  const rules = ["--chain-id", String(PreparedState.chainId), "--hardfork", "osaka"]
  const where = ["--port", "0", "--url", anvil().telling(...lies), "--trust", PreparedState.head.hash]
  const child = Children.start(["proxy", "--json", ...where, ...rules, ...args])
  const { url } = JSON.parse(await child.firstLine)
  const close = async () => {
    child.process.kill("SIGTERM")
    await child.ended
  }
  return { url, [Symbol.asyncDispose]: close }
}

describe("an indexer", () => {
  it("gets every read VERIFIED, and the tables that it has from the node itself", async () => {
    await using proxy = await open([])
    const { tables, verdicts } = await Indexer.run(proxy.url, indexed)
    assert.deepEqual(tables, (await Indexer.run(anvil().url, indexed)).tables)
    assert.isAbove(tables.transfers.length, 1)
    const { eth_chainId, ...reads } = Object.fromEntries(verdicts)
    assert.deepEqual(eth_chainId, new Set(["CLAIMED"]))
    for (const [method, of] of Object.entries(reads)) assert.deepEqual([...of], ["VERIFIED"], method)
    assert.lengthOf(Object.keys(reads), 8)
  })

  it("gets the true tables from a node that drops logs, limits ranges, or fails at random", async () => {
    const { tables } = await Indexer.run(anvil().url, indexed)
    const random = Random.make(5)
    let told = 0
    const refuse = (code: number, message: string): never => {
      told++
      return LyingNode.refuse({ code, message })
    }
    const fails = (result: unknown) => (Random.chance(random, 0.1) ? refuse(-32_603, "internal error") : result)
    const nodes: Readonly<Record<string, ReadonlyArray<LyingNode.Lie>>> = {
      drops: [
        {
          method: "eth_getLogs",
          change: (logs) => {
            if (logs.length > 0) told++
            return logs.slice(1)
          }
        }
      ],
      limits: [
        {
          method: "eth_getLogs",
          change: (logs, _, [{ blockHash }]) =>
            blockHash === undefined ? refuse(-32_602, "up to a 5 block range") : logs
        }
      ],
      fails: ["eth_getBlockByHash", "eth_getBlockReceipts", "eth_getProof"].map((method) => ({ method, change: fails }))
    }
    for (const [name, lies] of Object.entries(nodes)) {
      told = 0
      await using proxy = await open(lies)
      assert.deepEqual((await Indexer.run(proxy.url, indexed)).tables, tables, name)
      assert.isAbove(told, 0, name)
    }
    // a node that drops logs is believed without the proxy
    const alone = await Indexer.run(anvil().telling(...nodes["drops"]!), indexed)
    assert.isBelow(alone.tables.transfers.length, tables.transfers.length)
  })

  it("splits the ranges that the proxy refuses, by the range in the error", async () => {
    await using proxy = await open([], ["--log-work", "6"])
    const { splits, tables } = await Indexer.run(proxy.url, indexed)
    assert.isAbove(splits, 0)
    assert.deepEqual(tables, (await Indexer.run(anvil().url, indexed)).tables)
  })
})
