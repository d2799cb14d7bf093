/** The methods of Starknet, the default second chain. */
import { NAMESPACE } from "./namespace.ts"
import * as SecondChainMethods from "./SecondChainMethods.ts"

export { NAMESPACE } from "./namespace.ts"

/**
 * The methods of Starknet as a group.
 *
 * ```ts import.meta.vitest
 * import { Starknet } from "@plumbline/second-chain-methods"
 *
 * Starknet.group.methods.starknet_pendingTransactions.params // => []
 * ```
 */
export const group = SecondChainMethods.group(NAMESPACE)
