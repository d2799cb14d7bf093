/** Tests a project in the admin API: its access, its suspension, and the history of its keys. */
import { assert, describe, it } from "@effect/vitest"
import { Gateway, Metering } from "@plumbline/gateway"
import { AdminServer } from "@plumbline/gateway-admin"
import * as Databases from "@plumbline/gateway/support/databases"
import * as Service from "@plumbline/gateway/support/service"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"

import * as Admin from "../support/admin.ts"

const call = { product: "rpc", network: "live", method: "eth_call", status: 200, calls: 1 } as const

describe.each(Databases.kinds)("a project over $name", (kind) => {
  const test = (name: string, body: Effect.Effect<void, unknown, Admin.Services>) =>
    it.live.skipIf(kind.skipped)(name, () =>
      Effect.flatMap(kind.fresh, ({ layer }) => Effect.provide(body, Admin.service(layer))).pipe(Effect.scoped)
    )

  test(
    "is told which rule refuses a network or IPFS, also where rules work against each other",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const gateway = yield* Gateway.Gateway
      const server = yield* AdminServer.AdminServer
      const { project } = yield* admin.projects.create({ headers: {}, payload: { name: "a", card: true } })
      const params = { id: project.id }
      const nothing = yield* admin.standing.access({ params })
      assert.deepStrictEqual(nothing, {
        card: true,
        suspended: null,
        tokens: null,
        places: [],
        unknownNetworks: [],
        notices: []
      })
      yield* server.attach({ status: gateway.status, networks: gateway.networks, ipfs: true })
      const keys = { kid: "1", kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }
      yield* admin.tokens.set({ params, payload: { keys, required: true } })
      assert.deepStrictEqual((yield* admin.standing.access({ params })).tokens, { required: true, keys: 1 })
      yield* admin.tokens.remove({ params })
      const refusals = Effect.map(admin.standing.access({ params }), ({ notices, places, unknownNetworks }) => [
        ...places.map(({ name, refused }) => `${name} ${refused}`),
        notices.length,
        unknownNetworks.join()
      ])
      const change = (payload: Parameters<typeof admin.projects.update>[0]["payload"]) =>
        admin.projects.update({ params, payload })
      const allow = (...networks: ReadonlyArray<string>) =>
        change({ allowlist: { networks, methods: [], addresses: [], origins: [], userAgents: [] } })
      const { places } = yield* admin.standing.access({ params })
      assert.deepStrictEqual(places, [
        { name: "live", product: "rpc", chainId: 31_337, hosts: ["live.localhost"], refused: null },
        { name: "ipfs", product: "ipfs", chainId: null, hosts: [], refused: null }
      ])
      assert.deepStrictEqual(yield* refusals, ["live null", "ipfs null", 0, ""])
      yield* allow("live")
      assert.deepStrictEqual(yield* refusals, ["live null", "ipfs networks", 1, ""])
      const [notice] = (yield* admin.standing.access({ params })).notices
      assert.strictEqual(
        notice,
        'the billing card permits IPFS, and the allowlist of networks refuses it: add "ipfs" to networks'
      )
      yield* allow("ipfs", "sepolia")
      assert.deepStrictEqual(yield* refusals, ["live networks", "ipfs null", 0, "sepolia"])
      yield* allow("live")
      yield* admin.accounts.setCard({ params: { id: project.account }, payload: { card: false } })
      // Without a card, the refusal names the card as its reason, not the allowlist.
      assert.deepStrictEqual(yield* refusals, ["live null", "ipfs card", 0, ""])
      yield* change({ suspended: true })
      assert.deepStrictEqual(yield* refusals, ["live suspended", "ipfs suspended", 0, ""])
      // The gateway refuses a call for the reason that the admin API gives.
      const { apiKey } = yield* admin.keys.issue({ params, headers: {}, payload: {} })
      const path = `/v3/${Redacted.value(apiKey)}`
      const answer = yield* Service.ask(gateway, { path, body: Service.call("eth_chainId") })
      assert.deepStrictEqual([answer.status, answer.body], [403, "project is suspended\n"])
      const absent = yield* Effect.flip(admin.standing.access({ params: { id: "nothing" } }))
      assert.strictEqual(absent._tag, "NotFound")
    })
  )

  test(
    "tells who suspended it, and when",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const other = yield* Admin.client(Admin.OTHER_TOKEN)
      const { project } = yield* admin.projects.create({ headers: {}, payload: { name: "a" } })
      const params = { id: project.id }
      const suspended = Effect.map(admin.standing.access({ params }), ({ suspended }) => suspended)
      assert.isNull(yield* suspended)
      const before = yield* Clock.currentTimeMillis
      yield* other.projects.update({ params, payload: { suspended: true } })
      yield* admin.projects.update({ params, payload: { name: "b" } })
      const found = (yield* suspended)!
      assert.strictEqual(found.by, "billing")
      assert.isTrue(found.at! >= before && found.at! <= (yield* Clock.currentTimeMillis))
      yield* admin.projects.update({ params, payload: { suspended: false } })
      assert.isNull(yield* suspended)
      const born = yield* admin.projects.create({ headers: {}, payload: { name: "c", suspended: true } })
      assert.strictEqual((yield* admin.standing.access({ params: born.project })).suspended?.by, "ops")
      // The audit log keeps a limited number of entries, so this entry can be gone.
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM admin_audit`
      assert.deepStrictEqual((yield* admin.standing.access({ params: born.project })).suspended, { by: null, at: null })
    })
  )

  test(
    "remembers its keys that have expired, whatever comes after",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const sql = yield* SqlClient.SqlClient
      const { key: first, project } = yield* admin.projects.create({ headers: {}, payload: { name: "a" } })
      const params = { id: project.id }
      const ended = Effect.map(admin.standing.keyHistory({ params }), ({ ended }) =>
        ended.map(({ endedAt, id, reason, successor }) => [id, reason, endedAt, successor])
      )
      const now = yield* Clock.currentTimeMillis
      /** Sets a key's expiry to a time in the past. No request can do this. */
      const expire = (id: string, at: number) => sql`UPDATE keys SET expires_at = ${at} WHERE id = ${id}`
      const soon = { expiresAt: now + 3_600_000 }
      const { key: second } = yield* admin.keys.issue({ params, headers: {}, payload: soon })
      const { key: third } = yield* admin.keys.issue({ params, headers: {}, payload: soon })
      assert.deepStrictEqual(yield* ended, [])
      yield* expire(second.id, now - 2000)
      const history = [[second.id, "expired", now - 2000, null]]
      assert.deepStrictEqual(yield* ended, history)
      // issuing a key makes the accounts delete the expired key
      const { key: fourth } = yield* admin.keys.issue({ params, headers: {}, payload: {} })
      assert.lengthOf(yield* sql`SELECT id FROM keys WHERE id = ${second.id}`, 0)
      assert.deepStrictEqual(yield* ended, history)
      yield* expire(third.id, now - 1000)
      yield* admin.keys.rotate({ params: first, payload: {} })
      const [rotated, ...others] = yield* ended
      assert.deepStrictEqual(rotated!.slice(0, 2), [first.id, "rotated"])
      assert.deepStrictEqual(others, [[third.id, "expired", now - 1000, null], ...history])
      // If a rotated key expires before the end of the overlap, it ends at its expiry.
      yield* admin.keys.update({ params: fourth, payload: { expiresAt: now + 1_800_000 } })
      const { key: fifth } = yield* admin.keys.rotate({ params: fourth, payload: { overlapSeconds: 3600 } })
      assert.deepStrictEqual((yield* ended)[0], [fourth.id, "rotated", now + 1_800_000, fifth.id])
    })
  )

  test(
    "remembers its ended keys with their successors, and the last use of each key",
    Effect.gen(function* () {
      const admin = yield* Admin.client()
      const metering = yield* Metering.Metering
      const { key: first, project } = yield* admin.projects.create({ headers: {}, payload: { name: "a" } })
      const params = { id: project.id }
      const { key: second } = yield* admin.keys.rotate({ params: first, payload: {} })
      const { key: third } = yield* admin.keys.rotate({ params: second, payload: { overlapSeconds: 3600 } })
      const now = yield* Clock.currentTimeMillis
      const usage = { ...call, project: project.id, credits: 80, bytesIn: 1, bytesOut: 1 }
      yield* metering.recordAll([first, third].map(({ id }) => ({ ...usage, key: id })))
      yield* metering.record({ ...usage, project: "another", key: second.id })
      const { ended, lastUses } = yield* admin.standing.keyHistory({ params })
      assert.deepStrictEqual(
        ended.map(({ id, reason, start, successor }) => [id, start, reason, successor]),
        [
          [second.id, second.start, "rotated", third.id],
          [first.id, first.start, "rotated", second.id]
        ]
      )
      assert.isTrue(ended[1]!.endedAt <= now && ended[1]!.createdAt <= ended[1]!.endedAt)
      assert.isBelow(Math.abs(ended[0]!.endedAt - now - 3_600_000), 60_000)
      assert.deepStrictEqual(
        new Map(lastUses.map(({ at, key, within }) => [key, [within, now - at < 120_000]])),
        new Map([
          [first.id, ["minute", true]],
          [third.id, ["minute", true]]
        ])
      )
      // A rotated key can be revoked before its overlap ends.
      yield* admin.keys.revoke({ params: second })
      yield* admin.keys.revoke({ params: third })
      const after = (yield* admin.standing.keyHistory({ params })).ended
      assert.deepStrictEqual(
        new Map(after.map(({ id, reason, successor }) => [id, [reason, successor]])),
        new Map([
          [third.id, ["revoked", null]],
          [second.id, ["revoked", third.id]],
          [first.id, ["rotated", second.id]]
        ])
      )
      // A refused request adds no key to the history of ended keys.
      const refused = yield* Effect.flip(admin.keys.revoke({ params: { id: "no-key" } }))
      assert.strictEqual(refused._tag, "NotFound")
      yield* admin.projects.remove({ params })
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT * FROM admin_ended_keys`, [])
    })
  )
})

describe("the last use of a key", () => {
  it.live("is known by the hour and the day where minutes are no longer kept", () =>
    Effect.gen(function* () {
      const [memory] = Databases.kinds as [Databases.Kind]
      const { layer } = yield* memory.fresh
      const context = yield* Layer.build(Admin.service(layer))
      const sql = Context.get(context, SqlClient.SqlClient)
      const day = Date.parse("2026-03-02T00:00:00Z")
      const row = {
        project: "p1",
        product: "rpc",
        network: "live",
        method: "m",
        status: 200,
        outcome: "ok",
        calls: 1,
        credits: 1,
        bytes_in: 0,
        bytes_out: 0,
        uploaded: 0,
        downloaded: 0
      }
      for (const key of ["k1", "k2"]) yield* sql`INSERT INTO usage_days ${sql.insert({ at: day, key, ...row })}`
      yield* sql`INSERT INTO usage_hours ${sql.insert({ at: day + 3_600_000, key: "k2", ...row })}`
      const admin = yield* Effect.provide(Admin.client(), context)
      const { project } = yield* admin.projects.create({ headers: {}, payload: { name: "a" } })
      yield* sql`UPDATE usage_days SET project = ${project.id}`
      yield* sql`UPDATE usage_hours SET project = ${project.id}`
      const { lastUses } = yield* admin.standing.keyHistory({ params: project })
      assert.deepStrictEqual(lastUses, [
        { key: "k2", at: day + 3_600_000, within: "hour" },
        { key: "k1", at: day, within: "day" }
      ])
    }).pipe(Effect.scoped)
  )
})
