/**
 * The Ethereum JSON-RPC methods, typed, validated and proven from one trusted hash.
 */
export * as AccessListResult from "./AccessListResult.ts"
export * as AccountProof from "./AccountProof.ts"
export * as Ancestry from "./Ancestry.ts"
export * as Block from "./Block.ts"
export * as BlockParameter from "./BlockParameter.ts"
export * as BlockRlp from "./BlockRlp.ts"
export * as CallOverrides from "./CallOverrides.ts"
export * as CallRequest from "./CallRequest.ts"
export * as EthClient from "./EthClient.ts"
export * as EthClientVerified from "./EthClientVerified.ts"
export * as EthEvidence from "./EthEvidence.ts"
export * as EthMethods from "./EthMethods.ts"
export * as EthReason from "./EthReason.ts"
export * as EthSubscriptions from "./EthSubscriptions.ts"
export * as FeeHistory from "./FeeHistory.ts"
export * as Log from "./Log.ts"
export * as LogFilter from "./LogFilter.ts"
export * as LogsBloom from "./LogsBloom.ts"
export * as Receipt from "./Receipt.ts"
export * as SentTransaction from "./SentTransaction.ts"
export * as SignatureScalar from "./SignatureScalar.ts"
export * as StorageKey from "./StorageKey.ts"
export * as StorageValues from "./StorageValues.ts"
export * as StorageWord from "./StorageWord.ts"
export * as SyncStatus from "./SyncStatus.ts"
export * as Transaction from "./Transaction.ts"
export * as TrustedBlock from "./TrustedBlock.ts"
export * as VerifiedEthClient from "./VerifiedEthClient.ts"
export { BlockRlpError } from "./BlockRlpError.ts"
export { verifyAccountProof } from "./verify/accountProof.ts"
export { ancestorQuestion, verifyAncestor } from "./verify/ancestor.ts"
export { verifyLogs } from "./verify/logs.ts"
export { verifyReceipt, verifyReceipts } from "./verify/receipts.ts"
export {
  verifyBalance,
  verifyCode,
  verifyStorageAt,
  verifyStorageValues,
  verifyTransactionCount
} from "./verify/state.ts"
export { verifyUncle, verifyUncles } from "./verify/uncles.ts"
export { verifyBlock } from "./verify/verifyBlock.ts"
export { verifyTransaction } from "./verify/verifyTransaction.ts"
