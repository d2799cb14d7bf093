/** The hardforks of the embedded nodes, by which calls are run over their proven state. */
import * as Anvil from "@plumbline/devnet/anvil/Anvil"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"

import * as HistoryRules from "../call/HistoryRules.ts"
import type { EmbeddedNetwork } from "../config/ServiceSettings.ts"

/** Returns the rules of an embedded node of a chain; undefined for a chain that has no hardforks of Ethereum. */
export const of = (node: EmbeddedNetwork, chainId: number): Hardforks.ChainForks | undefined => {
  switch (node) {
    case "live":
      return Hardforks.always(BigInt(chainId), Anvil.defaults.hardfork)
    case "history":
      return HistoryRules.forks()
    default:
      return undefined
  }
}
