/** Contracts of an exchange on a chain: tokens, pools, a quoter, a router, permits and collectibles, with a trader. */
import * as path from "node:path"

import { PreparedState } from "@plumbline/devnet"
import * as Solidity from "@plumbline/seeded/Solidity"
import * as viem from "viem"
import { privateKeyToAccount } from "viem/accounts"

import { asking } from "./asking.ts"

const artifacts = Solidity.contractsIn(path.join(import.meta.dirname, "../../contracts/Exchange.sol"))

/** The names of the contracts of `Exchange.sol` that others call. */
export type ContractName =
  | "Coin"
  | "Factory"
  | "Feed"
  | "Items"
  | "Multicall"
  | "OldCoin"
  | "Permits"
  | "Pool"
  | "Positions"
  | "Quoter"
  | "Router"
  | "UpgradeableProxy"
  | "Wallet"

export const abiOf = (name: ContractName): viem.Abi => artifacts[name]!.abi

/** The data of a call. */
export const dataOf = (name: ContractName, functionName: string, args: ReadonlyArray<unknown> = []): viem.Hex =>
  viem.encodeFunctionData({ abi: abiOf(name), functionName, args })

/** The trader: the owner of all tokens at the beginning. */
const trader = privateKeyToAccount(PreparedState.accounts[4]!.publicTestKey)
export const { address: owner } = trader
export const { address: friend } = privateKeyToAccount(PreparedState.accounts[5]!.publicTestKey)

const CHAIN_ID = PreparedState.chainId
const ETHER = 10n ** 18n
/** The end of permits and swaps: the year 2100. */
export const DEADLINE = 4_102_444_800n

/** An exchange on a chain. */
export interface Exchange {
  /** Addresses by name. */
  readonly at: Readonly<Record<string, viem.Address>>
  /** The trader's transactions: the hash of each that is on the chain. */
  readonly done: ReadonlyArray<viem.Hex>
  /** Signed transactions that are not sent yet. */
  readonly signed: { readonly approve: viem.Hex; readonly swap: viem.Hex }
}

/** Deploys the exchange at a node, as the trader. */
export const deploy = async (url: string): Promise<Exchange> => {
  const ask = asking(url)
  const value = async (method: string, ...params: ReadonlyArray<unknown>): Promise<any> => {
    const { error, result } = await ask(method, params)
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }
  let nonce = Number(await value("eth_getTransactionCount", owner, "latest"))
  const at: Record<string, viem.Address> = {}
  const done: Array<viem.Hex> = []
  const sign = (fields: { readonly to?: viem.Address; readonly data: viem.Hex }): Promise<viem.Hex> =>
    trader.signTransaction({ ...fields, chainId: CHAIN_ID, gas: 6_000_000n, gasPrice: 10n ** 11n, nonce: nonce++ })
  const send = async (fields: { readonly to?: viem.Address; readonly data: viem.Hex }) => {
    done.push(await value("eth_sendRawTransaction", await sign(fields)))
  }
  const create = async (name: string, contract: ContractName, args: ReadonlyArray<unknown> = []) => {
    at[name] = viem.getContractAddress({ from: owner, nonce: BigInt(nonce) }).toLowerCase() as viem.Address
    const { abi, creationCode: bytecode } = artifacts[contract]!
    await send({ data: viem.encodeDeployData({ abi, bytecode, args }) })
  }
  const call = (name: string, contract: ContractName, functionName: string, args: ReadonlyArray<unknown> = []) =>
    send({ to: at[name]!, data: dataOf(contract, functionName, args) })

  await create("multicall", "Multicall")
  await create("factory", "Factory")
  await create("weth", "Coin", ["Wrapped Ether", "WETH", 18, 1_000_000n * ETHER])
  await create("usdCode", "Coin", ["", "", 6, 1n])
  const initialize = dataOf("Coin", "initialize", ["USD Coin", "USDC", 6, 10n ** 15n])
  await create("usd", "UpgradeableProxy", [at["usdCode"], initialize])
  await create("dai", "Coin", ["Dai Stablecoin", "DAI", 18, 1_000_000n * ETHER])
  await create("uni", "Coin", ["Uniswap", "UNI", 18, 1_000_000n * ETHER])
  await create("old", "OldCoin")
  for (const [name, a, b, fee] of pools) {
    const [first, second] = BigInt(at[a]!) < BigInt(at[b]!) ? [at[a], at[b]] : [at[b], at[a]]
    await create(name, "Pool", [first, second, fee, 79_228_162_514_264_337_593_543_950_336n, -203])
    for (const token of [a, b])
      await call(token, "Coin", "transfer", [at[name], token === "usd" ? 10n ** 12n : 400n * ETHER])
    await call(name, "Pool", "sync")
    await call("factory", "Factory", "add", [at[name]])
  }
  await create("quoter", "Quoter", [at["factory"]])
  await create("router", "Router", [at["factory"]])
  await create("permits", "Permits")
  await create("positions", "Positions")
  await create("items", "Items")
  await create("feed", "Feed", [3_021_07000000n])
  await create("wallet", "Wallet")
  await call("weth", "Coin", "approve", [at["permits"], viem.maxUint256])
  await call("permits", "Permits", "approve", [at["weth"], at["router"], 5n * ETHER, DEADLINE])
  await call("usd", "Coin", "transfer", [friend, 123_456_789n])
  for (const [name] of pools) await call("positions", "Positions", "mint", [at[name], -887_220, 887_220, 77_777n])
  const approve = await sign({ to: at["weth"]!, data: dataOf("Coin", "approve", [at["router"], ETHER]) })
  const swap = await sign({
    to: at["router"]!,
    data: dataOf("Router", "exactInputSingle", [
      { tokenIn: at["weth"], tokenOut: at["usd"], amountIn: ETHER, fee: 500 },
      owner,
      1n,
      DEADLINE
    ])
  })
  for (const hash of done) {
    const { status } = await settled(url, hash)
    if (status !== "0x1") throw new Error(`a transaction of the exchange failed: ${hash}`)
  }
  return { at, done, signed: { approve, swap } }
}

/** The pools: name, two tokens, and the fee in millionths. */
export const pools = [
  ["wethUsd500", "weth", "usd", 500],
  ["wethUsd3000", "weth", "usd", 3000],
  ["daiUsd100", "dai", "usd", 100],
  ["wethUni3000", "weth", "uni", 3000]
] as const

/** Waits until a transaction is on the chain, and returns its receipt. */
export const settled = async (url: string, hash: viem.Hex): Promise<any> => {
  const ask = asking(url)
  for (;;) {
    const { result } = await ask("eth_getTransactionReceipt", [hash])
    if (result != null) return result
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
