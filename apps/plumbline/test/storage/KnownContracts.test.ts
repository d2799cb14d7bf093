/**
 * Contracts with well-known storage layouts on both embedded chains, checked against the values in the chains' sources
 * and the getters' results through viem.
 */
import { describe, expect, it } from "@effect/vitest"
import { Address, Hash32 } from "@plumbline/codec"
import { HistoryChain, PreparedState } from "@plumbline/devnet"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { ContractStorage, Erc1967, Erc20, Proxy } from "@plumbline/storage-layout"
import { Effect, Layer } from "effect"
import * as viem from "viem"

import * as Devnet from "../support/Devnet.ts"
import * as HistoryNode from "../support/HistoryNode.ts"

const history = HistoryNode.lyingNode()
const anvil = Devnet.lyingNode()

const run = <A, E>(
  url: string,
  program: Effect.Effect<A, E, VerdictEthClient.VerdictEthClient | ContractStorage.ContractStorage>
): Promise<A> => {
  const eth = VerdictEthClient.layer().pipe(Layer.provide([HttpTransport.layer({ url }), TrustedBlock.layerNone()]))
  const storage = ContractStorage.layer().pipe(Layer.provideMerge(eth))
  return Effect.runPromise(Effect.provide(program, storage))
}

const addressOf = ({ address }: PreparedState.PreparedContract) => Address.fromHexUnsafe(address)
const hashOf = ({ hash }: { readonly hash: string }) => Hash32.fromHexUnsafe(hash)

describe("known contracts", () => {
  it("are proxies whose implementation is the one of the time, at every block", async () => {
    const { counter, counterV2, proxy } = HistoryChain.contracts
    const admin = HistoryChain.accounts[0]!.address
    const seen = new Set<unknown>()
    for (const block of HistoryChain.blocks) {
      const verdict = await run(history().url, Proxy.resolve(addressOf(proxy), { block: hashOf(block) }))
      expect([verdict._tag, verdict.anchor?.hash]).toEqual(["VERIFIED", block.hash])
      const isThere = block.number >= proxy.block
      expect([verdict.value.kind, verdict.value.admin]).toEqual(isThere ? ["Erc1967", admin] : ["None", undefined])
      if (isThere) seen.add(verdict.value.implementation)
    }
    expect([...seen]).toEqual([counter.address, counterV2.address])
  })

  it("tell by a difference when a proxy was upgraded", async () => {
    const { counter, counterV2, proxy } = HistoryChain.contracts
    const [first, last] = [HistoryChain.blocks[proxy.block]!, HistoryChain.head]
    const contract = { address: addressOf(proxy), layout: Erc1967.layout }
    const { value } = await run(
      history().url,
      ContractStorage.ContractStorage.use((storage) =>
        storage.diff(contract, { from: hashOf(first), to: hashOf(last) })
      )
    )
    expect(value.changed.flatMap(({ changes }) => changes)).toEqual([
      { path: "implementation", from: counter.address, to: counterV2.address }
    ])
  })

  it("are accounts that handed themselves over, and accounts that are not proxies", async () => {
    const { counter, token } = HistoryChain.contracts
    const found = new Set<string>()
    for (const { address } of HistoryChain.accounts) {
      for (const block of HistoryChain.blocks.slice(60)) {
        const { value } = await run(
          history().url,
          Proxy.resolve(Address.fromHexUnsafe(address), { block: hashOf(block) })
        )
        if (value.kind !== "None") found.add(`${value.kind} ${value.implementation}`)
      }
    }
    expect([...found]).toEqual([`Delegation ${counter.address}`])
    const { value } = await run(history().url, Proxy.resolve(addressOf(token)))
    expect(value.kind).toBe("None")
  })

  it("are tokens whose values are what their functions return on anvil", async () => {
    const { address } = PreparedState.contracts.token
    const client = viem.createPublicClient({ transport: viem.http(anvil().url) })
    const abi: viem.Abi = viem.erc20Abi
    const get = (functionName: string, ...args: ReadonlyArray<unknown>): Promise<unknown> =>
      client.readContract({ abi, address, functionName, args })
    const holders = PreparedState.accounts.map(({ address }) => Address.fromHexUnsafe(address))
    const allowances = holders.map((owner) => [owner, holders[1]!] as const)
    const block = hashOf(PreparedState.head)
    // The token has Solmate's variables, except the last one, which is not read.
    const verdict = await run(
      anvil().url,
      Erc20.read(Address.fromHexUnsafe(address), Erc20.solmate, { allowances, block, holders })
    )
    expect(verdict._tag).toBe("VERIFIED")
    const { account: _, blockHash: __, blockNumber: ___, words: ____, ...read } = verdict.value
    expect(read).toEqual({
      name: await get("name"),
      symbol: await get("symbol"),
      totalSupply: await get("totalSupply"),
      balances: await Promise.all(holders.map((holder) => get("balanceOf", holder))),
      allowances: await Promise.all(allowances.map(([owner, spender]) => get("allowance", owner, spender)))
    })
    expect(new Set(read.balances).size).toBeGreaterThan(2)
  })
})
