/** Puts proofs in front of viem. The calls stay the same, and a lie becomes an error. */
import { History, HistoryChain } from "@plumbline/devnet"
import { TrustedBlock } from "@plumbline/eth-methods"
import { Eip1193Provider, ProvingNode } from "@plumbline/provider"
import { Layer } from "effect"
import { createPublicClient, custom } from "viem"

// a node behind a URL: Eip1193Provider.make({ url: "https://node.example/v3/<API key>", chainId: 1n, trust: hash })
const hash = HistoryChain.blocks[69]!.hash
const node = Layer.orDie(History.layerTransport())
const provider = Eip1193Provider.fromLayer(
  ProvingNode.layer().pipe(Layer.provide([node, TrustedBlock.layerPinned(hash)]))
)
provider.on("verdict", ({ method, status }) => console.log(method, status)) // => eth_getBalance VERIFIED

const client = createPublicClient({ transport: custom(provider) })
const address = HistoryChain.accounts[0]!.address
console.log(await client.getBalance({ address, blockNumber: 69n })) // => 9999937940847800280824n
await provider.close()
