/** The suite for ethers. */
import { BrowserProvider, type JsonRpcApiProvider, JsonRpcProvider, Network, WebSocketProvider } from "ethers"

import { raw } from "./facts.ts"
import { each, type Library, type Way } from "./library.ts"

/**
 * The network is given, because ethers repeats a refused `eth_chainId` every second, without end.
 */
const providerOf = (way: Way, chainId: number): JsonRpcApiProvider => {
  const network = Network.from(chainId)
  const options = { staticNetwork: network, cacheTimeout: -1 }
  switch (way._tag) {
    case "Provider":
      return new BrowserProvider(way.provider, network, options)
    case "Http":
      return new JsonRpcProvider(way.url, network, options)
    case "WebSocket":
      return new WebSocketProvider(way.url, network, options)
  }
}

/** Returns the values of an ethers object. */
const plain = async (thing: Promise<{ readonly toJSON: () => any } | null>): Promise<unknown> =>
  (await thing)?.toJSON() ?? null

export const ethers: Library = {
  name: "ethers",
  make: (way, { block, chainId, counter, head, kinds, listed, token, transactions, who, withdrawals }) => {
    const client = providerOf(way, chainId)
    const quantity = `0x${head.toString(16)}`
    const logs = async (fromBlock: number) =>
      (await client.getLogs({ fromBlock, toBlock: head })).map((log) => log.toJSON())
    const whole = async (tag: string | number) => {
      const found = await client.getBlock(tag, true)
      return found && [found.toJSON(), found.prefetchedTransactions.map((one) => one.toJSON())]
    }
    return {
      facts: {
        eth_chainId: () => client.send("eth_chainId", []),
        "getBlock of the head": () => plain(client.getBlock("latest")),
        "getBlock by number": () => plain(client.getBlock(head - 1)),
        "getBlock by number, again": () => plain(client.getBlock(head - 2)),
        "getBlock by hash": () => plain(client.getBlock(block.hash)),
        eth_getBlockByNumber: () => client.send("eth_getBlockByNumber", [`0x${withdrawals.toString(16)}`, false]),
        "getBlock with transactions": () => whole(block.hash),
        eth_getBlockTransactionCountByHash: () => client.send("eth_getBlockTransactionCountByHash", [block.hash]),
        getTransaction: () => plain(client.getTransaction(transactions.at(-1)!)),
        "getTransaction with a list": () => plain(client.getTransaction(listed)),
        getTransactionReceipt: () => plain(client.getTransactionReceipt(transactions.at(-1)!)),
        eth_getBlockReceipts: () => client.send("eth_getBlockReceipts", [block.hash]),
        getLogs: () => logs(head - 15),
        getBalance: () => client.getBalance(who, head),
        "getBalance at latest": () => client.getBalance(who),
        getTransactionCount: () => client.getTransactionCount(who, block.number),
        getCode: () => client.getCode(token, head),
        getStorage: () => client.getStorage(counter, 0, head),
        eth_getProof: () => client.send("eth_getProof", [counter, [`0x${"00".repeat(32)}`], quantity])
      },
      kinds: {
        "getLogs of all blocks": () => logs(0),
        ...each(
          "getBlock of",
          kinds,
          ({ name }) => name,
          ({ number }) => whole(number)
        ),
        ...each("getTransaction", transactions, String, (hash) => plain(client.getTransaction(hash)))
      },
      others: {
        getBlockNumber: () => client.getBlockNumber(),
        eth_gasPrice: () => client.send("eth_gasPrice", []),
        broadcastTransaction: async () => (await client.broadcastTransaction(raw)).hash,
        call: () => client.call({ to: token, data: "0x" })
      },
      close: () => client.destroy()
    }
  }
}
