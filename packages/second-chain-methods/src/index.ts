/**
 * The methods of a second chain, Starknet by default: typed, validated, and pending transactions on every node.
 */
export * as Block from "./Block.ts"
export * as BlockId from "./BlockId.ts"
export * as Broadcast from "./Broadcast.ts"
export * as Felt from "./Felt.ts"
export * as FunctionCall from "./FunctionCall.ts"
export * as PendingTransactions from "./PendingTransactions.ts"
export * as Receipt from "./Receipt.ts"
export * as SecondChainClient from "./SecondChainClient.ts"
export * as SecondChainEvidence from "./SecondChainEvidence.ts"
export * as SecondChainMethods from "./SecondChainMethods.ts"
export * as SecondChainReason from "./SecondChainReason.ts"
export * as Selector from "./Selector.ts"
export * as Starknet from "./Starknet.ts"
export * as SyncStatus from "./SyncStatus.ts"
export * as Transaction from "./Transaction.ts"
export * as Uint from "./Uint.ts"
export { FeltError } from "./FeltError.ts"
export { contractAddress, isSignedBy, senderOf, transactionHash } from "./verify/transactionHash.ts"
export {
  type OmittedField,
  verifyPending,
  verifyTransaction,
  type VerifyTransactionOptions
} from "./verify/verifyTransaction.ts"
