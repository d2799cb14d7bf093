/**
 * Three processes of one configuration, which share their state: a change made through one process applies in the
 * others.
 */
import { mkdir, readdir, writeFile } from "node:fs/promises"

import { describe, expect, it } from "@effect/vitest"

import * as Children from "../../support/Children.ts"
import * as Databases from "../../support/Databases.ts"
import * as Upped from "../../support/Upped.ts"

const TOKEN = "5ec4e7".repeat(8)

describe.skipIf(Databases.skipped)("several processes", () => {
  it("have the same projects, limits and usage, and nothing of their own", async () => {
    await using databases = await Databases.start()
    await using folder = await Children.folder()
    const [file, home] = [`${folder.path}/plumbline.yaml`, `${folder.path}/home`]
    await mkdir(home)
    await writeFile(
      file,
      `
networks: { history: { upstreams: [{ embedded: history }] } }
ipfs: { node: none }
state: { postgres: "\${POSTGRES}", redis: ${databases.redis} }
# On a busy machine a Redis that answers late is not down.
limits: { timeout: 10s }
admin: { token: ${TOKEN} }
`
    )
    const env = { POSTGRES: databases.postgres, PLUMBLINE_CONFIG: file, HOME: home }
    const services = await Promise.all([1, 2, 3].map(() => Upped.start(undefined, [], env)))
    for (const { announcement } of services) {
      expect(announcement).toMatchObject({ apiKey: null, apiKeySecret: null, adminToken: null, ipfsUrl: null })
    }
    const [first, second, third] = services
    const admin = async (service: typeof first, method: string, path: string, body?: object) => {
      const response = await fetch(`${service!.announcement.url}/admin/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      expect(response.ok).toBe(true)
      return response.json()
    }
    const { apiKey, project } = await admin(first, "POST", "/projects", {
      name: "shared",
      limits: { creditsPerDay: 10 * 5 }
    })
    const call = async (service: typeof first) => {
      const response = await fetch(`${service!.announcement.url}/v3/${apiKey}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
      })
      await response.text()
      return response.status
    }
    // a call of eth_chainId costs 5 credits, so the limit admits ten of the 30 calls through the three processes
    const statuses = await Promise.all(Array.from({ length: 30 }, (_, index) => call(services[index % 3])))
    expect([200, 429].map((status) => statuses.filter((other) => other === status).length)).toEqual([10, 20])
    const { totals } = await admin(second, "GET", `/usage/totals?project=${project.id}&window=1h`)
    expect(Number(totals.credits)).toBe(50)

    // Killing a process loses nothing.
    await third!.stop("SIGKILL")
    await admin(second, "PATCH", `/projects/${project.id}`, { limits: {} })
    const changed = performance.now()
    while ((await call(first)) !== 200) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(performance.now() - changed).toBeLessThan(5000)

    const ended = await Promise.all([first!.stop(), second!.stop()])
    expect(ended.map(({ code }) => code)).toEqual([0, 0])
    expect(JSON.stringify(ended)).not.toMatch(/5ec4e7|plumbline@/)
    // Nothing was written to the data folder that a single service would use.
    expect(await readdir(home)).toEqual([])
  })

  it("start without Redis, and say so before the first call", async () => {
    await using databases = await Databases.start()
    await using folder = await Children.folder()
    const start = async (redis: string) => {
      const file = `${folder.path}/plumbline.yaml`
      await writeFile(
        file,
        `networks: { history: { upstreams: [{ embedded: history }] } }
ipfs: { node: none }
state: { postgres: "\${POSTGRES}", redis: "${redis}" }
limits: { timeout: 5s }
admin: { token: ${TOKEN} }
`
      )
      const service = await Upped.start(undefined, ["--config", file], { POSTGRES: databases.postgres })
      const health = await (await fetch(`${service.announcement.url}/health`)).json()
      const { stderr } = await service.stop()
      return { limiter: health.limiter, stderr }
    }
    const without = await start("redis://user:s3cret@127.0.0.1:1")
    expect(without.limiter).toMatchObject({ store: "down", whenDown: "closed" })
    expect(without.stderr).toContain("limits cannot be counted")
    expect(without.stderr).not.toContain("s3cret")
    const beside = await start(databases.redis)
    expect(beside.limiter).toMatchObject({ store: "up" })
    expect(beside.stderr).not.toContain("limits cannot be counted")
  })

  it("need their database at the start, and say so", async () => {
    await using folder = await Children.folder()
    const file = `${folder.path}/plumbline.yaml`
    await writeFile(
      file,
      `networks: { history: { upstreams: [{ embedded: history }] } }
ipfs: { node: none }
state: { postgres: "postgres://user:s3cret@127.0.0.1:1/none", redis: "redis://127.0.0.1:1" }
admin: { token: ${TOKEN} }
`
    )
    const { code, stdout } = await Children.run(["up", "--json", "--config", file])
    expect(code).toBe(1)
    expect(JSON.parse(stdout).error).toMatchObject({
      tag: "StateError",
      problem: "Unavailable",
      detail: "no connection, nothing listens at the host and port (ECONNREFUSED): look at state.postgres"
    })
    expect(stdout).not.toContain("s3cret")
    const both = await Children.run(["up", "--json", "--config", file, "--data", folder.path])
    expect(JSON.parse(both.stdout).error).toMatchObject({ tag: "UsageError" })
  })
})
