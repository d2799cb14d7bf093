/**
 * What `up` says when it is ready. It is the one place where an API key is printed.
 */
import * as HistoryChain from "@plumbline/devnet/HistoryChain"
import * as PreparedState from "@plumbline/devnet/PreparedState"

import type * as ServiceFile from "../ServiceFile.ts"
import type { Style } from "../view/Style.ts"
import type { Service } from "./Service.ts"

/** The one line of `up --json`. What is null is not there yet. */
export interface Announcement {
  readonly url: string
  readonly wsUrl: string
  readonly apiKey: string
  readonly apiKeySecret: string
  /** The API of IPFS is at `${ipfsUrl}/api/v0`, for the key and its secret. */
  readonly ipfsUrl: string
  readonly consoleUrl: null
  readonly adminToken: null
  readonly networks: ReadonlyArray<ServiceFile.Network>
}

/** For programs. */
export const make = ({ record }: Service): Announcement => ({
  url: record.url,
  wsUrl: record.wsUrl,
  apiKey: record.apiKey,
  apiKeySecret: record.apiKeySecret,
  ipfsUrl: record.ipfsUrl,
  consoleUrl: null,
  adminToken: null,
  networks: record.networks
})

/** For people: every line can be pasted. `folder` is named where the default one is not meant. */
export const view = (
  { history, live, pool, record }: Service,
  options: { readonly folder: string | undefined; readonly style: Style }
): ReadonlyArray<string> => {
  const { folder, style } = options
  const { apiKey, apiKeySecret, ipfsUrl, networks, url, wsUrl } = record
  const run = "npx --yes pnpm --silent plumbline"
  const data = folder === undefined ? "" : ` --data ${quoted(folder)}`
  const [nameWidth, hostWidth] = [width(networks.map(({ name }) => name)), width(networks.map(({ host }) => host))]
  const network = ({ chainId, host, name }: ServiceFile.Network, what: string): readonly [string, string] => [
    "network",
    `${name.padEnd(nameWidth)}  host ${host.padEnd(hostWidth)}  chain ${chainId}, ${what}`
  ]
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["address", url],
    ["API key", apiKey],
    ["secret", apiKeySecret],
    ["HTTP", `${url}/v3/${apiKey}`],
    ["WebSocket", `${wsUrl}/ws/v3/${apiKey}`],
    ["IPFS", `${ipfsUrl}/api/v0, for the key with its secret`],
    network(live, "anvil: takes transactions; any other host leads to it"),
    network(history, `finished: ${HistoryChain.blocks.length} blocks from Frontier to Osaka, with uncles`),
    network(pool, "a second chain: holds transactions of known accounts, runs none of them")
  ]
  const curl = (url: string, method: string, params: ReadonlyArray<unknown>): string => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    return `curl -s ${url}/v3/${apiKey} -H 'content-type: application/json' -d '${body}'`
  }
  const ipfs = (command: string, more = ""): string =>
    `curl -s -X POST -u "${apiKey}:${apiKeySecret}"${more} "${ipfsUrl}/api/v0/${command}"`
  const uncle = [`0x${uncled.number.toString(16)}`, "0x0"]
  return [
    style.good("Plumbline is up."),
    "",
    ...rows.map(([name, text]) => `  ${style.label(name.padEnd(9))}  ${text}`),
    "",
    style.title("Ask it"),
    `  ${curl(url, "eth_getBlockByNumber", ["latest", false])}`,
    `  ${curl(`http://${history.host}`, "eth_getUncleByBlockNumberAndIndex", uncle)}`,
    `  echo "hello world" | ${ipfs("add", " -F file=@-")}`,
    `  ${ipfs(`cat?arg=${HELLO_WORLD}`)}`,
    "",
    style.title("Ask it, and check the answer"),
    `  ${run} block latest --full${data}`,
    `  ${run} block ${example.hash} --full${data}`,
    `  ${run} tx ${example.transactions[0]!.hash}${data}`,
    `  ${run} uncle ${uncled.hash} --network ${history.name}${data}`,
    `  ${run} pending${data}`,
    `  ${run} ipfs cat ${HELLO_WORLD}${data}`,
    "",
    style.faint("Ctrl-C stops it; the API key stays.")
  ]
}

/** The CID of `hello world` and a line break, as Kubo has it. */
const HELLO_WORLD = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"

/** The prepared block with the most kinds of transactions. */
const example = PreparedState.blocks.reduce((best, block) => (kindsIn(block) > kindsIn(best) ? block : best))

function kindsIn(block: PreparedState.Block): number {
  return new Set(block.transactions.map((transaction) => transaction.form)).size
}

/** The first block of the history chain with two uncles. */
const uncled = HistoryChain.withUncles.find((block) => block.uncles.length === 2)!

const width = (texts: ReadonlyArray<string>): number => Math.max(...texts.map((text) => text.length))

const quoted = (text: string): string => (/^[\w./-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
