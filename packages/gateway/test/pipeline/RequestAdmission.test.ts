/**
 * Admission of calls and batches, before and after a refusal. `Refusals.test.ts` tests each reason for a refusal on
 * each transport.
 */
import { assert, describe, it } from "@effect/vitest"
import { Allowlist, Limiter, LimiterStore } from "@plumbline/gateway"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

import * as Metered from "../support/metered.ts"
import { ADDRESS, HASH } from "../support/methods.ts"
import * as Service from "../support/service.ts"

const storageAt = (id: unknown = 1) => Service.call("eth_getStorageAt", [ADDRESS, "0x00", "latest"], id)
const batch = `[${storageAt(1)},${JSON.stringify({ jsonrpc: "2.0", method: "eth_chainId" })},${storageAt("b")}]`

const REJECTED = '{"code":-32002,"message":"rejected due to project ID settings"}'
const rejected = (id: string) => `{"jsonrpc":"2.0","id":${id},"error":${REJECTED}}`
const unavailable = (id: string) =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32002,"message":"service unavailable"}}`

const allowing = (allowlist: Partial<Allowlist.Allowlist>): Metered.Options => ({
  project: { allowlist: { ...Allowlist.none, ...allowlist } }
})

describe("by a list", () => {
  it.live("in a batch it is one item of it that is refused, and the others are answered", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start(allowing({ methods: ["eth_getStorageAt", "eth_nothing"] }))
      const items = [storageAt(1), Service.call("eth_chainId", [], 2), Service.call("eth_nothing", [], 3), "7"]
      const answer = yield* Service.ask(service, { body: `[${items.join(",")}]` })
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(JSON.parse(answer.body), [
        { jsonrpc: "2.0", id: 1, result: "eth_getStorageAt" },
        JSON.parse(rejected("2")),
        {
          jsonrpc: "2.0",
          id: 3,
          error: { code: -32_601, message: "the method eth_nothing does not exist/is not available" }
        },
        { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "invalid request" } }
      ])
      assert.strictEqual(service.node.asked.length, 1)
      assert.deepStrictEqual(Metered.summary(yield* service.rows), [
        "batch 200 0 1",
        "eth_chainId 403 1 5",
        "eth_getStorageAt 200 1 80",
        "invalid 200 1 5",
        "unknown 200 1 80"
      ])
    }).pipe(Effect.scoped)
  )

  it.live("the name of a network, an origin and a user agent that are listed let it in", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start(
        allowing({ networks: ["live"], origins: ["https://app.example"], userAgents: ["Wallet/"] })
      )
      const headers = { origin: "https://app.example", "user-agent": "Wallet/2" }
      const answer = yield* Service.ask(service, { body: storageAt(), headers })
      assert.strictEqual(answer.status, 200)
      const client = yield* Service.connected(service, { headers })
      client.socket.send(storageAt())
      assert.include(yield* Effect.promise(() => client.next()), '"result"')
    }).pipe(Effect.scoped)
  )
})

describe("over a limit", () => {
  it.live("a batch is refused as a whole on a WebSocket too, and a call that still fits is answered", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start({ project: { limits: { creditsPerDay: 200 } } })
      const client = yield* Service.connected(service)
      const told = (body: string) =>
        Effect.promise(() => {
          client.socket.send(body)
          return client.next()
        })
      assert.include(yield* told(storageAt()), '"result"')
      // 80 credits are used. The batch needs 80 + 5 + 80 + 1, which is too much.
      assert.deepStrictEqual(
        JSON.parse(yield* told(batch)).map(({ error, id }: any) => [id, error.code]),
        [
          [1, -32_005],
          ["b", -32_005]
        ]
      )
      assert.include(yield* told(storageAt()), '"result"')
      assert.strictEqual(service.node.asked.length, 2)
      assert.deepStrictEqual(Metered.summary(yield* service.rows), [
        "batch 429 0 0",
        "eth_chainId 429 1 0",
        "eth_getStorageAt 200 2 160",
        "eth_getStorageAt 429 2 0"
      ])
    }).pipe(Effect.scoped)
  )

  it.live("of the day it is 402 where the operator says so, and leads to the operator's page", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start({
        project: { limits: { creditsPerDay: 0 } },
        gateway: { wording: { dayStatus: 402, see: "https://service.example/limits" } }
      })
      const answer = yield* Service.ask(service, { body: storageAt() })
      assert.strictEqual(answer.status, 402)
      assert.include(answer.body, '"see":"https://service.example/limits"')
      assert.deepStrictEqual(Metered.summary(yield* service.rows), ["eth_getStorageAt 402 1 0"])
    }).pipe(Effect.scoped)
  )

  it.live("of calls at a time a place is free again when a call has ended, or its caller has left", () =>
    Effect.gen(function* () {
      let held: Array<() => void> = []
      const service = yield* Metered.start({
        project: { limits: { concurrency: 1 } },
        node:
          ({ id }) =>
          (response) => {
            held.push(() => response.end(JSON.stringify({ jsonrpc: "2.0", id, result: "ok" })))
          }
      })
      const client = yield* Service.connected(service)
      client.socket.send(storageAt("first"))
      yield* Effect.promise(() => service.node.wasAsked(1))
      const second = yield* Service.ask(service, { body: storageAt() })
      assert.strictEqual(second.status, 429)
      assert.strictEqual(second.headers["retry-after"], "1")
      assert.include(second.body, '"message":"too many requests in flight"')
      for (const answer of held) answer()
      assert.include(yield* Effect.promise(() => client.next()), '"id":"first","result"')
      held = []
      client.socket.send(storageAt("left"))
      yield* Effect.promise(() => service.node.wasAsked(2))
      client.socket.terminate()
      yield* Effect.promise(() => service.node.abandoned(1))
      // The limiter does not notify the caller when a place becomes free, so the caller asks repeatedly.
      const asking = Effect.repeat(Service.ask(service, { body: storageAt() }), {
        until: ({ status }) => status !== 429
      })
      const third = yield* Effect.forkChild(asking)
      yield* Effect.promise(() => service.node.wasAsked(3))
      for (const answer of held) answer()
      assert.strictEqual((yield* Fiber.join(third)).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("of an address it is plain text, before it is known who calls, and not metered", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 11, 1))
      const service = yield* Metered.start({
        gateway: { trustedProxies: ["127.0.0.0/8"] },
        instead: Limiter.layer({ address: { requestsPerSecond: 1, burst: 2 } }).pipe(Metered.overMemory)
      })
      const from = (address: string, path?: string) =>
        Service.ask(service, {
          body: storageAt(),
          headers: { "x-forwarded-for": `6.6.6.6, ${address}, 127.0.0.2` },
          ...(path === undefined ? {} : { path })
        })
      assert.strictEqual((yield* from("1.1.1.1", "/v3/ffffffffffffffffffffffffffffffff")).status, 401)
      assert.strictEqual((yield* from("1.1.1.1")).status, 200)
      const third = yield* from("1.1.1.1")
      assert.deepStrictEqual([third.status, third.body], [429, "too many requests\n"])
      assert.strictEqual(third.headers["retry-after"], "1")
      const socket = yield* Service.connect(service, { headers: { "x-forwarded-for": "1.1.1.1" } })
      assert.deepStrictEqual("status" in socket && [socket.status, socket.body], [429, "too many requests\n"])
      const ipfs = yield* Service.ask(service, { path: "/health", method: "GET" })
      assert.strictEqual(ipfs.status, 200)
      assert.strictEqual((yield* from("2.2.2.2")).status, 200)
      assert.deepStrictEqual(Metered.summary(yield* service.rows), ["eth_getStorageAt 200 2 160"])
    }).pipe(Effect.scoped)
  )

  it.live("refusals are limited too", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start({ project: { suspended: true, limits: { creditsPerDay: 12 } } })
      const statuses = yield* Effect.replicateEffect(
        Effect.map(Service.ask(service, { body: storageAt() }), ({ status }) => status),
        3
      )
      assert.deepStrictEqual(statuses, [403, 403, 429])
      const get = yield* Service.ask(service, { method: "GET" })
      assert.deepStrictEqual(JSON.parse(get.body).id, null)
      assert.deepStrictEqual(Metered.summary(yield* service.rows), ["unknown 403 2 10", "unknown 429 2 0"])
    }).pipe(Effect.scoped)
  )
})

describe("when the store of limits is down", () => {
  it.live("and says nothing at all, calls are refused after its time", () =>
    Effect.gen(function* () {
      const store = LimiterStore.LimiterStore.of({
        local: undefined,
        take: () => Effect.never,
        settle: () => Effect.never
      })
      const silent = Limiter.layer({ timeout: "20 millis" }).pipe(
        Layer.provide(Layer.succeed(LimiterStore.LimiterStore, store)),
        Layer.orDie
      )
      const service = yield* Metered.start({ project: { limits: { creditsPerDay: 1000 } }, instead: silent })
      const client = yield* Service.connected(service)
      for (let n = 0; n < 3; n++) {
        const answer = yield* Service.ask(service, { body: storageAt() })
        assert.deepStrictEqual([answer.status, answer.body], [503, "service unavailable\n"])
        client.socket.send(storageAt())
        assert.strictEqual(yield* Effect.promise(() => client.next()), unavailable("1"))
        assert.strictEqual((yield* Service.ask(service, { method: "GET" })).status, 503)
      }
      assert.deepStrictEqual(service.node.asked, [])
      assert.deepStrictEqual(Metered.summary(yield* service.rows), ["eth_getStorageAt 503 6 0", "unknown 503 3 0"])
    }).pipe(Effect.scoped)
  )

  it.live("calls are let through uncounted where that was chosen, and health says so", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start({
        project: { limits: { creditsPerDay: 0 } },
        instead: Metered.limiterDown("open")
      })
      assert.strictEqual((yield* Service.ask(service, { body: storageAt() })).status, 200)
      const health = yield* Service.ask(service, { path: "/health", method: "GET" })
      assert.deepStrictEqual(JSON.parse(health.body).limiter, { store: "down", whenDown: "open" })
      assert.deepStrictEqual(Metered.summary(yield* service.rows), ["eth_getStorageAt 200 1 80"])
    }).pipe(Effect.scoped)
  )
})

describe("when usage cannot be recorded", () => {
  it.live("a call that the node has answered is refused, and not charged", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start({
        project: { limits: { creditsPerDay: 100, concurrency: 1 } },
        instead: Metered.meteringDown(true)
      })
      for (let n = 0; n < 3; n++) {
        const answer = yield* Service.ask(service, { body: storageAt() })
        assert.deepStrictEqual([answer.status, answer.body], [503, "service unavailable\n"])
        assert.strictEqual(answer.headers["retry-after"], "1")
      }
      const client = yield* Service.connected(service)
      client.socket.send(batch)
      assert.strictEqual(yield* Effect.promise(() => client.next()), `[${unavailable("1")},${unavailable('"b"')}]`)
      client.socket.send(Service.call("eth_getBlockByHash", [HASH, true]))
      assert.strictEqual(yield* Effect.promise(() => client.next()), unavailable("1"))
      const refusal = yield* Service.ask(service, { method: "PUT" })
      assert.deepStrictEqual([refusal.status, refusal.body], [503, "service unavailable\n"])
      // The calls were admitted but not charged, so all 100 credits can still be admitted.
      const { limits } = service.holder.project
      yield* service.limiter.admit("p1", limits, 100)
    }).pipe(Effect.scoped)
  )
})
