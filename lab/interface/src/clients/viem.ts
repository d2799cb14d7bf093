/** The reads of the suite, as a program makes them with viem. */
import { createPublicClient, custom, http, type Transport, webSocket } from "viem"

import { raw } from "./facts.ts"
import { each, type Library, type Way } from "./library.ts"

const transportOf = (way: Way): Transport => {
  switch (way._tag) {
    case "Provider":
      return custom(way.provider, { retryCount: 0 })
    case "Http":
      return http(way.url, { retryCount: 0 })
    case "WebSocket":
      return webSocket(way.url, { retryCount: 0, reconnect: false })
  }
}

export const viem: Library = {
  name: "viem",
  make: (way, { block, counter, head, kinds, listed, token, transactions, who, withdrawals }) => {
    const client = createPublicClient({ transport: transportOf(way), cacheTime: 0 })
    const at = BigInt(head)
    return {
      facts: {
        getChainId: () => client.getChainId(),
        "getBlock of the head": () => client.getBlock(),
        "getBlock by number": () => client.getBlock({ blockNumber: at - 1n }),
        "getBlock by number, again": () => client.getBlock({ blockNumber: at - 2n }),
        "getBlock by hash": () => client.getBlock({ blockHash: block.hash }),
        "getBlock with withdrawals": () => client.getBlock({ blockNumber: BigInt(withdrawals) }),
        "getBlock with transactions": () => client.getBlock({ blockHash: block.hash, includeTransactions: true }),
        getBlockTransactionCount: () => client.getBlockTransactionCount({ blockHash: block.hash }),
        getTransaction: () => client.getTransaction({ hash: transactions.at(-1)! }),
        "getTransaction with a list": () => client.getTransaction({ hash: listed }),
        getTransactionReceipt: () => client.getTransactionReceipt({ hash: transactions.at(-1)! }),
        eth_getBlockReceipts: () => client.request({ method: "eth_getBlockReceipts", params: [block.hash] } as never),
        getLogs: () => client.getLogs({ fromBlock: at - 15n, toBlock: at }),
        getBalance: () => client.getBalance({ address: who, blockNumber: at }),
        "getBalance at latest": () => client.getBalance({ address: who }),
        getTransactionCount: () => client.getTransactionCount({ address: who, blockNumber: BigInt(block.number) }),
        getCode: () => client.getCode({ address: token, blockNumber: at }),
        getStorageAt: () => client.getStorageAt({ address: counter, slot: "0x0", blockNumber: at }),
        getProof: () => client.getProof({ address: counter, storageKeys: [`0x${"00".repeat(32)}`], blockNumber: at })
      },
      kinds: {
        "getLogs of all blocks": () => client.getLogs({ fromBlock: 0n, toBlock: at }),
        ...each(
          "getBlock of",
          kinds,
          ({ name }) => name,
          ({ number }) => client.getBlock({ blockNumber: BigInt(number), includeTransactions: true })
        ),
        ...each("getTransaction", transactions, String, (hash) => client.getTransaction({ hash }))
      },
      others: {
        getBlockNumber: () => client.getBlockNumber(),
        getGasPrice: () => client.getGasPrice(),
        sendRawTransaction: () => client.sendRawTransaction({ serializedTransaction: raw }),
        call: () => client.call({ to: token, data: "0x" })
      },
      close: async () => {
        if (client.transport.type === "webSocket") (await (client.transport as any).getRpcClient()).close()
      }
    }
  }
}
