/** Reads many values in one packet, from the second node if the first one fails. */
import { Anvil } from "@plumbline/devnet"
import { EthClient } from "@plumbline/eth-methods"
import { HttpTransport, Stack } from "@plumbline/jsonrpc-core"
import { Effect, Layer } from "effect"

const program = Effect.gen(function* () {
  const { url } = yield* Anvil.Anvil
  const nodes = Stack.layer([
    { name: "broken", transport: HttpTransport.make({ url: "http://127.0.0.1:1" }) },
    { name: "own", transport: HttpTransport.make({ url }) }
  ])
  const reads = EthClient.EthClient.use((eth) =>
    Effect.all([eth.chainId, eth.getBlockByNumber(1n), eth.getBlockByNumber(2n)], { concurrency: "unbounded" })
  )
  return yield* Effect.provide(reads, EthClient.layer().pipe(Layer.provide(nodes)))
})

const [chainId, first, second] = await Effect.runPromise(Effect.provide(program, Anvil.layer()))
console.log(chainId) // => 31337n
console.log(second?.parentHash === first?.hash) // => true
