/**
 * Several workers behind one port keep the promises of one process. The processes are real, and the counts of the clients
 * are the oracle.
 */
import { randomBytes } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { Agent, request } from "node:http"
import { request as secureRequest } from "node:https"
import { connect } from "node:net"

import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Network } from "@plumbline/beacon-light-client"
import { BeaconChain, History, HistoryChain } from "@plumbline/devnet"
import * as Ambiguous from "@plumbline/gateway/support/ambiguousRequests"
import * as Certificates from "@plumbline/gateway/support/certificates"
import { freePort } from "@plumbline/gateway/support/ports"
import { Context, Effect, Exit, Layer, Redacted, Schema, Scope } from "effect"
import { WebSocket } from "ws"

import * as Children from "../support/Children.ts"
import * as Databases from "../support/Databases.ts"
import * as LyingNode from "../support/LyingNode.ts"
import * as Servers from "../support/Servers.ts"
import * as Upped from "../support/Upped.ts"

const WORKERS = 3
const TOKEN = "5ec4e7".repeat(8)
/** The credits of `eth_chainId`. */
const COST = 5

type Service = Awaited<ReturnType<typeof Upped.start>>

const settings = `networks: { history: { upstreams: [{ embedded: history }] } }
ipfs: { node: none }
`

const start = async (
  folder: string,
  more = "",
  env: Record<string, string> = {},
  networks = settings
): Promise<Service> => {
  const file = `${folder}/plumbline.yaml`
  await writeFile(file, `${networks}${more}`)
  const data = more.includes("postgres") ? undefined : folder
  return Upped.start(data, ["--config", file, "--workers", String(WORKERS)], env)
}

/** The status of an answer; undefined if there was no whole answer. Each call has a connection of its own. */
const call = (
  { announcement: { url } }: Service,
  key: string,
  agent = new Agent({ keepAlive: false }),
  method = "eth_chainId",
  params: ReadonlyArray<unknown> = []
): Promise<{ readonly status: number | undefined; readonly body: any }> =>
  new Promise((resolve) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    const headers = { "content-type": "application/json", "content-length": String(body.length) }
    const sent = request(`${url}/v3/${key}`, { method: "POST", agent, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => (text += part))
      response.on("error", () => undefined)
      response.once("close", () =>
        resolve({
          status: response.complete ? response.statusCode : undefined,
          body: response.statusCode === 200 && response.complete ? JSON.parse(text) : text
        })
      )
    })
    sent.on("error", () => resolve({ status: undefined, body: "" }))
    sent.end(body)
  })

const workersOf = ({ pid }: Pick<Service, "pid">): ReadonlyArray<number> => Children.childrenOf(pid)

/** Waits until it holds. A question that a worker's end cuts off is asked again. */
const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 50))
}

const health = async ({ announcement }: Service): Promise<any> =>
  (await fetch(`${announcement.url}/health`, { headers: { connection: "close" } })).json()

const metrics = async ({ announcement }: Service, token = announcement.adminToken!): Promise<string> =>
  (
    await fetch(`${announcement.url}/metrics`, { headers: { authorization: `Bearer ${token}`, connection: "close" } })
  ).text()

const valueOf = (text: string, line: RegExp): number =>
  text
    .split("\n")
    .filter((one) => line.test(one))
    .reduce((sum, one) => sum + Number(one.split(" ").at(-1)), 0)

/** Returns the number of calls that were answered with 200, by the usage of the project. */
const metered = async (service: Service, project: string): Promise<number> => {
  const { rows } = await service.admin("GET", `/usage?project=${project}&window=24h`)
  return rows.reduce((sum: number, { calls, status }: any) => (status === 200 ? sum + Number(calls) : sum), 0)
}

/** Runs clients until `end`, and returns the outcomes of all their calls. */
const load = (service: Service, key: string, clients: number) => {
  const outcomes: Array<number | undefined> = []
  const state = { isOver: false }
  const agent = new Agent({ keepAlive: true })
  const running = Array.from({ length: clients }, async () => {
    while (!state.isOver) outcomes.push((await call(service, key, agent)).status)
  })
  return {
    outcomes,
    end: async () => {
      state.isOver = true
      await Promise.all(running)
      agent.destroy()
      return outcomes
    }
  }
}

/** Writes bytes to a connection of its own, and returns all that was answered until the service closed it. */
const raw = ({ announcement }: Service, text: string): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(announcement.url)
    const socket = connect(Number(port), hostname)
    let answer = ""
    socket.setEncoding("latin1").on("data", (part: string) => (answer += part))
    socket.on("error", () => undefined)
    socket.once("close", () => resolve(answer))
    socket.write(text, "latin1")
  })

describe("three workers over SQLite", { concurrent: false }, () => {
  let folder: Awaited<ReturnType<typeof Children.folder>>
  let service: Service
  beforeAll(async () => {
    folder = await Children.folder()
    service = await start(folder.path)
  }, 300_000)
  afterAll(async () => {
    service.process.kill("SIGKILL")
    await service.ended
    await folder[Symbol.asyncDispose]()
  })

  it("admit exactly as many calls as the project may make, and count them once", async () => {
    const { apiKey, project } = await service.admin("POST", "/projects", {
      name: "limited",
      limits: { creditsPerDay: 100 * COST + COST - 1, concurrency: 1000 }
    })
    const outcomes = await Promise.all(Array.from({ length: 300 }, () => call(service, apiKey)))
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(100)
    expect(outcomes.filter(({ status }) => status === 429)).toHaveLength(200)
    expect(await metered(service, project.id)).toBe(100)
    // Every worker answered some of the calls, and the metrics are those of all.
    const text = await metrics(service)
    expect(valueOf(text, /^plumbline_calls_total\{.*status="200"/u)).toBe(100)
    expect(valueOf(text, /^plumbline_workers /u)).toBe(WORKERS)
    expect(valueOf(text, /^plumbline_accounts_up /u)).toBe(1)
  })

  it("refuse a revoked key within a second", async () => {
    const { apiKey, key } = await service.admin("POST", "/projects", { name: "revoked" })
    const before = await Promise.all(Array.from({ length: 30 }, () => call(service, apiKey)))
    expect(before.every(({ status }) => status === 200)).toBe(true)
    await service.admin("DELETE", `/keys/${key.id}`)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const after = await Promise.all(Array.from({ length: 30 }, () => call(service, apiKey)))
    expect(after.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 401))
  })

  it("find each other's filters, and not those of another project", async () => {
    const { apiKey: own } = await service.admin("POST", "/projects", { name: "filters" })
    const { apiKey: other } = await service.admin("POST", "/projects", { name: "strangers" })
    const { body } = await call(service, own, undefined, "eth_newBlockFilter")
    expect(body.result).toMatch(/^0x/u)
    for (let poll = 0; poll < 12; poll++) {
      expect((await call(service, own, undefined, "eth_getFilterChanges", [body.result])).body.result).toEqual([])
    }
    const stranger = await call(service, other, undefined, "eth_getFilterChanges", [body.result])
    expect(stranger.body.error.message).toBe("filter not found")
    const ended = await call(service, own, undefined, "eth_uninstallFilter", [body.result])
    expect(ended.body.result).toBe(true)
  })

  it("start and end subscriptions", async () => {
    const { announcement } = service
    const socket = new WebSocket(`${announcement.wsUrl}/ws/v3/${announcement.apiKey}`)
    const answers: Array<any> = []
    await new Promise<void>((resolve, reject) => {
      socket.on("error", reject)
      socket.on("open", () => socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}'))
      socket.on("message", (data) => {
        answers.push(JSON.parse((data as Buffer).toString("utf8")))
        if (answers.length === 1) {
          socket.send(`{"jsonrpc":"2.0","id":2,"method":"eth_unsubscribe","params":["${answers[0].result}"]}`)
        } else resolve()
      })
    })
    socket.close()
    expect(answers[0].result).toMatch(/^0x/u)
    expect(answers[1]).toEqual({ jsonrpc: "2.0", id: 2, result: true })
  })

  it("follow the configuration when it is read again", async () => {
    const { apiKey } = await service.admin("POST", "/projects", { name: "reloaded" })
    const added = settings.replace("{ history:", "{ later: { upstreams: [{ embedded: history }] }, history:")
    expect(added).not.toBe(settings)
    await writeFile(`${folder.path}/plumbline.yaml`, added)
    service.process.kill("SIGHUP")
    const later = async () => {
      const response = await fetch(`${service.announcement.url}/later/v3/${apiKey}`, {
        method: "POST",
        headers: { "content-type": "application/json", connection: "close" },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
      })
      await response.text()
      return response.status === 200
    }
    await until(async () => (await Promise.all(Array.from({ length: 20 }, later))).every(Boolean))
  })

  it("lose no acknowledged usage and count none twice when a worker is killed, and replace it", async () => {
    const { apiKey, project } = await service.admin("POST", "/projects", {
      name: "killed",
      limits: { concurrency: 64 }
    })
    const before = valueOf(await metrics(service), /^plumbline_calls_total/u)
    const { end, outcomes } = load(service, apiKey, 24)
    await until(async () => outcomes.length > 100)
    const [first] = workersOf(service)
    process.kill(first!, "SIGKILL")
    await Children.gone([first!])
    const so = outcomes.length
    await until(async () => outcomes.length > so + 200)
    const all = await end()
    const acknowledged = all.filter((status) => status === 200).length
    const lost = all.filter((status) => status === undefined).length
    expect(acknowledged + lost).toBe(all.length)
    // Each client had at most one call at the worker.
    expect(lost).toBeLessThanOrEqual(24)
    const counted = await metered(service, project.id)
    expect(counted).toBeGreaterThanOrEqual(acknowledged)
    expect(counted).toBeLessThanOrEqual(acknowledged + lost)
    await until(async () => (await health(service)).workers.running === WORKERS)
    const text = await metrics(service)
    expect(valueOf(text, /^plumbline_worker_exits_total\{cause="crash"\}/u)).toBe(1)
    // What the killed worker had reported is not lost: a sum that falls would look like a restart of all.
    expect(valueOf(text, /^plumbline_calls_total/u)).toBeGreaterThanOrEqual(before)
    // The places of its calls are free again: so many calls at a time fit.
    const together = await Promise.all(Array.from({ length: 60 }, () => call(service, apiKey)))
    expect(together.every(({ status }) => status === 200)).toBe(true)
  })

  it("replace a worker that hangs", async () => {
    const [first] = workersOf(service)
    process.kill(first!, "SIGSTOP")
    // The system can still give a connection to the killed worker, whose socket then resets it.
    await until(async () => {
      try {
        const stuck = valueOf(await metrics(service), /^plumbline_worker_exits_total\{cause="stuck"\}/u)
        return stuck === 1 && (await health(service)).workers.running === WORKERS
      } catch {
        return false
      }
    })
    expect(Children.childrenOf(service.pid)).not.toContain(first)
  })

  it("pass the admin API and the console on, and log with their number", async () => {
    const { announcement } = service
    const page = await fetch(`${announcement.url}/console/`)
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    const wrong = await fetch(`${announcement.url}/metrics`, { headers: { authorization: "Bearer no" } })
    expect(wrong.status).toBe(401)
    expect((await fetch(`${announcement.url}/nothing`)).status).toBe(404)
    expect(await (await fetch(`${announcement.url}/livez`)).json()).toEqual({ status: "alive" })
  })

  it("refuse a request that two servers could read differently, at their own paths and at those they pass on", async () => {
    const { apiKey, project } = await service.admin("POST", "/projects", { name: "smuggled" })
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })
    const length = `content-length: ${body.length}\r\n`
    // the hidden request would be a call that is metered, or the creation of a project
    const call = Ambiguous.request(`POST /v3/${apiKey}`, `host: x\r\n${length}`, body)
    const created = '{"name":"hidden"}'
    const admin = `authorization: Bearer ${service.announcement.adminToken}\r\ncontent-type: application/json\r\n`
    const create = Ambiguous.request(
      "POST /admin/v1/projects",
      `host: x\r\n${admin}content-length: ${created.length}\r\n`,
      created
    )
    for (const [start, sent] of [
      [`POST /v3/${apiKey}`, body],
      ["POST /admin/v1/projects", created],
      ["POST /api/v0/version", ""]
    ] as const) {
      for (const { status, text, what } of Ambiguous.ambiguousRequests(start, sent)) {
        for (const hidden of [call, create]) {
          const answer = await raw(service, text + hidden)
          expect(answer.startsWith(`HTTP/1.1 ${status} `), `${start}, ${what}: ${answer.slice(0, 60)}`).toBe(true)
          expect(answer.split("HTTP/1.1 "), `${start}, ${what}`).toHaveLength(2)
        }
      }
    }
    expect(await metered(service, project.id)).toBe(0)
    const { projects } = await service.admin("GET", "/projects")
    expect(projects.map(({ name }: { readonly name: string }) => name)).not.toContain("hidden")
    // the hidden requests do run when nothing hides them
    const last = "connection: close\r\n"
    expect(await raw(service, call.replace(length, length + last))).toMatch(/^HTTP\/1\.1 200 /u)
    expect(await raw(service, create.replace(admin, admin + last))).toMatch(/^HTTP\/1\.1 20[01] /u)
  })

  it("answer every call that was read when the service ends, and end with it", async () => {
    const { apiKey, project } = await service.admin("POST", "/projects", { name: "drained" })
    const workers = workersOf(service)
    const { end, outcomes } = load(service, apiKey, 16)
    await until(async () => outcomes.length > 200)
    const { code } = await service.stop()
    await end()
    expect(code).toBe(0)
    await Children.gone(workers)
    // After the end of the service a client is refused; before that no answer is lost, so all lost calls come last.
    const last = outcomes.lastIndexOf(200)
    expect(
      outcomes.slice(0, last).filter((status) => status !== 200 && status !== 408 && status !== undefined)
    ).toEqual([])
    const again = await start(folder.path)
    const acknowledged = outcomes.filter((status) => status === 200).length
    expect(await metered(again, project.id)).toBe(acknowledged)
    const left = workersOf(again)
    expect(left).toHaveLength(WORKERS)
    await again.stop("SIGKILL")
    await Children.gone(left)
  })
})

describe("three workers over Postgres and Redis", { concurrent: false }, () => {
  it("admit exactly as many calls as the project may make, and count them once", async () => {
    await using databases = await Databases.start()
    await using folder = await Children.folder()
    const service = await start(
      folder.path,
      `state: { postgres: "\${POSTGRES}", redis: "${databases.redis}" }\nadmin: { token: ${TOKEN} }\nlimits: { timeout: 5s }\n`,
      { POSTGRES: databases.postgres }
    )
    const admin = async (method: string, path: string, body?: object): Promise<any> => {
      const response = await fetch(`${service.announcement.url}/admin/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", connection: "close" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      expect(response.ok).toBe(true)
      return response.json()
    }
    const { apiKey, project } = await admin("POST", "/projects", {
      name: "limited",
      limits: { creditsPerDay: 50 * COST }
    })
    const outcomes = await Promise.all(Array.from({ length: 150 }, () => call(service, apiKey)))
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(50)
    expect(outcomes.filter(({ status }) => status === 429)).toHaveLength(100)
    const { totals } = await admin("GET", `/usage/totals?project=${project.id}&window=1h`)
    expect(Number(totals.credits)).toBe(50 * COST)
    expect((await service.stop()).code).toBe(0)
  })
})

describe("two workers with a light client", { concurrent: false }, () => {
  it("prove from the heads that the supervisor follows, which asks the beacon node once for all", async () => {
    await using folder = await Children.folder()
    const scope = Scope.makeUnsafe()
    const chain = Context.get(
      await Effect.runPromise(
        Scope.provide(Layer.build(Layer.provide(BeaconChain.layer(), History.layerTransport())), scope)
      ),
      BeaconChain.BeaconChain
    )
    const checkpoint = await Effect.runPromise(chain.checkpoint)
    await writeFile(`${folder.path}/network.json`, JSON.stringify(Schema.encodeSync(Network.Network)(chain.network)))
    const asked: Array<string> = []
    await using beacon = await Servers.serve((request, response) => {
      asked.push(request.url!)
      chain.handle(request, response)
    })
    const history = await Effect.runPromise(Scope.provide(History.make, scope))
    await using node = await Servers.serve(
      async (request, response) =>
        void response.end(await Effect.runPromise(history.handle(await LyingNode.textOf(request))))
    )
    const service = await start(
      folder.path,
      "",
      {},
      `networks:
  history:
    chainId: ${HistoryChain.chainId}
    upstreams: [{ url: "${node.url}" }]
    integrity: prove
    trust: { checkpoint: "${checkpoint}", network: network.json, beacon: ["${beacon.url}"] }
ipfs: { node: none }
`
    )
    const { apiKey, url } = service.announcement
    const verdicts = new Set<string>()
    for (let call = 0; call < 16; call++) {
      const response = await fetch(`${url}/history/v3/${apiKey}`, {
        method: "POST",
        headers: { "content-type": "application/json", connection: "close" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "eth_getBalance",
          params: [HistoryChain.accounts[0]!.address, "finalized"]
        })
      })
      const anchor = (response.headers.get("plumbline-anchor") ?? "").split(" ")[0]
      verdicts.add(`${response.headers.get("plumbline-verdict")} ${anchor}`)
      await response.text()
    }
    expect([...verdicts]).toEqual(["VERIFIED light-client"])
    expect(asked.filter((path) => path.includes("/bootstrap/"))).toHaveLength(1)
    // The trust of the whole is in the state of the service, and no worker watches the beacon node itself.
    expect((await health(service)).networks[0].trust.heads).toHaveLength(2)
    expect((await service.stop()).code).toBe(0)
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
})

describe("two workers in front of a node that lies", { concurrent: false }, () => {
  it("show its lies in the health of the service, and each once to operators", async () => {
    await using folder = await Children.folder()
    const scope = Scope.makeUnsafe()
    const history = await Effect.runPromise(Scope.provide(History.make, scope))
    await using node = await Servers.serve(
      async (request, response) =>
        void response.end(await Effect.runPromise(history.handle(await LyingNode.textOf(request))))
    )
    const liar = await LyingNode.start(node.url)
    let told = 0
    const lying = liar.telling({
      method: "eth_getBlockByHash",
      change: (block) => {
        told++
        return { ...block, gasLimit: "0x1" }
      }
    })
    const service = await start(
      folder.path,
      "",
      {},
      `networks:
  history:
    chainId: ${HistoryChain.chainId}
    upstreams: [{ name: liar, url: "${lying}" }, { name: honest, url: "${node.url}" }]
    integrity: check
ipfs: { node: none }
`
    )
    const { apiKey } = service.announcement
    const { hash } = await liar.ask("eth_getBlockByNumber", ["0x1", false])
    const calls = await Promise.all(
      Array.from({ length: 48 }, () => call(service, apiKey, undefined, "eth_getBlockByHash", [hash, false]))
    )
    // The honest node answers each call that the liar did not.
    expect(calls.map(({ body }) => body.result?.gasLimit === "0x1")).toEqual(calls.map(() => false))
    expect(told).toBeGreaterThan(0)
    const shown = async () => (await health(service)).networks[0].upstreams.map(({ lies }: any) => lies?.count ?? 0)
    await until(async () => (await shown())[0] === told)
    expect(await shown()).toEqual([told, 0])
    // The supervisor answers for its workers: the word is the same in the health path and in the status.
    const [seen] = (await health(service)).networks[0].upstreams
    expect([seen.state, seen.problem]).toEqual(["lies", "its answer was refuted: header hash"])
    const [network] = (await service.admin("GET", "/status")).networks
    expect([network.upstreams[0].state, network.nodes[0].state, network.nodes[0].lies.count]).toEqual([
      "lies",
      "lies",
      told
    ])
    // Each look adds what is new. A worker's end does not take its lies back.
    const counted = async () => {
      const { lies } = await service.admin("GET", "/lies")
      return lies.map(({ check, count, node }: any) => [node, check, Number(count)])
    }
    for (let look = 0; look < 3; look++) expect(await counted()).toEqual([["liar", "header hash", told]])
    const [first] = workersOf(service)
    process.kill(first!, "SIGKILL")
    // Until it is gone, the system can still give it a connection, which is then reset.
    await Children.gone([first!])
    await until(async () => (await health(service)).workers.running === WORKERS)
    expect(await shown()).toEqual([told, 0])
    expect(await counted()).toEqual([["liar", "header hash", told]])
    expect((await service.stop()).code).toBe(0)
    await liar.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
})

describe("two services with workers", { concurrent: false }, () => {
  it.runIf(process.platform === "linux")("that start at one port in one moment do not share it", async () => {
    await using one = await Children.folder()
    await using two = await Children.folder()
    const port = await freePort()
    const started = await Promise.all(
      [one, two].map(async ({ path }) => {
        await writeFile(`${path}/plumbline.yaml`, settings)
        const words = ["--port", String(port), "--data", path, "--config", `${path}/plumbline.yaml`, "--workers", "2"]
        return Children.start(["up", "--json", ...words])
      })
    )
    const told = await Promise.all(started.map(async ({ firstLine }) => JSON.parse(await firstLine)))
    const refused = told.findIndex((line) => "error" in line)
    expect(told[refused]?.error.message).toContain(`${port}`)
    expect((await started[refused]!.ended).code).toBe(1)
    const kept = started[1 - refused]
    expect(told[1 - refused].url).toBe(`http://127.0.0.1:${port}`)
    expect(workersOf({ pid: kept!.process.pid! })).toHaveLength(2)
    kept!.process.kill("SIGTERM")
    expect((await kept!.ended).code).toBe(0)
  })
})

describe("three workers whose supervisor is killed", { concurrent: false }, () => {
  it("end with it, and no acknowledged call is lost or counted twice", async () => {
    await using folder = await Children.folder()
    let service = await start(folder.path)
    const { apiKey, project } = await service.admin("POST", "/projects", { name: "crashed" })
    let acknowledged = 0
    let unanswered = 0
    for (let round = 0; round < 3; round++) {
      const workers = workersOf(service)
      const { end, outcomes } = load(service, apiKey, 16)
      await until(async () => outcomes.filter((status) => status === 200).length > 150)
      service.process.kill("SIGKILL")
      await service.ended
      await Children.gone(workers)
      const all = await end()
      acknowledged += all.filter((status) => status === 200).length
      // A client has one call at a time, so at most its last call was counted and not answered.
      unanswered += 16
      service = await start(folder.path)
      const counted = await metered(service, project.id)
      expect(counted).toBeGreaterThanOrEqual(acknowledged)
      expect(counted).toBeLessThanOrEqual(acknowledged + unanswered)
    }
    expect((await service.stop()).code).toBe(0)
  })
})

describe("three workers with a certificate and IPFS", { concurrent: false }, () => {
  it("pass uploads on, and give the same bytes back", async () => {
    await using folder = await Children.folder()
    const { certificate, key } = await Certificates.make("workers")
    await writeFile(`${folder.path}/tls.crt`, certificate)
    await writeFile(`${folder.path}/tls.key`, Redacted.value(key))
    const tls = "tls: { certificate: tls.crt, key: tls.key }\n"
    const service = await start(folder.path, tls, {}, settings.replace("ipfs: { node: none }\n", ""))
    const { apiKey, apiKeySecret, ipfsUrl, url } = service.announcement
    expect(url).toMatch(/^https:/u)
    /** Posts a body in chunks, over a connection of its own. */
    const post = (path: string, type: string, pieces: ReadonlyArray<Uint8Array>): Promise<Buffer> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}`, "content-type": type }
        const options = { method: "POST", ca: certificate, agent: false, headers }
        const sent = secureRequest(`${ipfsUrl}/api/v0/${path}`, options, (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.once("error", reject)
          response.once("end", () => {
            if (response.statusCode === 200) resolve(Buffer.concat(chunks))
            else reject(new Error(Buffer.concat(chunks).toString()))
          })
        })
        sent.once("error", reject)
        for (const piece of pieces) sent.write(piece)
        sent.end()
      })
    const files = Array.from({ length: 6 }, (_, index) => randomBytes(index === 0 ? 8 * 2 ** 20 : 100_000))
    const added = await Promise.all(
      files.map(async (file) => {
        const head = Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n')
        const answer = await post("add", "multipart/form-data; boundary=b", [head, file, Buffer.from("\r\n--b--\r\n")])
        return String(JSON.parse(answer.toString()).Hash)
      })
    )
    for (const [index, cid] of added.entries()) {
      const read = await post(`cat?arg=${cid}`, "text/plain", [])
      expect(read.equals(files[index]!)).toBe(true)
    }
    expect((await service.stop()).code).toBe(0)
  })
})
