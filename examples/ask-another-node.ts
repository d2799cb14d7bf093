/** Asks three nodes, one after the other: the first lies, the second is gone, and the proof of the third is valid. */
import { History, HistoryChain } from "@plumbline/devnet"
import { ProvenEthClient, TrustedBlock } from "@plumbline/eth-methods"
import { HttpTransport, Transport } from "@plumbline/jsonrpc-core"
import { Effect, Layer } from "effect"

const trust = TrustedBlock.layerPinned(HistoryChain.blocks[69]!.hash)
const address = HistoryChain.accounts[0]!.address
const balance = ProvenEthClient.ProvenEthClient.use((eth) => eth.getBalance(address, 5n))

// a node that reports one ether as the balance of every account
const lie: Transport.Middleware = (honest) => {
  const call: typeof honest.call = (asked) =>
    asked.method === "eth_getBalance" ? Effect.succeed("0xde0b6b3a7640000") : honest.call(asked)
  return { call, callAll: Transport.oneByOne(call) }
}

const nodes = [
  { name: "first", transport: Transport.through(History.layerTransport(), lie) },
  { name: "second", transport: HttpTransport.layer({ url: "http://127.0.0.1:1" }) },
  { name: "third", transport: History.layerTransport() }
]
const reads = nodes.map(({ name, transport }) =>
  balance.pipe(
    Effect.provide(ProvenEthClient.layer().pipe(Layer.provide([transport, trust]))),
    Effect.tapError((error) => Effect.sync(() => console.log(`${name}: ${error._tag}`)))
    // => first: RefutedError
    // => second: JsonRpcError
  )
)
console.log(await Effect.runPromise(Effect.firstSuccessOf(reads))) // => 9999987787620000000000n
