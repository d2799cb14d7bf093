/** An oracle: reads a variable of a contract in the finalized block, and signs it with the block that proves it. */
import { BeaconNodes, LightClient, LightClientTrust, TrustStore } from "@plumbline/beacon-light-client"
import { BeaconChain, BeaconServer, History, HistoryChain } from "@plumbline/devnet"
import { VerdictEthClient } from "@plumbline/eth-methods"
import { Effect, Layer } from "effect"

const source = HistoryChain.contracts.elder.address

const program = Effect.gen(function* () {
  const beacon = yield* BeaconChain.BeaconChain
  const { url } = yield* BeaconServer.BeaconServer
  const checkpoint = yield* beacon.checkpoint
  const light = LightClient.layer({ checkpoint }).pipe(
    Layer.provide([BeaconNodes.layerFetch({ network: beacon.network, nodes: [{ url }] }), TrustStore.layerMemory()])
  )
  const trust = LightClientTrust.layer().pipe(Layer.provide(light))
  const eth = VerdictEthClient.layer().pipe(Layer.provide(trust))
  const read = VerdictEthClient.VerdictEthClient.use((eth) => eth.getStorageAt(source, "0x0", "finalized"))
  const { _tag, anchor, value } = yield* Effect.provide(read, eth)

  // a proof of an old head is a proof too: how old may your price be?
  const isFresh = anchor?._tag === "LightClient" && anchor.checkpoint === checkpoint && anchor.age < 30 * 60
  return _tag === "VERIFIED" && isFresh
    ? `sign ${BigInt(value)} at block ${anchor.hash}`
    : `sign nothing: ${_tag}, ${anchor?._tag}`
})

const chain = BeaconServer.layer().pipe(
  Layer.provideMerge(BeaconChain.layer()),
  Layer.provideMerge(History.layerTransport())
)
const line = await Effect.runPromise(Effect.provide(program, chain))
console.log(line === `sign 43 at block ${HistoryChain.head.hash}`) // => true
