/** Reads a block of an embedded chain with plain values that nothing proves. */
import { History } from "@plumbline/devnet"
import { EthClient } from "@plumbline/eth-methods"
import { Effect, Layer } from "effect"

const program = Effect.gen(function* () {
  const eth = yield* EthClient.EthClient
  const block = yield* eth.getBlockByNumber(5n)
  if (block === null) return "the node knows no such block"
  return `block ${block.number}: ${block.transactions.length} transactions, ${block.uncles?.length} uncles`
})

// a node behind a URL: EthClient.layerUrl("https://node.example/v3/<API key>")
const eth = EthClient.layer().pipe(Layer.provide(History.layerTransport()))

console.log(await Effect.runPromise(Effect.provide(program, eth))) // => block 5: 1 transactions, 2 uncles
