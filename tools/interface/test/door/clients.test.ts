/** viem, ethers and web3.js read through the door what they read without it: not one of them is changed for it. */
import { HistoryChain } from "@plumbline/devnet"
import { BrowserProvider } from "ethers"
import { createPublicClient, custom } from "viem"
import { assert, describe, it } from "vitest"
import { Web3 } from "web3"

import { type Provider, ways } from "../support/door.ts"

const { token, counter } = HistoryChain.contracts
const who = HistoryChain.accounts[0]!.address
const head = BigInt(HistoryChain.head.number)
const withTransactions = HistoryChain.blocks.filter((block) => block.transactions.length > 0)
const sent = withTransactions.at(-1)!
const hash = sent.transactions[0]!.hash

type Reads<C> = ReadonlyArray<readonly [name: string, read: (client: C) => Promise<unknown>]>

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part))

const same = <C>(make: (provider: Provider) => C, reads: Reads<C>): void => {
  const { door, plain } = ways()
  const before = make(plain)
  const behind = make(door)
  for (const [name, read] of reads) {
    it(`reads ${name}`, async () => {
      const expected = await read(before)
      assert.strictEqual(text(await read(behind)), text(expected))
      assert.notStrictEqual(expected, null)
    })
  }
}

const viem = (provider: Provider) => createPublicClient({ transport: custom(provider, { retryCount: 0 }) })

describe("viem", () => {
  same<ReturnType<typeof viem>>(viem, [
    ["getChainId", (client) => client.getChainId()],
    ["getBlockNumber", (client) => client.getBlockNumber({ cacheTime: 0 })],
    ...HistoryChain.forks.flatMap(({ block, name }): Reads<ReturnType<typeof viem>> => [
      [`getBlock of ${name}`, (client) => client.getBlock({ blockNumber: BigInt(block) })],
      [
        `getBlock of ${name}, with transactions`,
        (client) => client.getBlock({ blockNumber: BigInt(block), includeTransactions: true })
      ]
    ]),
    ["getBlock of the head", (client) => client.getBlock()],
    ["getBlock by hash", (client) => client.getBlock({ blockHash: sent.hash })],
    ["getBlockTransactionCount", (client) => client.getBlockTransactionCount({ blockHash: sent.hash })],
    ["getTransaction", (client) => client.getTransaction({ hash })],
    ["getTransactionReceipt", (client) => client.getTransactionReceipt({ hash })],
    ["getBalance", (client) => client.getBalance({ address: who, blockNumber: head })],
    ["getBalance at latest", (client) => client.getBalance({ address: who })],
    ["getTransactionCount", (client) => client.getTransactionCount({ address: who, blockNumber: head })],
    ["getCode", (client) => client.getCode({ address: token.address, blockNumber: head })],
    ["getStorageAt", (client) => client.getStorageAt({ address: counter.address, slot: "0x0" })],
    ["getProof", (client) => client.getProof({ address: counter.address, storageKeys: [] })],
    ["getLogs of 16 blocks", (client) => client.getLogs({ fromBlock: head - 15n, toBlock: head })],
    ["getGasPrice", (client) => client.getGasPrice()],
    ["getFeeHistory", (client) => client.getFeeHistory({ blockCount: 4, rewardPercentiles: [50] })]
  ])
})

const ethers = (provider: Provider) => new BrowserProvider(provider, undefined, { cacheTimeout: -1 })

describe("ethers", () => {
  same<ReturnType<typeof ethers>>(ethers, [
    ["getNetwork", async (client) => (await client.getNetwork()).chainId],
    ["getBlockNumber", (client) => client.getBlockNumber()],
    ["getBlock", async (client) => (await client.getBlock(sent.hash))?.toJSON()],
    ["getBlock, with transactions", async (client) => (await client.getBlock(sent.number, true))?.toJSON()],
    ["getTransaction", async (client) => (await client.getTransaction(hash))?.toJSON()],
    ["getTransactionReceipt", async (client) => (await client.getTransactionReceipt(hash))?.toJSON()],
    ["getBalance", (client) => client.getBalance(who)],
    ["getTransactionCount", (client) => client.getTransactionCount(who)],
    ["getCode", (client) => client.getCode(token.address)],
    ["getStorage", (client) => client.getStorage(counter.address, 0)],
    [
      "getLogs",
      async (client) => (await client.getLogs({ fromBlock: head - 15n, toBlock: head })).map((log) => log.toJSON())
    ]
  ])
})

const web3 = (provider: Provider) => new Web3(provider)

describe("web3.js", () => {
  same<Web3>(web3, [
    ["getChainId", (client) => client.eth.getChainId()],
    ["getBlockNumber", (client) => client.eth.getBlockNumber()],
    ["getBlock", (client) => client.eth.getBlock(sent.hash)],
    ["getTransaction", (client) => client.eth.getTransaction(hash)],
    ["getTransactionReceipt", (client) => client.eth.getTransactionReceipt(hash)],
    ["getBalance", (client) => client.eth.getBalance(who)],
    ["getTransactionCount", (client) => client.eth.getTransactionCount(who)],
    ["getCode", (client) => client.eth.getCode(token.address)],
    ["getStorageAt", (client) => client.eth.getStorageAt(counter.address, 0)],
    ["getPastLogs", (client) => client.eth.getPastLogs({ fromBlock: head - 15n, toBlock: head })]
  ])
})
