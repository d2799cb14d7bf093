/**
 * A whole service in this process, with its admin API: for the tests of one file.
 */
import { afterAll, beforeAll } from "@effect/vitest"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import * as AdminServer from "@plumbline/gateway-admin/api/AdminServer"
import * as AdminToken from "@plumbline/gateway-admin/api/AdminToken"
import * as BillingCards from "@plumbline/gateway-admin/cards/BillingCards"
import * as Accounts from "@plumbline/gateway/accounts/Accounts"
import * as Gateway from "@plumbline/gateway/Gateway"
import * as Metering from "@plumbline/gateway/metering/Metering"
import * as ServiceState from "@plumbline/gateway/ServiceState"
import { Context, Effect, Exit, Layer, Logger, Redacted, Result, Scope } from "effect"

/** The service's URL, its admin token, and the parts that tests inspect. */
export interface Operated {
  readonly url: string
  readonly token: string
  readonly accounts: Accounts.Accounts["Service"]
  readonly metering: Metering.Metering["Service"]
}

/** Returns a function that gives the service once the tests run. */
export const operated = (): (() => Operated) => {
  const scope = Scope.makeUnsafe()
  let service: Operated | undefined
  beforeAll(async () => {
    const token = AdminToken.generate()
    const tokens = [Result.getOrThrow(AdminToken.make("tests", token))]
    const network = {
      name: "live",
      hosts: ["127.0.0.1"],
      chainId: 1,
      methods: EthMethods.group,
      upstream: { call: () => Effect.succeed(new TextEncoder().encode('"0x1"')) }
    }
    const gateway = Layer.unwrap(
      Effect.map(AdminServer.AdminServer, ({ mount }) =>
        Gateway.layer({ networks: [network], mounts: [mount], port: 0 })
      )
    )
    const layer = gateway.pipe(
      Layer.provideMerge(AdminServer.layer({ tokens })),
      Layer.provideMerge(BillingCards.layer()),
      Layer.provideMerge(ServiceState.layerSqlite({ file: ":memory:" })),
      Layer.provideMerge(Logger.layer([]))
    )
    const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
    service = {
      url: Context.get(context, Gateway.Gateway).url,
      token: Redacted.value(token),
      accounts: Context.get(context, Accounts.Accounts),
      metering: Context.get(context, Metering.Metering)
    }
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return () => {
    if (service === undefined) throw new Error("the service did not start")
    return service
  }
}
