/**
 * The chains of the OP stack that the public registry lists, and those of Base.
 *
 * Base left the registry: its entry is the registry's last, so a later fork has no time here. `registryData` says from
 * which commit the table was made.
 */
import type { OpStackChain } from "./OpStackChain.ts"
import * as RegistryData from "./registryData.ts"

/** The chains, by ascending id. */
export const all: ReadonlyArray<OpStackChain> = RegistryData.chains

/**
 * Returns the chain with this id, or undefined if the table has none.
 *
 * ```ts import.meta.vitest
 * import { OpStackChains } from "@plumbline/op-stack"
 *
 * OpStackChains.byId(8453n)?.name // => "Base"
 * OpStackChains.byId(1n) // => undefined
 * ```
 */
export const byId = (chainId: bigint): OpStackChain | undefined => all.find((chain) => chain.chainId === chainId)
