/**
 * The dashboard and the alerts of `deploy/`. The tests check four things:
 *
 * - Prometheus' grammar can read every query.
 * - Every metric in a query exists.
 * - The metric of each alert changes when the reason for the alert happens to a real service.
 * - Prometheus, evaluating the rules, fires each alert for its own reason only.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Accounts, type Gateway, HttpUpstream, Metering, MeteringStore, StateError } from "@plumbline/gateway"
import * as State from "@plumbline/gateway/support/accounts"
import * as Cached from "@plumbline/gateway/support/cached"
import * as Certificates from "@plumbline/gateway/support/certificates"
import * as Databases from "@plumbline/gateway/support/databases"
import * as FakeNode from "@plumbline/gateway/support/fakeNode"
import { Exposition, NodeMetrics, TrustMetrics } from "@plumbline/gateway/support/internals"
import * as Metered from "@plumbline/gateway/support/metered"
import { Scrape } from "@plumbline/gateway/support/scrape"
import * as Service from "@plumbline/gateway/support/service"
import { parser } from "@prometheus-io/lezer-promql"
import { Effect, Layer, type Scope } from "effect"
import { parse } from "yaml"

import * as Webhooks from "../support/webhooks.ts"

const root = path.resolve(import.meta.dirname, "../../../..")
const read = (file: string): string => readFileSync(path.join(root, file), "utf8")

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly summary: string }
}

const rules: ReadonlyArray<Rule> = parse(read("deploy/helm/plumbline/alerts.yml")).groups.flatMap(
  ({ rules }: { readonly rules: ReadonlyArray<Rule> }) => rules
)

interface Panel {
  readonly title: string
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}

const queries: ReadonlyArray<readonly [string, string]> = (
  JSON.parse(read("deploy/grafana/dashboard.json")).panels as ReadonlyArray<Panel>
).flatMap(({ targets = [], title }) => targets.map(({ expr }) => [title, expr] as const))

interface Selector {
  readonly name: string
  /** The labels that the query compares for equality, with their values. */
  readonly labels: Readonly<Record<string, string>>
}

/** Returns the metrics that a query uses. Fails if the query is not valid PromQL. */
const selectorsOf = (expr: string): ReadonlyArray<Selector> => {
  // As Grafana does, replaces Grafana's variables before Prometheus's parser reads the query.
  const text = expr.replaceAll("$__rate_interval", "5m").replaceAll("$network", ".*")
  const found: Array<Selector> = []
  parser.parse(text).iterate({
    enter: ({ from, name, node, to, type }) => {
      assert.isFalse(type.isError, `no PromQL: ${text}`)
      if (name !== "VectorSelector") return
      const metric = node.getChild("Identifier")
      const shown = text.slice(from, to)
      const labels = Object.fromEntries(
        [...shown.matchAll(/(\w+)="([^"]*)"/gu)].map(([, label = "", value = ""]) => [label, value])
      )
      found.push({ name: metric === null ? shown : text.slice(metric.from, metric.to), labels })
    }
  })
  return found
}

/** The names of the metrics in the reference documentation. */
const documented = new Set(
  [...read("docs/reference/gateway-metrics.md").matchAll(/^\| `(plumbline_\w+)`/gmu)].map(([, name]) => name!)
)

const exists = (name: string): boolean =>
  documented.has(name.replace(/_(?:bucket|sum|count)$/u, "")) || /^(?:up$|process_)/u.test(name)

const trusting = (isTrusted: boolean, inSeconds: number, beacon: "up" | "down" = "up"): Scrape => {
  const heads = [{ head: "optimistic", slot: 7, ageSeconds: 14, signed: 500, isTrusted }] as const
  const trust = {
    heads,
    problems: [],
    nodes: [{ name: "b1", state: beacon }],
    unknownFork: { name: "heze", inSeconds }
  }
  return new Scrape(Exposition.text(TrustMetrics.families([{ name: "live", chainId: 1, upstream: "up", trust }])))
}

/** The metric of a service with workers, as the tests of the command see it. */
const replaced = (crashes: number): Scrape => {
  const samples = [{ labels: { cause: "crash" }, value: crashes }]
  return new Scrape(Exposition.text([{ name: "plumbline_worker_exits_total", type: "counter", help: "h", samples }]))
}

/** The metric of an archive of light client data, as the tests of its package see it. */
const archived = (follows: boolean): Scrape => {
  const samples = [{ labels: { network: "live" }, value: follows ? 1 : 0 }]
  return new Scrape(Exposition.text([{ name: "plumbline_beacon_following", type: "gauge", help: "h", samples }]))
}

const BODY = Service.call("eth_chainId")
const works = { call: () => Effect.succeed(new TextEncoder().encode('"0x1"')) }
const gone = HttpUpstream.make({ url: "http://127.0.0.1:1" })

const scraped = (service: Pick<Gateway.Gateway["Service"], "metrics">) =>
  Effect.map(service.metrics, (text) => new Scrape(text))

/** The metrics before and after the reason for an alert happened. */
type Seen = readonly [before: Scrape, after: Scrape]

const around = <E, R>(service: Pick<Gateway.Gateway["Service"], "metrics">, reason: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const before = yield* scraped(service)
    yield* reason
    return [before, yield* scraped(service)] as const
  })

const nodeGone = Effect.gen(function* () {
  const service = yield* Service.start(yield* gone)
  return yield* around(service, Service.ask(service, { body: BODY }))
})

const lies = (count: number): Scrape => {
  const last = { method: "eth_getProof", check: "stateRoot", at: "2026-11-01T00:00:00.000Z" }
  const node = { name: "n", state: "up", behind: 0, lies: { count, checks: { stateRoot: count }, last } } as const
  return new Scrape(
    Exposition.text(
      NodeMetrics.families({ networks: [{ name: "live", chainId: 1, upstream: "up", upstreams: [node] }] })
    )
  )
}

/** The metrics of a network with one node, in a state. */
const standing = (state: "up" | "lies"): Scrape => {
  const node = { name: "n", state, behind: 0 } as const
  const networks = [{ name: "live", chainId: 1, upstream: state, upstreams: [node] }]
  return new Scrape(Exposition.text(NodeMetrics.families({ networks })))
}

/** Makes a sender of webhooks, with a receiver that accepts everything. */
const webhook = Effect.gen(function* () {
  const { sql, tell, webhooks } = yield* Webhooks.join(yield* Databases.kinds[0]!.fresh)
  const { url } = yield* Webhooks.receiver([200])
  const { deliver, families } = yield* webhooks([{ name: "one", url, secret: Webhooks.SECRET }])
  return { deliver, sql, tell, metrics: Effect.map(families, Exposition.text) }
})

/**
 * For each alert, an effect that makes the reason for the alert happen. `ProcessDown` uses a metric of Prometheus
 * itself.
 */
const reasons: Readonly<Record<string, Effect.Effect<Seen, unknown, Scope.Scope>>> = {
  NoNodeAnswers: nodeGone,
  NodeDown: nodeGone,
  CallsFail: nodeGone,
  NodesUnanswering: nodeGone,
  EachNodeLies: Effect.succeed([standing("up"), standing("lies")]),
  NodeLies: Effect.succeed([lies(0), lies(1)]),
  TrustStale: Effect.succeed([trusting(true, 9), trusting(false, 9)]),
  TrustNodeDown: Effect.succeed([trusting(true, 9), trusting(true, 9, "down")]),
  ForkUnknown: Effect.succeed([trusting(true, 9), trusting(true, 8)]),
  ArchiveStopped: Effect.succeed([archived(true), archived(false)]),
  WorkersEnd: Effect.succeed([replaced(0), replaced(1)]),
  CallsSlow: Effect.gen(function* () {
    const node = yield* FakeNode.make(
      ({ id }) =>
        (response) =>
          void setTimeout(() => FakeNode.json(response, JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" })), 60)
    )
    const service = yield* Service.start(yield* HttpUpstream.make({ url: node.url }))
    return yield* around(service, Service.ask(service, { body: BODY }))
  }),
  ProjectsDown: Effect.gen(function* () {
    let isUp = true
    const state = Layer.effect(
      Accounts.Accounts,
      Effect.map(Accounts.Accounts, (accounts) => ({ ...accounts, state: () => (isUp ? "up" : "down") }))
    ).pipe(Layer.provideMerge(State.layer(Service.projects)))
    const service = yield* Service.start(works, {}, state)
    return yield* around(
      service,
      Effect.sync(() => {
        isUp = false
      })
    )
  }),
  UsageNotWritten: Effect.gen(function* () {
    // On this full disk a batch fails, and a small change succeeds.
    const store: MeteringStore.UsageStore = {
      commit: () => Effect.fail(new StateError.StateError({ problem: "Unavailable", detail: "the disk is full" })),
      ping: Effect.void,
      addLatencies: () => Effect.void,
      forget: () => Effect.void
    }
    const service = yield* Metered.start({
      instead: Metering.layer({ timeout: "3 seconds" }).pipe(
        Layer.provide(Layer.succeed(MeteringStore.MeteringStore, store)),
        Layer.orDie
      )
    })
    const seen = yield* around(service, Service.ask(service, { body: BODY }))
    for (let again = 0; again < 5; again++) {
      const { status } = yield* Service.ask(service, { body: BODY })
      assert.strictEqual(status, 503)
      assert.strictEqual((yield* scraped(service)).value("plumbline_metering_up"), 0)
    }
    return seen
  }),
  UsageWaits: Effect.gen(function* () {
    const up = yield* Service.start(works)
    const waiting = yield* Metered.start({ instead: Metered.meteringWaits(2000) })
    return [yield* scraped(up), yield* scraped(waiting)]
  }),
  LimitsDown: Effect.gen(function* () {
    const service = yield* Metered.start({
      project: { limits: { creditsPerDay: 1000 } },
      instead: Metered.limiterDown("closed")
    })
    return yield* around(service, Service.ask(service, { body: BODY }))
  }),
  AtCapacity: Effect.gen(function* () {
    const service = yield* Service.start(works, { limits: { bufferedBytes: 10 } })
    return yield* around(service, Service.ask(service, { body: BODY }))
  }),
  LoopLags: Effect.gen(function* () {
    const service = yield* Service.start(works)
    const held = Effect.sync(() => {
      for (const end = performance.now() + 400; performance.now() < end;);
    })
    const before = yield* scraped(service)
    yield* held
    // The delayed timer fires in one of the next turns of the event loop, so the scrape is repeated until it shows the
    // delay.
    const measured = (scrape: Scrape) => scrape.buckets("plumbline_event_loop_lag_seconds").at(-1)![1]
    const after = yield* Effect.repeat(scraped(service), { until: (scrape) => measured(scrape) > measured(before) })
    const late = after.buckets("plumbline_event_loop_lag_seconds")
    assert.isAbove(late.at(-1)![1], late.find(([bound]) => bound === 0.1)![1])
    return [before, after]
  }),
  KeysGuessed: Effect.gen(function* () {
    const service = yield* Service.start(works)
    return yield* around(service, Service.ask(service, { path: `/v3/${"f".repeat(32)}`, body: BODY }))
  }),
  CacheDamaged: Effect.gen(function* () {
    const database = yield* Databases.kinds[0]!.fresh
    const first = yield* Cached.start({ database })
    yield* Service.ask(first, { body: Cached.BODY })
    yield* Cached.damage(first.sql)
    const service = yield* Cached.start({ database })
    return yield* around(service, Service.ask(service, { body: Cached.BODY }))
  }),
  WebhookLate: Effect.gen(function* () {
    const sender = yield* webhook
    return yield* around(sender, Effect.andThen(sender.tell("usage.day"), Effect.sleep("5 millis")))
  }),
  WebhookLoses: Effect.gen(function* () {
    const sender = yield* webhook
    const { deliver, sql, tell } = sender
    const lost = sql`DELETE FROM usage_events WHERE id = 1`
    return yield* around(sender, Effect.all([tell("usage.day", "usage.day"), lost, deliver]))
  }),
  CertificateEnds: Effect.gen(function* () {
    const [long, short] = yield* Effect.promise(() =>
      Promise.all([Certificates.make("long", 90), Certificates.make("short", 7)])
    )
    const service = yield* Service.start(works, { tls: long })
    return yield* around(service, service.renew(short))
  })
}

describe("the dashboard", () => {
  it("has queries of metrics that exist", () => {
    assert.isAbove(queries.length, 20)
    for (const [title, expr] of queries) {
      const selectors = selectorsOf(expr)
      assert.isNotEmpty(selectors, title)
      for (const { name } of selectors) assert.isTrue(exists(name), `${title}: ${name}`)
    }
  })

  it("shows every metric of the reference, except parts of a sum", () => {
    const shown = new Set(
      queries.flatMap(([, expr]) => selectorsOf(expr).map(({ name }) => name.replace(/_(?:bucket|sum|count)$/u, "")))
    )
    const hidden = [...documented].filter((name) => !shown.has(name))
    assert.deepStrictEqual(hidden, [
      "plumbline_slow_calls_total",
      "plumbline_upstream_head_block",
      "plumbline_upstream_calls_total"
    ])
  })
})

describe("the reference of metrics", () => {
  it.live("names every metric of a service", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(yield* gone, {
        tls: yield* Effect.promise(() => Certificates.make("reference"))
      })
      const others = [(yield* Cached.start()).metrics, (yield* webhook).metrics]
      const text = `${yield* service.metrics}${(yield* Effect.all(others)).join("")}`
      const named = [...text.matchAll(/^# TYPE (\S+)/gmu)].map(([, name]) => name!)
      assert.isAbove(named.length, 15)
      assert.deepStrictEqual(
        named.filter((name) => !exists(name)),
        []
      )
    })
  )
})

/** Runs Prometheus' tool for rules. `sh scripts/servers.sh` installs it. */
const promtool = (...args: ReadonlyArray<string>) => {
  const { error, status, stderr, stdout } = spawnSync("promtool", args, {
    cwd: path.join(root, "deploy/prometheus"),
    encoding: "utf8"
  })
  return { isMissing: error !== undefined, status, text: `${stdout}${stderr}` }
}
const hasPromtool = !promtool("--version").isMissing
if (!hasPromtool && process.env["CI"] === undefined) console.warn("no promtool: the tests of alert rules are skipped")

describe.skipIf(!hasPromtool && process.env["CI"] === undefined)("Prometheus, with the rules", () => {
  it("takes them", () => {
    const { status, text } = promtool("check", "rules", "../helm/plumbline/alerts.yml")
    assert.strictEqual(status, 0, text)
  })

  it("fires each alert for its reason, and is silent when all is well", () => {
    const { status, text } = promtool("test", "rules", "alerts.test.yml")
    assert.strictEqual(status, 0, text)
    const tests = parse(read("deploy/prometheus/alerts.test.yml")).tests as ReadonlyArray<{
      readonly alert_rule_test: ReadonlyArray<{ readonly alertname: string; readonly exp_alerts?: unknown }>
    }>
    const seen = (fires: boolean) =>
      new Set(
        tests
          .flatMap(({ alert_rule_test }) => alert_rule_test)
          .filter(({ exp_alerts }) => (exp_alerts !== undefined) === fires)
          .map(({ alertname }) => alertname)
      )
    const names = rules.map(({ alert }) => alert).sort()
    assert.deepStrictEqual([...seen(true)].sort(), names)
    assert.deepStrictEqual([...seen(false)].sort(), names)
  })
})

describe("an alert", () => {
  it("has a reason in this test, and instructions for the operator", () => {
    assert.deepStrictEqual(
      Object.keys(reasons).sort(),
      rules
        .map(({ alert }) => alert)
        .filter((name) => name !== "ProcessDown")
        .sort()
    )
    const guide = read("docs/operate.md")
    for (const { alert } of rules) assert.include(guide, `\`${alert}\``, alert)
  })

  for (const { alert, annotations, expr } of rules) {
    it(`${alert} has an expression of metrics that exist`, () => {
      for (const { name } of selectorsOf(expr)) assert.isTrue(exists(name), name)
      assert.match(annotations.summary, /\.$/u)
    })
  }

  for (const [alert, reason] of Object.entries(reasons)) {
    it.live(`${alert} looks at a metric that moves`, () =>
      Effect.gen(function* () {
        const { expr } = rules.find((rule) => rule.alert === alert)!
        const [before, after] = yield* reason
        const moved = selectorsOf(expr).filter(({ labels, name }) => {
          // The scrape's parser does not support regular expressions, so status=~"5.." matches every status here.
          const at = (scrape: Scrape) => scrape.value(name, labels) ?? 0
          return at(before) !== at(after)
        })
        assert.isNotEmpty(moved, expr)
      })
    )
  }
})
