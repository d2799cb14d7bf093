/** Viem over the platform's fetch, and over a pool of undici, which is its fastest form on Node. */
import type { Pool } from "undici"
import * as viem from "viem"

import type { Reader } from "./measuredReads.ts"

/**
 * Returns a fetch whose answers have only the parts that viem reads. It is faster than undici's fetch, which makes all
 * objects of the web standard.
 */
const fetchOver = (pool: Pool): typeof fetch => {
  const headers = new Headers({ "content-type": "application/json" })
  const post = async (url: string, init: RequestInit) => {
    const { body, statusCode } = await pool.request({
      path: new URL(url).pathname,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: init.body as string
    })
    return {
      headers,
      ok: statusCode === 200,
      status: statusCode,
      body: null,
      text: () => body.text()
    }
  }
  return post as never
}

/** Returns viem's client. With `pool` it sends through undici, with `batch` it collects calls into packets. */
export const ofViem = (url: string, options: { readonly pool?: Pool; readonly batch?: boolean } = {}): Reader => {
  const transport = viem.http(url, {
    batch: options.batch ?? false,
    ...(options.pool === undefined ? {} : { fetchFn: fetchOver(options.pool) })
  })
  return read(viem.createPublicClient({ transport }))
}

/**
 * Returns viem's client over a minimal handwritten transport. Between the program and undici, viem then does little
 * more than convert types.
 */
export const ofViemByHand = (pool: Pool): Reader => {
  let id = 0
  const request = async ({ method, params }: { readonly method: string; readonly params?: unknown }) => {
    const { body } = await pool.request({
      path: "/",
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })
    })
    const { error, result } = JSON.parse(await body.text())
    if (error !== undefined) throw new Error(error.message)
    return result
  }
  return read(viem.createPublicClient({ transport: viem.custom({ request }, { retryCount: 0 }) }))
}

const read = (client: viem.PublicClient): Reader => ({
  slot: (address, slot) => client.getStorageAt({ address, slot, blockTag: "latest" }),
  block: (blockHash) => client.getBlock({ blockHash, includeTransactions: true }),
  transaction: (hash) => client.getTransaction({ hash })
})
