/** The service that `costs.ts` measures. It prints its port, and its processor time on request. */
import {
  Accounts,
  Gateway,
  Limiter,
  LimiterStore,
  Metering,
  MeteringStore,
  RedisLimiterStore
} from "@plumbline/gateway"
import { Effect, Layer, Redacted } from "effect"

import * as State from "../test/support/accounts.ts"
import { methods } from "../test/support/methods.ts"
import { open } from "../test/support/place.ts"

/** The options of the measured service. */
export interface Setup {
  readonly key: string
  /** True if the project has limits. */
  readonly limited: boolean
  readonly metered: boolean
  readonly durability?: MeteringStore.UsageDurability | undefined
  readonly place: ReadonlyArray<string>
  /** The URL of Redis. Without it limits are counted in memory. */
  readonly redis?: string | undefined
}

const { durability, key, limited, metered, place, redis }: Setup = JSON.parse(process.argv[2]!)

const nowhere = Layer.succeed(Metering.Metering, {
  record: () => Effect.void,
  recordAll: () => Effect.void,
  latencies: Metering.latencies(),
  ready: Effect.void,
  status: Effect.succeed({ store: "up" as const, waiting: 0, rows: 0 })
})

const state = Layer.mergeAll(
  Accounts.layer(),
  metered ? Metering.layer({ durability }).pipe(Layer.provide(MeteringStore.layer())) : nowhere,
  // The timeout is long, because a store on a busy machine can be slow without being down.
  Limiter.layer({ timeout: "10 seconds" }).pipe(
    Layer.provide(
      redis === undefined ? LimiterStore.layerMemory() : RedisLimiterStore.layer({ url: Redacted.make(redis) })
    )
  )
).pipe(Layer.provideMerge(open(place)))

// Credits are counted, but these limits are never reached.
const limits = limited ? { creditsPerSecond: 1e9, creditsPerDay: 1e12, concurrency: 1e6 } : {}
const project = { id: "p", key, secret: "secret", limits }

const result = new TextEncoder().encode(`"0x${"00".repeat(31)}2a"`)
const upstream = { call: () => Effect.succeed(result) }
const network = { name: "live", hosts: ["live.localhost"], chainId: 1, methods, upstream }

process.once("disconnect", () => process.exit())
await Effect.runPromise(
  Effect.gen(function* () {
    yield* State.adopt([project])
    const { port } = yield* Gateway.Gateway
    process.on("message", () => process.send!(process.cpuUsage()))
    process.send!(port)
    return yield* Effect.never
  }).pipe(Effect.provide(Gateway.layer({ networks: [network] }).pipe(Layer.provideMerge(state))), Effect.scoped)
)
