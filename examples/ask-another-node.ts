/** Asks three nodes, one after the other: the first lies, the second is gone, and the proof of the third is valid. */
import { History, HistoryChain } from "@plumbline/devnet"
import { ProvenEthClient, ProvenNodes, TrustedBlock } from "@plumbline/eth-methods"
import { HttpTransport, Transport } from "@plumbline/jsonrpc-core"
import { Context, Effect, Layer } from "effect"

const trust = TrustedBlock.layerPinned(HistoryChain.blocks[69]!.hash)

// a node that reports one ether as the balance of every account
const lie: Transport.Middleware = (honest) => {
  const call: typeof honest.call = (asked) =>
    asked.method === "eth_getBalance" ? Effect.succeed("0xde0b6b3a7640000") : honest.call(asked)
  return { call, callAll: Transport.oneByOne(call) }
}

const clientOf = <E>(name: string, node: Layer.Layer<Transport.Transport, E>) =>
  Effect.map(Layer.build(Layer.provide(ProvenEthClient.layer(), [node, trust])), (context) => ({
    name,
    eth: Context.get(context, ProvenEthClient.ProvenEthClient)
  }))

const program = Effect.gen(function* () {
  const first = yield* clientOf("first", Transport.through(History.layerTransport(), lie))
  const second = yield* clientOf("second", HttpTransport.layer({ url: "http://127.0.0.1:1" }))
  const third = yield* clientOf("third", History.layerTransport())
  const { read } = ProvenNodes.make([first, second, third], {
    onLie: (node, { check }) => Effect.sync(() => console.log(`${node ?? "trust"} lied: ${check}`)) // => first lied: balance
  })
  return yield* read((eth) => eth.getBalance(HistoryChain.accounts[0]!.address, 5n))
})
console.log(await Effect.runPromise(Effect.scoped(program))) // => 9999987787620000000000n
