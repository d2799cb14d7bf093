/** The hardforks of the embedded nodes. The service starts these nodes itself, so it knows their rules. */
import * as Anvil from "@plumbline/devnet/anvil/Anvil"
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"

import type { EmbeddedNetwork } from "../config/ServiceSettings.ts"

/** Returns the forks of an embedded node; undefined for a node of a chain that has no hardforks of Ethereum. */
export const of = (node: EmbeddedNetwork): ReadonlyArray<Hardforks.Activation> | undefined => {
  switch (node) {
    case "live":
      return [{ hardfork: Anvil.defaults.hardfork, block: 0n }]
    case "history":
      return history
    default:
      return undefined
  }
}

/** Returns the name of a fork of the history chain, as `Hardforks.names` has it in lower case. */
const keyOf = (name: string): string => (name === "Frontier" ? "chainstart" : name.replaceAll(" ", "").toLowerCase())

/** The forks that change the rules of calls. Those that only delayed the difficulty bomb have no rules of their own. */
const history: ReadonlyArray<Hardforks.Activation> = HistoryChain.forks.flatMap(({ block, name }) => {
  const hardfork = Hardforks.names.find((one) => one.toLowerCase() === keyOf(name))
  return hardfork === undefined ? [] : [{ hardfork, block: BigInt(block) }]
})
