/** Reads a balance that is proven from one block hash, and shows the lie of a node. */
import { History, HistoryChain } from "@plumbline/devnet"
import { ProvenEthClient, TrustedBlock } from "@plumbline/eth-methods"
import { Transport } from "@plumbline/jsonrpc-core"
import { Effect, Layer } from "effect"

// the one thing that you trust: the hash of the newest block
const trust = TrustedBlock.layerPinned(HistoryChain.blocks[69]!.hash)
const address = HistoryChain.accounts[0]!.address
const balance = ProvenEthClient.ProvenEthClient.use((eth) => eth.getBalance(address, 5n))

// a node behind a URL: ProvenEthClient.layerUrl("https://node.example/v3/<API key>", trust)
const proven = (node: ReturnType<typeof History.layerTransport>) =>
  ProvenEthClient.layer().pipe(Layer.provide([node, trust]))
console.log(await Effect.runPromise(Effect.provide(balance, proven(History.layerTransport())))) // => 9999987787620000000000n

// a node that reports one ether as the balance of every account
const lie: Transport.Middleware = (honest) => {
  const call: typeof honest.call = (asked) =>
    asked.method === "eth_getBalance" ? Effect.succeed("0xde0b6b3a7640000") : honest.call(asked)
  return { call, callAll: Transport.oneByOne(call) }
}
const liar = Transport.through(History.layerTransport(), lie)
const error = await Effect.runPromise(Effect.flip(Effect.provide(balance, proven(liar))))
console.log(error._tag) // => RefutedError
console.log(error.message) // => balance: expected 0x21e19b566a2667ce800, got 0xde0b6b3a7640000
