/** The announcement that `up` prints when it is ready. Only this announcement prints the service's API key. */
import * as path from "node:path"
import { fileURLToPath } from "node:url"

import * as PreparedState from "@plumbline/devnet/anvil/PreparedState"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"

import * as Invocation from "../home/Invocation.ts"
import type * as ServiceFile from "../home/ServiceFile.ts"
import type { Style } from "../terminal/Style.ts"
import type { RunningService } from "./Service.ts"

/**
 * The one line of `up --json`. Null means that a value is not known yet, or that the service does not have this part.
 */
export interface Announcement {
  readonly url: string
  readonly wsUrl: string
  /** The key and its secret are null if the state is shared: then keys are created with the admin API. */
  readonly apiKey: string | null
  readonly apiKeySecret: string | null
  /**
   * The API of IPFS is at `${ipfsUrl}/api/v0`, and requires the key and its secret; null if the service has no IPFS.
   */
  readonly ipfsUrl: string | null
  readonly consoleUrl: string
  /** The address of the admin API, without its path; no member if it is `url`. */
  readonly adminUrl?: string
  /** The admin token of the data folder; null if the configuration has one. */
  readonly adminToken: string | null
  /**
   * `url` and `wsUrl` of a network reach the network by the path: `${url}/v3/${apiKey}`, `${wsUrl}/ws/v3/${apiKey}`.
   */
  readonly networks: ReadonlyArray<Required<ServiceFile.Network>>
  /**
   * The URL of the live chain's beacon API, for `--beacon`. Null without a beacon chain, as are `checkpoint` and
   * `beaconNetwork`.
   */
  readonly beaconUrl: string | null
  /** A beacon block root to pass to `--checkpoint`. */
  readonly checkpoint: string | null
  /** The path of the file to pass to `--beacon-network`. */
  readonly beaconNetwork: string | null
  /**
   * The beacon chains whose light client data the service keeps; no member without one. `${url}/v3/${apiKey}` is a URL for
   * `--beacon`.
   */
  readonly beacons?: ReadonlyArray<ServedBeacon>
  /** The URL of the metrics that need no token; null if no port is configured for them. */
  readonly metricsUrl: string | null
}

/** A beacon chain of the settings, and the address of its light client data. */
export interface ServedBeacon {
  readonly name: string
  readonly url: string
}

const beaconsOf = ({ settings, url }: RunningService): ReadonlyArray<ServedBeacon> =>
  Object.keys(settings.beacon ?? {}).map((name) => ({ name, url: `${url}/${name}` }))

export const make = (service: RunningService): Announcement => {
  const { adminToken, adminUrl, beacon, consoleUrl, ipfsUrl, key, metricsUrl, networks, url, wsUrl } = service
  const beacons = beaconsOf(service)
  return {
    url,
    wsUrl,
    apiKey: key?.apiKey ?? null,
    apiKeySecret: key?.apiKeySecret ?? null,
    ipfsUrl,
    consoleUrl,
    ...(adminUrl === url ? {} : { adminUrl }),
    adminToken: adminToken ?? null,
    networks,
    beaconUrl: beacon?.url ?? null,
    checkpoint: beacon?.checkpoint ?? null,
    beaconNetwork: beacon?.networkFile ?? null,
    ...(beacons.length === 0 ? {} : { beacons }),
    metricsUrl
  }
}

/**
 * Returns the announcement as text: the addresses, and what to do next. Its commands can be pasted into a shell. They
 * name the data folder unless it is the default one (`isDefault`).
 */
export const view = (
  service: RunningService,
  {
    folder,
    isDefault,
    style
  }: { readonly folder: string | undefined; readonly isDefault: boolean; readonly style: Style }
): ReadonlyArray<string> => {
  const words = Invocation.words(process.argv[1], process.env, process.cwd())
  const run = words.startsWith("/") ? quoted(words) : words
  const data = folder === undefined || isDefault ? "" : ` --data ${quoted(folder)}`
  const next = steps(service, (line) => `${run} ${line}${data}`)
  return [
    style.good("Plumbline is up."),
    "",
    ...rows(service, folder).map(([name, text]) => `  ${style.label(name.padEnd(11))}  ${text}`),
    "",
    ...(next.length === 0 ? [] : [style.title("Next")]),
    ...next.flatMap(({ line, what }) => [`  ${what}`, `    ${line}`]),
    ...(next.length === 0 ? [] : [""]),
    style.faint(service.key === undefined ? "Ctrl-C stops it." : "Ctrl-C stops it; the API key stays.")
  ]
}

const rows = (service: RunningService, folder: string | undefined): ReadonlyArray<readonly [string, string]> => {
  const { adminToken, adminUrl, beacon, consoleUrl, ipfsUrl, key, metricsUrl, networks, url, wsUrl } = service
  const [nameWidth, hostWidth] = [width(networks.map(({ name }) => name)), width(networks.map(({ host }) => host))]
  const fallback = fallbackOf(service)
  return [
    ["address", url],
    ...(key === undefined
      ? ([
          ["HTTP", `${url}/v3/<key>`],
          ["WebSocket", `${wsUrl}/ws/v3/<key>`]
        ] as const)
      : ([
          ["API key", key.apiKey],
          ["secret", key.apiKeySecret],
          ["HTTP", `${url}/v3/${key.apiKey}`],
          ["WebSocket", `${wsUrl}/ws/v3/${key.apiKey}`]
        ] as const)),
    ...(ipfsUrl === null ? [] : [["IPFS", `${ipfsUrl}/api/v0, for the key with its secret`] as const]),
    ...(beacon === null
      ? []
      : ([
          ["beacon", `${beacon.url}, checkpoint ${beacon.checkpoint}`],
          ["", `--beacon-network ${quoted(beacon.networkFile)}`]
        ] as const)),
    ...beaconsOf(service).map(
      ({ name, url }) =>
        ["beacon", `${url}/v3/${key?.apiKey ?? "<key>"}, light client data of ${name} for --beacon`] as const
    ),
    ...(folder === undefined ? [] : [["data folder", folder] as const]),
    ["console", consoleUrl],
    ["admin", `${adminUrl}/admin/v1, described at ${adminUrl}/admin/docs`],
    ...(adminToken === undefined ? [] : [["admin token", adminToken] as const]),
    ...(metricsUrl === null ? [] : [["metrics", metricsUrl] as const]),
    ...networks.map((network) => {
      const { chainId, host, name } = network
      const path = new URL(network.url).pathname
      const what = whatIs(service, name)
      const other = network === fallback ? "; any other host leads to it" : ""
      return [
        "network",
        `${name.padEnd(nameWidth)}  host ${host.padEnd(hostWidth)}  or path ${path.padEnd(nameWidth + 1)}  chain ${chainId}, ${what}${other}`
      ] as const
    })
  ]
}

/** Describes a network from its settings. */
const whatIs = ({ settings }: RunningService, name: string): string => {
  const upstreams = settings.networks.find((network) => network.name === name)?.upstreams ?? []
  const [first] = upstreams
  if (upstreams.length !== 1 || first === undefined) return `${upstreams.length} nodes`
  return first.embedded === undefined ? "a node elsewhere" : embedded[first.embedded]
}

const embedded = {
  live: "anvil: takes transactions",
  history: `finished: ${HistoryChain.blocks.length} blocks from Frontier to Osaka, with uncles`,
  "starknet-pool": "a second chain: holds transactions of known accounts, runs none of them"
}

/** Returns the network whose only node is this embedded node. */
const networkOf = (
  { networks, settings }: RunningService,
  node: keyof typeof embedded
): ServiceFile.Network | undefined => {
  const found = settings.networks.find(
    ({ upstreams: [first, ...others] }) => others.length === 0 && first?.embedded === node
  )
  return networks.find(({ name }) => name === found?.name)
}

/** Returns the network that a URL without a network's name reaches. */
const fallbackOf = ({ networks, settings }: RunningService): ServiceFile.Network | undefined =>
  networks.find(({ name }) => name === settings.defaultNetwork) ?? networks[0]

const isEthereum = ({ settings }: RunningService, network: ServiceFile.Network | undefined): boolean =>
  settings.networks.some(({ kind, name }) => name === network?.name && kind === "eth")

/** A thing to do next, and the line that does it. */
interface Step {
  readonly what: string
  readonly line: string
}

/** Returns at most three things to do with the networks of a service. `command` completes the words of a command. */
const steps = (service: RunningService, command: (words: string) => string): ReadonlyArray<Step> => {
  const { ipfsUrl, key, url } = service
  if (key === undefined) return []
  const fallback = fallbackOf(service)
  const [live, history, pool] = [
    networkOf(service, "live"),
    networkOf(service, "history"),
    networkOf(service, "starknet-pool")
  ]
  const on = (network: ServiceFile.Network) => (network === fallback ? "" : ` --network ${network.name}`)
  const isChain = isEthereum(service, fallback)
  const { token } = PreparedState.contracts
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'
  const layout = quoted(fromHere(PreparedState.layoutFile(token)))
  const all: ReadonlyArray<Step | false | undefined> = [
    isChain && {
      // without a light client of its chain, the command has nothing to prove the block from
      what: service.beacon?.isDefault === true ? "Prove the newest block:" : "Read the newest block:",
      line: command("block latest")
    },
    live && {
      what: "Prove a variable of a contract:",
      line: command(`read ${token.address} totalSupply --layout ${layout}${on(live)}`)
    },
    isChain && {
      what: "Call the service from any program:",
      line: `curl -s ${url}/v3/${key.apiKey} -H 'content-type: application/json' -d '${body}'`
    },
    history && { what: "Prove a block that is not in the chain:", line: command(`uncle ${uncled.hash}${on(history)}`) },
    pool?.name === "starknet-pool" && { what: "List pending transactions:", line: command("pending") },
    ipfsUrl !== null && { what: "Add a file to IPFS:", line: `echo "hello world" | ${command("ipfs add -")}` }
  ]
  return all.filter((step) => step !== undefined && step !== false).slice(0, 3)
}

/** Returns the path of a file as it is typed in the current folder. */
const fromHere = (file: URL): string => {
  const absolute = fileURLToPath(file)
  const relative = path.relative(process.cwd(), absolute)
  return relative.startsWith("..") ? absolute : relative
}

/** The first block of the history chain with two uncles. */
const uncled = HistoryChain.withUncles.find((block) => block.uncles.length === 2)!

const width = (texts: ReadonlyArray<string>): number => Math.max(...texts.map((text) => text.length))

const quoted = (text: string): string => (/^[\w./-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
