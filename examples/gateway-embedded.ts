/** Runs the gateway inside a program: an embedded node behind an API key. */
import { History, HistoryChain } from "@plumbline/devnet"
import { EthClient, EthMethods } from "@plumbline/eth-methods"
import { Accounts, Gateway, ServiceState } from "@plumbline/gateway"
import { Effect, Layer, Redacted } from "effect"

const gateway = Layer.unwrap(
  Effect.map(History.make, (upstream) => {
    // a node behind a URL: yield* HttpUpstream.make({ url })
    const network = { name: "history", hosts: [], chainId: HistoryChain.chainId, methods: EthMethods.group, upstream }
    return Gateway.layer({ networks: [network] })
  })
)
const service = gateway.pipe(Layer.provideMerge(ServiceState.layerSqlite({ file: ":memory:" })))

const program = Effect.gen(function* () {
  const { url } = yield* Gateway.Gateway
  const accounts = yield* Accounts.Accounts
  const account = yield* accounts.createAccount({ name: "Ada" })
  const { issued } = yield* accounts.createProject({ account: account.id, name: "wallet" })
  const node = `${url}/v3/${Redacted.value(issued.apiKey)}`
  const number = EthClient.EthClient.use((eth) => eth.blockNumber)
  return yield* Effect.provide(number, EthClient.layerUrl(node))
})

console.log(await Effect.runPromise(Effect.provide(program, service))) // => 69n
