/** A small program with the gateway. A release rehearsal runs it from the packed packages, twice over one folder. */
import { EthMethods } from "@plumbline/eth-methods"
import { Accounts, Gateway, ServiceState, UsageFigures } from "@plumbline/gateway"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const upstream = { call: () => Effect.succeed(new TextEncoder().encode('"0x7a69"')) }
const network = { name: "live", hosts: [], chainId: 31_337, methods: EthMethods.group, upstream }
const BODY = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"0x7a69"}'

/** Starts a service on the state in a file, lets a new project call it, and returns the number of calls in the file. */
export const run = (file: string): Promise<bigint> => {
  const state = ServiceState.layerSqlite({ file })
  const service = Gateway.layer({ networks: [network] }).pipe(Layer.provideMerge(state))
  const program = Effect.gen(function* () {
    const { url } = yield* Gateway.Gateway
    const accounts = yield* Accounts.Accounts
    const { id } = yield* accounts.createAccount({ name: "Ada" })
    const { issued } = yield* accounts.createProject({ account: id, name: "wallet" })
    const headers = { "content-type": "application/json" }
    const answer = yield* Effect.promise(() =>
      fetch(`${url}/v3/${Redacted.value(issued.apiKey)}`, { method: "POST", headers, body: BODY }).then((response) =>
        response.text()
      )
    )
    if (answer !== ANSWER) throw new Error(`the service answered ${answer}`)
    const figures = yield* UsageFigures.UsageFigures
    const { totals } = yield* figures.totals(UsageFigures.last("24h", yield* Clock.currentTimeMillis))
    return totals.calls
  })
  return Effect.runPromise(Effect.provide(program, service))
}
