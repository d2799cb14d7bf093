/**
 * The nodes behind the service: the embedded nodes, and one that shows a pending block as the interface documents it.
 */
import { Anvil, History, HistoryChain, IpfsEmbedded, PreparedState, StarknetPool } from "@plumbline/devnet"
import { EthMethods } from "@plumbline/eth-methods"
import { type Network, PendingUpstream, type Upstream } from "@plumbline/gateway"
import { Effect } from "effect"

import type { NetworkName } from "./target.ts"

/** Makes a network of the service. Its host is its name below `localhost`. */
const network = (
  name: NetworkName,
  chainId: number,
  upstream: Upstream.Upstream,
  methods: Network.Network["methods"] = EthMethods.group
): Network.Network => ({ name, hosts: [`${name}.localhost`], chainId, methods, upstream })

/** Fields that are not known yet in a pending block. */
export const unsealedBlock = {
  number: null,
  hash: null,
  nonce: null,
  logsBloom: null,
  miner: `0x${"00".repeat(20)}`,
  parentHash: `0x${"11".repeat(32)}`,
  sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  transactionsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  stateRoot: `0x${"22".repeat(32)}`,
  receiptsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  mixHash: `0x${"00".repeat(32)}`,
  difficulty: "0x20000",
  totalDifficulty: null,
  extraData: "0x",
  size: "0x21c",
  gasLimit: "0x1c9c380",
  gasUsed: "0x0",
  timestamp: "0x55ba43df",
  transactions: [],
  uncles: []
} as const

/** Returns the answer of the node behind the network `unsealed`: a block, an uncle, or nothing. */
export const unsealedAnswer = (method: string): object | string | null => {
  if (method === "eth_chainId") return "0x1"
  if (method.startsWith("eth_getBlockBy")) return unsealedBlock
  const { transactions: _, ...uncle } = unsealedBlock
  return method.startsWith("eth_getUncleBy") ? uncle : null
}

const unsealed: Upstream.Upstream = {
  call: (method) => Effect.succeed(new TextEncoder().encode(JSON.stringify(unsealedAnswer(method))))
}

/** The hosts of the networks. */
export const hosts: ReadonlyArray<string> = ["live", "history", "starknet-pool", "unsealed"].map(
  (name) => `${name}.localhost`
)

/** The upstreams of the networks. */
export interface Upstreams {
  readonly live: Upstream.Upstream
  readonly history: Upstream.Upstream
  readonly pool: Upstream.Upstream
}

/** The networks of the service. */
export const networks = ({ history, live, pool }: Upstreams): ReadonlyArray<Network.Network> => [
  network("live", PreparedState.chainId, live),
  network("history", HistoryChain.chainId, history),
  network("starknet-pool", Number(StarknetPool.CHAIN_ID), PendingUpstream.make(pool), StarknetPool.group),
  network("unsealed", 1, unsealed)
]

/** Starts the nodes; they end with the scope. The IPFS node keeps its blocks in the folder. */
export const start = Effect.fnUntraced(function* (folder: string) {
  const [anvil, history, pool, ipfs] = yield* Effect.all(
    [Anvil.make(), History.make, StarknetPool.make(), IpfsEmbedded.make({ folder })],
    { concurrency: "unbounded" }
  )
  return { anvil, history, pool, ipfs }
})
