/** The mistakes that operators make, each in a file of its own that `plumbline config check` reads from the disk. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import * as Certificates from "@plumbline/gateway/support/certificates"
import { Redacted } from "effect"
import { afterAll, beforeAll, expect, it, vi } from "vitest"

import * as NodeVendors from "../../src/config/NodeVendors.ts"
import * as RunCli from "../support/RunCli.ts"

let folder = ""

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "plumbline-mistakes-"))
  const [own, other] = await Promise.all([Certificates.make("own"), Certificates.make("other")])
  const files = {
    "own.pem": own.certificate,
    "own.key": Redacted.value(own.key),
    "other.key": Redacted.value(other.key),
    token: "ab".repeat(32),
    "two-tokens": `${"ab".repeat(32)}\n${"cd".repeat(32)}\n`
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A network with a node, and these further lines. */
const network = (...lines: ReadonlyArray<string>) =>
  ["networks:", "  main:", "    chainId: 1", "    upstreams: [{ url: https://node.example/s3cret }]", ...lines].join(
    "\n"
  )

const shared = "state: { postgres: 'postgres://db.example/plumbline' }\nipfs: { node: none }\n"

const mistakes: ReadonlyArray<readonly [mistake: string, file: string, line: string]> = [
  ["a misspelt setting", "server:\n  prot: 8080", "2:3  server.prot  no such setting; is port meant?"],
  ["a misspelt group", "netwroks: {}", "1:1  netwroks  no such setting; is networks meant?"],
  [
    "a unit in words",
    "server:\n  timeouts: { idle: 5 minutes }",
    "2:15  server.timeouts.idle  must be a time such as 250ms, 30s, 5m, 12h or 8d"
  ],
  [
    "a size in another unit",
    "ipfs:\n  quotas: { stored: 10 GB }",
    "2:13  ipfs.quotas.stored  must be a number of bytes, a text such as 64KiB, 5MiB or 2GiB, or null"
  ],
  [
    "a number as text",
    'server:\n  port: "8080"',
    "2:3  server.port  must be a whole number from 0 to 65535. YAML reads it as a text: leave out the quotation marks"
  ],
  [
    "a truth value as text",
    'policies: { card: { rpc: "true" } }',
    "1:21  policies.card.rpc  must be true or false. YAML reads it as a text: leave out the quotation marks"
  ],
  ["a yes", "server:\n  accessLog: yes", "2:3  server.accessLog  must be true or false"],
  [
    "a number with separators",
    "limits:\n  project: { creditsPerDay: 3_000_000 }",
    "2:14  limits.project.creditsPerDay  must be a whole number from 0 to 1000000000000, or null. Write the digits alone"
  ],
  [
    "a variable that is not set",
    "networks:\n  main:\n    chainId: 1\n    upstreams:\n      - url: ${NODE_URL}",
    "5:9  networks.main.upstreams[0].url  needs NODE_URL, which is not in the environment of this process: set it"
  ],
  [
    "a URL without a scheme",
    "networks:\n  main:\n    chainId: 1\n    upstreams:\n      - url: node.example:8545",
    `5:9  networks.main.upstreams[0].url  must be a URL with http://, https://, ws:// or wss://, or of a vendor: ${NodeVendors.known}`
  ],
  [
    "a misspelt vendor",
    "networks:\n  main:\n    chainId: 1\n    upstreams:\n      - url: alchemi://s3cret",
    "5:9  networks.main.upstreams[0].url  names no vendor: is alchemy:// meant?"
  ],
  [
    "a network twice",
    `${network()}\n  main: {}`,
    "5:3  networks.main  stands here twice: remove one, or give it another name"
  ],
  [
    "two networks at one host",
    `${network("    hosts: [eth.example]")}\n  other: { hosts: [eth.example], upstreams: [{ embedded: live }] }`,
    "6:20  networks.other.hosts[0]  has a host of the network main, and a host selects one network: set other hosts"
  ],
  [
    "a network without nodes",
    "networks:\n  main:\n    chainId: 1",
    "2:3  networks.main.upstreams  is missing: it must be a list of at least one node"
  ],
  [
    "a node without a chain",
    "networks:\n  main:\n    upstreams: [{ url: https://node.example }]",
    "2:3  networks.main  needs a chainId"
  ],
  ["networks as a list", "networks: [main]", "1:1  networks  must be entries, each after its own name and a colon"],
  ["a chain by its name", network("    kind: ethereum"), "5:5  networks.main.kind  must be eth or starknet"],
  [
    "an unknown embedded node",
    network().replace("url: https://node.example/s3cret", "embedded: geth"),
    "4:19  networks.main.upstreams[0].embedded  must be live, history or starknet-pool"
  ],
  ["a wrong default", `${network()}\ndefaultNetwork: mian`, "5:1  defaultNetwork  must be the name of a network: main"],
  [
    "a checkpoint of the wrong length",
    network("    integrity: prove", '    trust: { checkpoint: "0x1234", beacon: ["https://b.example"] }'),
    "6:14  networks.main.trust.checkpoint  must be 0x and 64 hex digits"
  ],
  [
    "a checkpoint without quotation marks",
    network("    integrity: prove", `    trust: { checkpoint: 0x${"12".repeat(32)}, beacon: ["https://b.example"] }`),
    "6:14  networks.main.trust.checkpoint  must be 0x and 64 hex digits. YAML reads it as a number: put it in quotation marks"
  ],
  [
    "a certificate that is not there",
    "tls:\n  certificate: none.pem\n  key: own.key",
    "2:3  tls.certificate  names a file that cannot be read: it is not there (ENOENT). A path is relative to this file"
  ],
  [
    "the key of another certificate",
    "tls:\n  certificate: own.pem\n  key: other.key",
    "3:3  tls.key  cannot be used: the key is not that of the certificate"
  ],
  [
    "a key in place of the certificate",
    "tls:\n  certificate: own.key\n  key: own.pem",
    "2:3  tls.certificate  cannot be used: the certificate is not a certificate in PEM"
  ],
  [
    "a weak admin token",
    "admin:\n  token: s3cret",
    "2:3  admin.token  must be 32 to 256 hex digits, as openssl rand -hex 32 makes them"
  ],
  [
    "a file of two tokens",
    "admin:\n  tokenFile: two-tokens",
    "2:3  admin.tokenFile  must be a file of one token: 32 to 256 hex digits"
  ],
  [
    "an origin without a scheme",
    "admin:\n  allowedOrigins: [console.example]",
    "2:20  admin.allowedOrigins[0]  must be an origin such as https://console.example"
  ],
  [
    "a database of another kind",
    "state:\n  postgres: mysql://db.example/s3cret",
    "2:3  state.postgres  must be a URL with postgres:// or postgresql://"
  ],
  [
    "a password that is not encoded",
    "state:\n  postgres: postgres://user:s3/cret@db.example/x",
    "2:3  state.postgres  is a URL whose user or password has a /, ? or #: write it percent-encoded"
  ],
  [
    "a shared state without the token that all processes need",
    shared,
    "1:1  admin  needs a token or a tokenFile with state.postgres: all processes must have the same token"
  ],
  [
    "Redis alone",
    "state:\n  redis: rediss://cache.example",
    "2:3  state.redis  is for several processes: it needs state.postgres"
  ],
  [
    "a limit below zero",
    "limits:\n  project: { creditsPerSecond: -1 }",
    "2:14  limits.project.creditsPerSecond  must be a whole number from 1 to 1000000000000, or null"
  ],
  ["no workers", "server:\n  workers: 0", "2:3  server.workers  must be a whole number from 1 to 64"],
  [
    "one port for two listeners",
    "server: { port: 9000 }\nobservability: { metrics: { port: 9000 } }",
    "2:29  observability.metrics.port  must differ from server.port"
  ],
  [
    "an address with its port",
    "server:\n  host: 0.0.0.0:8645",
    "2:3  server.host  must be an IP address or a host name, without a port"
  ],
  [
    "a proxy in a network that is none",
    "server:\n  trustedProxies: [10.0.0.0/33]",
    "2:20  server.trustedProxies[0]  must be an IP address, or a network such as 10.0.0.0/8"
  ],
  [
    "a secret of a webhook that is too short",
    "webhooks:\n  ledger: { url: 'https://ledger.example', secret: s3cret }",
    "2:44  webhooks.ledger.secret  must be whsec_ and 24 to 64 bytes in Base64, as openssl rand -base64 32 makes them"
  ],
  ["a folder at a URL", "state:\n  folder: file:///data", "2:3  state.folder  must be a folder, not a URL"],
  ["a tab", "server:\n\tport: 8080", "2:1  a tab: YAML is indented with spaces"],
  ["a bracket without its end", "server: { port: 8080\nipfs: {}", "1:9  opens here, and is not closed with }"],
  ["a quotation without its end", 'server:\n  host: "127.0.0.1\nipfs: {}', '2:9  opens here, and is not closed with "'],
  ["a line that is indented too little", "server:\n  port: 1\n host: a", "3:1  indented otherwise than its neighbours"]
]

it("warns of a certificate that has expired", async ({ onTestFinished }) => {
  const { certificate, key } = await Certificates.make("old", 1)
  writeFileSync(path.join(folder, "old.pem"), certificate)
  writeFileSync(path.join(folder, "old.key"), Redacted.value(key))
  const file = path.join(folder, "expired.yaml")
  writeFileSync(file, "tls: { certificate: old.pem, key: old.key }\n")
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 86_400_000 })
  onTestFinished(() => void vi.useRealTimers())
  const { answer, exitCode } = await RunCli.json(["config", "check", file])
  expect(exitCode).toBe(0)
  expect(answer.warnings).toEqual([
    {
      path: "tls.certificate",
      problem: expect.stringMatching(/^has expired at 20\d\d-.*Z: clients refuse it. Renew it$/u),
      line: 1,
      column: 8,
      variable: null
    }
  ])
})

it.each(mistakes)("says where %s is, and what to write", async (mistake, text, line) => {
  // tests run side by side
  const file = path.join(folder, `${mistake}.yaml`)
  writeFileSync(file, `${text}\n`)
  const { exitCode, stderr, stdout } = await RunCli.run(["config", "check", file])
  expect(stderr).toBe(`error: ${file} is not a configuration: one mistake\n  ${line}\n`)
  expect([exitCode, stdout]).toEqual([1, ""])
  expect(stderr).not.toContain("s3cret")
})
