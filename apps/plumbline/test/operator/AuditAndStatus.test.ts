/** Tests `plumbline audit` and `plumbline status` against a real service. */
import { describe, expect, it } from "@effect/vitest"

import * as Operated from "../support/Operated.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"

const service = Operated.operated()

const where = () => ["--url", service().url, "--admin-token", service().token]

const json = async (...args: ReadonlyArray<string>) => {
  const { answer, exitCode } = await RunCli.json([...args, ...where()])
  expect([exitCode, answer.error]).toEqual([0, undefined])
  return answer
}

describe("audit", () => {
  it("shows the newest changes first, selected by author, action, target and time", async () => {
    const { project } = await json("projects", "create", "watched")
    await json("projects", "suspend", project.id)
    await json("projects", "update", project.id, "--name", "renamed", "--secret-required", "on")
    const own = ["audit", "--target", project.id]
    const all = (await json(...own)).entries
    expect(all.map(({ action }: { readonly action: string }) => action)).toEqual([
      "project.update",
      "project.update",
      "project.suspend",
      "project.create"
    ])
    expect(all[0]).toMatchObject({ by: "tests", target: project.id, changed: ["name", "secretRequired"] })
    expect(Math.abs(all[0].at - Date.now())).toBeLessThan(60_000)
    expect((await json(...own, "--last", "2")).entries).toEqual(all.slice(0, 2))
    expect((await json(...own, "--action", "project.update")).entries).toEqual(all.slice(0, 2))
    expect((await json(...own, "--action", "key")).entries).toEqual([])
    expect((await json(...own, "--by", "nobody")).entries).toEqual([])
    expect((await json(...own, "--from", "1h")).entries).toEqual(all)
    expect((await json(...own, "--from", "2100-01-01")).entries).toEqual([])
    expect((await json("audit")).entries).toEqual(expect.arrayContaining(all))
    const { exitCode, stdout } = await RunCli.run(["audit", "--target", project.id, ...where()])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^4 changes\n\n {2}time +by +from +action +target +given +before +after\n/u)
    expect(stdout).toMatch(
      /tests +127\.0\.0\.1 +project\.update +\S+ +name, secretRequired +\{"name":"watched","secretRequired":false\} +\{"name":"renamed","secretRequired":true\}/u
    )
  })

  it("is exported as CSV and as lines of JSON", async () => {
    const { project } = await json("projects", "create", "exported")
    const run = (...args: ReadonlyArray<string>) => RunCli.run(["audit", "--export", ...args, ...where()])
    const lines = (await run("ndjson", "--from", "1h")).stdout.trimEnd().split("\n")
    const entries: ReadonlyArray<Record<string, unknown>> = lines.map((line) => JSON.parse(line))
    const made = entries.find(({ target }) => target === project.id)
    expect(made).toMatchObject({ by: "tests", from: "127.0.0.1", action: "project.create", before: null })
    expect(made).toMatchObject({ after: { name: "exported" } })
    const csv = (await run("csv")).stdout.trimEnd().split(/\r?\n/u)
    expect(csv[0]).toBe("id,at,by,from,action,target,changed,before,after")
    expect(csv.length).toBeGreaterThanOrEqual(entries.length + 1)
    expect(csv.find((line) => line.includes(project.id))).toContain(",tests,127.0.0.1,project.create,")
    const wrong = await RunCli.json(["audit", "--export", "csv", "--by", "tests", ...where()])
    expect([wrong.exitCode, wrong.answer.error.message]).toEqual([
      1,
      "--export prints all changes: give it with --from only"
    ])
  })

  it("reads page after page until it has enough, or there is no more", async () => {
    const entries = Array.from({ length: 2500 }, (_, index) => ({
      id: 2500 - index,
      at: "2026-11-21T00:00:00.000Z",
      by: index % 2 === 0 ? "ops" : "billing",
      action: "key.issue",
      target: `k${index}`,
      changed: []
    }))
    const asked: Array<string | null> = []
    await using server = await Servers.serve((request, response) => {
      const query = new URL(request.url!, "http://x.invalid").searchParams
      asked.push(query.get("before"))
      const below = entries.filter(({ id }) => id < Number(query.get("before") ?? Infinity))
      const page = below.slice(0, Number(query.get("limit")))
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ entries: page, next: page.length < below.length ? page.at(-1)!.id : null }))
    })
    const run = async (...args: ReadonlyArray<string>) => {
      const at = ["--url", server.url, "--admin-token", service().token]
      return (await RunCli.json(["audit", ...args, ...at])).answer.entries.length
    }
    expect(await run("--last", "1200", "--by", "ops")).toBe(1200)
    expect(asked).toEqual([null, "1501", "501"])
    expect(await run("--last", "100000")).toBe(2500)
    expect(await run("--target", "k2499")).toBe(1)
  })

  it.each(["0", "100001"])("refuses --last %s", async (last) => {
    const { answer, exitCode } = await RunCli.json(["audit", "--last", last, ...where()])
    expect([exitCode, answer.error.tag]).toEqual([1, "UsageError"])
  })
})

/** Returns the status of the real service in the form of its API. */
const present = async (): Promise<any> => {
  const headers = { authorization: `Bearer ${service().token}` }
  return (await fetch(`${service().url}/admin/v1/status`, { headers })).json()
}

/** A network in the form of an earlier version, without newer members. */
const network = {
  name: "live",
  chainId: 1,
  upstream: "up",
  upstreams: [],
  hosts: [],
  checked: false,
  head: null,
  nodes: []
}

/**
 * Starts a service with these answers. Without `webhooks` it answers 404 for their path, like a service of an earlier
 * version.
 */
const serving = (status: object, webhooks?: object) =>
  Servers.serve((request, response) => {
    const answer = request.url?.endsWith("/webhooks") === true ? webhooks : status
    if (answer === undefined) return void response.writeHead(404, { "content-type": "text/plain" }).end("not found\n")
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
  })

describe("status", () => {
  it("is 0 where everything works, and names networks, limits and usage", async () => {
    const found = await json("status")
    expect(found).toMatchObject({
      accounts: { store: "up" },
      limiter: { whenDown: "closed" },
      metering: { store: "up", waiting: 0 },
      problems: []
    })
    const { stdout } = await RunCli.run(["status", ...where()])
    expect(stdout).toMatch(/^Everything works\n\n {2}network +node +chain +state +blocks behind +lies\n/u)
    expect(stdout).toMatch(/^ {2}usage +up; 0 calls not recorded yet$/mu)
    expect(stdout).toMatch(/^ {2}cache +none$/mu)
    expect(stdout).toMatch(/^ {2}webhooks +none$/mu)
    expect([found.cache, found.webhooks]).toEqual([null, []])
  })

  it("is 1 where a part does not, and says which", async () => {
    const status = await present()
    const node = { state: "up", behind: 0 }
    const unknown = { hosts: [], checked: false, anchor: null, head: null, nodes: [] }
    const broken = {
      ...status,
      networks: [
        {
          ...unknown,
          name: "main",
          chainId: 1,
          upstream: "up",
          upstreams: [
            { ...node, name: "a" },
            { ...node, name: "b", state: "down" }
          ]
        },
        { ...unknown, name: "test", chainId: 5, upstream: "wrong", upstreams: [] },
        { ...unknown, name: "far", chainId: 9, upstream: "down", upstreams: [] }
      ],
      accounts: { store: "down" },
      limiter: { store: "down", whenDown: "open" },
      metering: { store: "down", waiting: 12, rows: 3 }
    }
    await using server = await serving(broken, { webhooks: [] })
    const at = ["--url", server.url, "--admin-token", service().token]
    const { answer, exitCode } = await RunCli.json(["status", ...at])
    expect(exitCode).toBe(1)
    expect(answer.problems).toEqual([
      "network main: node b is down",
      "network test: no node answers",
      "network far: no node answers",
      "projects: the store is down, calls are refused",
      "usage: the store is down, 12 calls wait",
      "limits: the store is down, calls are admitted uncounted"
    ])
    const people = await RunCli.run(["status", ...at])
    expect(people.exitCode).toBe(1)
    expect(people.stdout).toMatch(/^6 problems\n {2}network main: node b is down\n/u)
  })

  it("says what it can while the database is down", async () => {
    const down = { ...(await present()), accounts: { store: "down" } }
    await using server = await Servers.serve((request, response) => {
      const isStatus = request.url?.endsWith("/status") === true
      response.writeHead(isStatus ? 200 : 503, { "content-type": "application/json", "retry-after": "0" })
      response.end(
        JSON.stringify(isStatus ? down : { _tag: "Unavailable", message: "the state is not available: no connection" })
      )
    })
    const at = ["--url", server.url, "--admin-token", service().token]
    const { answer, exitCode } = await RunCli.json(["status", ...at])
    expect([exitCode, answer.problems]).toEqual([1, ["projects: the store is down, calls are refused"]])
    const { stdout } = await RunCli.run(["status", ...at])
    expect(stdout).toMatch(/^ {2}projects +down; cannot be read now$/mu)
  })

  it("shows the block that proofs end at, the cache, and webhooks", async () => {
    const status = await present()
    const anchor = {
      hash: "0xab",
      number: "1234567",
      time: "2026-11-23T00:00:00.000Z",
      ageMillis: 61_400,
      by: "a light client",
      finality: "finalized",
      problem: null
    }
    const webhook = {
      source: "operator",
      host: "127.0.0.1:1",
      events: ["usage.day"],
      waiting: 0,
      delivered: 1200,
      format: "json",
      deliveredAt: "2026-11-23T00:00:00.000Z",
      lost: 0,
      failures: 0,
      failedAt: null,
      problem: null,
      nextAt: null
    }
    const failing = { ...webhook, name: "pager", waiting: 3, lost: 2, failures: 5, problem: "it cannot be reached" }
    const cache = { hits: 60, stored: 10, joined: 5, asked: 25, entries: 7, bytes: 4096, corrupt: 1, dropped: 0 }
    const networks = [
      { ...network, anchor },
      { ...network, name: "bare", anchor: null },
      { ...network, name: "checked", checked: true, anchor: null },
      { ...network, name: "lost", anchor: { ...anchor, hash: null, problem: "no checkpoint" } }
    ]
    const webhooks = [{ ...webhook, name: "billing" }, { ...failing, failures: 4, name: "brief" }, failing]
    await using server = await serving({ ...status, networks, cache }, { webhooks })
    const at = ["--url", server.url, "--admin-token", service().token]
    const { answer, exitCode } = await RunCli.json(["status", ...at])
    expect([exitCode, answer.problems]).toEqual([
      1,
      [
        "network lost: nothing can be proven: no checkpoint",
        "webhook pager: 3 events wait, because it cannot be reached"
      ]
    ])
    expect(answer.networks[0].anchor).toMatchObject({ hash: "0xab", number: "1234567", finality: "finalized" })
    expect(answer.cache).toEqual(cache)
    expect(answer.webhooks.map(({ name, failures }: any) => [name, failures])).toEqual([
      ["billing", 0],
      ["brief", 4],
      ["pager", 5]
    ])
    const { stdout } = await RunCli.run(["status", ...at])
    for (const line of [
      /^ {2}anchor of live +block 1,234,567 0xab, 61 s old, from a light client, finalized$/mu,
      /^ {2}anchor of bare +none: with integrity: off, the service neither checks nor proves an answer/mu,
      /^ {2}anchor of checked +none: with integrity: check, the service proves only what a hash in the question proves/mu,
      /^ {2}anchor of lost +none: no checkpoint$/mu,
      /^ {2}cache +7 answers in memory, 4,096 bytes; 75 % of 100 questions answered; 1 stored answer was changed$/mu,
      /^ {2}webhook billing +1,200 events delivered, 0 waiting$/mu,
      /^ {2}webhook pager +1,200 events delivered, 3 waiting; 2 lost; 5 failed tries: it cannot be reached$/mu
    ]) {
      expect(stdout).toMatch(line)
    }
  })

  it("shows how many proofs of each node failed, and names projects", async () => {
    const { project } = await json("projects", "create", "named")
    const status = await present()
    const node = { behind: null, problem: null, head: null, lagMillis: null, responseMillis: null, lastError: null }
    const counts = { nextAttemptAt: null, calls: 1, faults: 0, faultsBy: {}, refusals: 0, hedges: 0, disagreements: 0 }
    const whole = { ...node, ...counts, state: "up", leftToday: null, lacks: [] }
    const last = { method: "eth_getBalance", check: "stateRoot", at: "2026-11-21T00:00:00.000Z" }
    const lying = {
      ...network,
      checked: true,
      upstreams: ["a", "b"].map((name) => ({ name, state: "up", behind: null })),
      nodes: [
        { ...whole, name: "a", lies: { count: 3, last } },
        { ...whole, name: "b", lies: null }
      ]
    }
    await using server = await Servers.serve((request, response) => {
      const isProjects = request.url?.includes("/projects") === true
      const found = isProjects ? { projects: [project], next: null } : { ...status, networks: [lying] }
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify(request.url?.endsWith("/webhooks") === true ? { webhooks: [] } : found))
    })
    const { stdout } = await RunCli.run(["status", "--url", server.url, "--admin-token", service().token])
    expect(stdout).toMatch(/^ +a +up +3$/mu)
    expect(stdout).toMatch(/^ +b +up +0$/mu)
    expect(stdout).toMatch(/lies of live, a +3 lies; the last: eth_getBalance, stateRoot, at 2026-11-21/u)
    expect(stdout).toContain(`named (${project.id})`)
  })

  it("reads a service of an earlier version, and says what that does not tell", async () => {
    const { cache: _, ...status } = await present()
    await using server = await serving({ ...status, networks: [network] })
    const at = ["--url", server.url, "--admin-token", service().token]
    const { answer, exitCode } = await RunCli.json(["status", ...at])
    expect([exitCode, answer.problems]).toEqual([0, []])
    expect(answer).not.toHaveProperty("cache")
    expect(answer).not.toHaveProperty("webhooks")
    expect(answer.networks[0]).not.toHaveProperty("anchor")
    const { stdout } = await RunCli.run(["status", ...at])
    for (const part of ["anchor of live", "cache", "webhooks"]) {
      expect(stdout).toMatch(new RegExp(`^  ${part} +not told by this version of the service$`, "mu"))
    }
  })
})
