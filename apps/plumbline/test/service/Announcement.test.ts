/**
 * The announcement that `up` prints for people: each line can be pasted with any configuration. `Up.test.ts` runs the
 * lines of the default configuration.
 */
import { describe, expect, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { Result } from "effect"

import * as Configuration from "../../src/config/Configuration.ts"
import type * as ServiceFile from "../../src/home/ServiceFile.ts"
import * as Announcement from "../../src/service/Announcement.ts"
import * as Style from "../../src/terminal/Style.ts"

const KEY = { apiKey: "a".repeat(32), apiKeySecret: "b".repeat(32) }

const said = (
  text: string,
  url = "http://127.0.0.1:8645",
  key: typeof KEY | null = KEY,
  { beacon = null, folder }: { readonly beacon?: ServiceFile.Beacon | null; readonly folder?: string } = {}
): string => {
  const settings = Result.getOrThrow(Configuration.read({ text, file: "plumbline.yaml", variables: {} })).settings()
  const networks = settings.networks.map(({ chainId = 1, hosts, name }) => ({
    name,
    host: `${hosts[0]}:8645`,
    chainId,
    url: `${url}/${name}`,
    wsUrl: `${url.replace("http", "ws")}/${name}`
  }))
  const service = {
    url,
    wsUrl: url.replace("http", "ws"),
    consoleUrl: `${url}/console/`,
    adminUrl: url,
    ipfsUrl: settings.ipfs.node._tag === "None" ? null : url,
    key: key ?? undefined,
    adminToken: undefined,
    metricsUrl: null,
    settings,
    networks,
    beacon
  }
  return Announcement.view(service, { folder, isDefault: false, style: Style.plain }).join("\n")
}

const NODE = 'main: { chainId: 1, hosts: [main.example], upstreams: [{ url: "https://n.example/s3cret" }] }'

describe("what is said of", () => {
  it("a node elsewhere is how to ask it", () => {
    const lines = said(`networks: { ${NODE} }\nipfs: { node: none }`)
    expect(lines).toContain(`curl -s http://127.0.0.1:8645/v3/${KEY.apiKey} -H 'content-type: application/json'`)
    expect(lines).toMatch(/Read the newest block:\n +\S*plumbline block latest\n/u)
    expect(lines).not.toMatch(/s3cret|IPFS|ipfs|uncle|pending/u)
  })

  it("a network that is not where the URL leads is by its name", () => {
    const lines = said(
      `networks: { ${NODE}, dev: { upstreams: [{ embedded: live }] }, old: { upstreams: [{ embedded: history }] } }\ndefaultNetwork: old`
    )
    expect(lines).toMatch(/plumbline block latest\n/u)
    expect(lines).toMatch(/plumbline read 0x[0-9a-f]{40} totalSupply --layout \S+Token\.json --network dev\n/u)
    expect(lines).toMatch(/ old +host old\.localhost:8645 .*; any other host leads to it\n/u)
    expect(lines.match(/any other host/gu)).toHaveLength(1)
    expect(lines).toMatch(/ main +host main\.example:8645 +or path \/main +chain 1, a node elsewhere\n/u)
  })

  it("a beacon chain is everything that a light client's flags need, and the folder is named", () => {
    const beacon = {
      url: "http://127.0.0.1:8645/live_beacon",
      checkpoint: Hash32.fromHexUnsafe(`0x${"c".repeat(64)}`),
      networkFile: "/some data/beacon-network.json",
      networks: ["live"],
      isDefault: true
    }
    const lines = said("networks: { live: { upstreams: [{ embedded: live }] } }", undefined, KEY, {
      beacon,
      folder: "/some data"
    })
    expect(lines).toContain(`${beacon.url}, checkpoint ${beacon.checkpoint}\n`)
    expect(lines).toContain("--beacon-network '/some data/beacon-network.json'\n")
    expect(lines).toMatch(/ data folder +\/some data\n/u)
    expect(lines).toMatch(/Prove the newest block:\n +\S*plumbline block latest --data '\/some data'\n/u)
  })

  it("light client data that the service keeps is the URL for --beacon, with the key or the place for it", () => {
    const text = `networks: { ${NODE} }\nipfs: { node: none }\nbeacon: { mainnet: { nodes: [https://b.example/s3cret], checkpoint: "0x${"d".repeat(64)}" } }`
    const at = "beacon       http://127.0.0.1:8645/mainnet/v3"
    expect(said(text)).toContain(`${at}/${KEY.apiKey}, light client data of mainnet for --beacon\n`)
    expect(said(text, undefined, null)).toContain(`${at}/<key>, light`)
    expect(said(text)).not.toContain("s3cret")
    expect(said(`networks: { ${NODE} }`)).not.toContain("light client data")
  })

  it("is three things to do, the first that its networks allow", () => {
    const next = (text: string) => {
      const [, steps] = /\nNext\n(.*)\n\nCtrl-C/su.exec(said(text)) ?? []
      return steps!.split("\n").filter((line) => line.startsWith("    "))
    }
    expect(next("networks: { old: { upstreams: [{ embedded: history }] } }")).toEqual([
      expect.stringMatching(/plumbline block latest$/u),
      expect.stringMatching(/curl -s http:\/\/127\.0\.0\.1:8645\/v3\/a{32} .*eth_blockNumber/u),
      expect.stringMatching(/plumbline uncle 0x[0-9a-f]{64}$/u)
    ])
    expect(next("networks: { starknet-pool: { upstreams: [{ embedded: starknet-pool }] } }")).toEqual([
      expect.stringMatching(/plumbline pending$/u),
      expect.stringMatching(/echo "hello world" \| .*plumbline ipfs add -$/u)
    ])
  })

  it("a shared state has no key to paste", () => {
    const text = `networks: { ${NODE} }\nipfs: { node: none }\nstate: { postgres: postgres://db, redis: redis://r }\nadmin: { token: "${"1".repeat(32)}" }`
    const lines = said(text, "http://127.0.0.1:8645", null)
    expect(lines).toContain("http://127.0.0.1:8645/v3/<key>")
    expect(lines).not.toMatch(/curl|npx/u)
  })
})
