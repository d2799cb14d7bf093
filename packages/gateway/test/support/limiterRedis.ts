/** Tests of limits with a Redis server of their own. */
import { it } from "@effect/vitest"
import { LimiterStore, RedisLimiterStore } from "@plumbline/gateway"
import { Context, Effect, Layer, type Scope } from "effect"

import { redis, type RedisServer, redisSkipped } from "./redis.ts"

/** Opens a store over Redis until the scope closes. */
export const open = (options: RedisLimiterStore.RedisLimiterStoreOptions) =>
  Effect.map(Layer.build(RedisLimiterStore.layer(options)), (context) =>
    Context.get(context, LimiterStore.LimiterStore)
  )

/** Registers a test with an empty Redis server. The test is skipped where Redis is not installed. */
export const test = (title: string, body: (server: RedisServer) => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live.skipIf(redisSkipped !== undefined)(title, () => Effect.scoped(Effect.flatMap(redis, body)))
