/** The keys of vendors in a running service: no output of the service has one. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { expect, it } from "vitest"

import * as Upped from "../../support/Upped.ts"

/** Preloaded, it lets every name but those of this machine be unknown, so that no vendor is asked. */
const OFFLINE = `
import dns from "node:dns"
import { syncBuiltinESMExports } from "node:module"
const { lookup } = dns
dns.lookup = (host, options, done = options) =>
  /^(?:localhost|127\\.)/.test(host)
    ? lookup(host, options, done)
    : done(Object.assign(new Error("getaddrinfo ENOTFOUND " + host), { code: "ENOTFOUND", hostname: host }))
syncBuiltinESMExports()
`

it("the keys of vendors are in no answer, log, metric or status of a service", async ({ onTestFinished }) => {
  const folder = await mkdtemp(path.join(tmpdir(), "plumbline-vendors-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, "plumbline.yaml")
  const keys = ["ALCHEMYk3y-0123456789", "DRPCk3y_0123456789", "INFURAk3y0123456789"]
  await writeFile(
    file,
    `
networks:
  mainnet:
    chainId: 1
    upstreams:
      - url: alchemy://\${ALCHEMY_KEY}
      - url: drpc://${keys[1]}
      - url: infura+wss://${keys[2]}
    failures: 1
ipfs: { node: none }
server: { accessLog: true }
observability: { logs: json, metrics: { port: 0 } }
`
  )
  const service = await Upped.start(path.join(folder, "data"), ["--config", file, "--log-level", "all"], {
    ALCHEMY_KEY: keys[0]!,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(OFFLINE)}`
  })
  const { adminToken, metricsUrl, url } = service.announcement as Upped.Announcement & { readonly metricsUrl: string }
  const said: Array<string> = [JSON.stringify(service.announcement)]
  for (const method of ["eth_blockNumber", "eth_chainId"]) {
    const { body, status } = await service.call(method, [])
    expect([502, 503]).toContain(status)
    said.push(JSON.stringify(body))
  }
  for (const at of [`${url}/health`, metricsUrl, `${url}/admin/v1/status`]) {
    const response = await fetch(at, { headers: { authorization: `Bearer ${adminToken}` } })
    said.push(await response.text())
  }
  const { code, stderr, stdout } = await service.stop()
  expect(code).toBe(0)
  const all = [...said, stdout, stderr].join("\n")
  expect(all).toContain("mainnet-2")
  expect(stderr).toContain("a node is down")
  for (const key of keys) expect(all).not.toContain(key)
})
