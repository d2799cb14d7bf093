/** The second chain that is meant unless another is named: Starknet. */
import { NAMESPACE } from "./namespace.ts"
import * as SecondChainMethods from "./SecondChainMethods.ts"

export { NAMESPACE } from "./namespace.ts"

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
