/**
 * The engine that runs calls in this page, by the rules of a network's chain. Loaded at the first read with verdicts; the
 * engine loads its virtual machine at the first call.
 */
import type { CallEngine } from "@plumbline/eth-methods/call/CallEngine"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"
import * as VerifiedCalls from "@plumbline/verified-calls/VerifiedCalls"

import type { Network } from "./ConsoleNetworks.ts"

/** Returns the chain's id, if it is a number. */
export const chainIdOf = ({ chainId }: Pick<Network, "chainId">): bigint | undefined =>
  typeof chainId === "number" ? BigInt(chainId) : undefined

/**
 * Returns the engine. The rules are those of a known chain; for any other chain, those that the operator of the service
 * names. The page has no other source: a node could change the outcome of a call by naming other rules.
 */
export const engineOf = (network: Pick<Network, "chainId" | "forks">): CallEngine =>
  VerifiedCalls.make({ chain: forksOf(network) })

/** Returns the hardforks of a network's chain; undefined if they are not known. */
export const forksOf = ({ chainId, forks }: Pick<Network, "chainId" | "forks">): Hardforks.ChainForks | undefined => {
  const id = chainIdOf({ chainId })
  if (id === undefined) return undefined
  const known = Hardforks.of(id)
  if (known !== undefined || forks === null) return known
  const named = forks.flatMap(({ blobUpdateFraction, block, hardfork, time }) => {
    const name = Hardforks.names.find((one) => one === hardfork)
    return name === undefined
      ? []
      : [
          {
            hardfork: name,
            block: big(block),
            time: big(time),
            blobUpdateFraction: big(blobUpdateFraction)
          }
        ]
  })
  // with a fork that this page does not know, the others could give wrong rules
  return named.length === forks.length ? { chainId: id, forks: named } : undefined
}

const big = (number: number | undefined): bigint | undefined => (number === undefined ? undefined : BigInt(number))
