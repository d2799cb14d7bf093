/** The ports of `plumbline up`: a separate one for operators, and the advice when one of them is taken. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
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
  it(
    "are two if the admin API has its own: /admin and /console are then at no other",
    { timeout: 60_000 },
    async ({ onTestFinished }) => {
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
      expect((await service.call("eth_blockNumber", [])).status).toBe(200)
      // the commands find the port in the record of the folder
      const { answer, exitCode } = await RunCli.json(["projects", "list", "--data", data])
      expect([exitCode, answer.projects.length]).toEqual([0, 1])
    }
  )

  it.each([
    ["observability: { metrics: { port: PORT } }", "observability.metrics.port"],
    ["admin: { port: PORT }", "admin.port"],
    ["server: { port: PORT }", "--port"]
  ])("that are taken are named in the advice: %s", { timeout: 60_000 }, async (settings, setting) => {
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
