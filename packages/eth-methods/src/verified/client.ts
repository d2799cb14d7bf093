/** The type of a client that answers with verdicts: its methods and its errors. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Refuted } from "@plumbline/verdict/Refuted"
import type { Verdict } from "@plumbline/verdict/Verdict"
import type * as Effect from "effect/Effect"

import type * as EthClient from "../client/EthClient.ts"
import type * as AccountProof from "../model/AccountProof.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as Input from "../model/Input.ts"
import type * as Log from "../model/Log.ts"
import type * as LogFilter from "../model/LogFilter.ts"
import type * as Receipt from "../model/Receipt.ts"
import type * as StorageValues from "../model/StorageValues.ts"
import type * as StorageWord from "../model/StorageWord.ts"
import type * as Transaction from "../model/Transaction.ts"
import type { VerifyBlockOptions } from "../proof/block.ts"

/** An effect that reads and checks. */
export type Read<A> = Effect.Effect<A, JsonRpcError | Refuted>

/** Options of reading a block. */
export interface BlockOptions extends EthClient.BlockOptions, VerifyBlockOptions {
  /**
   * True to read the headers of a block's uncles, which takes one call for each uncle. The headers prove `uncles`, and
   * with whole transactions also `size`. Both stay claims if the node has no methods for uncles. Default: false.
   */
  readonly uncleHeaders?: boolean | undefined
}

/** Options for recovering the senders of transactions. The default engine takes about a millisecond per sender. */
export type SenderOptions = VerifyBlockOptions

/**
 * The client as a value.
 *
 * Null is an answer. The absence of a block or transaction with a given hash cannot be proven. But a proven block
 * proves that it has no transaction or uncle at an index.
 */
export interface Client {
  /** The block with this hash, proven by the hash. */
  readonly getBlockByHash: <const Options extends BlockOptions = {}>(
    hash: Input.Hash32,
    options?: Options
  ) => Read<Verdict<EthClient.BlockOf<Options> | null>>
  /**
   * The block with this number or tag, proven by its own hash. The block is VERIFIED if a proof leads to it from a
   * trusted block.
   */
  readonly getBlockByNumber: <const Options extends BlockOptions = {}>(
    block: BlockParameter.NumberOrTag,
    options?: Options
  ) => Read<Verdict<EthClient.BlockOf<Options> | null>>
  /** The number of transactions of the block with this hash, or null. */
  readonly getBlockTransactionCountByHash: (hash: Input.Hash32) => Read<Verdict<bigint | null>>
  /** The number of transactions of the block with this number or tag, or null. */
  readonly getBlockTransactionCountByNumber: (block: BlockParameter.NumberOrTag) => Read<Verdict<bigint | null>>
  /** An uncle of the block with this hash, or null. */
  readonly getUncleByBlockHashAndIndex: (blockHash: Input.Hash32, index: bigint) => Read<Verdict<Block.Uncle | null>>
  /** An uncle of the block with this number or tag, or null. */
  readonly getUncleByBlockNumberAndIndex: (
    block: BlockParameter.NumberOrTag,
    index: bigint
  ) => Read<Verdict<Block.Uncle | null>>
  /** The number of uncles of the block with this hash, or null. */
  readonly getUncleCountByBlockHash: (blockHash: Input.Hash32) => Read<Verdict<bigint | null>>
  /** The number of uncles of the block with this number or tag, or null. */
  readonly getUncleCountByBlockNumber: (block: BlockParameter.NumberOrTag) => Read<Verdict<bigint | null>>
  /** The transaction with this hash. The hash of the block that the node names proves the transaction's place. */
  readonly getTransactionByHash: (hash: Input.Hash32) => Read<Verdict<Transaction.Transaction | null>>
  /** The transaction at this index of a block, or proof that the block has no such index. */
  readonly getTransactionByBlockHashAndIndex: (
    blockHash: Input.Hash32,
    index: bigint
  ) => Read<Verdict<Transaction.Transaction | null>>
  /** The transaction at a position of the block with this number or tag, or null. */
  readonly getTransactionByBlockNumberAndIndex: (
    block: BlockParameter.NumberOrTag,
    index: bigint
  ) => Read<Verdict<Transaction.Transaction | null>>
  /** The receipt of a transaction, proven with all receipts of its block. */
  readonly getTransactionReceipt: (transactionHash: Input.Hash32) => Read<Verdict<Receipt.Receipt | null>>
  /** All receipts of a block, or null. */
  readonly getBlockReceipts: (
    block: BlockParameter.BlockParameter,
    options?: SenderOptions
  ) => Read<Verdict<ReadonlyArray<Receipt.Receipt> | null>>
  /** Exactly the logs that a filter selects, none missing: proven by receipts, or by blooms that exclude the filter. */
  readonly getLogs: (filter: LogFilter.LogFilter) => Read<Verdict<ReadonlyArray<Log.Log>>>
  /** The balance of an account, in wei. */
  readonly getBalance: (address: Input.Address, block?: BlockParameter.BlockParameter) => Read<Verdict<bigint>>
  /** The code of an account. */
  readonly getCode: (address: Input.Address, block?: BlockParameter.BlockParameter) => Read<Verdict<Hex.Hex>>
  /** The nonce of an account. */
  readonly getTransactionCount: (address: Input.Address, block?: BlockParameter.BlockParameter) => Read<Verdict<bigint>>
  /** A 32-byte word of an account's storage. */
  readonly getStorageAt: (
    address: Input.Address,
    position: Input.StorageKey,
    block?: BlockParameter.BlockParameter
  ) => Read<Verdict<StorageWord.StorageWord>>
  /** Words of the storage of several accounts. */
  readonly getStorageValues: (
    slots: StorageValues.Request,
    block?: BlockParameter.BlockParameter
  ) => Read<Verdict<StorageValues.StorageValues>>
  /** An account and slots of its storage, with their Merkle proofs. */
  readonly getProof: (
    address: Input.Address,
    storageKeys: ReadonlyArray<Input.StorageKey>,
    block?: BlockParameter.BlockParameter
  ) => Read<Verdict<AccountProof.AccountProof>>
}
