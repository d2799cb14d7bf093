/**
 * The chains of the OP stack that the public registry lists, and those of Base.
 *
 * Base left the registry: its entry is the registry's last, so a later fork has no time here. `registryData` says from
 * which commit the table was made.
 */
import * as Nearest from "@plumbline/codec/text/Nearest"

import * as OpStackChain from "./OpStackChain.ts"
import * as RegistryData from "./registryData.ts"

/** The chains, by ascending id. */
export const all: ReadonlyArray<OpStackChain.OpStackChain> = RegistryData.chains

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
export const byId = (chainId: bigint): OpStackChain.OpStackChain | undefined =>
  all.find((chain) => chain.chainId === chainId)

/**
 * Returns the rules by which calls of a chain of the table are run. Undefined for a chain whose newest fork the table does
 * not have, because its blocks do not say which fork they follow.
 *
 * ```ts import.meta.vitest
 * import { OpStackChains } from "@plumbline/op-stack"
 *
 * OpStackChains.evmForks(10n)?.forks.at(-1)?.hardfork // => "osaka"
 * // Base left the registry
 * OpStackChains.evmForks(8453n) // => undefined
 * ```
 */
export const evmForks = (chainId: bigint): OpStackChain.EvmForks | undefined => {
  const chain = byId(chainId)
  return chain?.forks[NEWEST] === undefined ? undefined : OpStackChain.evmForks(chain)
}

/** The newest fork of the table. */
const NEWEST = OpStackChain.forkNames.at(-1)!

/**
 * Returns the chain with this name, or undefined if the table has none. Letters count in either case, and spaces and
 * hyphens do not count.
 *
 * ```ts import.meta.vitest
 * import { OpStackChains } from "@plumbline/op-stack"
 *
 * OpStackChains.byName("op-mainnet")?.chainId // => 10n
 * OpStackChains.byName("OP Mainnet")?.chainId // => 10n
 * OpStackChains.byName("mainnet") // => undefined
 * ```
 */
export const byName = (name: string): OpStackChain.OpStackChain | undefined => {
  const wanted = folded(name)
  return all.find((chain) => folded(chain.name) === wanted)
}

/**
 * Returns the chain that a text names by its id or its name.
 *
 * ```ts import.meta.vitest
 * import { OpStackChains } from "@plumbline/op-stack"
 *
 * OpStackChains.named("8453")?.name // => "Base"
 * OpStackChains.named("base")?.chainId // => 8453n
 * ```
 */
export const named = (text: string): OpStackChain.OpStackChain | undefined =>
  /^[0-9]{1,20}$/u.test(text) ? byId(BigInt(text)) : byName(text)

/**
 * Returns the names of the table that are similar to a mistyped one, in the form for a command, nearest first. Names
 * that begin with the given words are the only ones; `optimism` is `op`.
 *
 * ```ts import.meta.vitest
 * import { OpStackChains } from "@plumbline/op-stack"
 *
 * OpStackChains.similar("op-manet") // => ["op-mainnet"]
 * OpStackChains.similar("optimism") // => ["op-mainnet", "op-sepolia-testnet"]
 * ```
 */
export const similar = (name: string): ReadonlyArray<string> => {
  const slugs = all.map((chain) => slug(chain.name))
  const wanted = slug(name) === "optimism" ? "op" : slug(name)
  const begun = slugs.filter((other) => other.startsWith(`${wanted}-`))
  return begun.length > 0 ? begun : Nearest.find(wanted, slugs)
}

const slug = (name: string): string => name.toLowerCase().replaceAll(" ", "-")

const folded = (name: string): string => name.toLowerCase().replaceAll(/[ -]/gu, "")
