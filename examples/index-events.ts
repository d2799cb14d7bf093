/** An indexer: stores each finalized event once, with the cursor behind it. A restart goes on without a hole. */
import { BeaconNodes, LightClient, LightClientTrust, TrustStore } from "@plumbline/beacon-light-client"
import { BeaconChain, BeaconServer, History, HistoryChain } from "@plumbline/devnet"
import { LogWatch, VerdictEthClient } from "@plumbline/eth-methods"
import { Effect, Layer, Schema, Stream } from "effect"

// stands for your database: write the rows and the cursor in one transaction
const stored = { cursor: JSON.stringify(LogWatch.start(1n)), events: 0 }

/** Reads until all events up to the finalized block are stored. */
const catchUp = Effect.gen(function* () {
  const eth = yield* VerdictEthClient.VerdictEthClient
  const cursor = Schema.decodeUnknownSync(LogWatch.Cursor)(JSON.parse(stored.cursor))
  const { address } = HistoryChain.contracts.token
  const items = LogWatch.watch(eth, { address }, { cursor, head: "finalized", pageBlocks: 32 })
  yield* items.pipe(
    Stream.tap((item) =>
      Effect.sync(() => {
        if (item._tag === "Log") stored.events++
        stored.cursor = JSON.stringify(item.cursor)
      })
    ),
    Stream.takeUntil((item) => item._tag === "Reached" && item.block.hash === HistoryChain.head.hash),
    Stream.runDrain
  )
})

const program = Effect.gen(function* () {
  const [{ checkpoint, network }, { url }] = yield* Effect.all([BeaconChain.BeaconChain, BeaconServer.BeaconServer])
  const light = LightClient.layer({ checkpoint: yield* checkpoint }).pipe(
    Layer.provide([BeaconNodes.layerFetch({ network, nodes: [{ url }] }), TrustStore.layerMemory()])
  )
  const trust = LightClientTrust.layer().pipe(Layer.provide(light))
  yield* Effect.provide(catchUp, VerdictEthClient.layer().pipe(Layer.provide(trust)))
})

const beacon = BeaconServer.layer().pipe(Layer.provideMerge(BeaconChain.layer()))
await Effect.runPromise(Effect.provide(program, beacon.pipe(Layer.provideMerge(History.layerTransport()))))
console.log(stored.events > 0, JSON.parse(stored.cursor).blocks.at(-1).number) // => true 69
