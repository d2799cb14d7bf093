/**
 * The configuration: the settings that are read, and the mistakes with their places. No value is ever shown. The JSON
 * Schema is checked with ajv, which shares no code with ours.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"
import * as Postgres from "@plumbline/gateway/state/Postgres"
import * as Random from "@plumbline/seeded/Random"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Redacted, Result } from "effect"
import { parse } from "yaml"

import { ConfigFile, shapeAt } from "../../src/config/ConfigFile.ts"
import * as ConfigMistake from "../../src/config/ConfigMistake.ts"
import * as Configuration from "../../src/config/Configuration.ts"
import * as JsonSchema from "../../src/config/JsonSchema.ts"
import * as NodeVendors from "../../src/config/NodeVendors.ts"
import * as ServiceSettings from "../../src/config/ServiceSettings.ts"
import * as SettingsView from "../../src/config/SettingsView.ts"
import * as Places from "../support/Places.ts"
import * as RunCli from "../support/RunCli.ts"

const read = (text: string, variables: Record<string, string> = {}) =>
  Configuration.read({ text, file: "/etc/plumbline.yaml", variables })

const settings = (text: string, variables: Record<string, string> = {}) => {
  const config = Result.getOrThrow(read(text, variables))
  return config.settings()
}

/** A configuration without secrets, whose URLs have only a host. It is shown unchanged. */
const open = `
server: { port: 1, timeouts: { drain: 1500ms } }
networks:
  a: { chainId: 1, upstreams: [{ url: "https://a.example" }, { url: "wss://b.example:8546", weight: 2 }], maxLag: 2 }
  b: { upstreams: [{ embedded: starknet-pool }] }
defaultNetwork: b
ipfs: { collectEvery: 36h, quotas: { stored: 1GiB } }
state: { folder: /data }
limits: { project: { burst: null }, address: { requestsPerSecond: 5 } }
costs: { methods: { eth_call: 1 } }
wording: { dayStatus: 402 }
`

/** Returns the URL of a node, or one of its headers. */
const revealed = (upstream: ServiceSettings.UpstreamSettings | undefined, header?: string): string | undefined => {
  const secret = header === undefined ? upstream?.url : upstream?.headers?.[header]
  return secret && Redacted.value(secret)
}

/** Returns every mistake as one line. */
const mistakes = (text: string, variables: Record<string, string> = {}): ReadonlyArray<string> => {
  const config = read(text, variables)
  if (Result.isSuccess(config)) throw new Error("it was taken")
  return config.failure.lines
}

const WEBHOOK_SECRET = `whsec_${Buffer.from("s3cret".repeat(5)).toString("base64")}`

/** All settings, written by hand, including those that the reference's examples leave out. */
const everything = `
server:
  host: 0.0.0.0
  port: 8080
  trustedProxies: [10.0.0.0/8, "::1"]
  accessLog: true
  limits: { bodyBytes: 1MiB, batch: 100, socketBufferedBytes: 65536 }
  timeouts: { drain: 1.5s, idle: 2m }
networks:
  mainnet:
    hosts: [mainnet.node.example]
    chainId: 1
    upstreams:
      - url: https://eth.example/v2/s3cret
        name: own
        headers: { authorization: Bearer s3cret }
        timeout: 10s
        batch: { most: 20, wait: 2ms }
        weight: 3
        cost: 2
        archive: true
        requestsPerSecond: 50
        requestsPerDay: 100000
      - url: wss://user:s3cret@other.example/ws
    balance: weight
    failures: 5
    cooldown: 30s
    maxLag: 3
    watch: 5s
    hedge: { percentile: 99, minimum: 100ms, most: 2 }
    quorum: { methods: [eth_getBalance], agree: 2, of: 2 }
    methods: [debug_setHead]
    readMethods: [trace_block]
  sn:
    chainId: SN_MAIN
    kind: starknet
    upstreams: [{ url: https://sn.example/s3cret }]
  history: { upstreams: [{ embedded: history }] }
defaultNetwork: sn
ipfs:
  node: http://key:s3cret@kubo.example:5001
  fallbacks:
    - { node: https://archive.example/s3cret, name: archive }
    - node: http://s3cret@other.example
  tryTimeout: 3s
  timeout: 20s
  cache: { memory: 1MiB, disk: 0 }
  allowedOrigins: [https://app.example]
  disallowed: [pin/rm]
  limits: { parts: 10, blockBytes: 1MiB, listed: 50 }
  uploadIdle: 10s
  gateway: public
  gatewayBlocked: [bafkqaaa]
  gatewayTimeout: 5s
  quotas: { stored: 1GiB, uploaded: 100MiB, downloaded: 10GiB }
  reserve: 1MiB
  rates: { writes: 10, reads: 100 }
state:
  postgres: postgres://user:s3cret@db.example:5432/name
  connections: 4
  redis: rediss://:s3cret@cache.example
limits:
  project: { creditsPerSecond: 1000, burst: null, creditsPerDay: 0, concurrency: 7 }
  address: { requestsPerSecond: 50, burst: 100 }
  whenDown: open
  timeout: 100ms
metering:
  gather: 1ms
  attempt: 1s
  timeout: 10s
  whenDown: buffer
  limits: { rows: 100, waiting: 1000 }
  retention: { minutes: 1d, hours: 30d, days: 365d }
policies: { card: { rpc: true, ipfs: false } }
costs:
  methods: { eth_call: 40 }
  networks: { sn: { starknet_call: 1 } }
  events: { newHeads: { credits: 10, per: block }, logs: { credits: 1, per: 500 } }
  fallback: 10
  batch: 2
  refused: 0
billing: { provider: stripe, webhookSecret: s3cret }
webhooks:
  ledger: { url: https://ledger.example/s3cret, secret: ${WEBHOOK_SECRET}, events: [usage.day] }
admin: { token: ${"ab".repeat(20)}, allowedOrigins: [https://console.example] }
wording: { see: https://node.example/limits, dayStatus: 402 }
`

describe("a configuration", () => {
  it("opens as many connections to Postgres as the gateway does by default", () => {
    const { state } = settings(everything.replace("  connections: 4\n", ""))
    expect(state).toMatchObject({ _tag: "Shared", connections: Postgres.defaults.connections })
  })

  it("that is empty is what runs without one", () => {
    for (const text of ["", "# nothing\n", "{}", "---\n", "server:\nnetworks:\nipfs: {}\n"]) {
      const { ipfs, networks, policies, server, state } = settings(text)
      expect(server).toMatchObject({ host: "127.0.0.1", trustedProxies: [], accessLog: false })
      expect(server.port).toBeUndefined()
      expect(networks.map(({ hosts, kind, name }) => [name, hosts[0], kind])).toEqual([
        ["live", "live.localhost", "eth"],
        ["history", "history.localhost", "eth"],
        ["starknet-pool", "starknet-pool.localhost", "starknet"]
      ])
      expect(ipfs.node._tag).toBe("Embedded")
      expect(state).toEqual({ _tag: "Folder", folder: undefined })
      expect(policies.card).toEqual({ rpc: false, ipfs: true })
    }
  })

  it("has every setting that it says", () => {
    const all = settings(everything)
    expect(all.server).toMatchObject({
      host: "0.0.0.0",
      port: 8080,
      trustedProxies: ["10.0.0.0/8", "::1"],
      accessLog: true,
      compressFrom: 4096,
      limits: { bodyBytes: 1_048_576, batch: 100, socketBufferedBytes: 65_536 },
      timeouts: { drain: 1500, idle: 120_000 }
    })
    const [mainnet, sn] = all.networks
    expect(mainnet).toMatchObject({
      name: "mainnet",
      hosts: ["mainnet.node.example"],
      chainId: 1,
      kind: "eth",
      maxLag: 3
    })
    expect(mainnet!.upstreams.map(({ name, weight }) => [name, weight])).toEqual([
      ["own", 3],
      ["mainnet-2", 1]
    ])
    expect(mainnet!.upstreams[0]).toMatchObject({ batch: { most: 20, wait: 2 } })
    expect(mainnet!.upstreams[0]).toMatchObject({
      cost: 2,
      archive: true,
      requestsPerSecond: 50,
      requestsPerDay: 100_000
    })
    expect(mainnet!.upstreams[1]).toMatchObject({ cost: 1 })
    expect(Object.keys(mainnet!.upstreams[1]!)).not.toContain("archive")
    expect(mainnet).toMatchObject({
      balance: "weight",
      failures: 5,
      cooldown: 30_000,
      watch: 5000,
      hedge: { percentile: 99, minimum: 100, most: 2 },
      quorum: { methods: ["eth_getBalance"], agree: 2, of: 2 },
      methods: ["debug_setHead"],
      readMethods: ["trace_block"]
    })
    expect(sn).toMatchObject({
      balance: "order",
      timeout: 20_000,
      tryTimeout: 10_000,
      failures: 3,
      cooldown: 10_000,
      watch: 60_000
    })
    for (const absent of ["hedge", "quorum", "methods", "readMethods"]) expect(Object.keys(sn!)).not.toContain(absent)
    expect(sn).toMatchObject({ hosts: ["sn.localhost"], chainId: "SN_MAIN", kind: "starknet" })
    expect(all.limits).toEqual({
      project: { creditsPerSecond: 1000, burst: null, creditsPerDay: 0, concurrency: 7 },
      whenDown: "open",
      timeout: 100,
      address: { requestsPerSecond: 50, burst: 100 }
    })
    expect(all.metering).toEqual({
      gather: 1,
      attempt: 1000,
      timeout: 10_000,
      whenDown: "buffer",
      limits: { rows: 100, waiting: 1000 },
      retention: { minutes: 86_400_000, hours: 30 * 86_400_000, days: 365 * 86_400_000 }
    })
    expect(all.state._tag === "Shared" && Redacted.value(all.state.postgres)).toBe(
      "postgres://user:s3cret@db.example:5432/name"
    )
    expect(Redacted.value(all.admin.token!)).toBe("ab".repeat(20))
    expect(Object.keys(all.webhooks!)).toEqual(["ledger"])
    const ledger = all.webhooks!["ledger"]
    expect(ledger).toMatchObject({ events: ["usage.day"] })
    expect(Redacted.value(ledger!.url)).toBe("https://ledger.example/s3cret")
    expect(Redacted.value(ledger!.secret)).toBe(WEBHOOK_SECRET)
  })

  it("says which limits new projects get, of calls and of IPFS, and null is none", () => {
    const limits = (text: string) => ServiceSettings.limitsOfNewProjects(settings(text))
    const usual = { creditsPerSecond: 500, burst: 5000, creditsPerDay: 3_000_000, concurrency: 100 }
    const day = { ipfsUploadedPerDay: 10 * 1024 ** 3, ipfsDownloadedPerDay: 100 * 1024 ** 3 }
    expect(limits("{}")).toEqual({
      ...usual,
      ipfsReadsPerSecond: 1500,
      ipfsWritesPerSecond: 150,
      ipfsStored: 10 * 1024 ** 3,
      ...day
    })
    const { ipfsStored, ...others } = limits("ipfs: { quotas: { stored: null } }")
    expect(ipfsStored).toBeUndefined()
    expect(others).toMatchObject(day)
    const none = "{ creditsPerSecond: null, burst: null, creditsPerDay: null, concurrency: null }"
    const open = "rates: { reads: null, writes: null }, quotas: { stored: null, uploaded: null, downloaded: null }"
    expect(limits(`{ limits: { project: ${none} }, ipfs: { ${open} } }`)).toEqual({})
    const quotas = "{ stored: 1GiB, uploaded: 2MiB, downloaded: 3KiB }"
    expect(limits(`ipfs: { rates: { writes: 7 }, quotas: ${quotas} }`)).toEqual({
      ...usual,
      ipfsReadsPerSecond: 1500,
      ipfsWritesPerSecond: 7,
      ipfsStored: 1024 ** 3,
      ipfsUploadedPerDay: 2 * 1024 ** 2,
      ipfsDownloadedPerDay: 3 * 1024
    })
  })

  it("may be JSON as well", () => {
    const value: unknown = parse(everything)
    expect(SettingsView.file(settings(JSON.stringify(value, null, 2)))).toEqual(SettingsView.file(settings(everything)))
  })

  it("is shown without a secret, and of each URL the host alone", () => {
    const shown = JSON.stringify(SettingsView.file(settings(everything)))
    expect(shown).not.toMatch(/s3cret|user|abab|v2|5432\/name|whsec/)
    for (const host of [
      "https://eth.example",
      "wss://other.example",
      "postgres://db.example:5432",
      "rediss://cache.example"
    ]) {
      expect(shown).toContain(`"${host}"`)
    }
    expect(shown).toContain("http://kubo.example:5001")
    expect(shown).toContain('"authorization":"<secret>"')
  })

  it("is shown without the secrets that stand where none belongs", () => {
    const url = "https://user:s3cret@node.example/v2/s3cret"
    const shown = settings(
      `{ $schema: "${url}", tls: { certificate: "${url}", key: k }, costs: { methods: { "${url}": 1 }, networks: { "${url}": { "${url}": 1 } }, events: { "${url}": { credits: 1, per: block } } } }`
    )
    for (const text of [JSON.stringify(SettingsView.file(shown)), SettingsView.lines(shown).join()]) {
      expect(text).not.toContain("user:")
      expect(text).not.toContain(":s3cret")
    }
    const names = JSON.stringify(SettingsView.file(shown)["costs"])
    expect(names).not.toContain("s3cret")
    expect(names).toContain("<redacted>")
    // every caller over a limit gets this page, so a password in it would be everybody's
    for (const see of [url, "http:///user:s3cret@node.example/", "https://:s3cret@node.example"]) {
      expect(mistakes(`wording: { see: "${see}" }`)).toEqual([
        "1:12  wording.see  must be a URL with http:// or https://, without a user or password, because every caller gets it"
      ])
    }
  })

  it("says of a wrong URL which part of it is wrong", () => {
    const scheme = `must be a URL with http://, https://, ws:// or wss://, or of a vendor: ${NodeVendors.known}`
    const blank = "is a URL with a blank in it"
    const host = "is a URL whose host is no host name and no IP address"
    const port = "is a URL whose port is no number from 0 to 65535"
    const password = "is a URL whose user or password has a /, ? or #: write it percent-encoded"
    const wrong: ReadonlyArray<readonly [url: string, problem: string]> = [
      ["node.example", scheme],
      ["ftp://node.example", scheme],
      ["http://no de.example", blank],
      ["http://node.example/a b", blank],
      [" http://node.example", scheme],
      ["http://node.example ", blank],
      ["http://", "is a URL without a host"],
      ["http://:80", "is a URL without a host"],
      ["http://user@", "is a URL without a host"],
      ["http://node^example", host],
      ["http://[::1", host],
      ["http://1.2.3.4.999", host],
      ["http://node.example:99999", port],
      ["http://node.example:80a/x", port],
      ["ws://[::1]:-1", port],
      ["http://node.example:80:90", port],
      ["http://user:pass/word@node.example", password],
      ["https://user:p#w@node.example:80", password]
    ]
    for (const [url, problem] of wrong) {
      const file = `networks: { a: { chainId: 1, upstreams: [{ url: "${url}" }] } }`
      expect(mistakes(file), url).toEqual([`1:44  networks.a.upstreams[0].url  ${problem}`])
    }
    for (const url of [
      "http://[::1]:80",
      "wss://user:p%2Fw@node.example/v2/k?x=1",
      "http://127.1",
      "http://node_1:0"
    ]) {
      settings(`networks: { a: { chainId: 1, upstreams: [{ url: "${url}" }] } }`)
    }
    expect(mistakes("state: { postgres: 'postgres://db:x/name' }")[0]).toContain(port)
    expect(mistakes("ipfs: { node: 'http://kubo:x' }")[0]).toContain(port)
    expect(mistakes("ipfs: { node: 'kubo' }")[0]).toContain("must be embedded, none, or a URL with http:// or https://")
  })

  it("is shown as a file that means the same", () => {
    for (const text of ["", open]) {
      const shown = SettingsView.file(settings(text))
      expect(SettingsView.file(settings(JSON.stringify(shown)))).toEqual(shown)
    }
  })
})

describe("a mistake", () => {
  it("is named with its line and column, and the nearest name that is known", () => {
    expect(mistakes("server:\n  prot: 80\nnetwroks: {}\n")).toEqual([
      "2:3  server.prot  no such setting; is port meant?",
      "3:1  netwroks  no such setting; is networks meant?"
    ])
    expect(mistakes("wording:\n  zebra: 1\n")).toEqual([
      "2:3  wording.zebra  no such setting; there are see, dayStatus"
    ])
  })

  it("is found beside others, whether YAML, a setting alone or two settings together show it", () => {
    const text = `server: { port: 70000 }
metering: { durability: disk, durability: process }
networks: { a: { upstreams: [{ embedded: live }] } }
defaultNetwork: nowhere
beacon: { mine: { nodes: ["https://b.example"], checkpoint: "0x${"1".repeat(64)}" } }
`
    expect(mistakes(text).map((line) => line.split("  ").slice(0, 2))).toEqual([
      ["1:11", "server.port"],
      ["2:31", "metering.durability"],
      ["4:1", "defaultNetwork"],
      ["5:11", "beacon.mine"]
    ])
    // a network that is left out may be the one that is meant
    expect(mistakes(text.replace("[{ embedded: live }]", "7")).join()).not.toContain("defaultNetwork")
  })

  it("is not followed by others that are none, wherever it is", () => {
    const whole = parse(everything)
    const pathsIn = (value: unknown): ReadonlyArray<ReadonlyArray<string | number>> =>
      typeof value !== "object" || value === null
        ? [[]]
        : [
            [],
            ...Object.entries(value).flatMap(([name, member]) =>
              pathsIn(member).map((path) => [Array.isArray(value) ? Number(name) : name, ...path])
            )
          ]
    const replaced = (value: any, [part, ...inner]: ReadonlyArray<string | number>): unknown => {
      if (part === undefined) return { s3cret: "wrong" }
      const copy = Array.isArray(value) ? [...value] : { ...value }
      copy[part] = replaced(value[part], inner)
      return copy
    }
    const all = pathsIn(whole).filter((path) => path.length > 0)
    expect(all.length).toBeGreaterThan(100)
    for (const path of all) {
      const at = ConfigMistake.formatPath(path)
      const found = read(JSON.stringify(replaced(whole, path)))
      if (Result.isSuccess(found)) continue
      const strays = found.failure.mistakes.filter((one) => !one.path.startsWith(at) && !at.startsWith(one.path))
      expect(strays, at).toEqual([])
    }
  })

  it("is found in every kind of value, all at once, and what stands there is not shown", () => {
    const text = `
server: { host: "", port: 65536, trustedProxies: [s3cret], accessLog: s3cret, timeouts: { drain: 5 }, limits: { bodyBytes: s3cret } }
networks:
  a: { chainId: s3cret!, upstreams: [{ url: "ftp://s3cret" }, { embedded: s3cret }], balance: s3cret }
ipfs: { node: s3cret }
admin: { token: s3cret }
costs: { methods: { eth_call: s3cret }, events: { logs: { credits: 1, per: s3cret } } }
wording: { dayStatus: 500 }
billing: s3cret
`
    expect(mistakes(text).map((line) => line.replace(/^\d+:\d+ {2}/, ""))).toEqual([
      "server.host  must be an IP address or a host name, without a port",
      "server.port  must be a whole number from 0 to 65535",
      "server.trustedProxies[0]  must be an IP address, or a network such as 10.0.0.0/8",
      "server.accessLog  must be true or false",
      "server.timeouts.drain  must be a time such as 250ms, 30s, 5m, 12h or 8d",
      "server.limits.bodyBytes  must be a number of bytes, or a text such as 64KiB, 5MiB or 2GiB",
      "networks.a.chainId  must be a whole number, or a text such as SN_MAIN",
      `networks.a.upstreams[0].url  must be a URL with http://, https://, ws:// or wss://, or of a vendor: ${NodeVendors.known}`,
      "networks.a.upstreams[1].embedded  must be live, history or starknet-pool",
      "networks.a.balance  must be order, weight or cost",
      "ipfs.node  must be embedded, none, or a URL with http:// or https://",
      "admin.token  must be 32 to 256 hex digits, as openssl rand -hex 32 makes them",
      "costs.methods.eth_call  must be a whole number from 0 to 1000000000",
      "costs.events.logs.per  must be event, block, or a number of milliseconds",
      "wording.dayStatus  must be 429 or 402",
      "billing  must be a group of settings: provider, webhookSecret"
    ])
  })

  const between: ReadonlyArray<readonly [text: string, mistake: string]> = [
    [
      "webhooks: { a: { url: 'https://x.example', secret: s3cret } }",
      "1:44  webhooks.a.secret  must be whsec_ and 24 to 64 bytes in Base64, as openssl rand -base64 32 makes them"
    ],
    [
      `webhooks: { a: { url: 'https://u:p@x.example', secret: ${WEBHOOK_SECRET} } }`,
      "1:18  webhooks.a.url  must have no user or password"
    ],
    [
      `webhooks: { "a b": { url: 'https://x.example', secret: ${WEBHOOK_SECRET} } }`,
      "1:13  webhooks.a b  must be 1 to 64 letters, digits, dots, dashes or underscores"
    ],
    ["defaultNetwork: mainnet", "1:1  defaultNetwork  must be the name of a network: live, history or starknet-pool"],
    ["networks: {}", "1:1  networks  must have at least one network"],
    ["networks: { a: { upstreams: [] } }", "1:18  networks.a.upstreams  must be a list of at least one node"],
    ["networks: { a: {} }", "1:13  networks.a.upstreams  is missing: it must be a list of at least one node"],
    ["networks: { a: { upstreams: [{ url: 'http://n' }] } }", "1:13  networks.a  needs a chainId"],
    [
      "networks: { a_b: { chainId: 1, upstreams: [{ url: 'http://n' }] } }",
      "1:13  networks.a_b  must be named with a letter, then up to 62 letters, digits and hyphens"
    ],
    [
      "networks: { ipfs: { chainId: 1, upstreams: [{ url: 'http://n' }] } }",
      "1:13  networks.ipfs  must have another name: allowlists use this name for IPFS"
    ],
    [
      "networks: { Health: { chainId: 1, upstreams: [{ url: 'http://n' }] } }",
      "1:13  networks.Health  must have another name: paths of the service begin with this name"
    ],
    [
      "networks: { a: { chainId: 1, upstreams: [{ url: 'http://n', embedded: live }] } }",
      "1:42  networks.a.upstreams[0]  must have a url, or embedded, and not both"
    ],
    [
      "networks: { a: { upstreams: [{ embedded: live, timeout: 1s }] } }",
      "1:48  networks.a.upstreams[0].timeout  means nothing for an embedded node"
    ],
    [
      "networks: { a: { chainId: 1, upstreams: [{ url: 'ws://n', batch: {} }] } }",
      "1:59  networks.a.upstreams[0].batch  means nothing for a WebSocket"
    ],
    [
      "networks: { a: { kind: starknet, upstreams: [{ embedded: live }] } }",
      "1:48  networks.a.upstreams[0].embedded  is not a node of the kind starknet"
    ],
    [
      "networks: { a: { chainId: X, upstreams: [{ url: 'http://n' }] } }",
      "1:18  networks.a.chainId  must be a whole number, for the kind eth"
    ],
    [
      "networks: { a: { chainId: 1, upstreams: [{ url: 'http://n', headers: { host: x } }] } }",
      "1:72  networks.a.upstreams[0].headers.host  is not a header that can be sent"
    ],
    [
      'networks: { a: { chainId: 1, upstreams: [{ url: "http://n", headers: { x: "a\\r\\nb: c" } }] } }',
      "1:72  networks.a.upstreams[0].headers.x  is not a header that can be sent"
    ],
    [
      "networks: { a: { upstreams: [{ embedded: live }] }, b: { hosts: [A.localhost], upstreams: [{ embedded: history }] } }",
      "1:66  networks.b.hosts[0]  has a host of the network a, and a host selects one network: set other hosts"
    ],
    [
      "networks: { a: { upstreams: [{ embedded: live, name: x }, { embedded: live, name: x }] } }",
      "1:77  networks.a.upstreams[1].name  is the name of another node of the network"
    ],
    [
      "networks: { a: { chainId: 1, upstreams: [{ url: 'http://n' }], quorum: { methods: [], agree: 1, of: 2 } } }",
      "1:97  networks.a.quorum.of  must not be more than the number of nodes (1)"
    ],
    [
      "networks: { a: { chainId: 1, upstreams: [{ url: 'http://n' }], quorum: { methods: [eth_sendRawTransaction], agree: 1, of: 1 } } }",
      "1:84  networks.a.quorum.methods[0]  must be a method of the network that only reads"
    ],
    [
      "networks: { a: { chainId: 1, upstreams: [{ url: 'http://n' }], methods: [trace_block], readMethods: [trace_block] } }",
      "1:102  networks.a.readMethods[0]  is there already"
    ],
    [
      "networks: { a: { chainId: 1, upstreams: [{ url: 'http://n' }], methods: [eth_subscribe] } }",
      "1:74  networks.a.methods[0]  is a method of the service, and of no node"
    ],
    [
      "networks: { a: { chainId: 1, upstreams: [{ url: 'http://n' }], methods: [trace] } }",
      "1:74  networks.a.methods[0]  must be a method, such as trace_block"
    ],
    [
      "ipfs: { cache: { disk: 1GiB } }",
      "1:9  ipfs.cache  is for nodes at URLs: the embedded node keeps its own blocks"
    ],
    [
      "ipfs: { node: none, fallbacks: [{ node: embedded }] }",
      "1:35  ipfs.fallbacks[0].node  needs a first node: set ipfs.node"
    ],
    ["ipfs: { fallbacks: [{ node: embedded }] }", "1:23  ipfs.fallbacks[0].node  is there twice"],
    [
      "ipfs: { fallbacks: [{ node: 'http://a' }, { node: 'http://a' }] }",
      "1:45  ipfs.fallbacks[1].node  is there twice"
    ],
    [
      "ipfs: { fallbacks: [{ node: 'http://[' }] }",
      "1:23  ipfs.fallbacks[0].node  is a URL whose host is no host name and no IP address"
    ],
    [
      "ipfs: { fallbacks: [{ node: 'http://a', name: node }] }",
      "1:41  ipfs.fallbacks[0].name  must be another name for each node"
    ],
    ["ipfs: { gateway: open }", "1:9  ipfs.gateway  must be off, key or public"],
    ["ipfs: { gatewayBlocked: [bafkqaaa, x] }", "1:36  ipfs.gatewayBlocked[1]  must be a CID"],
    [
      "ipfs: { node: none, collectEvery: 1h }",
      "1:21  ipfs.collectEvery  is only for the embedded node: other nodes collect by themselves"
    ],
    ["state: { redis: redis://r }", "1:10  state.redis  is for several processes: it needs state.postgres"],
    ["limits: { timeout: 2m }", "1:11  limits.timeout  must be a time from 1ms to 1m"],
    [`admin: { token: "${"0".repeat(32)}", tokenFile: t }`, "1:53  admin.tokenFile  cannot be beside a token"]
  ]
  for (const [text, mistake] of between) {
    it(`is ${text}`, () => expect(mistakes(text)).toEqual([mistake]))
  }

  it("is state for several processes with what is of one", () => {
    expect(mistakes("state: { postgres: postgres://db, folder: x }")).toEqual([
      "1:1  ipfs.node  must be a URL or none with state.postgres, because every process must reach the pinned content",
      "1:1  admin  needs a token or a tokenFile with state.postgres: all processes must have the same token",
      "1:35  state.folder  has no effect with state.postgres: nothing is kept in a folder"
    ])
  })

  it("that is likely not meant is a warning", () => {
    const text = `state: { postgres: postgres://db }\nipfs: { node: none }\nadmin: { token: "${"1".repeat(32)}" }`
    const { warnings } = Result.getOrThrow(read(text))
    expect(warnings.map(({ path, problem }) => `${path}: ${problem}`)).toEqual([
      "state.redis: is missing: each process counts limits for itself, so limits are exact only with one process",
      "networks: give each process its own live and starknet-pool: what one is told, the others do not know"
    ])
  })

  it("is a text that is not YAML, said without quoting it", () => {
    const texts: ReadonlyArray<readonly [string, string]> = [
      ["a: [1, s3cret\nb: 1", ""],
      ['a: "s3cret\\z"', "an unknown escape"],
      ["a: 's3cret", "1:4  opens here, and is not closed with '"],
      ["a: { b: [s3cret }\nc: 1", "1:9  opens here, and is not closed with ]"],
      ["{ a: s3cret", "1:1  opens here, and is not closed with }"],
      ["a: [1, 's3cret' 2]", "something is missing"],
      ["a: *s3cret", "an alias whose anchor is not above it"],
      ["server:\n\tport: 1", "a tab: YAML is indented with spaces"],
      [
        "a: 1\nb: { c: s3cret, c: 2 }\na: 2",
        "2:17  b.c  stands here twice: remove one, or give it another name\n3:1  a  stands here twice"
      ],
      ["server:\n  <<: { port: 1 }", "server.<<  would merge, which YAML 1.2 does not have"],
      // The message has the remedy, without the parser's further errors.
      ["a: [{ b: ${s3cret} }]\nc: d", "1:11  a ${NAME} inside of [] or {} must be in quotation marks"],
      ["a:\n  b: 1\n   c: 2", "2:6  continues in the next line, which is indented too far, or a colon is missing"],
      ["a:\n  b 1\n  c: 2", "2:3  continues in the next line, which is indented too far, or a colon is missing"],
      ["a: !s3cret 1", "a tag that means nothing here"],
      ["a: 1\n---\nb: 1", "a second document"],
      ["1: 2", "has a name that is not text"],
      ["a: .inf", "must be a text, a number, true or false"],
      ["- a", "must be a group of settings"],
      ["s3cret", "must be a group of settings"],
      ["a: s3cret: b", "more than one setting in a line"],
      ["a: &a [*a]", "is too much"],
      [
        `a: &a [x, x]\nb: &b [${"*a,".repeat(50)}]\nc: &c [${"*b,".repeat(50)}]\nd: [${"*c,".repeat(50)}]`,
        "is too much"
      ],
      [`${"[".repeat(200)}${"]".repeat(200)}`, "is too much"]
    ]
    for (const [text, problem] of texts) {
      const lines = mistakes(text).join("\n")
      expect(lines, text).toContain(problem)
      expect(lines, text).not.toContain("s3cret")
      expect(lines, text).toMatch(/^\d+:\d+ /)
    }
  })

  it("is found without trying each name against each other, and each alias against the whole file", () => {
    const names = Array.from({ length: 40_000 }, (_, index) => `n${index}: 1`)
    expect(mistakes(["server: { prot: 1 }", ...names, "n0: 2"].join("\n"))).toEqual([
      "40002:1  n0  stands here twice: remove one, or give it another name"
    ])
    const aliases = Array.from({ length: 20_000 }, (_, index) => `n${index}: *a`)
    expect(mistakes(["n: &a 1", ...aliases, "m: *b"].join("\n"))).toEqual([
      "20002:4  m  an alias whose anchor is not above it"
    ])
    // An alias refers to the nearest anchor above it that has the same name.
    expect(
      settings("server: { port: &a 1 }\ndefaultNetwork: &a live\nwording: { dayStatus: &b 402 }\n").server.port
    ).toBe(1)
    expect(
      mistakes(
        "server: { port: &a 1 }\nwording: { dayStatus: &a 402 }\nlimits: { project: { burst: *a, concurrency: *b } }"
      )
    ).toEqual(["3:46  limits.project.concurrency  an alias whose anchor is not above it"])
  }, 20_000)

  it("is a network that is named and has nothing", () => {
    expect(mistakes("networks:\n  a:\n  b: { upstreams: [{ embedded: live }] }\n")).toEqual([
      "2:3  networks.a.upstreams  is missing: it must be a list of at least one node"
    ])
  })

  it("is an address with a port or a scheme, which would listen nowhere", () => {
    for (const host of ["0.0.0.0:8645", "http://a.example", "a b", "[::1]", ":1", "a/b"]) {
      expect(mistakes(`server: { host: "${host}" }`), host).toEqual([
        "1:11  server.host  must be an IP address or a host name, without a port"
      ])
    }
    for (const host of ["0.0.0.0", "::", "::1", "fe80::1%eth0", "::ffff:127.0.0.1", "localhost", "node-1.example"]) {
      expect(settings(`server: { host: "${host}" }`).server.host).toBe(host)
    }
  })

  it("is a name that JavaScript has a use for", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect(mistakes(`${name}: { port: 1 }`)[0]).toContain(`${name}  no such setting`)
      expect(mistakes(`server: { ${name}: 1 }`)[0]).toContain(`server.${name}  no such setting`)
    }
  })

  it("shows no URL that stands where a name belongs", () => {
    const [line] = mistakes('"https://node.example/v3/s3cret": 1')
    expect(line).toBe("1:1  <url>  no such setting; there are " + shapeAt([])!.names!.join(", "))
  })
})

describe("the environment", () => {
  it("stands in texts by its names, as the setting wants it", () => {
    const variables = { PORT: "9000", LOG: "true", KEY: "s3cret", WAIT: "5s", SIZE: "4096", NAME: "8080" }
    const all = settings(
      `
server: { port: "\${PORT}", accessLog: "\${LOG}", host: "\${NAME}", timeouts: { drain: "\${WAIT}" }, limits: { bodyBytes: "\${SIZE}" } }
networks: { a: { chainId: 1, upstreams: [{ url: "https://n.example/\${KEY}/$\${KEY}" }] } }
`,
      variables
    )
    expect(all.server).toMatchObject({
      port: 9000,
      accessLog: true,
      host: "8080",
      timeouts: { drain: 5000 },
      limits: { bodyBytes: 4096 }
    })
    const [upstream] = all.networks[0]!.upstreams
    expect(revealed(upstream)).toBe("https://n.example/s3cret/${KEY}")
  })

  it("must have what is named, and is not quoted where it does not fit", () => {
    expect(mistakes("server:\n  port: ${PORT}\n  host: ${\n")).toEqual([
      "2:3  server.port  needs PORT, which is not in the environment of this process: set it",
      "3:3  server.host  has a ${ that names no variable: write $${ for a literal ${"
    ])
    expect(mistakes("server:\n  port: ${PORT}\n", { PORT: "s3cret" })).toEqual([
      "2:3  server.port  must be a whole number from 0 to 65535"
    ])
    // The content of a variable is a value, never a further part of the file.
    expect(mistakes("server:\n  host: 'x'\n  port: ${PORT}\n", { PORT: "{ a: 1 }" })).toHaveLength(1)
    const { webhookSecret } = settings("billing: { webhookSecret: '${A}' }", { A: "${B}" }).billing
    expect(Redacted.value(webhookSecret!)).toBe("${B}")
  })

  it("wins over the file, by the names of paths", () => {
    const text = `
networks:
  main-net: { chainId: 1, upstreams: [{ url: "https://a.example" }, { url: "https://b.example", headers: { x-key: a } }] }
costs: { methods: { eth_call: 1 } }
`
    const all = settings(text, {
      PLUMBLINE_SERVER__PORT: "9001",
      PLUMBLINE_SERVER__ACCESS_LOG: "true",
      PLUMBLINE_SERVER__TRUSTED_PROXIES: "10.0.0.0/8, ::1",
      PLUMBLINE_SERVER__TIMEOUTS__DRAIN: "1s",
      PLUMBLINE_NETWORKS__MAIN_NET__UPSTREAMS__1__URL: "https://c.example/s3cret",
      PLUMBLINE_NETWORKS__MAIN_NET__UPSTREAMS__1__HEADERS__X_KEY: "b",
      PLUMBLINE_NETWORKS__MAIN_NET__CHAIN_ID: "5",
      PLUMBLINE_COSTS__METHODS__ETH_CALL: "7",
      PLUMBLINE_DEFAULT_NETWORK: "main-net",
      PLUMBLINE_ADMIN__TOKEN: "f".repeat(32),
      PLUMBLINE_LIMITS__PROJECT__BURST: "null",
      // these variables are not settings of the file
      PLUMBLINE_DATA: "/data",
      PLUMBLINE_ADMIN_TOKEN: "x",
      OTHER__PORT: "1"
    })
    expect(all.server).toMatchObject({
      port: 9001,
      accessLog: true,
      trustedProxies: ["10.0.0.0/8", "::1"],
      timeouts: { drain: 1000 }
    })
    const [network] = all.networks
    expect(network!.chainId).toBe(5)
    const [first, second] = network!.upstreams
    expect(revealed(first)).toBe("https://a.example")
    expect(revealed(second)).toBe("https://c.example/s3cret")
    expect(revealed(second, "x-key")).toBe("b")
    expect(all.costs).toEqual({ methods: { eth_call: 7 } })
    expect(all.limits.project.burst).toBeNull()
  })

  it("is checked as the file is, and named by its variable", () => {
    const text = "networks: { a: { chainId: 1, upstreams: [{ url: 'https://a.example' }] } }"
    expect(
      mistakes(text, {
        PLUMBLINE_SERVER__PORT: "s3cret",
        PLUMBLINE_SERVER__PRT: "1",
        PLUMBLINE_SERVER: "1",
        PLUMBLINE_SERVER__TIMEOUTS: "1",
        PLUMBLINE_NETWORKS__A__UPSTREAMS: "s3cret",
        PLUMBLINE_NETWORKS__A__UPSTREAMS__1__URL: "http://s3cret",
        PLUMBLINE_NETWORKS__B__CHAIN_ID: "1",
        PLUMBLINE_SERVER__PORT__X: "1"
      }).toSorted()
    ).toEqual([
      "PLUMBLINE_NETWORKS__A__UPSTREAMS  networks.a.upstreams  cannot be set as a whole: name one of its settings",
      "PLUMBLINE_NETWORKS__A__UPSTREAMS__1__URL  networks.a.upstreams  has one entry in the file, counted from 0",
      "PLUMBLINE_NETWORKS__B__CHAIN_ID  networks  has no entry of that name in the file; is a meant?",
      "PLUMBLINE_SERVER__PORT  server.port  must be a whole number from 0 to 65535",
      "PLUMBLINE_SERVER__PORT__X  server.port  has no settings inside",
      "PLUMBLINE_SERVER__PRT  server  no such setting; is PORT meant?",
      "PLUMBLINE_SERVER__TIMEOUTS  server.timeouts  cannot be set as a whole: name one of its settings"
    ])
  })
})

describe("the JSON Schema", () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true })
  const validate = ajv.compile(JsonSchema.make())

  it("takes what is taken, and every example of the reference", () => {
    const page = readFileSync(path.join(Places.APP, "../../docs/reference/configuration.md"), "utf8")
    const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!)
    expect(examples.length).toBeGreaterThan(1)
    const variables = Object.fromEntries(
      examples.flatMap((text) =>
        [...text.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name]) => [
          name!,
          name === "MAINNET_URL" ? "https://n.example" : `${name === "CHECKPOINT" ? "0x" : ""}${"0".repeat(64)}`
        ])
      )
    )
    for (const text of ["{}", "server:", everything, ...examples]) {
      const value = parse(text) ?? {}
      expect(validate(value), `${text}: ${JSON.stringify(validate.errors)}`).toBe(true)
      expect(Result.isSuccess(read(text, variables)), `${text}: ${JSON.stringify(read(text, variables))}`).toBe(true)
    }
  })

  it("takes a variable wherever a value may stand", () => {
    const leaves = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(leaves)
      if (typeof value !== "object" || value === null) return "${X}"
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, leaves(member)]))
    }
    expect(validate(leaves(parse(everything))), JSON.stringify(validate.errors)).toBe(true)
  })

  it("refuses what is refused, wherever a Schema can tell", () => {
    const wrong = [
      "netwroks: {}",
      "server: { prot: 1 }",
      "server: { port: 65536 }",
      "server: { port: '80' }",
      "server: { host: 1 }",
      "server: { timeouts: { drain: 5 } }",
      "server: { timeouts: { drain: soon } }",
      "server: { limits: { bodyBytes: 1MB } }",
      "networks: {}",
      "networks: { a_b: { chainId: 1, upstreams: [{ embedded: live }] } }",
      "networks: { a: { chainId: 1 } }",
      "networks: { a: { chainId: 1, upstreams: [] } }",
      "networks: { a: { chainId: 1, upstreams: [{}] } }",
      "networks: { a: { chainId: 1, upstreams: [{ url: 'http://n', embedded: live }] } }",
      "networks: { a: { chainId: 1, upstreams: [{ url: 'ftp://n' }] } }",
      "networks: { a: { kind: solana, chainId: 1, upstreams: [{ url: 'http://n' }] } }",
      "ipfs: { gateway: open }",
      "ipfs: { node: kubo }",
      "limits: { address: {} }",
      "limits: { project: { creditsPerDay: -1 } }",
      "metering: { whenDown: ignore }",
      "costs: { methods: { eth_call: 0.5 } }",
      "costs: { events: { logs: { credits: 1, per: month } } }",
      "admin: { token: short }",
      `admin: { token: "${"0".repeat(32)}", tokenFile: t }`,
      "wording: { dayStatus: 500 }",
      "[]"
    ]
    for (const text of wrong) {
      expect(validate(parse(text)), text).toBe(false)
      expect(Result.isFailure(read(text)), text).toBe(true)
    }
  })

  it("says what everything is for", () => {
    const bare: Array<string> = []
    const walk = (schema: Record<string, any>, place: string): void => {
      if (schema["description"] === undefined) bare.push(place)
      const forms = [schema, ...(schema["anyOf"] ?? [])]
      for (const form of forms) {
        for (const [name, member] of Object.entries<Record<string, any>>(form["properties"] ?? {})) {
          walk(member, `${place}.${name}`)
        }
        if (typeof form["additionalProperties"] === "object") walk(form["additionalProperties"], `${place}.*`)
        if (form["items"] !== undefined) walk(form["items"], `${place}[]`)
      }
    }
    walk(JsonSchema.make() as Record<string, any>, "")
    expect(bare).toEqual([])
  })
})

describe("fuzz", () => {
  it("no text is a fault of ours, and none that holds a secret is quoted", () => {
    const random = Random.make(8)
    const int = (below: number) => Random.int(random, below)
    const pieces = everything.split(/(?<=[\s,:{}[\]"])/u)
    for (let run = 0; run < Random.runs(300); run += 1) {
      const changed = [...pieces]
      for (let change = int(4); change >= 0; change -= 1) {
        const other = Random.pick(random, [
          ...pieces,
          "s3cret",
          "${A}",
          "\t",
          "&a ",
          "*a ",
          "? ",
          "| ",
          "!!str ",
          "\u0000",
          "-",
          "'"
        ])
        changed.splice(int(changed.length), int(2), other)
      }
      const config = read(changed.join(""))
      // The text may be shown as a name, but never as a value.
      const said = Result.match(config, {
        onFailure: ({ mistakes }) => mistakes.map(({ problem }) => problem),
        onSuccess: (taken) => [JSON.stringify(SettingsView.file(taken.settings())).replaceAll(/"s3cret":/gu, "")]
      })
      expect(said).not.toEqual([])
      expect(said.join("\n"), changed.join("")).not.toMatch(/s3cret[@/]|[/:]s3cret/)
    }
  })
})

describe("names", () => {
  it("are near within a slip for three letters", () => {
    const known = ConfigFile.ast.propertySignatures.map(({ name }) => String(name))
    const slips = {
      sever: "server",
      sevrer: "server",
      Server: "server",
      default_network: "defaultNetwork",
      limit: "limits",
      meterign: "metering"
    }
    for (const [wrong, right] of Object.entries(slips)) expect(ConfigMistake.nearest(wrong, known), wrong).toBe(right)
    for (const wrong of ["zebra", "x", "", "a".repeat(10_000)])
      expect(ConfigMistake.nearest(wrong, known)).toBeUndefined()
  })
})

describe("the command", () => {
  const file = ({ onTestFinished }: { onTestFinished: (done: () => void) => void }, name: string, text: string) => {
    const folder = mkdtempSync(path.join(tmpdir(), "plumbline-test-"))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(path.join(folder, name), text)
    return path.join(folder, name)
  }

  it("checks a file, and shows what would run", async (context) => {
    const name = file(context, "plumbline.yaml", everything)
    const { exitCode, stdout } = await RunCli.run(["config", "check", name])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/networks\.mainnet\.upstreams\[0\]\.url +https:\/\/eth\.example\n/)
    expect(stdout).not.toContain("s3cret")
    const { answer } = await RunCli.json(["config", "check", name])
    expect(answer).toMatchObject({
      file: name,
      warnings: [
        {
          path: "networks.mainnet.quorum.agree",
          problem: expect.stringMatching(/^needs all 2 operators/u)
        }
      ],
      config: { server: { port: 8080 } }
    })
    const byVariable = await RunCli.json(["config", "check"], { env: { PLUMBLINE_CONFIG: name } })
    expect(byVariable.answer).toEqual(answer)
  })

  it("says every mistake, in lines and in JSON", async (context) => {
    const name = file(context, "plumbline.json", '{\n  "server": { "prot": 1 },\n  "admin": { "token": "s3cret" }\n}')
    const { exitCode, stderr, stdout } = await RunCli.run(["config", "check", name])
    expect([exitCode, stdout]).toEqual([1, ""])
    expect(stderr.split("\n").slice(0, 3)).toEqual([
      `error: ${name} is not a configuration: 2 mistakes`,
      "  2:15  server.prot  no such setting; is port meant?",
      "  3:14  admin.token  must be 32 to 256 hex digits, as openssl rand -hex 32 makes them"
    ])
    const { answer } = await RunCli.json(["config", "check", name])
    expect(answer.error).toMatchObject({
      tag: "ConfigError",
      file: name,
      mistakes: [{ path: "server.prot", line: 2, column: 15, variable: null }, { path: "admin.token" }]
    })
  })

  it("reads a pipe, and neither folders, devices nor what is too large", async (context) => {
    const name = file(context, "plumbline.yaml", `# ${"x".repeat(4 * 1024 * 1024)}`)
    const wrong = async (name: string) =>
      (await RunCli.json(["config", "check", name])).answer.error.mistakes[0].problem
    expect(await wrong(name)).toBe("has more than 4 MiB")
    expect(await wrong(path.dirname(name))).toBe("is not a file")
    expect(await wrong("/dev/zero")).toBe("is not a file")
    const pipe = path.join(path.dirname(name), "pipe")
    execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', pipe])
    const [{ answer }] = await Promise.all([
      RunCli.json(["config", "check", pipe]),
      writeFile(pipe, "server: { port: 9 }")
    ])
    expect(answer.config.server.port).toBe(9)
  })

  it("does not read what is not UTF-8", async (context) => {
    const name = file(context, "plumbline.yaml", "")
    for (const bytes of [
      Buffer.from("server: { host: b\u00fccher }", "latin1"),
      Buffer.from("\ufeffserver: {}", "utf16le")
    ]) {
      writeFileSync(name, bytes)
      const { answer } = await RunCli.json(["config", "check", name])
      expect(answer.error.mistakes[0].problem).toBe("is not text in UTF-8: save it in that encoding")
    }
    writeFileSync(name, "\ufeffserver: { port: 9 }")
    expect((await RunCli.json(["config", "check", name])).answer.config.server.port).toBe(9)
  })

  it("says what the system's code means", async (context) => {
    const name = file(context, "plumbline.yaml", "")
    const { stderr } = await RunCli.run(["config", "check", `${name}.none`])
    expect(stderr).toBe(`error: ${name}.none cannot be read: it is not there (ENOENT)\n`)
  })

  it("reads the admin token from a file beside the configuration", async (context) => {
    const name = file(context, "plumbline.yaml", "admin: { tokenFile: token }")
    const token = path.join(path.dirname(name), "token")
    expect((await RunCli.json(["config", "check", name])).answer.error).toMatchObject({
      tag: "ConfigError",
      mistakes: [
        {
          path: "admin.tokenFile",
          problem: "names a file that cannot be read: it is not there (ENOENT). A path is relative to this file",
          line: 1,
          column: 10
        }
      ]
    })
    writeFileSync(token, `${"a".repeat(64)}\n`)
    const { answer } = await RunCli.json(["config", "check", name])
    expect(answer.config.admin).toEqual({ token: "<secret>", allowedOrigins: [], sessionLifetime: "12h" })
    writeFileSync(token, "s3cret")
    const wrong = await RunCli.json(["config", "check", name])
    expect(wrong.answer.error.mistakes[0]).toMatchObject({ path: "admin.tokenFile" })
    expect(JSON.stringify(wrong.answer)).not.toContain("s3cret")
  })

  it("finds the mistakes of the files that a configuration names, all at once", async (context) => {
    const name = file(
      context,
      "plumbline.yaml",
      "admin: { tokenFile: none }\ntls: { certificate: none, key: plumbline.yaml }\n"
    )
    const { answer, exitCode } = await RunCli.json(["config", "check", name])
    expect(exitCode).toBe(1)
    expect(answer.error.mistakes).toEqual([
      expect.objectContaining({ path: "admin.tokenFile", line: 1 }),
      expect.objectContaining({ path: "tls.certificate", line: 2, problem: expect.stringContaining("it is not there") })
    ])
    writeFileSync(path.join(path.dirname(name), "none"), "a".repeat(64))
    const next = await RunCli.json(["config", "check", name])
    expect(next.answer.error.mistakes).toEqual([
      expect.objectContaining({ path: "tls.certificate", problem: expect.stringMatching(/not a certificate in PEM$/u) })
    ])
  })

  it("finds the mistakes of named files beside those of the configuration itself", async (context) => {
    const text = `server: { port: 70000 }\ntls: { certificate: none.pem, key: none.key }\ndefaultNetwork: nowhere\n`
    const { stdout } = await RunCli.run(["config", "check", file(context, "plumbline.yaml", text), "--json"])
    const { mistakes } = JSON.parse(stdout).error
    expect(mistakes.map(({ line, path }: any) => [line, path])).toEqual([
      [1, "server.port"],
      [2, "tls.certificate"],
      [2, "tls.key"],
      [3, "defaultNetwork"]
    ])
  })

  it("does not quote a file that is named in place of a beacon chain", async (context) => {
    const trust = `{ checkpoint: "0x${"1".repeat(64)}", beacon: [http://b.example], network: plumbline.yaml }`
    const network = `{ chainId: 1, integrity: prove, upstreams: [{ url: http://n.example }], trust: ${trust} }`
    const name = file(context, "plumbline.yaml", `# s3cret\nnetworks: { a: ${network} }\n`)
    const { answer, exitCode } = await RunCli.json(["config", "check", name])
    expect(exitCode).toBe(1)
    expect(answer.error.mistakes).toEqual([
      expect.objectContaining({
        path: "networks.a.trust.network",
        problem: "names a file that cannot be used: it is not JSON"
      })
    ])
  })

  it("does not quote a file that is named in place of later forks, and takes one that describes them", async (context) => {
    const network = "{ chainId: 1, integrity: check, upstreams: [{ url: http://n.example }], laterForks: FILE }"
    const name = file(
      context,
      "plumbline.yaml",
      `# s3cret\nnetworks: { a: ${network.replace("FILE", "plumbline.yaml")} }\n`
    )
    const { answer, exitCode } = await RunCli.json(["config", "check", name])
    expect(exitCode).toBe(1)
    expect(answer.error.mistakes).toEqual([
      expect.objectContaining({
        path: "networks.a.laterForks",
        problem: "names a file that cannot be used: it is not JSON"
      })
    ])
    const forks = { forks: [{ name: "x", headerFields: [{ name: "y", kind: "hash" }] }] }
    const path = file(context, "forks.json", JSON.stringify(forks))
    const good = file(context, "good.yaml", `networks: { a: ${network.replace("FILE", path)} }\n`)
    expect((await RunCli.json(["config", "check", good])).exitCode).toBe(0)
  })

  it("finds a rollup that is another chain, is not known, or has another parent chain, and shows no key", async (context) => {
    const hash = `"0x${"1".repeat(64)}"`
    const checked = async (rollup: string, l1: string) => {
      const trust = `{ rollup: ${rollup}, l1: { url: "https://l1.example/v3/s3cret", ${l1} } }`
      const network = `{ chainId: 10, integrity: prove, upstreams: [{ url: http://n.example }], trust: ${trust} }`
      const name = file(context, "plumbline.yaml", `networks: { a: ${network} }\n`)
      const { stdout } = await RunCli.run(["config", "check", name, "--json"])
      expect(stdout).not.toContain("s3cret")
      return JSON.parse(stdout)
    }
    const mistakes = async (...input: Parameters<typeof checked>) =>
      ((await checked(...input)).error?.mistakes ?? []).map((found: any) => [found.path, found.problem])
    const light = (network: string) => `checkpoint: ${hash}, beacon: ["https://b.example"], network: ${network}`
    expect(await mistakes("op-mainnet", `block: ${hash}`)).toEqual([])
    expect(await mistakes("op-mainnet", light("mainnet"))).toEqual([])
    expect(await mistakes("op-mainnet", light("sepolia"))).toEqual([
      ["networks.a.trust.l1.network", "is chain 11155111, and the parent chain of OP Mainnet is chain 1"]
    ])
    expect(await mistakes("base", `block: ${hash}`)).toEqual([
      ["networks.a.trust.rollup", "is chain 8453, and the network is chain 10"]
    ])
    expect(await mistakes("op-manet", `block: ${hash}`)).toEqual([
      ["networks.a.trust.rollup", "is not known: the public registry has no chain op-manet. Did you mean op-mainnet?"]
    ])
    expect(await mistakes("op-manet.json", `block: ${hash}`)).toEqual([
      [
        "networks.a.trust.rollup",
        "names a file that cannot be read: it is not there (ENOENT). A path is relative to this file"
      ]
    ])
    expect(JSON.stringify(await checked("op-mainnet", `block: ${hash}`))).toContain("https://l1.example")
  })

  it("prints the JSON Schema", async () => {
    const { exitCode, stdout } = await RunCli.run(["config", "schema"])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toEqual(JsonSchema.make())
  })
})
