/** The ports of `plumbline up`: a separate one for operators, and the advice when one of them is taken. */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { request } from "node:http"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { describe, expect, it } from "vitest"

import * as Children from "../../support/Children.ts"
import * as RunCli from "../../support/RunCli.ts"
import * as Upped from "../../support/Upped.ts"

const BASE = "networks: { history: { upstreams: [{ embedded: history }] } }\nipfs: { node: none }\n"

describe("the ports of a service", () => {
  it("are two if the admin API has its own: /admin and /console are then at no other", async ({ onTestFinished }) => {
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-ports-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, "plumbline.yaml")
    await writeFile(file, `${BASE}admin: { port: 0 }\n`)
    const data = path.join(folder, "data")
    const service = await Upped.start(data, ["--config", file])
    onTestFinished(async () => void (await service.stop()))
    const { adminToken, adminUrl, consoleUrl, url } = service.announcement as Upped.Announcement & {
      readonly adminUrl: string
      readonly consoleUrl: string
    }
    expect(adminUrl).not.toBe(url)
    expect(consoleUrl).toBe(`${adminUrl}/console/`)
    const statusOf = async (base: string, at: string) =>
      (await fetch(`${base}${at}`, { headers: { authorization: `Bearer ${adminToken}` } })).status
    expect(await statusOf(adminUrl, "/admin/v1/projects")).toBe(200)
    expect(await statusOf(adminUrl, "/console/api/start")).toBe(200)
    for (const at of ["/admin/v1/projects", "/admin/docs", "/console/", "/console/api/start"]) {
      expect([at, await statusOf(url, at)]).toEqual([at, 404])
    }
    for (const at of ["/health", "/livez", "/metrics", "/"]) {
      expect([at, await statusOf(adminUrl, at)]).toEqual([at, 404])
    }
    // a caller on this machine is told where they are; to one behind a proxy the path does not exist
    const nowhere = await (await fetch(`${url}/nowhere`)).text()
    for (const at of ["/admin", "/console"]) {
      expect(await (await fetch(`${url}${at}/x`)).text()).toBe(
        `not found: this port has no ${at}. It is at ${adminUrl}${at}\n`
      )
      for (const header of ["x-forwarded-for", "forwarded", "via"]) {
        const behind = await fetch(`${url}${at}/x`, { headers: { [header]: "192.0.2.1" } })
        expect([behind.status, await behind.text()]).toEqual([404, nowhere])
      }
    }
    expect((await service.call("eth_blockNumber", [])).status).toBe(200)
    // the commands find the port in the record of the folder
    const { answer, exitCode } = await RunCli.json(["projects", "list", "--data", data])
    expect([exitCode, answer.projects.length]).toEqual([0, 1])
  })

  it("may be a socket for a proxy, which a killed process leaves and the next start replaces", async ({
    onTestFinished
  }) => {
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-ports-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, "plumbline.yaml")
    await writeFile(file, `${BASE}admin: { socket: admin.sock }\n`)
    const data = path.join(folder, "data")
    const socketPath = path.join(folder, "admin.sock")
    const left = createServer().listen(socketPath)
    await new Promise((resolve) => left.once("listening", resolve))
    // a file at which no process listens any more, as after kill -9
    await rename(socketPath, `${socketPath}.kept`)
    await new Promise((resolve) => left.close(resolve))
    await rename(`${socketPath}.kept`, socketPath)
    const service = await Upped.start(data, ["--config", file])
    onTestFinished(async () => void (await service.stop()))
    const { adminToken, url } = service.announcement
    const ask = (at: string, method = "GET") =>
      new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
        const headers = { authorization: `Bearer ${adminToken}`, "x-forwarded-for": "192.0.2.7" }
        const asked = request({ socketPath, path: at, method, headers }, (answer) => {
          const chunks: Array<Buffer> = []
          answer.on("data", (chunk: Buffer) => chunks.push(chunk))
          answer.on("end", () => resolve({ status: answer.statusCode, text: Buffer.concat(chunks).toString() }))
        })
        asked.once("error", reject)
        asked.end()
      })
    expect((await ask("/admin/v1/projects")).status).toBe(200)
    expect((await ask("/console/api/start")).status).toBe(200)
    expect((await ask("/admin/v1/session", "POST")).status).toBe(201)
    // the audit log has the address that the proxy names
    expect(JSON.parse((await ask("/admin/v1/audit")).text).entries[0]).toMatchObject({ from: "192.0.2.7" })
    const elsewhere = await fetch(`${url}/admin/v1/projects`)
    expect([elsewhere.status, await elsewhere.text()]).toEqual([
      404,
      `not found: this port has no /admin. It is at unix:${socketPath}\n`
    ])
    const { answer, exitCode } = await RunCli.json(["projects", "list", "--data", data])
    expect([exitCode, answer.error.message]).toEqual([
      1,
      `its admin API is at the socket ${socketPath}: give the URL of the proxy in front of it with --url`
    ])
  })

  it("let the console of the operators' port read what only the service's port serves", async ({ onTestFinished }) => {
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-ports-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, "plumbline.yaml")
    // The listener on every address is reached by the name of the page.
    await writeFile(
      file,
      "networks: { live: { upstreams: [{ embedded: live }] } }\nserver: { host: 0.0.0.0 }\nadmin: { port: 0 }\n"
    )
    const service = await Upped.start(path.join(folder, "data"), ["--config", file])
    onTestFinished(async () => void (await service.stop()))
    const { adminUrl, apiKey, apiKeySecret, url } = service.announcement as Upped.Announcement & {
      readonly adminUrl: string
    }
    const page = adminUrl.replace("127.0.0.1", "localhost")
    const start: any = await (await fetch(`${page}/console/api/start`)).json()
    expect(start.service).toBe(url.replace("127.0.0.1", "localhost"))
    // the beacon chain is at the page's own origin
    const bootstrap = `${start.networks[0].beacon.path}/eth/v1/beacon/light_client/bootstrap/${start.networks[0].beacon.checkpoint}`
    expect((await fetch(`${page}${bootstrap}`, { headers: { "sec-fetch-site": "same-origin" } })).status).toBe(200)
    // a page of the operators' port calls the service with a key; a page of any other port has no IPFS
    const as = (
      origin: string,
      { body, headers }: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
    ): RequestInit => ({
      method: "POST",
      headers: { ...headers, origin, "content-type": "application/json" },
      ...(body === undefined ? {} : { body })
    })
    const rpc = { body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}' }
    const called = await fetch(`${start.service}/live/v3/${apiKey}`, as(page, rpc))
    expect([called.status, called.headers.get("access-control-allow-origin")]).toEqual([200, "*"])
    const pair = { headers: { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` } }
    const asked = await fetch(`${start.service}/api/v0/version`, as(page, pair))
    expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([200, page])
    const other = page.replace(/:\d+$/u, ":9")
    expect((await fetch(`${start.service}/api/v0/version`, as(other, pair))).status).toBe(403)
  })

  it.each([
    ["observability: { metrics: { port: PORT } }", "observability.metrics.port"],
    ["admin: { port: PORT }", "admin.port"],
    ["server: { port: PORT }", "--port"]
  ])("that are taken are named in the advice: %s", async (settings, setting) => {
    const taken = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => taken.once("listening", resolve))
    try {
      const { port } = taken.address() as AddressInfo
      await using folder = await Children.folder()
      const file = path.join(folder.path, "plumbline.yaml")
      const line = settings.replace("PORT", String(port))
      await writeFile(file, `${BASE}${line}\n${line.startsWith("server") ? "" : "server: { port: 0 }\n"}`)
      const data = path.join(folder.path, "data")
      const { code, stderr } = await Children.run(["up", "--config", file, "--data", data])
      expect(code).toBe(1)
      expect(stderr).toContain(`cannot listen on 127.0.0.1:${port} (EADDRINUSE)`)
      expect(stderr).toContain(`The port is taken. Choose another with ${setting}`)
    } finally {
      taken.close()
    }
  })
})
