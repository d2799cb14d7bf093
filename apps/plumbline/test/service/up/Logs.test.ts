/** The log of `plumbline up` as JSON: every line of standard error is an object. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { describe, expect, it } from "vitest"

import * as Children from "../../support/Children.ts"
import * as Upped from "../../support/Upped.ts"

describe("the log of a service", () => {
  it("is JSON in each line, from the first step to the end", async ({ onTestFinished }) => {
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-logs-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, "plumbline.yaml")
    const text = "networks: { history: { upstreams: [{ embedded: history }] } }\nipfs: { node: none }\n"
    await writeFile(file, `${text}server: { accessLog: true }\nobservability: { logs: json, slowCall: 1m }\n`)
    const service = await Upped.start(path.join(folder, "data"), ["--config", file])
    await service.call("eth_blockNumber", [])
    const { stderr } = await service.stop()
    const lines = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines.map(({ message }) => message)).toEqual([
      "starting the chains ...",
      "starting the gateway ...",
      "request",
      expect.stringMatching(/^SIGTERM: stopping/u)
    ])
    expect(lines[2]).toMatchObject({
      level: "info",
      path: "/v3/<redacted>",
      status: 200,
      network: "history",
      project: expect.any(String),
      requestId: expect.stringMatching(/^[0-9a-f]{24}$/u)
    })
    expect(stderr).not.toContain(service.announcement.apiKey)
  })

  it("and leaves standard output, which a supervisor collects too, without a key", async ({ onTestFinished }) => {
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-logs-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, "plumbline.yaml")
    const text =
      "networks: { history: { upstreams: [{ embedded: history }] } }\nipfs: { node: none }\nserver: { port: 0 }\n"
    await writeFile(file, `${text}observability: { logs: json }\n`)
    const child = Children.start(["up", "--config", file, "--data", path.join(folder, "data")])
    await child.said('"message":"the service is ready"')
    child.process.kill("SIGTERM")
    const { code, stdout } = await child.ended
    expect([code, stdout]).toEqual([0, ""])
  })
})
