/** Postgres and Redis stop between calls. Health, readiness and metrics say so, and say when they are back. */
import { assert, describe, it } from "@effect/vitest"
import { Gateway, ServiceState } from "@plumbline/gateway"
import { Context, Effect, Layer, Logger } from "effect"

import * as State from "../support/accounts.ts"
import { redis, redisSkipped } from "../support/redis.ts"
import { Scrape } from "../support/scrape.ts"
import { postgres, postgresSkipped } from "../support/servers.ts"
import * as Service from "../support/service.ts"

const skipped = postgresSkipped ?? redisSkipped

const works = { call: () => Effect.succeed(new TextEncoder().encode('"0x1"')) }

const BODY = Service.call("eth_chainId")

const start = Effect.gen(function* () {
  const [database, limits] = yield* Effect.all([postgres, redis])
  const state = ServiceState.layerPostgres({ url: database.url(yield* database.create), redis: limits.url })
  const project = { ...Service.projects[0]!, limits: { creditsPerDay: 100_000 } }
  const context = yield* Layer.build(
    Gateway.layer({ networks: [Service.network(works)] }).pipe(
      Layer.provideMerge(Layer.effectDiscard(State.adopt([project]).pipe(Effect.orDie))),
      Layer.provideMerge(state)
    )
  ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set()))
  const service = Context.get(context, Gateway.Gateway)
  const get = (path: string) => Service.ask(service, { path, method: "GET" })
  const metric = (name: string) => Effect.map(service.metrics, (text) => new Scrape(text).value(name))
  return {
    database,
    limits,
    call: Effect.map(Service.ask(service, { body: BODY }), ({ status }) => status),
    failed: Effect.map(service.metrics, (text) =>
      new Scrape(text).value("plumbline_calls_total", { network: "live", method: "unknown", status: "503" })
    ),
    /** Returns the degraded parts, the status of readiness, and a metric. */
    seen: (name: string) =>
      Effect.map(
        Effect.all([get("/health"), get("/readyz"), metric(name)]),
        ([health, ready, value]) => [JSON.parse(health.body).degraded, ready.status, value] as const
      )
  }
})

/** Waits until an effect gives a value. Fails with the last value after ten seconds. */
const within = <A, E, R>(name: string, found: Effect.Effect<A, E, R>, wanted: A) =>
  Effect.gen(function* () {
    const end = performance.now() + 10_000
    for (;;) {
      const last = yield* found
      if (JSON.stringify(last) === JSON.stringify(wanted)) return
      if (performance.now() > end) assert.deepStrictEqual(last, wanted, name)
      yield* Effect.sleep("100 millis")
    }
  })

describe.skipIf(skipped !== undefined)(`a store that stops between calls${skipped ? ` (${skipped})` : ""}`, () => {
  it.live(
    "is seen within ten seconds if it is Postgres, and refused calls count",
    () =>
      Effect.gen(function* () {
        const { call, database, failed, seen } = yield* start
        const accounts = seen("plumbline_accounts_up")
        assert.strictEqual(yield* call, 200)
        yield* within("before", accounts, [[], 200, 1])
        yield* database.crash
        yield* within("while down", accounts, [["projects: the store is down, calls are refused"], 503, 0])
        assert.isUndefined(yield* failed)
        assert.strictEqual(yield* call, 503)
        assert.strictEqual(yield* failed, 1)
        yield* database.start
        yield* within("after", accounts, [[], 200, 1])
        yield* within("call", call, 200)
      }),
    60_000
  )

  it.live(
    "is seen within ten seconds if it is Redis, and the service stays ready",
    () =>
      Effect.gen(function* () {
        const { call, limits, seen } = yield* start
        const limiter = seen("plumbline_limiter_up")
        assert.strictEqual(yield* call, 200)
        yield* within("before", limiter, [[], 200, 1])
        yield* limits.kill
        yield* within("while down", limiter, [["limits: the store is down, calls are refused"], 200, 0])
        yield* limits.start
        yield* within("after", limiter, [[], 200, 1])
        assert.strictEqual(yield* call, 200)
      }),
    60_000
  )
})
