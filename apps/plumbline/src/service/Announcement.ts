/** The announcement that `up` prints when it is ready. Only this announcement prints the service's API key. */
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
  /** The URL of the metrics that need no token; null if no port is configured for them. */
  readonly metricsUrl: string | null
}

export const make = ({
  adminToken,
  adminUrl,
  beacon,
  consoleUrl,
  ipfsUrl,
  key,
  metricsUrl,
  networks,
  url,
  wsUrl
}: RunningService): Announcement => ({
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
  metricsUrl
})

/**
 * Returns the announcement as text. Its commands can be pasted into a shell. They name the data folder unless it is the
 * default one (`isDefault`).
 */
export const view = (
  service: RunningService,
  {
    folder,
    isDefault,
    style
  }: { readonly folder: string | undefined; readonly isDefault: boolean; readonly style: Style }
): ReadonlyArray<string> => {
  const run = Invocation.words(process.argv[1], process.env)
  const data = folder === undefined || isDefault ? "" : ` --data ${quoted(folder)}`
  const sections = [
    { title: "Ask it", lines: questions(service) },
    { title: "Ask it, and check the answer", lines: commands(service).map((line) => `${run} ${line}${data}`) }
  ]
  return [
    style.good("Plumbline is up."),
    "",
    ...rows(service, folder).map(([name, text]) => `  ${style.label(name.padEnd(11))}  ${text}`),
    "",
    ...sections.flatMap(({ lines, title }) =>
      lines.length === 0 ? [] : [style.title(title), ...lines.map((line) => `  ${line}`), ""]
    ),
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

const questions = (service: RunningService): ReadonlyArray<string> => {
  const { ipfsUrl, key, url } = service
  if (key === undefined) return []
  const curl = (at: readonly [url: string, header: string], method: string, params: ReadonlyArray<unknown>): string => {
    const [url, header] = at
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    return `curl -s ${url}/v3/${key.apiKey}${header} -H 'content-type: application/json' -d '${body}'`
  }
  const ipfs = (command: string, more = ""): string =>
    `curl -s -X POST -u "${key.apiKey}:${key.apiKeySecret}"${more} "${ipfsUrl}/api/v0/${command}"`
  const uncle = [`0x${uncled.number.toString(16)}`, "0x0"]
  const history = networkOf(service, "history")
  return [
    ...(isEthereum(service, fallbackOf(service)) ? [curl([url, ""], "eth_getBlockByNumber", ["latest", false])] : []),
    ...(history === undefined ? [] : [curl(placeOf(url, history), "eth_getUncleByBlockNumberAndIndex", uncle)]),
    ...(ipfsUrl === null ? [] : [`echo "hello world" | ${ipfs("add", " -F file=@-")}`, ipfs(`cat?arg=${HELLO_WORLD}`)])
  ]
}

/**
 * Returns the URL and the header with which curl reaches a network. If the network's host is under `localhost`, and the
 * service listens on loopback without TLS, the URL has that host. Otherwise the header names the host.
 */
const placeOf = (url: string, { host }: ServiceFile.Network): readonly [url: string, header: string] => {
  const isPlain = url.startsWith("http:")
  const isHere = isPlain && /^(?:localhost|127\.0\.0\.1|\[::1\])$/u.test(new URL(url).hostname)
  return isHere && /^(?:[^:]+\.)?localhost(?::|$)/u.test(host) ? [`http://${host}`, ""] : [url, ` -H 'host: ${host}'`]
}

const commands = (service: RunningService): ReadonlyArray<string> => {
  if (service.key === undefined) return []
  const fallback = fallbackOf(service)
  const [live, history, pool] = [
    networkOf(service, "live"),
    networkOf(service, "history"),
    networkOf(service, "starknet-pool")
  ]
  const on = (network: ServiceFile.Network) => (network === fallback ? "" : ` --network ${network.name}`)
  return [
    ...(isEthereum(service, fallback) ? ["block latest --full"] : []),
    ...(live === undefined
      ? []
      : [
          `block ${example.hash} --full${on(live)}`,
          `tx ${example.transactions[0]!.hash}${on(live)}`,
          `call ${PreparedState.contracts.token.address} 'totalSupply()(uint256)'${on(live)}`
        ]),
    ...(history === undefined ? [] : [`uncle ${uncled.hash}${on(history)}`]),
    ...(pool?.name === "starknet-pool" ? ["pending"] : []),
    ...(service.ipfsUrl === null ? [] : [`ipfs cat ${HELLO_WORLD}`])
  ]
}

/** The CID of `hello world` and a line break, as Kubo computes it. */
const HELLO_WORLD = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"

/** The prepared block with the most kinds of transactions. */
const example = PreparedState.blocks.reduce((best, block) => (kindsIn(block) > kindsIn(best) ? block : best))

function kindsIn(block: PreparedState.PreparedBlock): number {
  return new Set(block.transactions.map((transaction) => transaction.form)).size
}

/** The first block of the history chain with two uncles. */
const uncled = HistoryChain.withUncles.find((block) => block.uncles.length === 2)!

const width = (texts: ReadonlyArray<string>): number => Math.max(...texts.map((text) => text.length))

const quoted = (text: string): string => (/^[\w./-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
