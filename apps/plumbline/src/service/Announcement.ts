/**
 * What `up` says when it is ready. It is the one place where an API key is printed.
 */
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
  readonly ipfsUrl: null
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
  ipfsUrl: null,
  consoleUrl: null,
  adminToken: null,
  networks: record.networks
})

/** For people: every line can be pasted. `folder` is named where the default one is not meant. */
export const view = (
  { record }: Service,
  options: { readonly folder: string | undefined; readonly style: Style }
): ReadonlyArray<string> => {
  const { folder, style } = options
  const { apiKey, networks, url, wsUrl } = record
  const run = "npx --yes pnpm --silent plumbline"
  const data = folder === undefined ? "" : ` --data ${quoted(folder)}`
  const body = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", false] }
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["address", url],
    ["API key", apiKey],
    ["HTTP", `${url}/v3/${apiKey}`],
    ["WebSocket", `${wsUrl}/ws/v3/${apiKey}`],
    ...networks.map(({ chainId, host, name }) => ["network", `${name}  chain ${chainId}  host ${host}`] as const)
  ]
  return [
    style.good("Plumbline is up."),
    "",
    ...rows.map(([name, text]) => `  ${style.label(name.padEnd(9))}  ${text}`),
    "",
    style.title("Ask it"),
    `  curl -s ${url}/v3/${apiKey} -H 'content-type: application/json' -d '${JSON.stringify(body)}'`,
    "",
    style.title("Ask it, and check the answer"),
    `  ${run} block latest --full${data}`,
    `  ${run} block ${example.hash} --full${data}`,
    `  ${run} tx ${example.transactions[0]!.hash}${data}`,
    "",
    style.faint("Ctrl-C stops it; the API key stays.")
  ]
}

/** The prepared block with the most kinds of transactions. */
const example = PreparedState.blocks.reduce((best, block) => (kindsIn(block) > kindsIn(best) ? block : best))

function kindsIn(block: PreparedState.Block): number {
  return new Set(block.transactions.map((transaction) => transaction.form)).size
}

const quoted = (text: string): string => (/^[\w./-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
