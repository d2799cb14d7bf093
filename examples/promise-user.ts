/** Uses promises alone: plain calls, and proven ones. */
import { Address, Hash32 } from "@plumbline/codec"
import { History, HistoryChain } from "@plumbline/devnet"
import { EthClient, EthMethods, ProvenEthClient, TrustedBlock } from "@plumbline/eth-methods"
import { PromiseClient } from "@plumbline/jsonrpc-core"
import { Layer, ManagedRuntime } from "effect"

const node = Layer.orDie(History.layerTransport)

// a node behind a URL: PromiseClient.create({ url: "https://node.example/v3/<API key>", group: EthMethods.group })
await using plain = PromiseClient.create({ transport: node, group: EthMethods.group })
console.log(await plain.methods.eth_blockNumber()) // => 69n

// a node behind a URL: ManagedRuntime.make(ProvenEthClient.layerUrl(url, trust))
const trust = TrustedBlock.layerPinned(Hash32.fromHexUnsafe(HistoryChain.blocks[69]!.hash))
const proven = ManagedRuntime.make(ProvenEthClient.layer().pipe(Layer.provide([node, trust])))
const address = Address.fromHexUnsafe(HistoryChain.accounts[0]!.address)
try {
  console.log(await proven.runPromise(EthClient.EthClient.use((eth) => eth.getBalance(address)))) // => 9999937940847800280824n
} catch (error) {
  console.error(error) // `Refuted`: the node lied. `Unproven`: nothing proves it. `JsonRpcError`: no answer
}
await proven.dispose()
