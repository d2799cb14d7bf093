/**
 * Decodes and encodes blocks, transactions and receipts in RLP, as nodes store and exchange them.
 *
 * The readers return whole objects as nodes return them, including the fields that follow from the bytes (hashes,
 * sizes, senders, places). The readers are strict: an object has exactly one encoding, and the work is proportional to
 * the input. They do not check that a body belongs to its header: use `verifyBlock`, `verifyUncles` and
 * `verifyReceipts` for that.
 *
 * Sources: Yellow Paper, sections 4.3 and 4.4; the EIPs that `rlp/header` and `rlp/transaction` name; EIP-4895 for the
 * withdrawals.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type * as Result from "effect/Result"

import type * as Block from "../model/Block.ts"
import type * as BlockAccessList from "../model/BlockAccessList.ts"
import type * as Receipt from "../model/Receipt.ts"
import type * as Transaction from "../model/Transaction.ts"
import type * as SenderRecovery from "../sender/SenderRecovery.ts"
import * as AccessListEncoding from "./accessListEncoding.ts"
import * as ReadBlockEncoding from "./blockEncoding.ts"
import type { BlockRlpError } from "./BlockRlpError.ts"
import * as BlockRlpWriters from "./blockRlpWriters.ts"
import * as ReadHeaderEncoding from "./headerEncoding.ts"
import * as ReadReceiptEncoding from "./receiptEncoding.ts"
import * as StrictItems from "./strictItems.ts"
import * as ReadTransactionEncoding from "./transactionEncoding.ts"

export { BlockRlpError } from "./BlockRlpError.ts"
export type { BlockParts } from "./blockEncoding.ts"
export type { TransactionContext, TransactionPosition } from "./transactionEncoding.ts"

/** A whole block, with the headers of its uncles. */
export interface WholeBlock {
  readonly block: Block.WithTransactions
  readonly uncles: ReadonlyArray<Block.Uncle>
}

/** Options of decoding a whole block. */
export interface DecodeOptions {
  /** The engine that recovers the senders. Default: `SenderRecovery.standard`. */
  readonly recovery?: SenderRecovery.RecoveryEngine | undefined
}

/**
 * Reads a block from its RLP: `[header, transactions, uncles]`, and since Shanghai the withdrawals.
 *
 * Recovers every sender; each takes about 0.2 ms with the default engine. `split` reads a block
 * without recovering senders. Unknown types of transactions are kept as `raw`. Fails with `BlockRlpError`.
 */
export const decode = (bytes: Uint8Array, options: DecodeOptions = {}): Result.Result<WholeBlock, BlockRlpError> =>
  StrictItems.attempt(() => {
    const parts = ReadBlockEncoding.read(bytes)
    return {
      block: ReadBlockEncoding.assemble(parts, ReadBlockEncoding.transactions(parts, options.recovery)),
      uncles: parts.uncles
    }
  })

/**
 * Reads the parts of a block. Headers and withdrawals are decoded; each transaction stays encoded. Fails with
 * `BlockRlpError`.
 *
 * ```ts import.meta.vitest
 * import { BlockRlp } from "@plumbline/eth-methods"
 * import { Result } from "effect"
 *
 * const nothing = BlockRlp.split(Uint8Array.of(0xc0))
 * Result.isFailure(nothing) && nothing.failure.message // => "expected a list of 3 or 4 items, got a list of 0 items"
 * ```
 */
export const split = (bytes: Uint8Array): Result.Result<ReadBlockEncoding.BlockParts, BlockRlpError> =>
  StrictItems.attempt(() => ReadBlockEncoding.read(bytes))

/**
 * Makes a block from its parts, with whole transactions as `decodeTransaction` returns them, or with only their hashes.
 */
export const assemble: {
  (parts: ReadBlockEncoding.BlockParts, transactions: ReadonlyArray<Hash32.Hash32>): Block.WithHashes
  (parts: ReadBlockEncoding.BlockParts, transactions: ReadonlyArray<Transaction.Transaction>): Block.WithTransactions
} = ReadBlockEncoding.assemble

/** Returns the hashes of the transactions, in order. */
export const transactionHashes = (parts: ReadBlockEncoding.BlockParts): ReadonlyArray<Hash32.Hash32> =>
  ReadBlockEncoding.hashes(parts)

/**
 * Returns the RLP of a block. Fails with `RefutedError` when a header fits no fork (`header.<field>`, `header shape`), or a
 * transaction is of an unknown type and has no `raw`.
 */
export const encode = ({ block, uncles }: WholeBlock): Result.Result<Uint8Array, RefutedError> =>
  BlockRlpWriters.block(block, uncles)

/** Reads a header from its RLP, with its hash. Fails with `BlockRlpError`. */
export const decodeHeader = (bytes: Uint8Array): Result.Result<Block.Header, BlockRlpError> =>
  StrictItems.attempt(() => ReadHeaderEncoding.read(StrictItems.decode(bytes, "header"), "header"))

/**
 * The names of a header's fields, in the order of its RLP. A header of an older fork lacks the last fields; every
 * header has at least the first 15.
 *
 * ```ts import.meta.vitest
 * import { BlockRlp } from "@plumbline/eth-methods"
 *
 * BlockRlp.headerFields.slice(0, 4) // => ["parentHash", "sha3Uncles", "miner", "stateRoot"]
 * BlockRlp.headerFields.indexOf("baseFeePerGas") // => 15
 * ```
 */
export const headerFields: typeof ReadHeaderEncoding.names = ReadHeaderEncoding.names

/** Returns the RLP of a header. Fails with `RefutedError` if the fields do not make a header of any fork. */
export const encodeHeader = (header: Block.Header): Result.Result<Uint8Array, RefutedError> =>
  BlockRlpWriters.header(header)

/**
 * Reads a transaction from its bytes: the RLP list of a legacy transaction, `type || RLP` of other types (EIP-2718). A
 * blob transaction comes without its blobs. The transaction's hash is the Keccak-256 of these bytes.
 *
 * If you pass no place, the transaction is pending. If you pass no `from`, its sender is recovered. `r` and `s` are
 * returned as 32 bytes. Fails with `BlockRlpError`.
 */
export const decodeTransaction = (
  bytes: Uint8Array,
  context: ReadTransactionEncoding.TransactionContext = {}
): Result.Result<Transaction.Transaction, BlockRlpError> =>
  StrictItems.attempt(() => ReadTransactionEncoding.read(bytes, "transaction", context))

/** Returns the bytes that a transaction's hash covers; undefined for an unknown type without its `raw`. */
export const encodeTransaction = (transaction: Transaction.Transaction): Uint8Array | undefined => {
  const writer = RlpWriter.make()
  return BlockRlpWriters.transaction(writer, transaction) ? writer.slice(0) : undefined
}

/**
 * Reads the receipts of a block's transactions, in order, each in the encoding of the receipts' trie. Places, gas,
 * prices and created contracts are computed from the block. Fails with `BlockRlpError`.
 */
export const decodeReceipts = (
  encoded: ReadonlyArray<Uint8Array>,
  block: Block.WithTransactions
): Result.Result<ReadonlyArray<Receipt.Receipt>, BlockRlpError> =>
  StrictItems.attempt(() => ReadReceiptEncoding.readAll(encoded, block))

/**
 * Returns the encoding of a receipt in the receipts' trie: with its state root if it has one (before Byzantium),
 * otherwise with its status.
 */
export const encodeReceipt = (receipt: Receipt.Receipt): Uint8Array => BlockRlpWriters.receipt(receipt)

/**
 * Reads a block access list from its RLP (EIP-7928), which `debug_getRawBlockAccessList` returns. The Keccak-256 of these
 * bytes is the header's `blockAccessListHash`. Fails with `BlockRlpError`.
 *
 * ```ts import.meta.vitest
 * import { BlockRlp } from "@plumbline/eth-methods"
 * import { Result } from "effect"
 *
 * Result.getOrThrow(BlockRlp.decodeAccessList(Uint8Array.of(0xc0))) // => []
 * ```
 */
export const decodeAccessList = (bytes: Uint8Array): Result.Result<BlockAccessList.BlockAccessList, BlockRlpError> =>
  StrictItems.attempt(() => AccessListEncoding.read(StrictItems.decode(bytes, "accessList"), "accessList"))

/** Returns the RLP of a block access list, in the order of the list. */
export const encodeAccessList = (list: BlockAccessList.BlockAccessList): Uint8Array => {
  const writer = RlpWriter.make()
  AccessListEncoding.write(writer, list)
  return writer.slice(0)
}
