/** Carries calls in a way of your own. A transport is two functions, and middleware wraps a transport. */
import { EthClient } from "@plumbline/eth-methods"
import { JsonRpcError, Retry, Transport } from "@plumbline/jsonrpc-core"
import { Effect, Layer } from "effect"

// answers from a table; yours can use a message port, a queue or a pipe
const answers = new Map<string, unknown>([
  ["eth_chainId", "0x1"],
  ["eth_blockNumber", "0x10"]
])
const call = (asked: Transport.WireCall) => {
  const answer = answers.get(asked.method)
  if (answer !== undefined) return Effect.succeed(answer)
  const reason = new JsonRpcError.TransportError({ detail: "no answer in the table", retryable: false })
  return Effect.fail(new JsonRpcError.JsonRpcError({ method: asked.method, reason }))
}
const table = Layer.succeed(Transport.Transport, { call, callAll: Transport.oneByOne(call) })

const asked: Array<string> = []
const count: Transport.Middleware = (next) => ({
  call: (one) => Effect.suspend(() => (asked.push(one.method), next.call(one))),
  callAll: (many) => Effect.suspend(() => (asked.push(...many.map(({ method }) => method)), next.callAll(many)))
})
const eth = EthClient.layer().pipe(Layer.provide(Transport.through(table, count, Retry.make({ times: 2 }))))

const read = EthClient.EthClient.use((eth) => Effect.all([eth.chainId, eth.blockNumber]))
console.log(await Effect.runPromise(Effect.provide(read, eth))) // => [ 1n, 16n ]
console.log(asked) // => [ 'eth_chainId', 'eth_blockNumber' ]
const gasPrice = EthClient.EthClient.use((eth) => eth.gasPrice)
const error = await Effect.runPromise(Effect.flip(Effect.provide(gasPrice, eth)))
console.log(error._tag) // => JsonRpcError
