/** The hardforks of the embedded nodes, by which calls are run over their proven state. */
import * as Anvil from "@plumbline/devnet/anvil/Anvil"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"

import type { EmbeddedNetwork } from "../config/ServiceSettings.ts"

/** Returns the rules of an embedded node of a chain; undefined for a chain that has no hardforks of Ethereum. */
export const of = (node: EmbeddedNetwork, chainId: number): Hardforks.ChainForks | undefined => {
  switch (node) {
    case "live":
      return Hardforks.always(BigInt(chainId), Anvil.defaults.hardfork)
    case "history":
      return { chainId: BigInt(chainId), forks: history }
    default:
      return undefined
  }
}

/** The names of the forks, as people write them. */
const NAMES: ReadonlyMap<string, Hardforks.Hardfork> = new Map([
  ["Frontier", "chainstart"],
  ...Hardforks.names.map(
    (name) => [`${name[0]!.toUpperCase()}${name.slice(1).replaceAll(/[A-Z]/gu, " $&")}`, name] as const
  )
])

/** The forks of the history chain. Those that change nothing for calls are left out. */
const history: ReadonlyArray<Hardforks.Activation> = HistoryChain.forks.flatMap(({ block, name }) => {
  const hardfork = NAMES.get(name)
  return hardfork === undefined ? [] : [{ hardfork, block: BigInt(block) }]
})
