/** The rules of the embedded history chain, whose forks are recorded with it. */
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"

/** The id of the history chain. */
export const chainId = BigInt(HistoryChain.chainId)

/** Returns the forks of the history chain. Each begins at a block, also those that other chains begin at a time. */
export const forks = (): Hardforks.ChainForks => ({
  chainId,
  forks: HistoryChain.forks.flatMap(({ block, name }) => {
    // such a fork only delays the difficulty of mining
    if (name.endsWith("Glacier")) return []
    const hardfork = Hardforks.names.find((known) => known === nameOf(name))
    if (hardfork === undefined) throw new Error(`the history chain has the rules of ${name}, which are not known`)
    return [{ hardfork, block: BigInt(block) }]
  })
})

/** Returns the name of a fork in @ethereumjs/common: in one word, with a small first letter. */
const nameOf = (name: string): string =>
  name === "Frontier" ? "chainstart" : `${name.charAt(0).toLowerCase()}${name.slice(1).replaceAll(" ", "")}`
