/** The metrics of a service, read by an independent parser, and compared with the recorded usage. */
import { assert, describe, it } from "@effect/vitest"
import { type Gateway, HttpUpstream } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Deferred, Effect, Fiber } from "effect"

import type { MetricFamily } from "../../src/meters/MetricFamily.ts"
import { MetricHistogram } from "../../src/meters/metricHistogram.ts"
import { ServiceMeters } from "../../src/meters/serviceMeters.ts"
import * as Exposition from "../../src/observe/exposition.ts"
import * as NodeMetrics from "../../src/observe/nodeMetrics.ts"
import * as Cached from "../support/cached.ts"
import * as Databases from "../support/databases.ts"
import * as FakeNode from "../support/fakeNode.ts"
import * as Genesis from "../support/genesis.ts"
import * as Metered from "../support/metered.ts"
import { ADDRESS, HASH } from "../support/methods.ts"
import { Scrape } from "../support/scrape.ts"
import * as Service from "../support/service.ts"

const scraped = (service: Pick<Gateway.Gateway["Service"], "metrics">) =>
  Effect.map(service.metrics, (text) => new Scrape(text))

describe("the metrics of calls", () => {
  it.live("are the recorded usage", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start()
      const calls = [
        Service.call("eth_chainId"),
        Service.call("eth_chainId"),
        Service.call("eth_getBlockByHash", [HASH, false]),
        Service.call("eth_nonsense"),
        "{",
        `[${Service.call("eth_chainId")},${Service.call("eth_getStorageAt", [ADDRESS, "0x00", "latest"], 2)}]`
      ]
      for (const body of calls) yield* Service.ask(service, { body })
      yield* Service.ask(service, { body: "x", headers: { "content-type": "text/html" } })
      const scrape = yield* scraped(service)
      const rows = yield* service.rows
      assert.isAbove(rows.length, 4)
      for (const { bytesIn, bytesOut, calls, credits, method, network, product, status } of rows) {
        const labels = { product, network, method }
        if (calls > 0) {
          assert.strictEqual(scrape.value("plumbline_calls_total", { ...labels, status: String(status) }), calls)
        }
        const same = rows.filter((row) => row.method === method)
        assert.strictEqual(scrape.value("plumbline_credits_total", labels), Metered.sum(same, "credits"), `${credits}`)
        assert.strictEqual(
          scrape.value("plumbline_received_bytes_total", labels),
          Metered.sum(same, "bytesIn"),
          `${bytesIn}`
        )
        assert.strictEqual(
          scrape.value("plumbline_sent_bytes_total", labels),
          Metered.sum(same, "bytesOut"),
          `${bytesOut}`
        )
      }
      assert.strictEqual(scrape.value("plumbline_calls_total"), Metered.sum(rows, "calls"))
      assert.strictEqual(scrape.value("plumbline_call_duration_seconds", { method: "eth_chainId" }), 3)
      assert.strictEqual(scrape.value("plumbline_call_duration_seconds"), service.node.asked.length)
      assert.strictEqual(scrape.value("plumbline_http_requests_total", { route: "rpc", status: "200" }), calls.length)
      assert.strictEqual(scrape.value("plumbline_http_requests_total", { route: "rpc", status: "415" }), 1)
    })
  )

  it.live("count requests without a valid key, with no part of the key", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start()
      const unknown = "5".repeat(32)
      const body = Service.call("eth_chainId")
      for (const path of ["/v3/", `/v3/${unknown}`]) {
        assert.strictEqual((yield* Service.ask(service, { path, body })).status, 401, path)
      }
      yield* Service.ask(service, { body })
      const text = yield* service.metrics
      assert.strictEqual(new Scrape(text).value("plumbline_unauthorized_requests_total"), 2)
      assert.notInclude(text, unknown.slice(0, 8))
      const all = yield* service.unauthorized
      assert.strictEqual(all.count, 2)
    })
  )

  it.live("name the limit that refused", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start({ project: { limits: { creditsPerDay: 1 } } })
      for (let index = 0; index < 3; index++) yield* Service.ask(service, { body: Service.call("eth_chainId") })
      const scrape = yield* scraped(service)
      // Each limit has a count from the start, so that the first refusal is an increase.
      const refused = scrape
        .labels("plumbline_limit_refusals_total", "limit")
        .filter((limit) => scrape.value("plumbline_limit_refusals_total", { limit })! > 0)
      assert.deepStrictEqual(refused, ["day"])
      assert.strictEqual(scrape.value("plumbline_limit_refusals_total", { limit: "capacity" }), 0)
    })
  )

  it.live("name the reason for which no node answered", () =>
    Effect.gen(function* () {
      const upstream = yield* HttpUpstream.make({ url: "http://127.0.0.1:1" })
      const service = yield* Service.start(upstream)
      yield* Service.ask(service, { body: Service.call("eth_chainId") })
      const scrape = yield* scraped(service)
      const labels = { network: "live", reason: "Unreachable" }
      assert.strictEqual(scrape.value("plumbline_upstream_failed_calls_total", labels), 1)
      assert.strictEqual(scrape.value("plumbline_upstream_up", { network: "live" }), 0)
      assert.strictEqual(scrape.value("plumbline_calls_total", { method: "eth_chainId", status: "502" }), 1)
    })
  )

  it.live("count the errors of nodes that callers get with the status 200", () =>
    Effect.gen(function* () {
      const codes = [-32002, -32099, -32000, 3]
      const left = [...codes]
      const upstream = {
        call: () => Effect.suspend(() => Effect.fail({ code: left.shift()!, message: "nodes of the quorum disagree" }))
      }
      const service = yield* Service.start(upstream)
      for (const _ of codes) {
        assert.strictEqual((yield* Service.ask(service, { body: Service.call("eth_chainId") })).status, 200)
      }
      const scrape = yield* scraped(service)
      const failed = (reason?: string) =>
        scrape.value("plumbline_upstream_failed_calls_total", { network: "live", ...(reason && { reason }) })
      assert.deepStrictEqual([failed("Unavailable"), failed("Refuted"), failed()], [1, 1, 2])
    })
  )

  it.live("say where the answers of the cache came from", () =>
    Effect.gen(function* () {
      const database = yield* Databases.kinds[0]!.fresh
      const gate = yield* Deferred.make<void>()
      const { call } = Genesis.node({ eth_getBlockByHash: Genesis.block })
      const upstream = {
        call: (method: string, params: ReadonlyArray<unknown>) =>
          Effect.andThen(Deferred.await(gate), call(method, params))
      }
      const service = yield* Cached.start({ database, upstream })
      const from = (source: string) =>
        Effect.map(scraped(service), (scrape) => scrape.value("plumbline_cache_answers_total", { source }))
      const ask = Service.ask(service, { body: Cached.BODY })
      const both = yield* Effect.forkChild(Effect.all([ask, ask], { concurrency: 2 }))
      yield* Effect.repeat(from("joined"), { until: (value) => value === 1 })
      yield* Deferred.succeed(gate, undefined)
      const [first] = yield* Fiber.join(both)
      assert.include(first.body, '"result":')
      yield* ask
      const other = yield* Cached.start({ database, upstream: Genesis.node({}) })
      // The answer is written to the store some milliseconds later.
      yield* Effect.repeat(service.sql`SELECT id FROM verified_answers`, { until: (rows) => rows.length > 0 })
      yield* Service.ask(other, { body: Cached.BODY })
      const sources = ["memory", "store", "joined", "nodes"]
      assert.deepStrictEqual(yield* Effect.forEach(sources, from), [1, 0, 1, 1])
      const scrape = yield* scraped(other)
      const value = (source: string) => scrape.value("plumbline_cache_answers_total", { source })
      assert.deepStrictEqual(sources.map(value), [0, 1, 0, 0])
      assert.strictEqual(scrape.value("plumbline_cache_entries"), 1)
      assert.isAbove(scrape.value("plumbline_cache_bytes")!, first.body.length - 100)
      assert.strictEqual(scrape.value("plumbline_cache_corrupt_total"), 0)
      const small = yield* Cached.start({ bytes: 64 })
      assert.strictEqual((yield* scraped(small)).value("plumbline_cache_dropped_total"), 0)
      yield* Service.ask(small, { body: Cached.BODY })
      assert.strictEqual((yield* scraped(small)).value("plumbline_cache_dropped_total"), 1)
      // The counts are only for operators, and `/health` is open to everyone.
      assert.notProperty(JSON.parse((yield* Service.ask(small, { path: "/health", method: "GET" })).body), "cache")
    })
  )

  it.live("count the sockets that are open, and hold no key", () =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(() => ({ result: "0x1" }))
      const service = yield* Service.start(yield* HttpUpstream.make({ url: node.url }))
      const client = yield* Service.connected(service)
      client.socket.send(Service.call("eth_chainId"))
      yield* Effect.promise(() => client.next())
      yield* Service.ask(service, { path: `/v3/${Service.KEY.slice(1)}x`, body: "{}" })
      yield* Service.ask(service, { path: `/nowhere/${Service.SECRET}` })
      const text = yield* service.metrics
      const scrape = new Scrape(text)
      assert.strictEqual(scrape.value("plumbline_websockets"), 1)
      assert.strictEqual(scrape.value("plumbline_http_requests_total", { route: "none", status: "404" }), 1)
      assert.strictEqual(scrape.value("plumbline_draining"), 0)
      assert.isAbove(scrape.value("process_resident_memory_bytes")!, 1e7)
      for (const secret of [Service.KEY, Service.KEY.slice(1), Service.SECRET, "127.0.0.1"]) {
        assert.notInclude(text, secret)
      }
      const named = (kind: string) =>
        [...text.matchAll(new RegExp(`^# ${kind} (\\S+) .+$`, "gmu"))].map(([, name]) => name)
      assert.isAbove(named("TYPE").length, 20)
      assert.deepStrictEqual(named("HELP"), named("TYPE"))
    })
  )
})

describe("a histogram", () => {
  it("counts the values up to each bound", () => {
    const random = Random.make(20_261_123)
    const histogram = new MetricHistogram([1, 10, 100])
    const values = Array.from({ length: 1000 }, () => Random.int(random, 200))
    for (const value of values) histogram.add(value)
    const text = Exposition.text([
      { name: "h", type: "histogram", help: "h", samples: [{ labels: {}, value: histogram }] }
    ])
    const scrape = new Scrape(text)
    const upTo = (bound: number) => values.filter((value) => value <= bound).length
    assert.deepStrictEqual(
      scrape.buckets("h"),
      [1, 10, 100, Infinity].map((bound) => [bound, upTo(bound)] as const)
    )
    assert.include(text, `h_sum ${values.reduce((sum, value) => sum + value)}\n`)
  })
})

describe("the text of metrics", () => {
  it("keeps labels apart, whatever is in them", () => {
    const names = ['a"b', "a\\b", "a\nb", "a}b", "a,b=c", "ä"]
    const family: MetricFamily = {
      name: "f",
      type: "counter",
      help: 'a "help" with \\ and\nbreaks',
      samples: names.map((name, value) => ({ labels: { name }, value }))
    }
    const scrape = new Scrape(Exposition.text([family]))
    for (const [value, name] of names.entries()) assert.strictEqual(scrape.value("f", { name }), value, name)
  })

  it("has the numbers that a node reports, and no others", () => {
    const plain = { name: "a", state: "up", behind: 3 } as const
    const rich = {
      ...plain,
      name: "b",
      responseMillis: 250,
      head: { number: 12, seenAt: 0 },
      calls: 7,
      faults: 2,
      faultsBy: { TimedOut: 2 },
      lies: {
        count: 1,
        checks: { stateRoot: 1 },
        last: { method: "eth_getProof", check: "stateRoot", at: "2026-11-01" }
      }
    } as const
    const networks = [{ name: "n", chainId: 1, upstream: "up", upstreams: [plain, rich] }] as const
    const ipfs = { nodes: (["up", "down", "lies"] as const).map((state) => ({ name: state, state, lies: 0 })) }
    const scrape = new Scrape(Exposition.text(NodeMetrics.families({ networks, ipfs })))
    assert.deepStrictEqual(scrape.labels("plumbline_upstream_up", "node"), ["a", "b", "down", "lies", "up"])
    assert.strictEqual(scrape.value("plumbline_upstream_up", { network: "ipfs", node: "up" }), 1)
    assert.strictEqual(scrape.value("plumbline_upstream_up", { network: "ipfs", node: "down" }), 0)
    // a node that lies answers
    assert.strictEqual(scrape.value("plumbline_upstream_up", { network: "ipfs", node: "lies" }), 1)
    const lying = ["up", "down", "lies"].map((node) => scrape.value("plumbline_upstream_lying", { node }))
    assert.deepStrictEqual(lying, [0, 0, 1])
    assert.deepStrictEqual(scrape.labels("plumbline_upstream_head_block", "node"), ["b"])
    assert.strictEqual(scrape.value("plumbline_upstream_response_seconds", { node: "b" }), 0.25)
    assert.strictEqual(scrape.value("plumbline_upstream_faults_total", { node: "b", reason: "TimedOut" }), 2)
    assert.strictEqual(scrape.value("plumbline_upstream_lies_total", { node: "b", check: "stateRoot" }), 1)
  })

  it("has a bound, however many methods there are", () => {
    const meters = new ServiceMeters()
    const usage = { product: "rpc", network: "n", status: 200, calls: 1, credits: 1, bytesIn: 1, bytesOut: 1 }
    for (let index = 0; index < 6000; index++) meters.used({ ...usage, method: `m${index}` })
    const series = [...meters.calls()]
    assert.strictEqual(series.length, 5001)
    assert.strictEqual(
      series.reduce((sum, { credits }) => sum + credits, 0),
      6000
    )
  })
})
