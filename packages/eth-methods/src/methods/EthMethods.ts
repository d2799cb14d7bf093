/**
 * The Ethereum methods as values. The clients, the service's checks, the costs, the gateway's cache and allowlist, and the
 * docs are derived from this table.
 *
 * Sources: the interface's table of methods; execution-apis; EIP-1186 for eth_getProof; geth for the overrides of a
 * call. Costs are in credits, as Infura counts them (80 for methods that Infura does not list).
 */
import * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"

import * as BlockMethods from "./blockMethods.ts"
import * as CallMethods from "./callMethods.ts"
import * as ChainMethods from "./chainMethods.ts"
import type * as EthMethod from "./EthMethod.ts"
import * as FeeMethods from "./feeMethods.ts"
import * as ReceiptMethods from "./receiptMethods.ts"
import * as StateMethods from "./stateMethods.ts"
import * as TransactionMethods from "./transactionMethods.ts"

export * from "./blockMethods.ts"
export * from "./callMethods.ts"
export * from "./chainMethods.ts"
export * from "./feeMethods.ts"
export * from "./receiptMethods.ts"
export * from "./stateMethods.ts"
export * from "./transactionMethods.ts"

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
  BlockMethods.eth_getBlockByHash,
  BlockMethods.eth_getBlockByNumber,
  BlockMethods.eth_getBlockTransactionCountByHash,
  BlockMethods.eth_getBlockTransactionCountByNumber,
  BlockMethods.eth_getBlockAccessList,
  BlockMethods.eth_getUncleByBlockHashAndIndex,
  BlockMethods.eth_getUncleByBlockNumberAndIndex,
  BlockMethods.eth_getUncleCountByBlockHash,
  BlockMethods.eth_getUncleCountByBlockNumber,
  TransactionMethods.eth_getTransactionByHash,
  TransactionMethods.eth_getTransactionByBlockHashAndIndex,
  TransactionMethods.eth_getTransactionByBlockNumberAndIndex,
  TransactionMethods.eth_sendRawTransaction,
  TransactionMethods.eth_sendRawTransactionSync,
  ReceiptMethods.eth_getTransactionReceipt,
  ReceiptMethods.eth_getBlockReceipts,
  ReceiptMethods.eth_getLogs,
  StateMethods.eth_getBalance,
  StateMethods.eth_getCode,
  StateMethods.eth_getTransactionCount,
  StateMethods.eth_getStorageAt,
  StateMethods.eth_getStorageValues,
  StateMethods.eth_getProof,
  CallMethods.eth_call,
  CallMethods.eth_estimateGas,
  CallMethods.eth_createAccessList,
  CallMethods.eth_simulateV1,
  FeeMethods.eth_feeHistory,
  FeeMethods.eth_gasPrice,
  FeeMethods.eth_maxPriorityFeePerGas,
  FeeMethods.eth_blobBaseFee,
  FeeMethods.eth_baseFee,
  ChainMethods.eth_blockNumber,
  ChainMethods.eth_chainId,
  ChainMethods.eth_syncing,
  ChainMethods.net_version,
  ChainMethods.web3_clientVersion,
  ChainMethods.eth_capabilities,
  ChainMethods.eth_config,
  ChainMethods.eth_accounts,
  ChainMethods.net_listening,
  ChainMethods.net_peerCount,
  ChainMethods.web3_sha3
)

/** A method of this package. */
export type Method = MethodGroup.MethodOf<typeof group>

/** The client names of the methods with this trust. */
export type ReadName<T extends EthMethod.ReadTrust = EthMethod.ReadTrust> = EthMethod.ReadName<Method, T>

/** All methods, for code that treats them alike. */
export const all: ReadonlyArray<EthMethod.AnyEthMethod> = Object.values(group.methods)

/** Looks up a method by an untrusted name, as `group.get` does. */
export const find = (name: string): EthMethod.AnyEthMethod | undefined =>
  group.get(name) as EthMethod.AnyEthMethod | undefined

/**
 * Makes a value for each method, such as the read of a client, and returns them by the client names of the methods. A
 * method is left out if its value is undefined. The values have no type, because each method has its own: declare the
 * type of the result.
 */
export const reads = (read: (method: EthMethod.AnyEthMethod) => unknown): Readonly<Record<ReadName, any>> => {
  const made: Record<string, unknown> = {}
  for (const method of all) {
    const value = read(method)
    if (value !== undefined) made[method.read] = value
  }
  return made as Record<ReadName, any>
}
