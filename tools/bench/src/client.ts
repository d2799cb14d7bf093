/** Calls to a node on this machine, by typed clients: values in, checked values out. */
import { fork } from "node:child_process"
import { once } from "node:events"

import { Address, type Hash32 } from "@plumbline/codec"
import { EthClient, EthMethods } from "@plumbline/eth-methods"
import * as PromiseClient from "@plumbline/jsonrpc-core/client/PromiseClient"
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import * as UndiciTransport from "@plumbline/jsonrpc-core/http/UndiciTransport"
import * as Batching from "@plumbline/jsonrpc-core/middleware/Batching"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import { Effect } from "effect"
import * as ethers from "ethers"
import { Pool } from "undici"
import * as viem from "viem"

import { text as blockText } from "./block.ts"
import { bytes, hexOf } from "./inputs.ts"
import type { Contender, Row, Subject } from "./measureAsync.ts"

const account = Address.fromHexUnsafe(hexOf(bytes(20)))
const latest = "latest"
/**
 * Slot or hash number `n`, as cheaply as possible, because every contender pays for it. Clients merge calls that are
 * the same.
 */
const wordOf = (n: number) => `0x${n.toString(16).padStart(64, "0")}` as Hash32.Hash32

/** One read of each kind. */
interface Reader {
  readonly slot: (n: number) => Promise<unknown>
  readonly block: (n: number) => Promise<unknown>
}

const startServer = async () => {
  const child = fork(new URL("./clientServer.ts", import.meta.url), { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  child.send(blockText)
  const [port] = await once(child, "message")
  const exited = once(child, "exit")
  const close = async () => {
    child.disconnect()
    await exited
  }
  return { url: `http://127.0.0.1:${port}`, close }
}

const ofUs = (transport: Transport.Transport["Service"]) => {
  const eth = Effect.runSync(Effect.provideService(EthClient.make, Transport.Transport, transport))
  const slot = (n: number) => eth.getStorageAt(account, wordOf(n), latest)
  return {
    slot: (n: number) => Effect.runPromise(slot(n)),
    slots: (ns: ReadonlyArray<number>) => Effect.runPromise(Effect.forEach(ns, slot, { concurrency: "unbounded" })),
    block: (n: number) => Effect.runPromise(eth.getBlockByHash(wordOf(n), { full: true }))
  }
}

const ofPromises = (url: string, dispatcher: Pool, stack: false | undefined) => {
  const transport = UndiciTransport.layer({ url, dispatcher })
  const { close, methods } = PromiseClient.create({ transport, group: EthMethods.group, stack })
  const reader: Reader = {
    slot: (n) => methods.eth_getStorageAt(account, wordOf(n), latest),
    block: (n) => methods.eth_getBlockByHash(wordOf(n), true)
  }
  return { ...reader, close }
}

const ofViem = (url: string, batch: boolean): Reader => {
  const client = viem.createPublicClient({ transport: viem.http(url, { batch }) })
  return {
    slot: (n) => client.getStorageAt({ address: account, slot: wordOf(n), blockTag: latest }),
    block: (n) => client.getBlock({ blockHash: wordOf(n), includeTransactions: true })
  }
}

const ofEthers = (url: string, options: ethers.JsonRpcApiProviderOptions) => {
  const network = ethers.Network.from(1)
  const provider = new ethers.JsonRpcProvider(url, network, { staticNetwork: network, ...options })
  const reader: Reader = {
    slot: (n) => provider.getStorage(account, wordOf(n), latest),
    block: (n) => provider.getBlock(wordOf(n), true)
  }
  return { ...reader, close: () => provider.destroy() }
}

/** The least that can be done with what the platform brings: nothing is checked, not even that there was no error. */
const byFetch = (url: string) => {
  const post = async (body: string): Promise<any> => {
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
    return JSON.parse(await response.text())
  }
  const call = (method: string, ...params: ReadonlyArray<unknown>): string =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  const slot = (n: number): string => call("eth_getStorageAt", account, wordOf(n), latest)
  return {
    slot: async (n: number) => (await post(slot(n))).result,
    slots: async (ns: ReadonlyArray<number>) =>
      (await post(`[${ns.map(slot).join(",")}]`)).map((reply: { readonly result: unknown }) => reply.result),
    block: async (n: number) => (await post(call("eth_getBlockByHash", wordOf(n), true))).result
  }
}

const numbers = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i)

const one =
  ({ slot }: Pick<Reader, "slot">): Contender =>
  async (first) => [await slot(first)]

const atOnce =
  ({ slot }: Pick<Reader, "slot">, count: number): Contender =>
  (first) =>
    Promise.all(numbers(first, count).map(slot))

const together =
  ({ slots }: { readonly slots: (ns: ReadonlyArray<number>) => Promise<unknown> }, count: number): Contender =>
  (first) =>
    slots(numbers(first, count))

const showSlots = (slots: ReadonlyArray<unknown>): string => slots.join()

/** Returns the numbers of a block and of its last transaction as text, the same whether they are typed or not. */
const showBlock = (block: any): string => {
  const last = (block.prefetchedTransactions ?? block.transactions).at(-1)
  return [block.hash, BigInt(block.number), last.hash, BigInt(last.value), last.from.toLowerCase()].join()
}

export const subject: Subject = {
  name: "client",
  open: async () => {
    const server = await startServer()
    const pool = new Pool(server.url)
    const undici = await Effect.runPromise(UndiciTransport.make({ url: server.url, dispatcher: pool }))
    const fetch = await Effect.runPromise(HttpTransport.make({ url: server.url }))
    const ours = ofUs(undici)
    const oursByFetch = ofUs(fetch)
    const batching = ofUs(Batching.make()(undici))
    const batchingByFetch = ofUs(Batching.make()(fetch))
    const promises = ofPromises(server.url, pool, false)
    /** With the usual layers around it, batching among them. */
    const stacked = ofPromises(server.url, pool, undefined)
    const viem = ofViem(server.url, false)
    const viemBatching = ofViem(server.url, true)
    const ethers = ofEthers(server.url, { batchMaxCount: 1 })
    const ethersBatching = ofEthers(server.url, {})
    const raw = byFetch(server.url)

    const rows: ReadonlyArray<Row> = [
      {
        name: "a slot, one after the other",
        calls: 1,
        goal: 6,
        show: showSlots,
        ours: one(ours),
        peers: { viem: one(viem), ethers: one(ethers) },
        yardsticks: {
          "fetch and JSON.parse": one(raw),
          "ours over fetch": one(oursByFetch),
          "ours by promises": one(promises),
          "the same with a Stack": one(stacked)
        }
      },
      {
        name: "slots, 64 at a time",
        calls: 64,
        goal: 5,
        show: showSlots,
        ours: together(ours, 64),
        peers: { viem: atOnce(viem, 64), ethers: atOnce(ethers, 64) },
        yardsticks: {
          "fetch and JSON.parse": atOnce(raw, 64),
          "ours over fetch": together(oursByFetch, 64),
          "ours by promises": atOnce(promises, 64)
        }
      },
      {
        name: "slots, 100 in a batch that makes itself",
        calls: 100,
        goal: 8,
        show: showSlots,
        ours: together(batching, 100),
        peers: { viem: atOnce(viemBatching, 100), ethers: atOnce(ethersBatching, 100) },
        yardsticks: {
          "fetch and JSON.parse": together(raw, 100),
          "ours over fetch": together(batchingByFetch, 100),
          "ours by promises with a Stack": atOnce(stacked, 100)
        }
      },
      {
        name: `a block of ${Math.round(blockText.length / 1000)} kB, one after the other`,
        calls: 1,
        show: showBlock,
        ours: ours.block,
        peers: { viem: viem.block, ethers: ethers.block },
        yardsticks: {
          "fetch and JSON.parse": raw.block,
          "ours over fetch": oursByFetch.block,
          "ours by promises": promises.block
        }
      }
    ]
    const close = async () => {
      ethers.close()
      ethersBatching.close()
      await promises.close()
      await stacked.close()
      await pool.close()
      await server.close()
    }
    return { rows, close }
  }
}
