/**
 * The Ethereum methods as values. The clients, the service's checks, the costs, the gateway's cache and allowlist, and the
 * docs are derived from this table.
 *
 * Sources: the interface's table of methods; execution-apis; EIP-1186 for eth_getProof; geth for the overrides of a
 * call. Costs are in credits, as Infura counts them (80 for methods that Infura does not list).
 */
import * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"

import * as Blocks from "./blocks.ts"
import * as Calls from "./calls.ts"
import * as Chain from "./chain.ts"
import type * as EthMethod from "./EthMethod.ts"
import * as Fees from "./fees.ts"
import * as Receipts from "./receipts.ts"
import * as State from "./state.ts"
import * as Transactions from "./transactions.ts"

export * from "./blocks.ts"
export * from "./calls.ts"
export * from "./chain.ts"
export * from "./fees.ts"
export * from "./receipts.ts"
export * from "./state.ts"
export * from "./transactions.ts"

/**
 * The methods of this package.
 *
 * ```ts import.meta.vitest
 * import { EthMethods } from "@plumbline/eth-methods"
 *
 * EthMethods.group.methods.eth_getProof.params.map((param) => param.name) // => ["address", "storageKeys", "block"]
 * ```
 */
export const group = MethodGroup.make(
  Blocks.eth_getBlockByHash,
  Blocks.eth_getBlockByNumber,
  Blocks.eth_getBlockTransactionCountByHash,
  Blocks.eth_getBlockTransactionCountByNumber,
  Blocks.eth_getUncleByBlockHashAndIndex,
  Blocks.eth_getUncleByBlockNumberAndIndex,
  Blocks.eth_getUncleCountByBlockHash,
  Blocks.eth_getUncleCountByBlockNumber,
  Transactions.eth_getTransactionByHash,
  Transactions.eth_getTransactionByBlockHashAndIndex,
  Transactions.eth_getTransactionByBlockNumberAndIndex,
  Transactions.eth_sendRawTransaction,
  Transactions.eth_sendRawTransactionSync,
  Receipts.eth_getTransactionReceipt,
  Receipts.eth_getBlockReceipts,
  Receipts.eth_getLogs,
  State.eth_getBalance,
  State.eth_getCode,
  State.eth_getTransactionCount,
  State.eth_getStorageAt,
  State.eth_getStorageValues,
  State.eth_getProof,
  Calls.eth_call,
  Calls.eth_estimateGas,
  Calls.eth_createAccessList,
  Fees.eth_feeHistory,
  Fees.eth_gasPrice,
  Fees.eth_maxPriorityFeePerGas,
  Fees.eth_blobBaseFee,
  Fees.eth_baseFee,
  Chain.eth_blockNumber,
  Chain.eth_chainId,
  Chain.eth_syncing,
  Chain.net_version,
  Chain.web3_clientVersion,
  Chain.eth_capabilities,
  Chain.eth_config,
  Chain.eth_accounts,
  Chain.net_listening,
  Chain.net_peerCount,
  Chain.web3_sha3
)

/** A method of this package. */
export type Method = MethodGroup.MethodOf<typeof group>

/** The client names of the methods with this trust. */
export type ReadName<T extends EthMethod.Trust = EthMethod.Trust> = EthMethod.ReadName<Method, T>

/** All methods, for code that treats them alike. */
export const all: ReadonlyArray<EthMethod.Any> = Object.values(group.methods)

/** Looks up a method by an untrusted name, as `group.get` does. */
export const find = (name: string): EthMethod.Any | undefined => group.get(name) as EthMethod.Any | undefined

/**
 * Makes a value for each method, such as the read of a client, and returns them by the client names of the methods. A
 * method is left out if its value is undefined. The values have no type, because each method has its own: declare the
 * type of the result.
 */
export const reads = (read: (method: EthMethod.Any) => unknown): Readonly<Record<ReadName, any>> => {
  const made: Record<string, unknown> = {}
  for (const method of all) {
    const value = read(method)
    if (value !== undefined) made[method.read] = value
  }
  return made as Record<ReadName, any>
}
