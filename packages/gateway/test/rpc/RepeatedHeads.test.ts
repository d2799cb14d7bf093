/**
 * The service remembers the head of a connection's last call. Every test repeats a head on one connection, changes
 * something in between, and must get the answer that a new connection gets.
 */
import * as http from "node:http"

import { assert, describe, it } from "@effect/vitest"
import { AccessPolicy, Allowlist, HttpRefusal, HttpUpstream, Limiter, LimiterStore } from "@plumbline/gateway"
import { Effect, Exit, Layer } from "effect"

import * as Metered from "../support/metered.ts"
import { ADDRESS } from "../support/methods.ts"
import * as Service from "../support/service.ts"

const body = Service.call("eth_getStorageAt", [ADDRESS, "0x00", "latest"])
const OTHER_KEY = "aa112233445566778899aabbccddeeff"

/** One connection, on which the same request can be repeated. */
const connection = Effect.acquireRelease(
  Effect.sync(() => new http.Agent({ keepAlive: true, maxSockets: 1 })),
  (agent) => Effect.sync(() => agent.destroy())
)

/** Starts a service, and makes two calls over one connection. Returns a function that repeats the call there. */
const repeated = Effect.fnUntraced(function* (options: Metered.Options = {}, ask: Service.Ask = {}) {
  const service = yield* Metered.start(options)
  const agent = yield* connection
  const again = (other: Service.Ask = {}) => Service.ask(service, { body, agent, ...ask, ...other })
  for (let i = 0; i < 2; i++) assert.strictEqual((yield* again()).status, 200)
  assert.strictEqual(Object.values(agent.freeSockets).flat().length, 1)
  return { service, again }
})

describe("a repeated head", () => {
  it.live("of a key that was revoked gets 401", () =>
    Effect.gen(function* () {
      const { again, service } = yield* repeated()
      yield* service.accounts.revokeKey(service.holder.key.id)
      assert.strictEqual((yield* again()).status, 401)
    }).pipe(Effect.scoped)
  )

  it.live("of a project that was suspended gets 403, and 200 when it is not suspended any more", () =>
    Effect.gen(function* () {
      const { again, service } = yield* repeated()
      yield* service.accounts.updateProject("p1", { suspended: true })
      assert.strictEqual((yield* again()).status, 403)
      yield* service.accounts.updateProject("p1", { suspended: false })
      assert.strictEqual((yield* again()).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("follows the allowlist and the secret of its project", () =>
    Effect.gen(function* () {
      const { again, service } = yield* repeated()
      yield* service.accounts.updateProject("p1", { allowlist: { ...Allowlist.none, origins: ["https://a.example"] } })
      assert.strictEqual((yield* again()).status, 403)
      assert.strictEqual((yield* again({ headers: { origin: "https://a.example" } })).status, 200)
      yield* service.accounts.updateProject("p1", { allowlist: Allowlist.none, secretRequired: true })
      assert.strictEqual((yield* again()).status, 401)
    }).pipe(Effect.scoped)
  )

  it.live("with another secret, key, user agent or path is another head", () =>
    Effect.gen(function* () {
      const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`:${secret}`).toString("base64")}` })
      const { again } = yield* repeated({}, { headers: basic(Service.SECRET) })
      assert.strictEqual((yield* again({ headers: basic("wrong") })).status, 401)
      assert.strictEqual((yield* again()).status, 200)
      assert.strictEqual((yield* again({ path: `/v3/${OTHER_KEY}` })).status, 401)
      assert.strictEqual((yield* again()).status, 200)
      assert.strictEqual((yield* again({ path: `/nowhere/v3/${Service.KEY}` })).status, 404)
      assert.strictEqual((yield* again({ method: "GET", body: undefined as never })).status, 405)
      assert.strictEqual((yield* again()).status, 200)
    }).pipe(Effect.scoped)
  )

  it.live("asks the policy each time", () =>
    Effect.gen(function* () {
      let permits = true
      const policy: AccessPolicy.Policy = {
        check: () => (permits ? Exit.void : Exit.fail(HttpRefusal.cardRequired))
      }
      const { again } = yield* repeated().pipe(Effect.provideService(AccessPolicy.AccessPolicy, policy))
      permits = false
      assert.strictEqual((yield* again()).status, 403)
    }).pipe(Effect.scoped)
  )

  it.live("takes from the bucket of its address each time", () =>
    Effect.gen(function* () {
      const instead = Limiter.layer({ address: { requestsPerSecond: 1, burst: 3 } }).pipe(
        Layer.provide(LimiterStore.layerMemory()),
        Layer.orDie
      )
      const { again } = yield* repeated({ instead })
      const statuses = [(yield* again()).status, (yield* again()).status, (yield* again()).status]
      assert.include(statuses, 429)
    }).pipe(Effect.scoped)
  )

  it.live("is served by the nodes of a new configuration", () =>
    Effect.gen(function* () {
      const { again, service } = yield* repeated()
      const other = yield* HttpUpstream.make({ url: service.node.url })
      const asked = service.node.asked.length
      yield* service.reload({ networks: [Service.network(other, "renamed")] })
      assert.strictEqual((yield* again()).status, 200)
      assert.strictEqual(service.node.asked.length, asked + 1)
      assert.deepStrictEqual(
        (yield* service.rows).map(({ calls, network }) => [network, calls]),
        [
          ["live", 2],
          ["renamed", 1]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("is metered and charged like any other", () =>
    Effect.gen(function* () {
      const { again, service } = yield* repeated()
      for (let i = 0; i < 8; i++) assert.strictEqual((yield* again()).status, 200)
      assert.deepStrictEqual(Metered.summary(yield* service.rows), ["eth_getStorageAt 200 10 800"])
    }).pipe(Effect.scoped)
  )
})
