/** The paths for supervisors and load balancers: `/livez`, `/readyz`, and its older name `/ready`. */
import { assert, describe, it } from "@effect/vitest"
import { type Upstream, UpstreamError } from "@plumbline/gateway"
import { Effect, Exit, Fiber, Scope } from "effect"

import * as Exposition from "../../src/observe/exposition.ts"
import { answer } from "../../src/observe/healthPaths.ts"
import * as TrustMetrics from "../../src/observe/trustMetrics.ts"
import type { ServiceStatus } from "../../src/pipeline/serviceStatus.ts"
import * as Service from "../support/service.ts"

const get = (service: { readonly port: number }, path: string, method = "GET") =>
  Service.ask(service, { path, method }).pipe(
    Effect.map(({ body, status }) => [status, body === "" ? "" : JSON.parse(body)] as const)
  )

const works = { call: () => Effect.succeed(new TextEncoder().encode('"0x1"')) }

const at = (millis: number): string => new Date(millis).toISOString()

const ready = { status: "ready", reasons: [] }

const network = (state: Upstream.UpstreamState, several = true): ServiceStatus["networks"][number] => ({
  name: "live",
  chainId: 1,
  upstream: state,
  ...(several ? { upstreams: [{ name: "node-1", state, behind: undefined }] } : {})
})

const status = (
  networks: ServiceStatus["networks"],
  store: "up" | "down" = "up",
  accounts: "up" | "down" = "up"
): ServiceStatus => ({
  networks,
  accounts: { store: accounts },
  limiter: { store, whenDown: "closed" },
  metering: { store, waiting: 0, rows: 0 }
})

describe("the probes of a service", () => {
  it.live("say that it lives and is ready", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(works)
      assert.deepStrictEqual(yield* get(service, "/livez"), [200, { status: "alive" }])
      assert.deepStrictEqual(yield* get(service, "/readyz"), [200, ready])
      assert.deepStrictEqual(yield* get(service, "/ready"), [200, { status: "ready" }])
      assert.deepStrictEqual(yield* get(service, "/readyz", "HEAD"), [200, ""])
      const { headers } = yield* Service.ask(service, { path: "/livez", method: "GET" })
      assert.strictEqual(headers["cache-control"], "no-store")
    })
  )

  it.live("take no other method than GET and HEAD", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(works)
      for (const path of ["/livez", "/readyz"]) {
        const { headers, status } = yield* Service.ask(service, { path, method: "POST", body: "{}" })
        assert.deepStrictEqual([status, headers.allow], [405, "GET, HEAD"])
      }
    })
  )

  it.live("say that a service which drains lives, and is not ready", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const service = yield* Service.start(works, { timeouts: { grace: "400 millis" } }).pipe(Scope.provide(scope))
      const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      const [code, body] = yield* Effect.repeat(get(service, "/readyz"), { until: ([code]) => code === 503 })
      assert.deepStrictEqual([code, body], [503, { status: "draining", reasons: ["the service is shutting down"] }])
      assert.deepStrictEqual(yield* get(service, "/livez"), [200, { status: "alive" }])
      yield* Fiber.join(closed)
    })
  )

  it.live("stay ready with a single node that fails, because only calls can show that it is back", () =>
    Effect.gen(function* () {
      const fault = new UpstreamError.UpstreamError({ reason: { _tag: "Unreachable", code: "ECONNREFUSED" } })
      const service = yield* Service.start({ call: () => Effect.fail(fault) })
      yield* Service.ask(service, { body: Service.call("eth_chainId") })
      assert.deepStrictEqual(yield* get(service, "/readyz"), [200, ready])
      assert.strictEqual((yield* get(service, "/health"))[1].status, "degraded")
    })
  )
})

describe("a service with workers", () => {
  it("is degraded while a worker is missing, or follows an earlier configuration, and gets calls all the same", () => {
    const of = (running: number, outdated: number) =>
      answer("Health", { ...status([network("up")]), workers: { wanted: 3, running, outdated } }, false)
    assert.deepInclude(of(3, 0).body, { status: "ok", degraded: [] })
    assert.deepInclude(of(2, 0).body, { status: "degraded", degraded: ["workers: 2 of 3 run"] })
    const { body, code } = of(3, 1)
    assert.deepInclude(body, { degraded: ["workers: 1 of 3 follow an earlier configuration"] })
    assert.strictEqual(code, 200)
  })
})

describe("the lies that the workers of a service have found", () => {
  const upstream = {
    ...works,
    health: () => [
      {
        name: "a",
        state: "up" as const,
        behind: undefined,
        lies: { count: 1, checks: { logs: 1 }, last: { method: "eth_getLogs", check: "logs", at: at(5000) } }
      },
      { name: "b", state: "up" as const, behind: undefined }
    ]
  }
  const lie = { node: "a", method: "eth_getProof", check: "account proof", firstAt: 0 }

  it.live("are in the health of the nodes with its own, and only its own are in its metrics", () =>
    Effect.gen(function* () {
      const found = [
        { ...lie, count: 2, lastAt: 9000, isLying: false },
        { ...lie, check: "logs", count: 3, lastAt: 1000, isLying: false }
      ]
      const workers = {
        count: () => ({ wanted: 2, running: 2, outdated: 0 }),
        families: Effect.succeed([]),
        lies: (network: string) => (network === "live" ? found : [])
      }
      const service = yield* Service.start(upstream, { workers })
      const [, health] = yield* get(service, "/health")
      const lies = health.networks[0].upstreams.map(({ lies }: { readonly lies?: object }) => lies)
      const last = { method: "eth_getProof", check: "account proof", at: at(9000) }
      assert.deepStrictEqual(lies, [{ count: 6, checks: { logs: 4, "account proof": 2 }, last }, undefined])
      const [details] = yield* service.networks
      assert.deepStrictEqual(
        details!.nodes.map(({ lies }) => lies?.count),
        [6, undefined]
      )
      const text = yield* service.metrics
      assert.include(text, 'plumbline_upstream_lies_total{network="live",node="a",check="logs"} 1')
      assert.notInclude(text, "account proof")
      const stateOf = (health: any): unknown => [health.networks[0].upstream, health.networks[0].upstreams[0].state]
      assert.deepStrictEqual(stateOf(health), ["up", "up"])
      // a withheld answer counts, and is not what a check refuted
      found.push({ ...lie, check: "absent", count: 1, lastAt: 9500, isLying: false })
      for (const one of found) one.isLying = true
      const [, resting] = yield* get(service, "/health")
      assert.deepStrictEqual(stateOf(resting), ["up", "lies"], "a worker does not ask it")
      assert.deepStrictEqual(resting.degraded, ["network live: node a lies: its answer was refuted: account proof"])
      assert.strictEqual((yield* service.networks)[0]!.nodes[0]!.state, "lies")
      found.length = 0
      assert.strictEqual((yield* get(service, "/health"))[1].networks[0].upstreams[0].lies.last.at, at(5000))
    })
  )
})

describe("a network that cannot be proven", () => {
  it("is degraded for people, with the reason once, and gets calls all the same", () => {
    const unproven = { ...network("up"), unproven: "game-status: it is open" }
    const { body, code } = answer("Health", status([unproven]), false)
    const degraded = ["network live: nothing can be proven: game-status: it is open"]
    assert.strictEqual(code, 200)
    assert.deepInclude(body, { status: "degraded", degraded })
    assert.strictEqual(answer("Readiness", status([unproven]), false).code, 200)
  })
})

describe("readiness", () => {
  /** It lied, is not set aside, and asked for a pause. */
  const paused = {
    ...network("lies"),
    upstreams: [{ name: "a", state: "lies", behind: undefined, nextAttemptAt: 1 }]
  } as const
  const aside = {
    ...network("lies"),
    upstreams: [
      { name: "a", state: "lies", behind: undefined, nextAttemptAt: 1, isAside: true },
      { name: "b", state: "down", behind: undefined }
    ]
  } as const
  const rows: ReadonlyArray<readonly [name: string, ServiceStatus, draining: boolean, code: number, reasons: number]> =
    [
      ["sends calls while a node answers", status([network("down"), network("up")]), false, 200, 0],
      ["sends calls while a node was not tried", status([network("untried")]), false, 200, 0],
      [
        "sends calls while only the stores of limits and usage are down",
        status([network("up")], "down"),
        false,
        200,
        0
      ],
      ["sends none while every node is down", status([network("down"), network("wrong")]), false, 503, 4],
      [
        "sends calls while the only node lies, because its answers are checked",
        status([network("lies")]),
        false,
        200,
        0
      ],
      ["sends none while the node that lies is set aside, and the other is down", status([aside]), false, 503, 3],
      ["sends calls while the only node lies and asked for a pause", status([paused]), false, 200, 0],
      ["sends none while no key can be looked up", status([network("up")], "up", "down"), false, 503, 1],
      ["sends none without networks", status([]), false, 503, 0],
      ["sends none while the service drains", status([network("up")]), true, 503, 1]
    ]
  for (const [name, found, draining, code, reasons] of rows) {
    it(`a load balancer ${name}`, () => {
      const given = answer("Readiness", found, draining)
      assert.strictEqual(given.code, code)
      assert.strictEqual((given.body as { readonly reasons: ReadonlyArray<string> }).reasons.length, reasons)
      assert.strictEqual(answer("Ready", found, draining).code, code)
    })
  }
})

describe("the health of a network under a light client", () => {
  const trust = {
    heads: [{ head: "optimistic", slot: 7, ageSeconds: 140, signed: 500, isTrusted: false }],
    problems: ["the newest head is 2m 20s old"],
    unknownFork: { name: "heze", inSeconds: 3600 }
  } as const

  it("is degraded while a head is not trusted, shows the heads, and leaves the service ready", () => {
    const found = status([{ ...network("up"), trust }])
    const { body, code } = answer("Health", found, false)
    assert.strictEqual(code, 200)
    assert.deepInclude(body, { status: "degraded", degraded: ["network live: the newest head is 2m 20s old"] })
    assert.deepInclude((body as any).networks[0], { name: "live", trust })
    assert.strictEqual(answer("Readiness", found, false).code, 200)
    const well = { ...trust, problems: [] }
    assert.deepInclude(answer("Health", status([{ ...network("up"), trust: well }]), false).body, { status: "ok" })
  })

  it("is in the metrics, at 0 before the light client has started", () => {
    const text = (one: ServiceStatus["networks"][number]) => Exposition.text(TrustMetrics.families([one]))
    const started = text({ ...network("up"), trust })
    assert.include(started, 'plumbline_trust_age_seconds{network="live",head="optimistic"} 140')
    assert.include(started, 'plumbline_trust_up{network="live",head="optimistic"} 0')
    assert.include(started, 'plumbline_trust_unknown_fork_seconds{network="live",fork="heze"} 3600')
    const begins = text({ ...network("up"), trust: { heads: [], problems: ["not started"] } })
    assert.include(begins, 'plumbline_trust_up{network="live",head="finalized"} 0')
    assert.notInclude(begins, "plumbline_trust_age_seconds{")
  })
})
