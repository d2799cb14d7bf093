/** The configuration of the indexer. The environment says which node, which contracts and which folder. */
import { createConfig } from "ponder"

import { run } from "./run"

const { contracts, folder, node, trader } = run

export default createConfig({
  database: { kind: "pglite", directory: folder },
  chains: { live: { id: run.chainId, rpc: node, pollingInterval: 250 } },
  contracts: {
    Coin: { chain: "live", abi: contracts.Coin.abi, address: contracts.Coin.at, startBlock: 0 },
    Pool: {
      chain: "live",
      abi: contracts.Pool.abi,
      address: contracts.Pool.at,
      startBlock: 0,
      includeTransactionReceipts: true,
      includeCallTraces: run.traces
    }
  },
  accounts: { Trader: { chain: "live", address: trader, startBlock: 0 } },
  blocks: { Every: { chain: "live", interval: 3, startBlock: 1 } }
})
