/**
 * The Ethereum JSON-RPC methods, typed, validated and proven from one trusted hash.
 */
export * as AccountProof from "./AccountProof.ts"
export * as Block from "./Block.ts"
export * as BlockParameter from "./BlockParameter.ts"
export * as EthClient from "./EthClient.ts"
export * as EthMethods from "./EthMethods.ts"
export * as SignatureScalar from "./SignatureScalar.ts"
export * as StorageKey from "./StorageKey.ts"
export * as Transaction from "./Transaction.ts"
export * as Verified from "./Verified.ts"
export * as VerifiedEthClient from "./VerifiedEthClient.ts"
export { Refuted } from "./Refuted.ts"
export { verifyAccountProof } from "./verify/accountProof.ts"
export { verifyBlock } from "./verify/verifyBlock.ts"
export { verifyTransaction } from "./verify/verifyTransaction.ts"
