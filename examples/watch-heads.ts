/** Follows new blocks over a WebSocket. A head proves nothing, so each block is read by its hash and proven. */
import { Anvil } from "@plumbline/devnet"
import { EthSubscriptions, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { JsonRpcClient, WebSocketTransport } from "@plumbline/jsonrpc-core"
import { Effect, Layer, Predicate, Stream } from "effect"

const watch = Effect.gen(function* () {
  const eth = yield* VerdictEthClient.VerdictEthClient
  const newHeads = yield* JsonRpcClient.subscribe(EthSubscriptions.newHeads)
  return yield* newHeads().pipe(
    // the other event is a gap: heads may be missing after a reconnection, so read those blocks by number
    Stream.filter((event) => event._tag === "Item"),
    Stream.map(({ value }) => value.hash),
    Stream.filter(Predicate.isNotNull),
    Stream.mapEffect((hash) => eth.getBlockByHash(hash)),
    Stream.take(2),
    Stream.runCollect
  )
})

const program = Effect.gen(function* () {
  const { wsUrl } = yield* Anvil.Anvil
  const node = WebSocketTransport.layer({ url: wsUrl })
  const eth = VerdictEthClient.layer().pipe(Layer.provide(TrustedBlock.layerNone()), Layer.provideMerge(node))
  return yield* Effect.provide(watch, eth)
})

// a chain that makes a block each second
const verdicts = await Effect.runPromise(Effect.provide(program, Anvil.layer({ blockTime: "1 second" })))
const [first, second] = verdicts
console.log(first?._tag, second?._tag) // => VERIFIED VERIFIED
console.log(second?.value?.parentHash === first?.value?.hash) // => true
