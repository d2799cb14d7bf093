/**
 * The verifiers: pure functions from an answer, its question and already proven parts to a verdict or `Refuted`.
 *
 * | verifier | proves | from |
 * | --- | --- | --- |
 * | `block` | a block, its transactions, withdrawals and senders | its hash |
 * | `provenHeader` | the header of a block whose verdict is CLAIMED | that verdict |
 * | `uncles`, `uncle` | the uncles of a block, all or one | the proven block |
 * | `transaction` | a transaction and its sender | its hash |
 * | `receipts`, `receipt` | the receipts of a block, all or one | the proven block |
 * | `logs` | the logs that a filter selects, none missing | the proven receipts |
 * | `account` | an account and its slots | the proven block |
 * | `balance`, `transactionCount`, `code`, `storageAt`, `storageValues` | an answer about state | the proven account |
 * | `ancestor` | the hash of one of the 8191 blocks before a block | its proven state (EIP-2935) |
 *
 * `isEthereum` is true for the ids of mainnet and the test networks of Ethereum. Blame is certain there, where an answer
 * in the form of another chain is only claimed elsewhere.
 */
export { type Question as AccountQuestion, verifyAccountProof as account } from "./accountProof.ts"
export { ancestorQuestion, verifyAncestor as ancestor } from "./ancestor.ts"
export { verifyLogs as logs } from "./logs.ts"
export { verifyReceipt as receipt, verifyReceipts as receipts } from "./receipts.ts"
export {
  verifyBalance as balance,
  verifyCode as code,
  verifyStorageAt as storageAt,
  verifyStorageValues as storageValues,
  verifyTransactionCount as transactionCount
} from "./state.ts"
export { verifyUncle as uncle, verifyUncles as uncles } from "./uncles.ts"
export { provenHeader, verifyBlock as block, type VerifyBlockOptions as BlockOptions } from "./block.ts"
export { isEthereum, type OfChain } from "./chains.ts"
export { verifyTransaction as transaction, type VerifyTransactionOptions as TransactionOptions } from "./transaction.ts"
