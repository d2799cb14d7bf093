/** The hardforks of the embedded chains, by which calls are run over their proven state. */
import * as HistoryChain from "@plumbline/devnet/history/HistoryChain"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"

/** Returns the rules of the history chain. Forks that change nothing for calls are left out. */
export const history = (): Hardforks.ChainForks => ({
  chainId: BigInt(HistoryChain.chainId),
  forks: HistoryChain.forks.flatMap(({ block, name }) => {
    const hardfork = NAMES.get(name)
    return hardfork === undefined ? [] : [{ hardfork, block: BigInt(block) }]
  })
})

/** The names of the forks, as people write them. */
const NAMES: ReadonlyMap<string, Hardforks.Hardfork> = new Map([
  ["Frontier", "chainstart"],
  ...Hardforks.names.map(
    (name) => [`${name[0]!.toUpperCase()}${name.slice(1).replaceAll(/[A-Z]/gu, " $&")}`, name] as const
  )
])
