/**
 * Measures the cost of admission: an allowlist, the cost of a call, and decisions in memory and through Redis. Each row
 * about calls shows the cost of one call. Compare the rows about Redis with the row PING, which uses the same
 * connection.
 */
import { Allowlist, Costs, Limiter, LimiterStore, RedisLimiterStore } from "@plumbline/gateway"
import { createClient } from "@redis/client"
import { Context, Effect, Exit, Layer, Redacted, Result, Scope } from "effect"
import { test } from "vitest"

import { redis, redisSkipped } from "../test/support/redis.ts"

const TIMES = 100
const LIMITS = { creditsPerSecond: 1e12, creditsPerDay: 1e12, concurrency: 1000 }

const address = (index: number) => `0x${index.toString(16).padStart(40, "a")}`
const thirty = Array.from({ length: 30 }, (_, index) => index)
const full = Allowlist.compile({
  networks: thirty.map((index) => `network-${index}`),
  methods: [...thirty.slice(1).map((index) => `eth_method${index}`), "eth_call"],
  addresses: thirty.map(address),
  origins: thirty.map((index) => `https://*.app-${index}.example`),
  userAgents: thirty.map((index) => `Agent-${index}/`)
})
const params = [{ to: address(29), data: "0x" }, "latest"]

test("an allowlist of 30 entries of each kind, 100 times", async ({ bench }) => {
  await bench.compare(
    bench("the caller, by the last entries", () => {
      for (let time = 0; time < TIMES; time++) full.caller("https://a.app-29.example", "Mozilla/5.0 Agent-29/1.0")
    }),
    bench("the call, by method and address", () => {
      for (let time = 0; time < TIMES; time++) full.call("eth_call", params)
    }),
    { time: 500 }
  )
})

test("a cost, 100 times", async ({ bench }) => {
  const costs = Result.getOrThrow(Costs.make({ networks: { mainnet: { eth_call: 90 } } }))
  await bench.compare(
    bench("of the network", () => {
      for (let time = 0; time < TIMES; time++) costs.call("mainnet", "eth_call")
    }),
    bench("the fallback", () => {
      for (let time = 0; time < TIMES; time++) costs.call("mainnet", "eth_unheardOf")
    }),
    { time: 500 }
  )
})

test("admissions in memory, 100 at a time", async ({ bench }) => {
  const { close, limiter } = await open(LimiterStore.layerMemory())
  const one = Effect.flatMap(limiter.admit("p", LIMITS, 80), (admission) => limiter.settle(admission, 5))
  const refused = Effect.exit(limiter.admit("q", { creditsPerDay: 0 }, 80))
  await bench.compare(
    bench("an Effect and nothing else", () => run(Effect.void)),
    bench("admit and settle", () => run(one)),
    bench("refused", () => run(refused)),
    { time: 1000 }
  )
  await close()
})

test.skipIf(redisSkipped !== undefined)("admissions through Redis, one after the other", async ({ bench }) => {
  const scope = await Effect.runPromise(Scope.make())
  const server = await Effect.runPromise(Scope.provide(redis, scope))
  const client = createClient({ url: Redacted.value(server.url) })
  await client.connect()
  const { close, limiter } = await open(Layer.orDie(RedisLimiterStore.layer({ url: server.url })))
  const credits = { creditsPerSecond: 1e12, creditsPerDay: 1e12 }
  const many = Effect.forEach(Array.from({ length: 32 }), () => limiter.admit("p", credits, 80), {
    concurrency: "unbounded",
    discard: true
  })
  await bench.compare(
    bench("PING", () => client.ping()),
    bench("admit by credits", () => Effect.runPromise(limiter.admit("p", credits, 80))),
    bench("admit and settle, with a place and a correction", () =>
      Effect.runPromise(Effect.flatMap(limiter.admit("q", LIMITS, 80), (admission) => limiter.settle(admission, 5)))),
    bench("admit, 32 at the same time", () => Effect.runPromise(many)),
    { time: 1000 }
  )
  client.destroy()
  await close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

/** Runs an effect in one fiber, like the calls of a request. */
const run = (effect: Effect.Effect<unknown>): void =>
  Effect.runSync(
    Effect.gen(function* () {
      for (let time = 0; time < TIMES; time++) yield* effect
    })
  )

const open = async (store: Layer.Layer<LimiterStore.LimiterStore>) => {
  const scope = await Effect.runPromise(Scope.make())
  const context = await Effect.runPromise(
    Layer.buildWithScope(Limiter.layer().pipe(Layer.provide(store)), scope).pipe(Effect.orDie)
  )
  const limiter = Context.get(context, Limiter.Limiter)
  const orDie = {
    ...limiter,
    admit: (...args: Parameters<typeof limiter.admit>) => Effect.orDie(limiter.admit(...args))
  }
  return { limiter: orDie, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
