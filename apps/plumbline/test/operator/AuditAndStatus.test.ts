/** `plumbline audit` and `plumbline status`, against a real service. */
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
    expect(stdout).toMatch(/^4 changes\n\n {2}time +by +action +target +given\n/u)
    expect(stdout).toMatch(/tests +project\.update +\S+ +name, secretRequired\n/u)
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

describe("status", () => {
  it("is 0 where everything works, and names networks, limits and usage", async () => {
    const found = await json("status")
    expect(found).toMatchObject({
      limiter: { whenDown: "closed" },
      metering: { store: "up", waiting: 0 },
      problems: []
    })
    const { stdout } = await RunCli.run(["status", ...where()])
    expect(stdout).toMatch(/^Everything works\n\n {2}network +node +chain +state +blocks behind\n/u)
    expect(stdout).toContain("usage   up; 0 calls not recorded yet")
  })

  it("is 1 where a part does not, and says which", async () => {
    const answered = await fetch(`${service().url}/admin/v1/status`, {
      headers: { authorization: `Bearer ${service().token}` }
    })
    const status = (await answered.json()) as object
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
      limiter: { store: "down", whenDown: "open" },
      metering: { store: "down", waiting: 12, rows: 3 }
    }
    await using server = await Servers.serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(broken))
    })
    const at = ["--url", server.url, "--admin-token", service().token]
    const { answer, exitCode } = await RunCli.json(["status", ...at])
    expect(exitCode).toBe(1)
    expect(answer.problems).toEqual([
      "network main: node b is down",
      "network test: its node is one of another chain",
      "network far: no node answers",
      "limits cannot be counted: calls are admitted uncounted",
      "usage cannot be recorded: 12 calls wait"
    ])
    const people = await RunCli.run(["status", ...at])
    expect(people.exitCode).toBe(1)
    expect(people.stdout).toMatch(/^5 problems\n {2}network main: node b is down\n/u)
  })
})
