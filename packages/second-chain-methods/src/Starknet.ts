/** The second chain that is meant unless another is named: Starknet. */
import * as SecondChainMethods from "./SecondChainMethods.ts"

/** What the names of its methods begin with. */
export const NAMESPACE = "starknet"

/**
 * Its methods.
 *
 * ```ts import.meta.vitest
 * import { Starknet } from "@plumbline/second-chain-methods"
 *
 * Starknet.group.methods.starknet_pendingTransactions.params // => []
 * ```
 */
export const group = SecondChainMethods.group(NAMESPACE)
