/** The current state of networks and limits in the admin API, over both databases. */
import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { Gateway, Metering, type Network } from "@plumbline/gateway"
import { AdminServer } from "@plumbline/gateway-admin"
import * as Cached from "@plumbline/gateway/support/cached"
import * as Databases from "@plumbline/gateway/support/databases"
import * as Genesis from "@plumbline/gateway/support/genesis"
import { NetworkAnchors, NetworkHeads } from "@plumbline/gateway/support/internals"
import * as Service from "@plumbline/gateway/support/service"
import { Starknet } from "@plumbline/second-chain-methods"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"

import * as Admin from "../support/admin.ts"

const utf8 = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

const HASH = `0x${"ab".repeat(32)}`

const block = { number: "0x2a", hash: HASH, timestamp: "0x6700a380", transactions: [] }

describe.each(Databases.kinds)("limits over $name", (kind) => {
  it.live.skipIf(kind.skipped)("of an account hold for its projects together, and the refusal names the account", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      yield* Effect.gen(function* () {
        const admin = yield* Admin.client()
        const gateway = yield* Gateway.Gateway
        const account = yield* admin.accounts.create({ headers: {}, payload: { name: "Ada" } })
        const project = (name: string) =>
          admin.projects.create({ headers: {}, payload: { name, account: account.id, limits: {} } })
        const keys = [yield* project("a"), yield* project("b")].map(({ apiKey }) => Redacted.value(apiKey))
        const call = (key: string) =>
          Service.ask(gateway, { path: `/v3/${key}`, body: Service.call("eth_blockNumber") })
        assert.strictEqual((yield* call(keys[0]!)).status, 200)
        const { totals } = yield* admin.usage.totals({ query: { window: "15m" } })
        const price = Number(totals.credits)
        const limits = { creditsPerDay: 5 * price, requestsPerSecond: 1000 }
        yield* admin.accounts.update({ params: account, payload: { limits } })
        // twelve calls at once by two projects: exactly five are admitted
        const answers = yield* Effect.forEach(
          Array.from({ length: 12 }, (_, index) => keys[index % 2]!),
          call,
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          answers.map(({ status }) => status).toSorted((a, b) => a - b),
          [...Array(5).fill(200), ...Array(7).fill(429)]
        )
        const refused = answers.find(({ status }) => status === 429)!
        assert.include(refused.body, "daily credits of the account exceeded, request rate limited")
        const standing = yield* admin.limits.account({ params: account })
        assert.deepInclude(standing, { account: account.id, name: "Ada", counted: true })
        assert.deepInclude(standing.day, { used: 5 * price, allowed: 5 * price })
        assert.deepInclude(standing.rate, { allowed: 1000, burst: 1000 })
        yield* admin.accounts.update({ params: account, payload: { limits: {} } })
        assert.strictEqual((yield* call(keys[1]!)).status, 200)
        const none = yield* admin.limits.account({ params: account })
        assert.deepStrictEqual([none.day, none.rate], [null, null])
        const absent = yield* Effect.flip(admin.limits.account({ params: { id: "nothing" } }))
        assert.strictEqual(absent._tag, "NotFound")
      }).pipe(Effect.provide(Admin.service(layer)))
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(kind.skipped)("show what the limiter counts, of one project and of all", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      yield* Effect.gen(function* () {
        const admin = yield* Admin.client()
        const gateway = yield* Gateway.Gateway
        const limits = { creditsPerDay: 1000, concurrency: 4 }
        const { apiKey, project } = yield* admin.projects.create({ headers: {}, payload: { name: "a", limits } })
        const free = yield* admin.projects.create({ headers: {}, payload: { name: "b", limits: {}, suspended: true } })
        const bounds = { creditsPerDay: 500, requestsPerSecond: 7 }
        const params = { id: project.id }
        const held = yield* admin.keys.issue({ params, headers: {}, payload: { limits: bounds } })
        for (const key of [apiKey, held.apiKey]) {
          const path = `/v3/${Redacted.value(key)}`
          const answer = yield* Service.ask(gateway, { path, body: Service.call("eth_blockNumber") })
          assert.strictEqual(answer.status, 200, answer.body)
        }
        const { totals } = yield* admin.usage.totals({ query: { project: project.id, window: "15m" } })
        assert.isAbove(Number(totals.credits), 0)

        const one = yield* admin.limits.get({ params: project })
        assert.deepStrictEqual(one, {
          project: project.id,
          name: "a",
          suspended: false,
          counted: true,
          // The limiter counts the same credits that were charged.
          day: { used: Number(totals.credits), allowed: 1000, endsAt: one.day!.endsAt },
          rate: null,
          underWay: { current: 0, allowed: 4 },
          // one of two equal calls was made with the key that has limits
          keys: [
            {
              key: held.key.id,
              day: { used: Number(totals.credits) / 2, allowed: 500, endsAt: one.day!.endsAt },
              rate: { ...one.keys![0]!.rate!, allowed: 7, burst: 7 }
            }
          ]
        })
        assert.isAtMost(one.keys![0]!.rate!.available, 7)
        assert.strictEqual(new Date(one.day!.endsAt).toISOString().slice(10), "T00:00:00.000Z")
        const { next, standings } = yield* admin.limits.list({ query: {} })
        assert.strictEqual(next, null)
        assert.deepStrictEqual(standings.map(({ name }) => name).toSorted(), ["a", "b"])
        const other = standings.find((standing) => standing.project === free.project.id)!
        assert.deepStrictEqual([other.suspended, other.day, other.rate, other.underWay], [true, null, null, null])
        const first = yield* admin.limits.list({ query: { limit: 1 } })
        assert.strictEqual(first.next, first.standings[0]?.project)
        const absent = yield* Effect.flip(admin.limits.get({ params: { id: "nothing" } }))
        assert.strictEqual(absent._tag, "NotFound")
      }).pipe(Effect.provide(Admin.service(layer)))
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(kind.skipped)("counts requests without a valid key, which belong to no project", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      yield* Effect.gen(function* () {
        const admin = yield* Admin.client()
        const gateway = yield* Gateway.Gateway
        const server = yield* AdminServer.AdminServer
        assert.isNull((yield* admin.service.status()).unauthorized)
        yield* server.attach({ unauthorized: gateway.unauthorized })
        const payload = { name: "a", secretRequired: true }
        const { apiKey } = yield* admin.projects.create({ headers: {}, payload })
        const body = Service.call("eth_blockNumber")
        // no key, an unknown key, and a known key without its secret
        for (const path of ["/v3/", `/v3/${"0".repeat(32)}`, `/v3/${Redacted.value(apiKey)}`]) {
          assert.strictEqual((yield* Service.ask(gateway, { path, body })).status, 401, path)
        }
        assert.strictEqual((yield* Service.ask(gateway, { path: "/nowhere", body })).status, 404)
        const { at, unauthorized } = yield* admin.service.status()
        assert.strictEqual(unauthorized?.count, 3)
        assert.isAtMost(unauthorized!.since, at)
        const { totals } = yield* admin.usage.totals({ query: { window: "15m" } })
        assert.strictEqual(totals.calls, 0n)
      }).pipe(Effect.provide(Admin.service(layer)))
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(kind.skipped)("networks have their hosts and nodes, with all that is known of them", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      yield* Effect.gen(function* () {
        const admin = yield* Admin.client()
        const gateway = yield* Gateway.Gateway
        const server = yield* AdminServer.AdminServer
        yield* server.attach({ status: gateway.status, networks: gateway.networks })
        const nothing = {
          behind: null,
          problem: null,
          head: null,
          lagMillis: null,
          responseMillis: null,
          lastError: null,
          nextAttemptAt: null,
          aside: false,
          trustedSince: null,
          calls: null,
          faults: null,
          faultsBy: {},
          refusals: null,
          hedges: null,
          disagreements: null,
          leftToday: null,
          lacks: [],
          verdicts: null,
          lies: null
        }
        assert.deepStrictEqual((yield* admin.service.status()).networks, [
          {
            name: "live",
            chainId: 31_337,
            upstream: "untried",
            upstreams: [],
            hosts: ["live.localhost"],
            checked: false,
            // The node of this service answers with a text that is not a block.
            head: null,
            anchor: null,
            nodes: [{ name: "live", state: "untried", ...nothing }]
          }
        ])
        const known = {
          verdicts: { verified: 3, claimed: 1 },
          name: "own",
          state: "down",
          behind: 2,
          problem: undefined,
          head: { number: 7, hash: HASH, time: 1_800_000_000_000, seenAt: 1_800_000_000_900 },
          lagMillis: 900,
          responseMillis: 12.5,
          lastError: { kind: "TimedOut", since: 1_800_000_000_001, at: 1_800_000_000_004 },
          nextAttemptAt: 1_800_000_000_002,
          calls: 10,
          faults: 3,
          faultsBy: { TimedOut: 3 },
          refusals: 4,
          hedges: 1,
          disagreements: 0,
          leftToday: 500,
          lacks: ["trace_block"]
        } as const
        const last = { method: "eth_getProof", check: "state root" }
        const [live] = yield* gateway.networks
        yield* server.attach({
          networks: Effect.succeed([
            {
              ...live!,
              checked: true,
              nodes: [
                {
                  ...known,
                  lies: { count: 2, checks: { "state root": 2 }, last: { ...last, at: "2027-01-15T08:00:00.003Z" } }
                }
              ]
            }
          ])
        })
        const [shown] = (yield* admin.service.status()).networks
        assert.isTrue(shown?.checked)
        assert.deepStrictEqual(shown?.nodes, [
          {
            ...known,
            problem: null,
            head: { number: 7n, hash: HASH, time: 1_800_000_000_000 },
            aside: false,
            trustedSince: null,
            lies: { count: 2, ordered: 0, last: { ...last, at: 1_800_000_000_003 } }
          }
        ])
        // one count: with the lies that other processes found, as in the list of lies
        const lie = { network: "live", node: "own", lastAt: 1_800_000_000_500 }
        yield* server.attach({
          lies: () => [
            { ...lie, ...last, count: 2, lastAt: 1_800_000_000_003 },
            { ...lie, method: "eth_call", check: "run", count: 3 },
            { ...lie, ...last, node: "other", count: 9 }
          ]
        })
        const [counted] = (yield* admin.service.status()).networks
        assert.deepStrictEqual(counted?.nodes[0]?.lies, {
          count: 5,
          ordered: 0,
          last: { method: "eth_call", check: "run", at: 1_800_000_000_500 }
        })
        const { lies } = yield* admin.service.lies()
        const own = lies.filter(({ node }) => node === "own")
        assert.strictEqual(
          own.reduce((sum, { count }) => sum + count, 0n),
          5n
        )
      }).pipe(Effect.provide(Admin.service(layer)))
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(kind.skipped)("tells of lies that an operator ordered apart from others, with the order", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      yield* Effect.gen(function* () {
        const admin = yield* Admin.client()
        const server = yield* AdminServer.AdminServer
        const kindOfLie = { network: "live", node: "own", method: "eth_getBlockByNumber", check: "header hash" }
        const found = (count: number, second: number): ReadonlyArray<AdminServer.NodeLieCount> => [
          { ...kindOfLie, count: 1, firstAt: 4000, lastAt: 5000, params: '["0x1",false]', block: { number: 1 } },
          { ...kindOfLie, count, firstAt: 7000, lastAt: 8000 + count, drill: { by: "ops", at: 6000, until: 66_000 } },
          { ...kindOfLie, count: second, lastAt: 90_000, drill: { by: "other", at: 80_000, until: 140_000 } }
        ]
        const counts = Effect.map(admin.service.lies(), ({ lies }) =>
          lies.map(({ block, count, drill, firstAt, lastAt, params }) => [
            [count, firstAt, lastAt],
            [drill?.by, drill?.at, drill?.until],
            [params, block]
          ])
        )
        yield* server.attach({ lies: () => found(2, 0) })
        const real = [
          [1n, 4000, 5000],
          [undefined, undefined, undefined],
          ['["0x1",false]', { number: 1n, hash: null }]
        ]
        assert.deepStrictEqual(yield* counts, [
          [
            [2n, 7000, 8002],
            ["ops", 6000, 66_000],
            [null, null]
          ],
          real
        ])
        yield* server.attach({ lies: () => found(5, 3) })
        assert.deepStrictEqual(yield* counts, [
          [
            [3n, 90_000, 90_000],
            ["other", 80_000, 140_000],
            [null, null]
          ],
          [
            [5n, 7000, 8005],
            ["ops", 6000, 66_000],
            [null, null]
          ],
          real
        ])
      }).pipe(Effect.provide(Admin.service(layer)))
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(kind.skipped)("drills push no other lie out of the lists", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      yield* Effect.gen(function* () {
        const admin = yield* Admin.client()
        const server = yield* AdminServer.AdminServer
        const sql = yield* SqlClient.SqlClient
        const lie = { network: "live", node: "own", method: "eth_getBlockByNumber" }
        yield* server.attach({ lies: () => [{ ...lie, check: "header hash", count: 1, lastAt: 5000 }] })
        const drills = Array.from({ length: 1001 }, (_, i) => ({
          ...lie,
          check_name: "header hash",
          count: 1,
          first_at: 10_000 + i,
          last_at: 10_000 + i,
          drill_at: 10_000 + i,
          drill_until: 70_000,
          drill_by: "ops"
        }))
        yield* sql`INSERT INTO admin_lie_drills ${sql.insert(drills as [(typeof drills)[0]])}`
        const { lies } = yield* admin.service.lies()
        assert.strictEqual(lies[0]?.lastAt, 11_000)
        assert.deepInclude(lies.at(-1), { lastAt: 5000, count: 1n, drill: null })
        assert.lengthOf(lies, 201)
      }).pipe(Effect.provide(Admin.service(layer)))
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(kind.skipped)("counts an outcome of a later version as unknown", () =>
    Effect.gen(function* () {
      const { layer } = yield* kind.fresh
      yield* Effect.gen(function* () {
        const admin = yield* Admin.client()
        const metering = yield* Metering.Metering
        const sql = yield* SqlClient.SqlClient
        const usage = {
          project: "p",
          product: "rpc",
          network: "live",
          method: "eth_call",
          status: 200,
          key: "k"
        } as const
        const counts = { calls: 1, credits: 1, bytesIn: 1, bytesOut: 1 }
        yield* metering.record({ ...usage, ...counts })
        yield* metering.record({ ...usage, ...counts, key: "l", outcome: "error" })
        yield* sql`UPDATE usage_minutes SET outcome = 'later' WHERE outcome = 'error'`
        yield* sql`UPDATE usage_hours SET outcome = 'later' WHERE outcome = 'error'`
        const query = { window: "1h", everySeconds: 3600, by: ["outcome"] } as const
        const expected: Array<readonly [string | undefined, bigint]> = [
          ["ok", 1n],
          ["unknown", 1n]
        ]
        const { lines } = yield* admin.usage.series({ query: { ...query, top: 5 } })
        assert.sameDeepMembers<readonly [string | undefined, bigint]>(
          lines.map(({ counts, of }) => [of.outcome, counts.reduce((sum, { calls }) => sum + calls, 0n)] as const),
          expected
        )
        const { rows } = yield* admin.usage.by({ query: { window: "1h", by: ["outcome"] } })
        assert.sameDeepMembers<readonly [string | undefined, bigint]>(
          rows.map(({ calls, outcome }) => [outcome, calls] as const),
          expected
        )
        const { totals } = yield* admin.usage.totals({ query: { window: "1h", outcome: "unknown" } })
        assert.strictEqual(totals.calls, 1n)
      }).pipe(Effect.provide(Admin.service(layer)))
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(kind.skipped)(
    "tells its own count while the table of lies is locked, and no lie is lost by that",
    () =>
      Effect.gen(function* () {
        const { layer } = yield* kind.fresh
        yield* Effect.gen(function* () {
          const admin = yield* Admin.client()
          const server = yield* AdminServer.AdminServer
          const found = (count: number) => {
            const lie = { network: "live", node: "own", method: "eth_getProof", check: "state root" }
            return server.attach({ lies: () => [{ ...lie, count, lastAt: 1_800_000_000_003 }] })
          }
          const counts = Effect.map(admin.service.lies(), ({ lies }) => lies.map(({ count }) => count))
          yield* found(2)
          assert.deepStrictEqual(yield* counts, [2n])
          yield* found(9)
          const [locked, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const other = Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const held = Effect.andThen(Deferred.succeed(locked, undefined), Deferred.await(done))
            yield* sql.withTransaction(Effect.andThen(sql`UPDATE admin_lies SET count = count`, held))
          })
          const session = yield* Effect.forkChild(Effect.provide(other, layer), { startImmediately: true })
          yield* Deferred.await(locked)
          // does not wait for the other session
          yield* admin.service.status()
          // Postgres reads beside a write that waits; a process has one connection to SQLite
          if (kind.name === "Postgres") assert.deepStrictEqual(yield* counts, [2n])
          yield* Deferred.succeed(done, undefined)
          yield* Fiber.join(session)
          assert.deepStrictEqual(yield* counts, [9n])
        }).pipe(Effect.provide(Admin.service(layer)))
      }).pipe(Effect.scoped)
  )
})

const network = (methods: Network.Network["methods"], call: Network.Network["upstream"]["call"]): Network.Network => ({
  name: "n",
  hosts: [],
  chainId: 1,
  methods,
  upstream: { call }
})

describe("a head", () => {
  it("is read from blocks of both chains, and from nothing else", () => {
    const head = { number: 42n, hash: HASH, time: 0x67_00_a3_80 * 1000 }
    assert.deepStrictEqual(NetworkHeads.read(utf8(block)), head)
    const starknet = { block_number: 42, block_hash: "0x5f", timestamp: 0x67_00_a3_80, transactions: [] }
    assert.deepStrictEqual(NetworkHeads.read(utf8(starknet)), { ...head, hash: "0x5f" })
    for (const wrong of [
      null,
      [],
      "0x1",
      {},
      { ...block, hash: null },
      { ...block, hash: `${HASH}<b>` },
      { ...block, number: "2a" },
      { ...block, number: `0x${"f".repeat(17)}` },
      { ...block, number: -1 },
      { ...block, timestamp: "0xffffffffffffffff" },
      { ...block, timestamp: undefined }
    ]) {
      assert.isUndefined(NetworkHeads.read(utf8(wrong)), JSON.stringify(wrong))
    }
    assert.isUndefined(NetworkHeads.read(new TextEncoder().encode("{")))
    assert.isUndefined(NetworkHeads.read(utf8({ ...block, extraData: "x".repeat(5_000_000) })))
  })

  it.effect("is asked for once a second, however many look", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const heads = NetworkHeads.make(new WeakMap())
      const eth = network(EthMethods.group, (method, params) => {
        asked.push(`${method} ${JSON.stringify(params)}`)
        return Effect.succeed(utf8({ ...block, number: `0x${asked.length}` }))
      })
      for (let i = 0; i < 5; i++) assert.strictEqual((yield* heads(eth))?.number, 1n)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* heads(eth))?.number, 2n)
      assert.deepStrictEqual(new Set(asked), new Set(['eth_getBlockByNumber ["latest",false]']))
      assert.strictEqual(asked.length, 2)
      const second = network(Starknet.group, (method) => {
        assert.strictEqual(method, "starknet_getBlockWithTxHashes")
        return Effect.succeed(utf8({ block_number: 9, block_hash: "0x5f", timestamp: 1 }))
      })
      assert.strictEqual((yield* heads(second))?.number, 9n)
    })
  )

  it.effect("stays the last one while the node hangs or fails, and others do not wait for it", () =>
    Effect.gen(function* () {
      const heads = NetworkHeads.make(new WeakMap())
      const never = yield* Deferred.make<Uint8Array>()
      let answer: ReturnType<Network.Network["upstream"]["call"]> = Effect.succeed(utf8(block))
      const eth = network(EthMethods.group, () => answer)
      assert.strictEqual((yield* heads(eth))?.number, 42n)
      answer = Deferred.await(never)
      yield* TestClock.adjust("1 second")
      const waiting = yield* Effect.forkChild(heads(eth), { startImmediately: true })
      assert.strictEqual((yield* heads(eth))?.number, 42n)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(waiting))?.number, 42n)
      answer = Effect.fail({ code: -32_000, message: "no" })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* heads(eth))?.number, 42n)
    })
  )
})

describe("a network without a pool", () => {
  it.live("is up once its head was read, and not asked yet while nothing was", () =>
    Effect.gen(function* () {
      const second = { block_number: 9, block_hash: "0x5f", timestamp: 1 }
      const networks = [
        { ...network(Starknet.group, () => Effect.succeed(utf8(second))), name: "pool" },
        { ...network(EthMethods.group, () => Effect.succeed(utf8("no block"))), name: "odd" }
      ]
      const service = yield* Service.start(networks)
      const states = Effect.map(service.networks, (networks) =>
        networks.map(({ head, nodes, upstream }) => [head?.number, upstream, nodes[0]!.state])
      )
      assert.deepStrictEqual(yield* states, [
        [9n, "up", "up"],
        [undefined, "untried", "untried"]
      ])
      const { networks: shown } = yield* service.status
      assert.deepStrictEqual(
        shown.map(({ upstream }) => upstream),
        ["up", "untried"]
      )
    }).pipe(Effect.scoped)
  )
})

describe("the block that proofs end at", () => {
  it.live("is named by the authority that the network trusts, with its age", () =>
    Effect.gen(function* () {
      const { networks } = yield* Cached.start()
      const [live] = yield* networks
      const { ageMillis, ...anchor } = live!.anchor!
      assert.deepStrictEqual(anchor, {
        hash: Genesis.HASH,
        number: 0n,
        time: 0,
        by: "a pinned hash",
        finality: undefined,
        problem: undefined
      })
      // the first block has the time 0, so its age is the time since 1970
      assert.isBelow(Math.abs(ageMillis! - Date.now()), 60_000)
    }).pipe(Effect.scoped)
  )

  it.effect("is not asked for twice in a second, and has a reason where there is none", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_800_000_000_000)
      let asked = 0
      let found: Network.TrustedAnchor = { _tag: "None", problem: "the light client has not started yet" }
      const node = Genesis.node({ eth_getBlockByHash: { ...Genesis.block, timestamp: "0x6b49d200" } })
      const network = {
        ...Service.network(node),
        anchor: Effect.sync(() => {
          asked++
          return found
        })
      }
      const anchors = NetworkAnchors.make()
      const read = Effect.map(anchors(network), (anchor) => anchor!)
      assert.strictEqual((yield* read).problem, "the light client has not started yet")
      found = { _tag: "Block", hash: Genesis.HASH, by: "a light client", finality: "finalized" }
      assert.isUndefined((yield* read).hash)
      assert.strictEqual(asked, 1)
      yield* TestClock.adjust("1 second")
      const { ageMillis, finality, problem, time } = yield* read
      assert.deepStrictEqual([time, ageMillis, finality, problem], [1_800_000_000_000, 1000, "finalized", undefined])
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* read).ageMillis, 4000)
      // the node was asked only once, because the time of the block is known
      assert.lengthOf(node.asked, 1)
      assert.isUndefined(yield* anchors(Service.network(node)))
    })
  )
})
