/** Reads a balance of an embedded chain, proven from one block hash. */
import { History, HistoryChain } from "@plumbline/devnet"
import { ProvenEthClient, TrustedBlock } from "@plumbline/eth-methods"
import { Effect, Layer } from "effect"

// the one thing that you trust: the hash of the newest block
const trust = TrustedBlock.layerPinned(HistoryChain.blocks[69]!.hash)
const balance = ProvenEthClient.ProvenEthClient.use((eth) => eth.getBalance(HistoryChain.accounts[0]!.address, 5n))

// a node behind a URL: ProvenEthClient.layerUrl("https://node.example/v3/<API key>", trust)
const eth = ProvenEthClient.layer().pipe(Layer.provide([History.layerTransport(), trust]))
console.log(await Effect.runPromise(Effect.provide(balance, eth))) // => 9999987787620000000000n
