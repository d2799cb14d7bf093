/** The suite of web3.js. */
import { HttpProvider, Web3, WebSocketProvider } from "web3"

import { raw } from "./facts.ts"
import { each, type Library, type Way } from "./library.ts"

const providerOf = (way: Way) => {
  switch (way._tag) {
    case "Provider":
      return way.provider
    case "Http":
      return new HttpProvider(way.url)
    case "WebSocket":
      return new WebSocketProvider(way.url, {}, { autoReconnect: false })
  }
}

export const web3: Library = {
  name: "web3.js",
  make: (way, { block, counter, head, kinds, listed, token, transactions, who, withdrawals }) => {
    const provider = providerOf(way)
    const client = new Web3(provider)
    const send = (method: string, params: ReadonlyArray<unknown>) => client.requestManager.send({ method, params })
    return {
      facts: {
        getChainId: () => client.eth.getChainId(),
        "getBlock of the head": () => client.eth.getBlock(),
        "getBlock by number": () => client.eth.getBlock(head - 1),
        "getBlock by number, again": () => client.eth.getBlock(head - 2),
        "getBlock by hash": () => client.eth.getBlock(block.hash),
        "getBlock with withdrawals": () => client.eth.getBlock(withdrawals),
        "getBlock with transactions": () => client.eth.getBlock(block.hash, true),
        getBlockTransactionCount: () => client.eth.getBlockTransactionCount(block.hash),
        getTransaction: () => client.eth.getTransaction(transactions.at(-1)!),
        "getTransaction with a list": () => client.eth.getTransaction(listed),
        getTransactionReceipt: () => client.eth.getTransactionReceipt(transactions.at(-1)!),
        eth_getBlockReceipts: () => send("eth_getBlockReceipts", [block.hash]),
        getPastLogs: () => client.eth.getPastLogs({ fromBlock: head - 15, toBlock: head }),
        getBalance: () => client.eth.getBalance(who, head),
        "getBalance at latest": () => client.eth.getBalance(who),
        getTransactionCount: () => client.eth.getTransactionCount(who, block.number),
        getCode: () => client.eth.getCode(token, head),
        getStorageAt: () => client.eth.getStorageAt(counter, 0, head),
        getProof: () => client.eth.getProof(counter, [`0x${"00".repeat(32)}`], head)
      },
      kinds: {
        "getPastLogs of all blocks": () => client.eth.getPastLogs({ fromBlock: 0, toBlock: head }),
        ...each(
          "getBlock of",
          kinds,
          ({ name }) => name,
          ({ number }) => client.eth.getBlock(number, true)
        ),
        ...each("getTransaction", transactions, String, (hash) => client.eth.getTransaction(hash))
      },
      others: {
        getBlockNumber: () => client.eth.getBlockNumber(),
        getGasPrice: () => client.eth.getGasPrice(),
        eth_sendRawTransaction: () => send("eth_sendRawTransaction", [raw]),
        call: () => client.eth.call({ to: token, data: "0x" })
      },
      close: () => {
        if (provider instanceof WebSocketProvider) provider.disconnect()
      }
    }
  }
}
