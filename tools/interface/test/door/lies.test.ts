/** Lies that viem believes of a node and hears nothing of behind the door: each is refused by name. */
import { HistoryChain } from "@plumbline/devnet"
import { Refusal } from "@plumbline/provider"
import { createPublicClient, custom, type PublicClient } from "viem"
import { assert, describe, it } from "vitest"

import { type Lie, type Provider, ways } from "../support/door.ts"

const { counter, token } = HistoryChain.contracts
const who = HistoryChain.accounts[0]!.address
const head = BigInt(HistoryChain.head.number)
const blocks = HistoryChain.blocks.filter((block) => block.transactions.length > 0)
const sent = blocks.at(-1)!
const hash = sent.transactions[0]!.hash
const withUncles = HistoryChain.withUncles[0]!

const viem = (provider: Provider): PublicClient =>
  createPublicClient({ transport: custom(provider, { retryCount: 0 }) })

interface Told {
  readonly name: string
  readonly read: (client: PublicClient) => Promise<unknown>
  readonly lie: Lie
  /** The check that refuses it. */
  readonly check: RegExp
}

const on =
  (methods: ReadonlyArray<string>, change: (result: any) => unknown): Lie =>
  (method, result) =>
    methods.includes(method) && result !== null ? change(result) : result
const blockMethods = ["eth_getBlockByNumber", "eth_getBlockByHash"]
const receiptMethods = ["eth_getTransactionReceipt", "eth_getBlockReceipts"]
const eachReceipt = (change: (receipt: any) => any): Lie =>
  on(receiptMethods, (result) => (Array.isArray(result) ? result.map(change) : change(result)))
const eachTransaction =
  (change: (transaction: any) => any): Lie =>
  (method, result) =>
    method === "eth_getTransactionByHash"
      ? change(result)
      : blockMethods.includes(method) && typeof result?.transactions?.[0] === "object"
        ? { ...result, transactions: result.transactions.map(change) }
        : result

const told: ReadonlyArray<Told> = [
  {
    name: "another time of a block",
    read: (client) => client.getBlock({ blockNumber: head }),
    lie: on(blockMethods, (block) => ({ ...block, timestamp: "0x1" })),
    check: /^refuted: header hash/u
  },
  {
    name: "a true block at another height",
    read: (client) => client.getBlock({ blockNumber: head - 1n }),
    lie: (method, result, params) =>
      method === "eth_getBlockByNumber" && params[0] !== "latest" ? { ...result, number: "0x3" } : result,
    check: /^refuted: (block\.number|header hash)/u
  },
  {
    name: "a block without one of its transactions",
    read: (client) => client.getBlock({ blockHash: sent.hash }),
    lie: on(blockMethods, (block) => ({ ...block, transactions: block.transactions.slice(1) })),
    check: /^refuted: transactionsRoot/u
  },
  {
    name: "more wei",
    read: (client) => client.getBalance({ address: who, blockNumber: head }),
    lie: (method, result) => (method === "eth_getBalance" ? "0xffffffff" : result),
    check: /^refuted: account\.balance|^refuted: balance/u
  },
  {
    name: "more wei, and in the proof as well",
    read: (client) => client.getBalance({ address: who, blockNumber: head }),
    lie: (method, result) =>
      method === "eth_getBalance"
        ? "0xffffffff"
        : method === "eth_getProof"
          ? { ...result, balance: "0xffffffff" }
          : result,
    check: /^refuted: account\.balance/u
  },
  {
    name: "other code",
    read: (client) => client.getCode({ address: token.address, blockNumber: head }),
    lie: (method, result) => (method === "eth_getCode" ? "0x6001" : result),
    check: /^refuted: code/u
  },
  {
    name: "another word of storage",
    read: (client) => client.getStorageAt({ address: counter.address, slot: "0x0", blockNumber: head }),
    lie: (method, result) => (method === "eth_getStorageAt" ? `0x${"77".repeat(32)}` : result),
    check: /^refuted: .*(storage|slot|value)/u
  },
  {
    name: "the proof of another account",
    read: (client) => client.getProof({ address: counter.address, storageKeys: [], blockNumber: head }),
    lie: (method, result) => (method === "eth_getProof" ? { ...result, accountProof: [], balance: "0x7" } : result),
    check: /^refuted: /u
  },
  {
    name: "another value of a transaction",
    read: (client) => client.getTransaction({ hash }),
    lie: eachTransaction((transaction) => ({ ...transaction, value: "0x5" })),
    check: /^refuted: transaction/u
  },
  {
    name: "another sender",
    read: (client) => client.getTransaction({ hash }),
    lie: eachTransaction((transaction) => ({ ...transaction, from: token.address })),
    check: /^refuted: .*from/u
  },
  {
    name: "a transaction that succeeded said to have failed, in every answer",
    read: (client) => client.getTransactionReceipt({ hash }),
    lie: eachReceipt((receipt) => ({ ...receipt, status: receipt.status === "0x1" ? "0x0" : "0x1" })),
    check: /^refuted: receiptsRoot/u
  },
  {
    name: "another contract made",
    read: (client) => client.getTransactionReceipt({ hash }),
    lie: eachReceipt((receipt) => ({ ...receipt, contractAddress: who })),
    check: /^refuted: .*contractAddress/u
  },
  {
    name: "a log left out",
    read: (client) => client.getLogs({ fromBlock: 0n, toBlock: head }),
    lie: on(["eth_getLogs"], (logs) => logs.slice(1)),
    check: /^refuted: logs/u
  },
  {
    name: "no logs at all, from receipts neither",
    read: (client) => client.getLogs({ fromBlock: 0n, toBlock: head }),
    lie: (method, result) =>
      method === "eth_getLogs"
        ? []
        : method === "eth_getBlockReceipts"
          ? result.map((receipt: any) => ({ ...receipt, logs: [] }))
          : result,
    check: /^refuted: /u
  },
  {
    name: "an uncle more",
    read: (client) => client.getBlock({ blockHash: withUncles.hash }),
    lie: on(blockMethods, (block) => ({ ...block, uncles: [...block.uncles, `0x${"11".repeat(32)}`] })),
    check: /^refuted: /u
  },
  {
    name: "another chain",
    read: (client) => client.getChainId(),
    lie: (method, result) => (method === "eth_chainId" ? "0x1" : result),
    check: /^refuted: chain id/u
  },
  {
    name: "an old head",
    read: (client) => client.getBlock(),
    lie: (method, result, params) => (method === "eth_getBlockByNumber" && params[0] === "latest" ? old : result),
    check: /^unproven: /u
  }
]

/** A true block, some time ago. */
const old: unknown = await ways().plain.request({ method: "eth_getBlockByNumber", params: ["0x20", true] })

describe("a node that lies", () => {
  for (const { check, lie, name, read } of told) {
    it(`is found out: ${name}`, async () => {
      const { door, plain } = ways(lie, { chainId: BigInt(HistoryChain.chainId) })
      const truth = await read(viem(ways().plain))
      assert.notDeepEqual(await read(viem(plain)), truth, "viem believes it")
      const error = await read(viem(door)).then(
        (value) => assert.fail(`passed: ${String(value)}`),
        (error: {
          readonly details: string
          readonly walk: (test: (e: any) => boolean) => { readonly code: number }
        }) => error
      )
      assert.match(error.details, check)
      const { code } = error.walk((cause) => typeof cause?.code === "number" && cause.code < -32090)
      assert.include([Refusal.REFUTED, Refusal.UNPROVEN], code)
    })
  }
})
