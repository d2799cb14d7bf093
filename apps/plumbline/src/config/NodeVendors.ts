/**
 * Vendors of nodes whose URLs follow a template: `alchemy://KEY` is the vendor's URL for the network's chain.
 *
 * The table has only vendors that document one template for all chains. QuickNode and Chainstack, for example, name a
 * host or a key per node, so their nodes are given by URL.
 */
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

import * as ConfigMistake from "./ConfigMistake.ts"

/** A vendor: its templates, with `{chain}` and `{key}`, and its name of each chain. */
export interface NodeVendor {
  readonly http: string
  readonly socket: string
  /** The vendor's names of chains, by chain id. */
  readonly chains: Readonly<Record<number, string>>
}

/** The vendors by name. Above each stands the source of its templates and names. */
export const vendors: Readonly<Record<string, NodeVendor>> = {
  // alchemy.com/docs/reference/node-supported-chains; ethers AlchemyProvider
  alchemy: {
    http: "https://{chain}.g.alchemy.com/v2/{key}",
    socket: "wss://{chain}.g.alchemy.com/v2/{key}",
    chains: {
      1: "eth-mainnet",
      10: "opt-mainnet",
      56: "bnb-mainnet",
      97: "bnb-testnet",
      100: "gnosis-mainnet",
      137: "polygon-mainnet",
      8453: "base-mainnet",
      42161: "arb-mainnet",
      59144: "linea-mainnet",
      80002: "polygon-amoy",
      84532: "base-sepolia",
      421614: "arb-sepolia",
      534352: "scroll-mainnet",
      560048: "eth-hoodi",
      11155111: "eth-sepolia",
      11155420: "opt-sepolia"
    }
  },
  // ankr.com/docs/api-reference; ethers AnkrProvider
  ankr: {
    http: "https://rpc.ankr.com/{chain}/{key}",
    socket: "wss://rpc.ankr.com/{chain}/ws/{key}",
    chains: {
      1: "eth",
      10: "optimism",
      56: "bsc",
      100: "gnosis",
      137: "polygon",
      8453: "base",
      42161: "arbitrum",
      59144: "linea",
      84532: "base_sepolia",
      534352: "scroll",
      11155111: "eth_sepolia",
      11155420: "optimism_sepolia"
    }
  },
  // drpc.org/docs; the names as in lb.drpc.org/networks
  drpc: {
    http: "https://lb.drpc.org/ogrpc?network={chain}&dkey={key}",
    socket: "wss://lb.drpc.org/ogws?network={chain}&dkey={key}",
    chains: {
      1: "ethereum",
      10: "optimism",
      56: "bsc",
      97: "bsc-testnet",
      100: "gnosis",
      137: "polygon",
      8453: "base",
      42161: "arbitrum",
      59144: "linea",
      80002: "polygon-amoy",
      84532: "base-sepolia",
      421614: "arbitrum-sepolia",
      534352: "scroll",
      560048: "hoodi",
      11155111: "sepolia",
      11155420: "optimism-sepolia"
    }
  },
  // docs.metamask.io/services/get-started/endpoints; ethers InfuraProvider
  infura: {
    http: "https://{chain}.infura.io/v3/{key}",
    socket: "wss://{chain}.infura.io/ws/v3/{key}",
    chains: {
      1: "mainnet",
      10: "optimism-mainnet",
      56: "bsc-mainnet",
      97: "bsc-testnet",
      137: "polygon-mainnet",
      8453: "base-mainnet",
      42161: "arbitrum-mainnet",
      59141: "linea-sepolia",
      59144: "linea-mainnet",
      80002: "polygon-amoy",
      84532: "base-sepolia",
      421614: "arbitrum-sepolia",
      534352: "scroll-mainnet",
      11155111: "sepolia",
      11155420: "optimism-sepolia"
    }
  },
  // publicnode.com; web3.js PublicNodeProvider. It has no keys.
  publicnode: {
    http: "https://{chain}-rpc.publicnode.com",
    socket: "wss://{chain}-rpc.publicnode.com",
    chains: {
      1: "ethereum",
      10: "optimism",
      56: "bsc",
      97: "bsc-testnet",
      100: "gnosis",
      137: "polygon-bor",
      8453: "base",
      42161: "arbitrum-one",
      59144: "linea",
      84532: "base-sepolia",
      421614: "arbitrum-sepolia",
      534352: "scroll",
      11155111: "ethereum-sepolia",
      11155420: "optimism-sepolia"
    }
  }
}

const names = Object.keys(vendors)

/** The forms of the vendors' URLs, for a sentence. */
export const known: string = Setting.list(
  Object.entries(vendors).map(([name, { http }]) => `${name}://${http.includes("{key}") ? "KEY" : ""}`),
  "or"
)

/** A pattern of the texts that name a vendor. The key is checked by `urlOf`. */
export const pattern: string = `(?:${names.join("|")})(?:\\+wss)?://[^\\s]*`

/** For each vendor, the flaw of a text whose scheme is nearly the vendor's name. */
export const flaws = names.map((name) => ({
  message: `names no vendor: is ${name}:// meant?`,
  isSound: (text: string) => {
    const scheme = /^([a-z][a-z0-9-]*)(?:\+wss)?:\/\//iu.exec(text)?.[1]
    return scheme === undefined || names.includes(scheme) || ConfigMistake.nearest(scheme, names) !== name
  }
}))

/**
 * Returns the URL of a node: for `alchemy://KEY` the vendor's HTTP URL, for `alchemy+wss://KEY` its WebSocket. Any other
 * URL is returned unchanged. The failure is the problem, which never contains the key.
 */
export const urlOf = (
  given: Redacted.Redacted,
  chainId: number | string | undefined
): Result.Result<Redacted.Redacted, string> => {
  const found = FORM.exec(Redacted.value(given))
  if (found === null) return Result.succeed(given)
  const [, name = "", socket, key = ""] = found
  const { chains, http, socket: webSocket } = vendors[name]!
  const template = socket === undefined ? http : webSocket
  if (template.includes("{key}")) {
    if (!/^[A-Za-z0-9_-]{1,256}$/u.test(key)) {
      return Result.fail(`must have a key of letters, digits, hyphens and underscores: ${name}://KEY`)
    }
  } else if (key !== "") return Result.fail(`must have no key: ${name}:// is the whole URL`)
  if (chainId === undefined) return Result.fail(`needs the network's chainId: the URL of ${name} depends on it`)
  const chain = Object.hasOwn(chains, chainId) ? chains[Number(chainId)]! : undefined
  return chain === undefined
    ? Result.fail(
        `is of a vendor without this chain: ${name} has ${Object.keys(chains).join(", ")}. Give the node's URL`
      )
    : Result.succeed(Redacted.make(template.replace("{chain}", chain).replace("{key}", key)))
}

const FORM = new RegExp(`^(${names.join("|")})(\\+wss)?://(.*)$`, "u")
