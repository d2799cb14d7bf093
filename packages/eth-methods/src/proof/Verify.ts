/**
 * The verifiers: pure functions from an answer, its question and already proven parts to a verdict or `RefutedError`.
 *
 * | verifier | proves | from |
 * | --- | --- | --- |
 * | `block` | a block, its transactions, withdrawals and senders | its hash |
 * | `blockWithHashes` | a block with the hashes of its transactions | its hash |
 * | `provenHeader` | the header of a block whose verdict is CLAIMED | that verdict |
 * | `blockAccessList` | the access list of a block | the proven block |
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
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import type * as Result from "effect/Result"

import type * as Block from "../model/Block.ts"
import type * as Transaction from "../model/Transaction.ts"
import { standard } from "../sender/standardEngine.ts"
import { verifyBlock, type VerifyBlockOptions } from "./verifyBlock.ts"
import { verifyTransaction, type VerifyTransactionOptions } from "./verifyTransaction.ts"

export { type AccountProofQuestion as AccountQuestion, verifyAccountProof as account } from "./verifyAccountProof.ts"
export { ancestorQuestion, verifyAncestor as ancestor } from "./eip2935.ts"
export { verifyAccessListRules as blockAccessListRules } from "./accessListRules.ts"
export { verifyBlockAccessList as blockAccessList } from "./verifyBlockAccessList.ts"
export { verifyLogs as logs } from "./verifyLogs.ts"
export { verifyReceipt as receipt } from "./verifyReceipt.ts"
export { verifyReceipts as receipts } from "./verifyReceipts.ts"
export {
  verifyBalance as balance,
  verifyCode as code,
  verifyStorageAt as storageAt,
  verifyStorageValues as storageValues,
  verifyTransactionCount as transactionCount
} from "./verifyState.ts"
export { verifyUncle as uncle, verifyUncles as uncles } from "./verifyUncles.ts"
export { provenHeader, type VerifyBlockOptions as BlockOptions } from "./verifyBlock.ts"
export { isEthereum, type OfChain } from "./ethereumChains.ts"
export type { VerifyTransactionOptions as TransactionOptions } from "./verifyTransaction.ts"

/**
 * Proves a block from the requested hash.
 *
 * **Details**
 *
 * Proven: every field of the header; whole transactions, their order, places, prices and senders; withdrawals; the
 * absence of uncles; the size, if the body is whole. Claimed: totalDifficulty; hashes of transactions without the
 * transactions; hashes of uncles without the uncles' headers; the sender of a transaction whose signature is zeros;
 * fields that no hash covers. If one of the whole transactions has an unknown type, the block is CLAIMED and only its
 * header is proven. A block without a seal (`nonce`, `mixHash`) is CLAIMED, unless a seal of zeros gives its hash. So is
 * a block with unknown fields whose hash does not follow from the known ones, because a later fork may have appended them
 * to the header. On a chain of Ethereum, this needs a header with the fields of Amsterdam: older forms are known.
 *
 * The value has every field that follows from the proof, even if the node left it out. A missing field that does not
 * follow is claimed, except for totalDifficulty, which most nodes do not send.
 *
 * A block whose first transaction is a deposit is of a chain of the OP stack. It has no withdrawals, although its
 * withdrawalsRoot is a storage root since Isthmus: the empty list is proven by that transaction, which no block of
 * Ethereum can have. The hash of a deposit covers its sender; its `nonce` is claimed.
 *
 * Other chains have blocks of another form, which a lie can imitate. Unless the chain is known to be one of Ethereum,
 * these are claimed: an empty list of withdrawals under another withdrawalsRoot (OP stack, if only the hashes of the
 * transactions are known), a state-sync transaction at
 * the end (Polygon), and the whole block if its hash does not fit and its header is that of another consensus. Of the
 * last, not even the header is proven: use `provenHeader` to tell.
 *
 * Fails with `RefutedError`: `block.hash`, `header hash`, `header shape`, `header.<field>`, `transactionsRoot`,
 * `transactions[i] hash`, `transactions[i].<field>`, `withdrawalsRoot`, `withdrawals`, `uncles`, `size`, and the checks
 * of `verifyUncles` if the caller passes uncles.
 */
export const block = <B extends Block.Block>(
  block: B,
  hash: Hash32.Hash32,
  options: VerifyBlockOptions = {}
): Result.Result<Verdict<B>, RefutedError> =>
  verifyBlock(block, hash, { ...options, recovery: options.recovery ?? standard })

/**
 * Proves a block that has only the hashes of its transactions, by the rules of `block`. It recovers no senders, so a
 * bundle of it holds no engine.
 */
export const blockWithHashes: <B extends Block.WithHashes>(
  block: B,
  hash: Hash32.Hash32,
  options?: Omit<VerifyBlockOptions, "senders" | "recovery">
) => Result.Result<Verdict<B>, RefutedError> = verifyBlock

/**
 * Proves a transaction from the requested hash.
 *
 * **Details**
 *
 * Proven: every signed field, the signature, `from`. Claimed: the block and place of the transaction, or that no block
 * holds it; the price that it effectively paid; fields that no hash covers; and `from`, if the signature is zeros (see
 * below). A transaction of an unknown type is CLAIMED as a whole. It is refuted if its fields give its hash under a
 * known type.
 *
 * The value has every field that follows from the signature, even if the node left it out: `type`, `v`, `yParity`,
 * `chainId`. A missing field that does not follow is claimed.
 *
 * A transaction is pending or in a block, so `blockHash`, `blockNumber` and `transactionIndex` are either all null or
 * all present. Both a place and its absence are only claimed.
 *
 * The state-sync transaction of a block of Polygon has a hash that follows from the block's. It is CLAIMED as a whole.
 *
 * A deposit of the OP stack (type 0x7e) has no signature, and its hash covers its sender. Its `nonce` and
 * `depositReceiptVersion` follow from its receipt, so they are claimed.
 *
 * A deposit on Optimism before Bedrock is a transaction of type 0 whose `r`, `s` and `v` are 0. No key signed it, so
 * its sender is only claimed.
 *
 * Fails with `RefutedError`: `transaction.hash` (another transaction), `transaction hash` (its fields do not give this
 * hash), `transaction.from`, `transaction.v`, `transaction.yParity`, `transaction.chainId`, `transaction.type`, and
 * `transaction.blockHash`, `transaction.blockNumber`, `transaction.transactionIndex` when only some of them are null.
 */
export const transaction = (
  transaction: Transaction.Transaction,
  hash: Hash32.Hash32,
  options: VerifyTransactionOptions = {}
): Result.Result<Verdict<Transaction.Transaction>, RefutedError> =>
  verifyTransaction(transaction, hash, options.recovery ?? standard, options.forks)
