/** The metrics of `plumbline up`: with the admin token, and on a separate port. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { describe, expect, it } from "vitest"

import * as Upped from "../../support/Upped.ts"

describe("the metrics of a service", () => {
  it("are for the admin token, or on the port that the configuration has", async ({ onTestFinished }) => {
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-metrics-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, "plumbline.yaml")
    await writeFile(
      file,
      "networks: { history: { upstreams: [{ embedded: history }] } }\nipfs: { node: none }\nobservability: { metrics: { port: 0 } }\n"
    )
    const service = await Upped.start(path.join(folder, "data"), ["--config", file])
    onTestFinished(async () => void (await service.stop()))
    const { adminToken, apiKey, metricsUrl, url } = service.announcement as Upped.Announcement & {
      readonly metricsUrl: string
    }
    expect(metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/u)
    expect((await service.call("eth_blockNumber", [])).status).toBe(200)
    expect((await fetch(`${url}/metrics`)).status).toBe(401)
    const guarded = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } })
    for (const text of [await guarded.text(), await (await fetch(metricsUrl)).text()]) {
      expect(text).toContain(
        'plumbline_calls_total{product="rpc",network="history",method="eth_blockNumber",status="200"} 1\n'
      )
      expect(text).not.toContain(apiKey)
    }
  })
})
