/** Starts a service with limits and usage in SQLite, and sends requests to it, one after the other. */
import * as path from "node:path"

import { EthMethods } from "@plumbline/eth-methods"
import { Accounts, Gateway, ServiceState } from "@plumbline/gateway"
import { Context, Effect, Layer, Redacted } from "effect"

import { folder } from "../measure/owned.ts"
import { median } from "../measure/turns.ts"

const result = new TextEncoder().encode(`"0x${"00".repeat(31)}2a"`)
const network = {
  name: "live",
  hosts: ["live.localhost"],
  chainId: 1,
  methods: EthMethods.group,
  upstream: { call: () => Effect.succeed(result) }
}
const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "eth_getStorageAt",
  params: [`0x${"12".repeat(20)}`, "0x0", "latest"]
})

/**
 * Returns how much one request adds to each count. `take` returns the counts since its previous call. The result is the
 * median of many requests, because the service also works between requests. It includes the calls of the client in this
 * process.
 */
export const perRequest = <Unit extends string>(
  requests: number,
  take: () => Readonly<Record<Unit, number>>
): Promise<Readonly<Record<Unit, number>>> => {
  const home = folder("counts")
  const program = Effect.gen(function* () {
    const state = ServiceState.layerSqlite({ file: path.join(home.path, "state.sqlite"), metering: { gather: 0 } })
    const context = yield* Layer.build(Gateway.layer({ networks: [network] }).pipe(Layer.provideMerge(state)))
    const accounts = Context.get(context, Accounts.Accounts)
    const { id: account } = yield* accounts.createAccount({ name: "counts", card: true })
    const limits = { creditsPerSecond: 1e9, creditsPerDay: 1e12, concurrency: 1e6 }
    const { issued } = yield* accounts.createProject({ account, name: "counts", limits })
    const url = `http://127.0.0.1:${Context.get(context, Gateway.Gateway).port}/v3/${Redacted.value(issued.apiKey)}`
    const ask = Effect.promise(async () => {
      const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
      if (!(await answer.text()).includes("2a")) throw new Error("another answer")
    })
    yield* Effect.repeat(ask, { times: 20 })
    const taken: Array<Readonly<Record<Unit, number>>> = []
    for (let i = 0; i < requests; i++) {
      take()
      yield* ask
      taken.push(take())
    }
    const medians = Object.keys(taken[0]!).map((unit) => [unit, median(taken.map((counts) => counts[unit as Unit]))])
    return Object.fromEntries(medians) as Record<Unit, number>
  })
  return Effect.runPromise(Effect.scoped(program)).finally(home.remove)
}
