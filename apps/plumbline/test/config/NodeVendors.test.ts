/** Vendors of nodes: their URLs, compared with those of ethers, and the mistakes. A key is never shown. */
import { describe, expect, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { AlchemyProvider, AnkrProvider, type FetchRequest, InfuraProvider, Network } from "ethers"

import * as Configuration from "../../src/config/Configuration.ts"
import * as NodeVendors from "../../src/config/NodeVendors.ts"
import * as SettingsView from "../../src/config/SettingsView.ts"

const KEY = "k3y_S3cret-0123456789abcdef"

const expanded = (url: string, chainId: number): string =>
  Redacted.value(Result.getOrThrow(NodeVendors.urlOf(Redacted.make(url), chainId)))

const read = (text: string, variables: Record<string, string> = {}) =>
  Configuration.read({ text, file: "/etc/plumbline.yaml", variables })

const networkOf = (url: string, chainId: number | string = 1): string =>
  `networks: { a: { chainId: ${chainId}, upstreams: [{ url: "${url}" }] } }`

const mistakes = (text: string): ReadonlyArray<string> => {
  const config = read(text)
  if (Result.isSuccess(config)) throw new Error("it was taken")
  return config.failure.lines
}

describe("the URL of a vendor's node", () => {
  it.each([
    ["alchemy", 1, `https://eth-mainnet.g.alchemy.com/v2/${KEY}`, `wss://eth-mainnet.g.alchemy.com/v2/${KEY}`],
    ["ankr", 8453, `https://rpc.ankr.com/base/${KEY}`, `wss://rpc.ankr.com/base/ws/${KEY}`],
    [
      "drpc",
      11155111,
      `https://lb.drpc.org/ogrpc?network=sepolia&dkey=${KEY}`,
      `wss://lb.drpc.org/ogws?network=sepolia&dkey=${KEY}`
    ],
    ["infura", 59144, `https://linea-mainnet.infura.io/v3/${KEY}`, `wss://linea-mainnet.infura.io/ws/v3/${KEY}`]
  ])("follows the template of %s", (name, chainId, http, socket) => {
    expect(expanded(`${name}://${KEY}`, chainId)).toBe(http)
    expect(expanded(`${name}+wss://${KEY}`, chainId)).toBe(socket)
  })

  it("needs no key where the vendor has none", () => {
    expect(expanded("publicnode://", 1)).toBe("https://ethereum-rpc.publicnode.com")
    expect(expanded("publicnode+wss://", 42161)).toBe("wss://arbitrum-one-rpc.publicnode.com")
  })

  it.each<[string, (network: Network) => FetchRequest]>([
    ["alchemy", (network) => AlchemyProvider.getRequest(network, KEY)],
    ["ankr", (network) => AnkrProvider.getRequest(network, KEY)],
    ["infura", (network) => InfuraProvider.getRequest(network, KEY)]
  ])("is the one that ethers has for each chain that both know: %s", (name, request) => {
    let compared = 0
    for (const chainId of Object.keys(NodeVendors.vendors[name]!.chains).map(Number)) {
      let url: string
      try {
        ;({ url } = request(Network.from(chainId)))
      } catch {
        continue
      }
      expect(expanded(`${name}://${KEY}`, chainId), String(chainId)).toBe(url)
      compared++
    }
    expect(compared).toBeGreaterThan(7)
  })

  it("has a host and no rest of the template, for every vendor and chain", () => {
    for (const [name, { chains, http }] of Object.entries(NodeVendors.vendors)) {
      for (const chainId of Object.keys(chains).map(Number)) {
        const key = http.includes("{key}") ? KEY : ""
        for (const scheme of [name, `${name}+wss`]) {
          const url = expanded(`${scheme}://${key}`, chainId)
          expect(new URL(url).protocol).toBe(scheme === name ? "https:" : "wss:")
          expect(url).not.toMatch(/[{}]/u)
        }
      }
    }
  })
})

describe("a vendor in a configuration", () => {
  it("is replaced by its URL, whose key comes from the environment and is never shown", () => {
    const text = `
networks:
  a:
    chainId: 1
    upstreams:
      - url: alchemy://\${ALCHEMY_KEY}
      - url: drpc+wss://${KEY}
      - url: alchemy://other_${KEY}
    quorum: { methods: [eth_chainId], agree: 2, of: 2 }
`
    const config = Result.getOrThrow(read(text, { ALCHEMY_KEY: KEY }))
    const settings = config.settings()
    const nodes = settings.networks[0]!.upstreams
    expect(nodes.map(({ url }) => url && Redacted.value(url))).toEqual([
      `https://eth-mainnet.g.alchemy.com/v2/${KEY}`,
      `wss://lb.drpc.org/ogws?network=ethereum&dkey=${KEY}`,
      `https://eth-mainnet.g.alchemy.com/v2/other_${KEY}`
    ])
    // two nodes of one vendor have one operator
    expect(nodes.map(({ operator }) => operator)).toEqual([undefined, undefined, "a-1"])
    const shown = JSON.stringify([SettingsView.file(settings), config.warnings, settings])
    expect(shown).toContain("https://eth-mainnet.g.alchemy.com")
    expect(shown).not.toContain(KEY)
  })

  it.each([
    [networkOf(`alchmey://${KEY}`), "1:44  networks.a.upstreams[0].url  names no vendor: is alchemy:// meant?"],
    [networkOf(`infra+wss://${KEY}`), "1:44  networks.a.upstreams[0].url  names no vendor: is infura:// meant?"],
    [
      networkOf(`tenderly://${KEY}`),
      "1:44  networks.a.upstreams[0].url  must be a URL with http://, https://, ws:// or wss://, or of a vendor: alchemy://KEY, ankr://KEY, drpc://KEY, infura://KEY or publicnode://"
    ],
    [
      networkOf(`infura://${KEY}`, 100),
      "1:46  networks.a.upstreams[0].url  is of a vendor without this chain: infura has 1, 10, 56, 97, 137, 8453, 42161, 59141, 59144, 80002, 84532, 421614, 534352, 11155111, 11155420. Give the node's URL"
    ],
    [
      networkOf("ankr://"),
      "1:44  networks.a.upstreams[0].url  must have a key of letters, digits, hyphens and underscores: ankr://KEY"
    ],
    [
      networkOf(`alchemy://${KEY}/../x?y`),
      "1:44  networks.a.upstreams[0].url  must have a key of letters, digits, hyphens and underscores: alchemy://KEY"
    ],
    [
      networkOf(`publicnode://${KEY}`),
      "1:44  networks.a.upstreams[0].url  must have no key: publicnode:// is the whole URL"
    ],
    [
      `networks: { a: { upstreams: [{ embedded: live }, { url: "drpc://${KEY}" }] } }`,
      "1:52  networks.a.upstreams[1].url  needs the network's chainId: the URL of drpc depends on it"
    ],
    [
      `networks: { a: { chainId: 1, upstreams: [{ url: "alchemy+wss://${KEY}", batch: {} }] } }`,
      `1:${67 + KEY.length}  networks.a.upstreams[0].batch  means nothing for a WebSocket`
    ]
  ])("has mistakes with their places, and without the key: %#", (text, line) => {
    const found = mistakes(text)
    expect(found).toEqual([line])
    expect(found.join()).not.toContain(KEY)
  })
})
