/**
 * Unchanged viem and ethers call contracts through `plumbline proxy --checkpoint`: reads, many reads at once, structs,
 * simulations, estimates and reverts. The oracle is the same program with the node itself.
 */
import { ethers } from "ethers"
import * as viem from "viem"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

import { type ExchangeProxy, openExchange } from "../src/dapp/proxies.ts"
import { abiOf, DEADLINE, friend, owner } from "../src/dapp/tokenExchange.ts"

const TIMEOUT = 240_000
const ETHER = 10n ** 18n
let open: ExchangeProxy

beforeAll(async () => {
  open = await openExchange()
}, TIMEOUT)

afterAll(() => open?.[Symbol.asyncDispose](), TIMEOUT)

/** Returns what a program gets: its value, or the name and arguments of a revert, in a form that can be compared. */
const endOf = async (work: Promise<unknown>): Promise<string> => {
  const text = (value: unknown) =>
    JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? `${inner}n` : inner))
  try {
    return text(await work)
  } catch (error) {
    if (error instanceof viem.BaseError) {
      const revert = error.walk((one) => one instanceof viem.ContractFunctionRevertedError)
      if (revert instanceof viem.ContractFunctionRevertedError) {
        return `reverted: ${text([revert.data?.errorName, revert.data?.args, revert.raw])}`
      }
    }
    const { code, data, reason, revert } = error as any
    if (code === "CALL_EXCEPTION") return `reverted: ${text([data, reason, revert?.name])}`
    throw error
  }
}

const viemOver = (url: string) => {
  const { at } = open.exchange
  const chain = viem.defineChain({
    id: 31_337,
    name: "live",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [] } },
    contracts: { multicall3: { address: at["multicall"]! } }
  })
  const client = viem.createPublicClient({ chain, transport: viem.http(url, { retryCount: 0 }) })
  const contract = (name: string, abi: Parameters<typeof abiOf>[0]) => ({ address: at[name]!, abi: abiOf(abi) })
  const quote = { tokenIn: at["weth"], tokenOut: at["usd"], amountIn: ETHER, fee: 500 }
  const swap = (minimum: bigint) => ({
    ...contract("router", "Router"),
    functionName: "exactInputSingle",
    args: [quote, owner, minimum, DEADLINE],
    account: owner
  })
  return {
    "readContract of a token behind a proxy": () =>
      client.readContract({ ...contract("usd", "Coin"), functionName: "balanceOf", args: [owner] }),
    "readContract of a struct": () => client.readContract({ ...contract("wethUsd500", "Pool"), functionName: "slot0" }),
    "readContract of lists": () =>
      client.readContract({ ...contract("wethUsd500", "Pool"), functionName: "observe", args: [[600, 60, 0]] }),
    "readContract that reverts": () =>
      client.readContract({ ...contract("positions", "Positions"), functionName: "ownerOf", args: [77n] }),
    "multicall, of which one read fails": () =>
      client.multicall({
        contracts: [
          { ...contract("weth", "Coin"), functionName: "symbol" },
          { ...contract("usd", "Coin"), functionName: "decimals" },
          { ...contract("positions", "Positions"), functionName: "positions", args: [1n] },
          { ...contract("daiUsd100", "Pool"), functionName: "liquidity" }
        ],
        allowFailure: false
      }),
    "simulateContract of a quoter": () =>
      client
        .simulateContract({ ...contract("quoter", "Quoter"), functionName: "quoteExactInputSingle", args: [quote] })
        // its third value is gas, which a node meters with its own limit
        .then(({ result }) => (result as ReadonlyArray<bigint>).slice(0, 2)),
    "simulateContract of a swap without an allowance": () => client.simulateContract(swap(1n)),
    "simulateContract of a transfer": () =>
      client
        .simulateContract({
          ...contract("usd", "Coin"),
          functionName: "transfer",
          args: [friend, 5n],
          account: owner
        })
        .then(({ result }) => result),
    "simulateContract of a transfer without the balance": () =>
      client.simulateContract({
        ...contract("dai", "Coin"),
        functionName: "transfer",
        args: [owner, 5n],
        account: friend
      }),
    "simulateContract with another balance of the sender": () =>
      client
        .call({
          account: friend,
          to: owner,
          value: 10n ** 30n,
          stateOverride: [{ address: friend, balance: 10n ** 31n }]
        })
        .then(({ data }) => data ?? "nothing"),
    getEip712Domain: () => client.getEip712Domain({ address: open.exchange.at["usd"]! }),
    "call without a contract on the chain": () =>
      client
        .call({ code: "0x600a600c600039600a6000f3602a60005260206000f3", data: "0x01" })
        .then(({ data }) => data ?? "nothing")
  }
}

const ethersOver = (url: string) => {
  const provider = new ethers.JsonRpcProvider(url, 31_337, { staticNetwork: true, batchMaxCount: 10 })
  const { at } = open.exchange
  const contract = (name: string, abi: Parameters<typeof abiOf>[0]) =>
    new ethers.Contract(at[name]!, abiOf(abi) as ethers.InterfaceAbi, provider)
  const quote = { tokenIn: at["weth"], tokenOut: at["usd"], amountIn: ETHER, fee: 500 }
  const plain = (result: ethers.Result): ReadonlyArray<unknown> => result.toArray(true)
  const ends = {
    "balanceOf of a token behind a proxy": () => contract("usd", "Coin")["balanceOf"]!(owner),
    "slot0, a struct": async () => plain(await contract("wethUsd500", "Pool")["slot0"]!()),
    "positions, a struct of twelve": async () => plain(await contract("positions", "Positions")["positions"]!(2n)),
    "balanceOfBatch, a list": async () =>
      plain(await contract("items", "Items")["balanceOfBatch"]!([owner, owner], [3n, 4n])),
    "a long text": () => contract("positions", "Positions")["tokenURI"]!(1n),
    "a quote by staticCall": async () =>
      plain(await contract("quoter", "Quoter")["quoteExactInputSingle"]!.staticCall(quote)).slice(0, 2),
    "a revert with an error of the contract": () => contract("positions", "Positions")["ownerOf"]!(99n),
    "a revert with a text": () => contract("wethUsd500", "Pool")["observe"]!([2_000_000]),
    "a revert of a simulation": () => contract("dai", "Coin")["transfer"]!.staticCall(owner, 7n, { from: friend })
  }
  return { ends, close: () => provider.destroy() }
}

describe("through a proxy that trusts a checkpoint", { timeout: TIMEOUT }, () => {
  it("viem gets from contracts what it gets from the node", async () => {
    const [behind, before] = [viemOver(open.proxy.url), viemOver(open.node)]
    const expected = await Promise.all(Object.values(before).map((work) => endOf(work())))
    const got = await Promise.all(Object.values(behind).map((work) => endOf(work())))
    assert.deepEqual(
      Object.keys(behind).map((name, i) => [name, got[i]]),
      Object.keys(before).map((name, i) => [name, expected[i]])
    )
    assert.lengthOf(
      got.filter((end) => end.startsWith("reverted")),
      3
    )
  })

  it("ethers gets from contracts what it gets from the node", async () => {
    const [behind, before] = [ethersOver(open.proxy.url), ethersOver(open.node)]
    const expected = await Promise.all(Object.values(before.ends).map((work) => endOf(work())))
    const got = await Promise.all(Object.values(behind.ends).map((work) => endOf(work())))
    assert.deepEqual(
      Object.keys(behind.ends).map((name, i) => [name, got[i]]),
      Object.keys(before.ends).map((name, i) => [name, expected[i]])
    )
    assert.lengthOf(
      got.filter((end) => end.startsWith("reverted")),
      3
    )
    behind.close()
    before.close()
  })

  it("viem and ethers estimate gas that suffices on the node, and no less than it needs there", async () => {
    const data = viem.encodeFunctionData({ abi: abiOf("Coin"), functionName: "approve", args: [friend, 7n] })
    const request = { to: open.exchange.at["dai"]!, data }
    const estimated = await viem
      .createPublicClient({ transport: viem.http(open.proxy.url) })
      .estimateGas({ ...request, account: owner })
    const provider = new ethers.JsonRpcProvider(open.proxy.url, 31_337, { staticNetwork: true })
    assert.strictEqual(await provider.estimateGas({ ...request, from: owner }), estimated)
    provider.destroy()
    const node = viem.createPublicClient({ transport: viem.http(open.node, { retryCount: 0 }) })
    const run = (gas: bigint) => node.call({ ...request, account: owner, gas })
    assert.strictEqual(BigInt((await run(estimated)).data!), 1n)
    // the node's own estimate is not far away: nodes round up by at most a part of a hundred
    const theirs = await node.estimateGas({ ...request, account: owner })
    assert.isAtMost(Math.abs(Number(theirs - estimated)), Number(theirs) / 50)
  })
})
