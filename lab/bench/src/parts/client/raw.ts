/** Clients for comparison: ethers, and minimal clients over the platform's fetch or undici that check nothing. */
import * as ethers from "ethers"
import type { Pool } from "undici"

import type { Run } from "../../measure/measuredRow.ts"
import { ACCOUNT, type Reader, wordOf } from "./measuredReads.ts"

type Post = (body: string) => Promise<any>

const byPost = (post: Post): Reader => {
  const call = async (method: string, ...params: ReadonlyArray<unknown>) =>
    (await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))).result
  return {
    slot: (account, slot) => call("eth_getStorageAt", account, slot, "latest"),
    block: (hash) => call("eth_getBlockByHash", hash, true),
    transaction: (hash) => call("eth_getTransactionByHash", hash)
  }
}

export const byFetch = (url: string): Reader =>
  byPost(async (body) => {
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
    return JSON.parse(await response.text())
  })

const postByUndici =
  (pool: Pool): Post =>
  async (body) => {
    const headers = { "content-type": "application/json" }
    const answer = await pool.request({ path: "/", method: "POST", headers, body })
    return JSON.parse(await answer.body.text())
  }

export const byUndici = (pool: Pool): Reader => byPost(postByUndici(pool))

/** Reads slots in one packet without checks: the lower bound for the row about batches. */
export const slotsByUndici = (pool: Pool, count: number): Run => {
  const post = postByUndici(pool)
  return async (first) => {
    const calls = Array.from({ length: count }, (_, id) => ({
      jsonrpc: "2.0",
      id,
      method: "eth_getStorageAt",
      params: [ACCOUNT, wordOf(first + id), "latest"]
    }))
    const replies: ReadonlyArray<any> = await post(JSON.stringify(calls))
    return replies.map(({ result }) => result)
  }
}

export const ofEthers = (url: string, options: ethers.JsonRpcApiProviderOptions) => {
  const network = ethers.Network.from(1)
  const provider = new ethers.JsonRpcProvider(url, network, { staticNetwork: network, ...options })
  const reader: Reader = {
    slot: (account, slot) => provider.getStorage(account, slot, "latest"),
    block: (hash) => provider.getBlock(hash, true),
    transaction: (hash) => provider.getTransaction(hash)
  }
  return { ...reader, close: () => provider.destroy() }
}
