/** Proves the balance at the latest block from a beacon checkpoint, with a light client. No block hash is given. */
import { BeaconNodes, LightClient, LightClientTrust, TrustStore } from "@plumbline/beacon-light-client"
import { BeaconChain, BeaconServer, History, HistoryChain } from "@plumbline/devnet"
import { VerdictEthClient } from "@plumbline/eth-methods"
import { Effect, Layer } from "effect"

const program = Effect.gen(function* () {
  const { checkpoint, network } = yield* BeaconChain.BeaconChain
  const { url } = yield* BeaconServer.BeaconServer

  // on mainnet, use Network.mainnet, a checkpoint that you trust, and any beacon nodes: they need no trust
  const nodes = BeaconNodes.layerFetch({ network, nodes: [{ url }] })
  const light = LightClient.layer({ checkpoint: yield* checkpoint }).pipe(
    Layer.provide([nodes, TrustStore.layerMemory()])
  )
  const trust = LightClientTrust.layer().pipe(Layer.provide([light, History.layerTransport()]))
  const eth = VerdictEthClient.layer().pipe(Layer.provide([trust, History.layerTransport()]))

  const address = HistoryChain.accounts[0]!.address
  const read = VerdictEthClient.VerdictEthClient.use((eth) => eth.getBalance(address, "latest"))
  return yield* Effect.provide(read, eth)
})

const chain = BeaconServer.layer().pipe(
  Layer.provideMerge(BeaconChain.layer()),
  Layer.provide(History.layerTransport())
)
const verdict = await Effect.runPromise(Effect.provide(program, chain))

console.log(verdict._tag, verdict.anchor?._tag) // => VERIFIED LightClient
console.log(verdict.value > 0n) // => true
