/**
 * Chains with ENS, and the contract at which reading begins.
 *
 * The Universal Resolver (ENSIP-23) finds the resolver of a name and asks it. The addresses are those of viem 2.57.
 */
import * as Address from "@plumbline/codec/value/Address"

/** A chain with ENS. */
export interface EnsChain {
  readonly chainId: bigint
  /** The address of the Universal Resolver. A wrong address gives wrong answers, so it must not come from a node. */
  readonly universalResolver: Address.Address
}

/** The address of the proxy in front of the Universal Resolver. It is the same on all public chains with ENS. */
const UNIVERSAL_RESOLVER = /* @__PURE__ */ Address.fromHexUnsafe("0xeeeeeeee14d718c2b47d9923deab1335e144eeee")

const KNOWN: ReadonlySet<bigint> = new Set([1n, 11_155_111n, 17_000n])

/** Mainnet. */
export const mainnet: EnsChain = { chainId: 1n, universalResolver: UNIVERSAL_RESOLVER }

/**
 * Returns a chain that is known here: mainnet (1), Sepolia (11155111) or Holesky (17000); undefined for any other.
 *
 * ```ts import.meta.vitest
 * import { EnsChain } from "@plumbline/ens"
 *
 * EnsChain.of(1n) // => EnsChain.mainnet
 * EnsChain.of(31337n) // => undefined
 * ```
 */
export const of = (chainId: bigint): EnsChain | undefined =>
  KNOWN.has(chainId) ? { chainId, universalResolver: UNIVERSAL_RESOLVER } : undefined
