/**
 * The outage drill: each store and each node of two services stops, first in a quiet moment and then under load. Health,
 * metrics, and a Prometheus with the files of `deploy` say so within ten seconds, and health and metrics say when all is
 * well again. No acknowledged call is lost.
 */
import { writeFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"

import { describe, expect, it } from "@effect/vitest"
import { History, HistoryChain } from "@plumbline/devnet"
import { freePort } from "@plumbline/gateway/support/ports"
import { Effect } from "effect"

import * as Alerts from "../../support/Alerts.ts"
import * as BeaconNode from "../../support/BeaconNode.ts"
import * as Children from "../../support/Children.ts"
import * as Databases from "../../support/Databases.ts"
import * as LyingNode from "../../support/LyingNode.ts"
import * as Mortal from "../../support/Mortal.ts"
import * as Upped from "../../support/Upped.ts"

/** Milliseconds within which everything must say that a part has stopped. */
const LIMIT = 10_000

/** Milliseconds within which health and metrics must say that it is back: the pause between two probes, and a probe. */
const RECOVERY = 15_000

const TOKEN = "0a7c".repeat(16)
const HELLO = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"

/** The signs of an outage. */
interface Sign {
  readonly metric: string
  readonly health: string
  readonly alert: Alerts.Alert
}

interface Outage {
  readonly name: string
  readonly service: Service
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
  readonly signs: ReadonlyArray<Sign>
  /** The status of `/readyz` during the outage. */
  readonly ready: 200 | 503
}

/** Starts a service, whose metrics are on a port of their own. */
const started = async (folder: string, name: string, configuration: string, data: string | undefined) => {
  const file = `${folder}/${name}.yaml`
  const port = await freePort()
  await writeFile(
    file,
    `${configuration}
admin: { token: ${TOKEN} }
observability: { metrics: { port: ${port} } }
`
  )
  const up = await Upped.start(data, ["--config", file])
  const { url } = up.announcement
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" }
  const admin = async (path: string, body?: object): Promise<any> => {
    const given = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
    const response = await fetch(`${url}/admin/v1${path}`, { headers, ...given })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const { apiKey, apiKeySecret, project } = await admin("/projects", {
    name: "drill",
    card: true,
    limits: { creditsPerDay: 10_000_000 }
  })
  const metrics = `http://127.0.0.1:${port}/metrics`
  return {
    ...up,
    target: `127.0.0.1:${port}`,
    call: (network: string, body: string) =>
      fetch(`${url}/${network}/v3/${apiKey}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body
      }),
    ipfs: (command: string) =>
      fetch(`${up.announcement.ipfsUrl}/api/v0/${command}`, {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` }
      }),
    ready: async () => (await fetch(`${url}/readyz`)).status,
    /** Returns a sentence for each degraded part, and the lines of the metrics. */
    seen: async () => {
      const [health, text] = await Promise.all([fetch(`${url}/health`), fetch(metrics)])
      return {
        degraded: (await health.json()).degraded as ReadonlyArray<string>,
        lines: (await text.text()).split("\n")
      }
    },
    /** Returns the recorded calls of JSON-RPC that were answered with 200. */
    recorded: async () => {
      const { rows } = await admin(`/usage?project=${project.id}&window=15m`)
      return rows
        .filter(({ product, status }: any) => product === "rpc" && status === 200)
        .reduce((sum: number, { calls }: any) => sum + Number(calls), 0)
    }
  }
}
type Service = Awaited<ReturnType<typeof started>>

/** Makes twenty calls a second, without waiting for their answers. */
const load = (calls: ReadonlyArray<() => Promise<Response>>) => {
  let [sent, answered, content, refused] = [0, 0, 0, 0]
  const underWay = new Set<Promise<void>>()
  const timer = setInterval(() => {
    const call = calls[sent++ % calls.length]!
    const ended = (async () => {
      const response = await call()
      const text = await response.text()
      if (response.status === 200 && text.includes('"result"')) answered++
      else if (response.status === 200 && text === "hello") content++
      else if (response.status !== 200) refused++
    })()
    underWay.add(ended)
    void ended.finally(() => underWay.delete(ended)).catch(() => undefined)
  }, 50)
  return {
    underWay: () => underWay.size,
    stop: async () => {
      clearInterval(timer)
      await Promise.all(underWay)
      return { answered, content, refused }
    }
  }
}

/** Repeats a question until the answer is true. Returns the milliseconds since `from`; fails after `limit` of them. */
const until = async (what: string, from: number, limit: number, isTrue: () => Promise<boolean>): Promise<number> => {
  for (;;) {
    if (await isTrue()) return performance.now() - from
    if (performance.now() - from > limit) throw new Error(`${what}: not within ${limit} ms`)
    await sleep(100)
  }
}

/** Stops a part, and starts it again when everything has said that it stopped. Returns the measured milliseconds. */
const drilled = async (prometheus: Alerts.Prometheus, outage: Outage) => {
  const { name, ready, service, signs, start, stop } = outage
  const value = ({ lines }: Awaited<ReturnType<Service["seen"]>>, { metric }: Sign) =>
    lines.find((line) => line.startsWith(`${metric} `))?.at(-1)
  const isShown = (seen: Awaited<ReturnType<Service["seen"]>>, { health }: Sign) =>
    seen.degraded.some((sentence) => sentence.includes(health))
  const fires = async ({ alert }: Sign) =>
    (await prometheus.firing()).some((one) => Object.entries(alert).every(([label, text]) => one[label] === text))
  for (const sign of signs) {
    const before = await service.seen()
    expect([name, value(before, sign), isShown(before, sign), await fires(sign)]).toEqual([name, "1", false, false])
  }
  const stopped = performance.now()
  await stop()
  const measured = await Promise.all(
    signs.map(async (sign) => {
      const alertname = sign.alert["alertname"]!
      const what = `${name}, ${alertname}`
      const [metric, health, alert] = await Promise.all([
        until(`${what}: metric`, stopped, LIMIT, async () => value(await service.seen(), sign) === "0"),
        until(`${what}: health`, stopped, LIMIT, async () => isShown(await service.seen(), sign)),
        until(`${what}: alert`, stopped, LIMIT, () => fires(sign))
      ])
      // The alert came at a lucky moment of the scrapes. At the worst moment it must come in time too.
      expect(metric + Alerts.delayOf(alertname), what).toBeLessThan(LIMIT)
      return { outage: name, sign: alertname, metric, health, alert, recovery: 0 }
    })
  )
  expect([name, await service.ready()]).toEqual([name, ready])
  const restarted = performance.now()
  await start()
  for (const [index, sign] of signs.entries()) {
    measured[index]!.recovery = await until(`${name} after the restart`, restarted, RECOVERY, async () => {
      const seen = await service.seen()
      return value(seen, sign) === "1" && !isShown(seen, sign) && (await service.ready()) === 200
    })
  }
  return measured.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, typeof value === "number" ? Math.round(value) : value])
    )
  )
}

const beacon = BeaconNode.beacon()

describe.skipIf(Databases.skipped || Alerts.skipped)("the outage drill", () => {
  it("shows each stopped store and node within ten seconds, and loses no acknowledged call", async () => {
    await using databases = await Databases.start()
    await using folder = await Children.folder()
    const history = await Effect.runPromise(History.make)
    const answering = async (request: Parameters<typeof LyingNode.textOf>[0]) =>
      Effect.runPromise(history.handle(await LyingNode.textOf(request)))
    const node = () =>
      Mortal.serve(async (request, response) => {
        const text = await answering(request)
        response.end(text)
      })
    const kubo = () =>
      Mortal.serve((request, response) => {
        request.resume()
        if (request.url!.includes("block/get")) return void response.end("hello")
        response.setHeader("content-type", "application/json")
        response.end('{"Version":"0.42.0","Commit":"","Repo":"16","System":"","Golang":""}')
      })
    const { chain, checkpoint, networkFile } = beacon()
    const light = () => Mortal.serve(chain.handle)
    await using dead = await node()
    await using hung = await node()
    await using spare = await node()
    await using own = await node()
    await using deadKubo = await kubo()
    await using hungKubo = await kubo()
    await using deadBeacon = await light()
    await using hungBeacon = await light()
    await using spareBeacon = await light()

    const pair = (first: string) =>
      `{ chainId: ${HistoryChain.chainId}, upstreams: [{ name: first, url: "${first}" }, { name: spare, url: "${spare.url}" }] }`
    const beacons = [deadBeacon, hungBeacon, spareBeacon].map(({ url }) => `"${url}"`).join(", ")
    const starting = started(
      folder.path,
      "nodes",
      `networks:
  dead: ${pair(dead.url)}
  hung: ${pair(hung.url)}
  proven: { upstreams: [{ embedded: history }], integrity: prove, trust: { checkpoint: "${checkpoint}", network: "${networkFile}", beacon: [${beacons}] } }
  owned: { upstreams: [{ embedded: history }], integrity: prove, trust: { operator: "${own.url}", accept: true } }
ipfs:
  node: "${deadKubo.url}"
  fallbacks: [{ name: hung, node: "${hungKubo.url}" }]
  cache: { memory: 0, disk: 0 }
  tryTimeout: 1s
  timeout: 2s`,
      `${folder.path}/data`
    )
    const [nodes, stores] = await Promise.all([
      starting,
      started(
        folder.path,
        "stores",
        `networks: { history: { upstreams: [{ embedded: history }] } }
ipfs: { node: none }
state: { postgres: "${databases.postgres}", redis: "${databases.redis}" }`,
        undefined
      )
    ])

    const ofNode = (network: string, name: string, victim: Mortal.Mortal, how: "die" | "hang"): Outage => ({
      name: `${network} ${name}, ${how === "die" ? "dead" : "hung"}`,
      service: nodes,
      stop: victim[how],
      start: victim.revive,
      ready: 200,
      signs: [
        {
          metric: `plumbline_upstream_up{network="${network}",node="${name}"}`,
          health: network === "ipfs" ? `IPFS: node ${name} is down` : `network ${network}: node ${name} is down`,
          alert: { alertname: "NodeDown", network, node: name }
        }
      ]
    })
    const ofTrust = (network: string, name: string, victim: Mortal.Mortal, how: "die" | "hang"): Outage => ({
      name: `trust's ${name}, ${how === "die" ? "dead" : "hung"}`,
      service: nodes,
      stop: victim[how],
      start: victim.revive,
      ready: 200,
      signs: [
        {
          metric: `plumbline_trust_node_up{network="${network}",node="${name}"}`,
          health: `network ${network}: the trust's node ${name} does not answer`,
          alert: { alertname: "TrustNodeDown", network, node: name }
        }
      ]
    })
    const ofStore = (name: string, health: string, alertname: string): Sign => ({
      metric: `plumbline_${name}_up`,
      health,
      alert: { alertname, instance: stores.target }
    })
    const projects = ofStore("accounts", "projects: the store is down", "ProjectsDown")
    const usage = ofStore("metering", "usage: the store is down", "UsageNotWritten")
    const { postgres, redis } = databases.servers
    const ofPostgres = (stop: () => void, ...signs: ReadonlyArray<Sign>): Outage => ({
      name: "Postgres",
      service: stores,
      stop: async () => {
        stop()
        await Effect.runPromise(postgres.crash)
      },
      start: () => Effect.runPromise(postgres.start),
      ready: 503,
      signs
    })
    const ofRedis: Outage = {
      name: "Redis",
      service: stores,
      stop: () => Effect.runPromise(redis.kill),
      start: () => Effect.runPromise(redis.start),
      ready: 200,
      signs: [ofStore("limiter", "limits: the store is down", "LimitsDown")]
    }
    const ofNodes = [
      ofNode("dead", "first", dead, "die"),
      ofNode("hung", "first", hung, "hang"),
      ofNode("ipfs", "node", deadKubo, "die"),
      ofNode("ipfs", "hung", hungKubo, "hang"),
      ofTrust("proven", "beacon-1", deadBeacon, "die"),
      ofTrust("proven", "beacon-2", hungBeacon, "hang"),
      ofTrust("owned", "operator", own, "hang")
    ]
    const targets = [nodes.target, stores.target]

    /** All parts stop at the same time, except the two stores of one service. */
    const drill = async (prometheus: Alerts.Prometheus, postgres: Outage) => {
      const ofStores = async () => [...(await drilled(prometheus, ofRedis)), ...(await drilled(prometheus, postgres))]
      return (await Promise.all([...ofNodes.map((one) => drilled(prometheus, one)), ofStores()])).flat()
    }
    const quiet = await (async () => {
      await using prometheus = await Alerts.start(targets)
      return await drill(
        prometheus,
        ofPostgres(() => undefined, projects)
      )
    })()

    const head = `0x${HistoryChain.head.number.toString(16)}`
    const balance = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "eth_getBalance",
      params: [HistoryChain.accounts[0]!.address, head]
    })
    const onNodes = load([
      () => nodes.call("dead", balance),
      () => nodes.call("hung", balance),
      () => nodes.call("dead", balance),
      () => nodes.ipfs(`block/get?arg=${HELLO}`)
    ])
    const onStores = load([() => stores.call("history", balance)])
    await using prometheus = await Alerts.start(targets)
    let atStop = 0
    const loaded = await drill(
      prometheus,
      ofPostgres(() => (atStop = onStores.underWay()), projects, usage)
    )
    console.table([...quiet, ...loaded.map((row) => ({ ...row, outage: `${row["outage"]}, under load` }))])

    const [ofNodesLoad, ofStoresLoad] = await Promise.all([onNodes.stop(), onStores.stop()])
    expect(ofNodesLoad.answered).toBeGreaterThan(100)
    expect(ofNodesLoad.content).toBeGreaterThan(20)
    expect(await nodes.recorded()).toBe(ofNodesLoad.answered)
    expect(ofStoresLoad.answered).toBeGreaterThan(100)
    // Calls that are refused before their project is known count where the alert CallsFail looks.
    expect(ofStoresLoad.refused).toBeGreaterThan(20)
    const { lines } = await stores.seen()
    expect(lines.some((line) => /^plumbline_calls_total\{.*method="unknown",status="503"\} [1-9]/u.test(line))).toBe(
      true
    )
    // A call whose commit was under way when Postgres ended may be recorded although it was refused.
    const recorded = await stores.recorded()
    expect(recorded).toBeGreaterThanOrEqual(ofStoresLoad.answered)
    expect(recorded).toBeLessThanOrEqual(ofStoresLoad.answered + atStop)
    expect(await nodes.stop()).toMatchObject({ code: 0 })
    expect(await stores.stop()).toMatchObject({ code: 0 })
  })
})
