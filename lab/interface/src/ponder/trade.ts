/** Trades on the exchange: transfers of tokens, and swaps, each in a block of its own. */
import { PreparedState } from "@plumbline/devnet"
import * as viem from "viem"
import { privateKeyToAccount } from "viem/accounts"

import { asking } from "../dapp/asking.ts"
import { dataOf, DEADLINE, type Exchange, friend, settled } from "../dapp/tokenExchange.ts"

const trader = privateKeyToAccount(PreparedState.accounts[4]!.publicTestKey)

/** Every so many transactions, one is a swap. The others are transfers. */
const SWAPS = 3

/** Makes so many transactions, and waits until they are on the chain. Returns the hash of the last one. */
export const trade = async (node: string, exchange: Exchange, count: number): Promise<viem.Hex> => {
  const { at } = exchange
  const ask = asking(node)
  const answer = async (method: string, params: ReadonlyArray<unknown>): Promise<any> => {
    const { error, result } = await ask(method, params)
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
  let nonce = Number(await answer("eth_getTransactionCount", [trader.address, "latest"]))
  const send = async (to: viem.Address, data: viem.Hex): Promise<viem.Hex> => {
    const fields = { to, data, chainId: PreparedState.chainId, gas: 1_000_000n, gasPrice: 10n ** 11n, nonce: nonce++ }
    return answer("eth_sendRawTransaction", [await trader.signTransaction(fields)])
  }
  const sent: Array<viem.Hex> = []
  if (!approved.has(exchange)) {
    approved.add(exchange)
    sent.push(await send(at["weth"]!, dataOf("Coin", "approve", [at["router"], viem.maxUint256])))
  }
  for (let i = 0; i < count; i++) {
    const path = { tokenIn: at["weth"], tokenOut: at["usd"], amountIn: BigInt(1000 + nonce), fee: 500 }
    sent.push(
      i % SWAPS === 0
        ? await send(at["router"]!, dataOf("Router", "exactInputSingle", [path, trader.address, 0n, DEADLINE]))
        : await send(at["uni"]!, dataOf("Coin", "transfer", [friend, BigInt(nonce)]))
    )
  }
  for (const hash of sent) {
    const { status } = await settled(node, hash)
    if (status !== "0x1") throw new Error(`a trade failed: ${hash}`)
  }
  return sent.at(-1)!
}

/** The exchanges whose router may take the trader's tokens. */
const approved = new WeakSet<Exchange>()
