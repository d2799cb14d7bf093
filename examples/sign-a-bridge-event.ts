/** A bridge verifier: signs a deposit only if a node proves it in a finalized block. Two of its three nodes forge it. */
import { BeaconNodes, LightClient, LightClientTrust, TrustStore } from "@plumbline/beacon-light-client"
import { BeaconChain, BeaconServer, History, HistoryChain } from "@plumbline/devnet"
import { ProvenEthClient, ProvenNodes } from "@plumbline/eth-methods"
import { Transport } from "@plumbline/jsonrpc-core"
import { Effect, Layer } from "effect"

const { address: bridge } = HistoryChain.contracts.token
const honest = History.layerTransport()
const poisoned = Transport.through(honest, (node) => {
  const forged = (json: unknown) => JSON.parse(JSON.stringify(json).replaceAll("0de0b6b3a7640000", "ffffffffffffffff"))
  const call = (asked: Transport.WireCall) => Effect.map(node.call(asked), forged)
  return { call, callAll: Transport.oneByOne(call) }
})

const program = Effect.gen(function* () {
  const [{ checkpoint, network }, { url }] = yield* Effect.all([BeaconChain.BeaconChain, BeaconServer.BeaconServer])
  const beacon = Layer.merge(BeaconNodes.layerFetch({ network, nodes: [{ url }] }), TrustStore.layerMemory())
  const light = LightClient.layer({ checkpoint: yield* checkpoint }).pipe(Layer.provide(beacon))
  const trust = yield* Layer.build(LightClientTrust.layer().pipe(Layer.provide([light, honest])))
  const clientOf = (node: typeof honest) =>
    Effect.provide(ProvenEthClient.ProvenEthClient, Layer.provide(ProvenEthClient.layer(), node))
  const nodes = Effect.forEach([poisoned, poisoned, honest] as const, (node, at) =>
    Effect.map(clientOf(node), (eth) => ({ name: `node ${at}`, eth }))
  )
  const { read } = ProvenNodes.make(yield* Effect.provideContext(nodes, trust), {
    onLie: (node, { check }) => Effect.sync(() => console.log(`alarm: ${node}, ${check}`))
    // => alarm: node 0, transactions[0] hash
    // => alarm: node 1, transactions[0] hash
  })
  const [final, receipt] = yield* read((eth) =>
    Effect.all([eth.getBlockByNumber("finalized"), eth.getTransactionReceipt(HistoryChain.head.transactions[0]!.hash)])
  )
  if (receipt?.status !== 1n || receipt.blockNumber > final!.number!) return []
  return receipt.logs.filter(({ address }) => address === bridge).map(({ data }) => BigInt(data))
})

const chain = BeaconServer.layer().pipe(Layer.provideMerge(BeaconChain.layer()), Layer.provide(honest))
console.log("sign", ...(await Effect.runPromise(Effect.scoped(Effect.provide(program, chain))))) // => sign 1000000000000000000n
