/** Uses only promises: plain calls, proven reads, and the reasons why an answer is refused. */
import { History, HistoryChain } from "@plumbline/devnet"
import { EthMethods, ProvenEthClient, TrustedBlock } from "@plumbline/eth-methods"
import { PromiseClient } from "@plumbline/jsonrpc-core"
import { Layer, ManagedRuntime } from "effect"

const node = Layer.orDie(History.layerTransport())

// a node behind a URL: PromiseClient.create({ url: "https://node.example/v3/<API key>", group: EthMethods.group })
const plain = PromiseClient.create({ transport: node, group: EthMethods.group })
console.log(await plain.methods.eth_blockNumber()) // => 69n

// a node behind a URL: ManagedRuntime.make(ProvenEthClient.layerUrl(url, trust))
const trust = TrustedBlock.layerPinned(HistoryChain.blocks[5]!.hash)
const proven = ManagedRuntime.make(ProvenEthClient.layer().pipe(Layer.provide([node, trust])))
const address = HistoryChain.accounts[0]!.address
const balance = (block: bigint) =>
  proven.runPromise(ProvenEthClient.ProvenEthClient.use((eth) => eth.getBalance(address, block)))

console.log(await balance(5n)) // => 9999987787620000000000n
try {
  await balance(69n) // block 69 is later than the trusted block 5
} catch (error) {
  const failure = error as ProvenEthClient.ProvenReadFailure
  if (failure._tag === "RefutedError") console.log("the node lied", failure.check, failure.expected, failure.got)
  else if (failure._tag === "UnprovenError") console.log("nothing proves it") // => nothing proves it
  else console.log("no answer", failure.reason)
}
await proven.dispose()
await plain.close()
