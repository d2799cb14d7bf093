/**
 * Our gateway as a layer of a program: the same pipeline, with one project in memory, and without metering and limits.
 */
import { EthMethods } from "@plumbline/eth-methods"
import { Accounts, Gateway, HttpUpstream, Limiter, LimiterStore, Metering, Sqlite } from "@plumbline/gateway"
import { Context, Effect, Layer, Redacted } from "effect"

const nowhere = Layer.succeed(Metering.Metering, {
  record: () => Effect.void,
  recordAll: () => Effect.void,
  latencies: Metering.latencies(),
  ready: Effect.void,
  status: Effect.succeed({ store: "up" as const, waiting: 0, rows: 0 })
})
const state = Layer.mergeAll(
  Accounts.layer(),
  nowhere,
  Limiter.layer({ timeout: "10 seconds" }).pipe(Layer.provide(LimiterStore.layerMemory()))
).pipe(Layer.provideMerge(Sqlite.layer({ file: ":memory:" })))

process.once("disconnect", () => process.exit())

const program = Effect.gen(function* () {
  const upstream = yield* HttpUpstream.make({ url: `http://127.0.0.1:${process.argv[2]}` })
  const network = { name: "bench", hosts: ["bench.localhost"], chainId: 1, methods: EthMethods.group, upstream }
  const context = yield* Layer.build(Gateway.layer({ networks: [network] }).pipe(Layer.provideMerge(state)))
  const accounts = Context.get(context, Accounts.Accounts)
  const { id: account } = yield* accounts.createAccount({ name: "bench", card: true })
  const { issued } = yield* accounts.createProject({ account, name: "bench", limits: {} })
  process.send!({ port: Context.get(context, Gateway.Gateway).port, key: Redacted.value(issued.apiKey) })
  return yield* Effect.never
})

await Effect.runPromise(Effect.scoped(program))
