/** The type of a client that answers with verdicts: its methods and its errors. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import type * as Effect from "effect/Effect"

import type * as CallOutcome from "../call/CallOutcome.ts"
import type * as EthClient from "../client/EthClient.ts"
import type * as AccountProof from "../model/AccountProof.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockAccessList from "../model/BlockAccessList.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as CallOverrides from "../model/CallOverrides.ts"
import type * as CallRequest from "../model/CallRequest.ts"
import type * as Input from "../model/Input.ts"
import type * as Log from "../model/Log.ts"
import type * as LogFilter from "../model/LogFilter.ts"
import type * as Receipt from "../model/Receipt.ts"
import type * as Simulation from "../model/Simulation.ts"
import type * as StorageValues from "../model/StorageValues.ts"
import type * as StorageWord from "../model/StorageWord.ts"
import type * as Transaction from "../model/Transaction.ts"
import type { VerifyBlockOptions } from "../proof/verifyBlock.ts"

/** An effect that reads and checks. */
export type VerdictRead<A> = Effect.Effect<A, JsonRpcError | RefutedError>

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
  ) => VerdictRead<Verdict<EthClient.BlockOf<Options> | null>>
  /**
   * The block with this number or tag, proven by its own hash. The block is VERIFIED if a proof leads to it from a
   * trusted block.
   */
  readonly getBlockByNumber: <const Options extends BlockOptions = {}>(
    block: BlockParameter.NumberOrTag,
    options?: Options
  ) => VerdictRead<Verdict<EthClient.BlockOf<Options> | null>>
  /** The number of transactions of the block with this hash, proven by its transactions. */
  readonly getBlockTransactionCountByHash: (hash: Input.Hash32) => VerdictRead<Verdict<bigint | null>>
  /** The number of transactions of the block with this number or tag, proven by its transactions. */
  readonly getBlockTransactionCountByNumber: (block: BlockParameter.NumberOrTag) => VerdictRead<Verdict<bigint | null>>
  /**
   * The accounts and slots that a block touched, with the values after each change, proven by the header's
   * blockAccessListHash. A proven list names all of them. Before Amsterdam, nothing covers a list, so it is CLAIMED.
   */
  readonly getBlockAccessList: (
    block: BlockParameter.BlockParameter
  ) => VerdictRead<Verdict<BlockAccessList.BlockAccessList | null>>
  /** The uncle at this index of the block with this hash, or proof that the block has no such index. */
  readonly getUncleByBlockHashAndIndex: (
    blockHash: Input.Hash32,
    index: bigint
  ) => VerdictRead<Verdict<Block.Uncle | null>>
  /** The uncle at this index of the block with this number or tag, or proof that the block has no such index. */
  readonly getUncleByBlockNumberAndIndex: (
    block: BlockParameter.NumberOrTag,
    index: bigint
  ) => VerdictRead<Verdict<Block.Uncle | null>>
  /** The number of uncles of the block with this hash, proven by their headers. */
  readonly getUncleCountByBlockHash: (blockHash: Input.Hash32) => VerdictRead<Verdict<bigint | null>>
  /** The number of uncles of the block with this number or tag, proven by their headers. */
  readonly getUncleCountByBlockNumber: (block: BlockParameter.NumberOrTag) => VerdictRead<Verdict<bigint | null>>
  /** The transaction with this hash. The hash of the block that the node names proves the transaction's place. */
  readonly getTransactionByHash: (hash: Input.Hash32) => VerdictRead<Verdict<Transaction.Transaction | null>>
  /** The transaction at this index of a block, or proof that the block has no such index. */
  readonly getTransactionByBlockHashAndIndex: (
    blockHash: Input.Hash32,
    index: bigint
  ) => VerdictRead<Verdict<Transaction.Transaction | null>>
  /** The transaction at this index of a block by number or tag, or proof that the block has no such index. */
  readonly getTransactionByBlockNumberAndIndex: (
    block: BlockParameter.NumberOrTag,
    index: bigint
  ) => VerdictRead<Verdict<Transaction.Transaction | null>>
  /** The receipt of a transaction, proven with all receipts of its block. */
  readonly getTransactionReceipt: (transactionHash: Input.Hash32) => VerdictRead<Verdict<Receipt.Receipt | null>>
  /** The receipts of all transactions of a block, in order, proven by the block's receipts root. */
  readonly getBlockReceipts: (
    block: BlockParameter.BlockParameter,
    options?: SenderOptions
  ) => VerdictRead<Verdict<ReadonlyArray<Receipt.Receipt> | null>>
  /**
   * Exactly the logs that a filter selects, none missing: proven by receipts, or by blooms that exclude the filter. If
   * the node's own answer differs, the proven logs are the answer, and the evidence `LogsRepaired` says what it left out
   * or added. A range may have any length. Fails with `UnprovenError` and the reason `RangeTooLong`, which names the
   * block to go on from, if its proof needs more than `maxLogWork` or `maxLogTime`; if the node sent logs, they are CLAIMED for that
   * reason.
   */
  readonly getLogs: (filter: LogFilter.LogFilter) => RunRead<ReadonlyArray<Log.Log>>
  /** The balance of an account, in wei, proven by the state root of a block. */
  readonly getBalance: (address: Input.Address, block?: BlockParameter.BlockParameter) => VerdictRead<Verdict<bigint>>
  /** The code of an account, proven by the account's code hash. */
  readonly getCode: (address: Input.Address, block?: BlockParameter.BlockParameter) => VerdictRead<Verdict<Hex.Hex>>
  /** The nonce of an account, proven by the state root of a block. */
  readonly getTransactionCount: (
    address: Input.Address,
    block?: BlockParameter.BlockParameter
  ) => VerdictRead<Verdict<bigint>>
  /** The 32-byte word at this position of an account's storage, proven by the account's storage root. */
  readonly getStorageAt: (
    address: Input.Address,
    position: Input.StorageKey,
    block?: BlockParameter.BlockParameter
  ) => VerdictRead<Verdict<StorageWord.StorageWord>>
  /** The words at these positions of the storage of these accounts, proven by the accounts' storage roots. */
  readonly getStorageValues: (
    slots: StorageValues.StorageValuesRequest,
    block?: BlockParameter.BlockParameter
  ) => VerdictRead<Verdict<StorageValues.StorageValues>>
  /** An account and these slots of its storage, with their Merkle proofs, which are checked. */
  readonly getProof: (
    address: Input.Address,
    storageKeys: ReadonlyArray<Input.StorageKey>,
    block?: BlockParameter.BlockParameter
  ) => VerdictRead<Verdict<AccountProof.AccountProof>>
  /**
   * The outcome of a call in the state after a block. It is run here by the engine of `CallEngine`, over proven state, so
   * a revert is proven too. Fails with `UnprovenError` if there is no engine or the engine cannot run the call: the
   * node's word about a call is no part of this client. With overrides, the evidence names them, because they are the
   * caller's own.
   */
  readonly call: (
    request: CallRequest.CallRequest,
    block?: BlockParameter.BlockParameter,
    stateOverride?: CallOverrides.StateOverride,
    blockOverride?: CallOverrides.BlockOverride
  ) => RunRead<CallOutcome.CallOutcome>
  /**
   * An amount of gas with which the call succeeds in the state after a block; one at most 1.5 % lower is too low. The
   * run with it is proven, as for `call`. It says nothing about a later block.
   */
  readonly estimateGas: (
    request: CallRequest.CallRequest,
    block?: BlockParameter.BlockParameter,
    stateOverride?: CallOverrides.StateOverride,
    blockOverride?: CallOverrides.BlockOverride
  ) => RunRead<CallOutcome.EstimateOutcome>
  /** The access list of a call in the state after a block, and the gas that the call uses with it, by a run of it. */
  readonly createAccessList: (
    request: CallRequest.CallRequest,
    block?: BlockParameter.BlockParameter
  ) => RunRead<CallOutcome.AccessListOutcome>
  /** The results of calls that run one after the other, in blocks that follow a block. The blocks are hypothetical. */
  readonly simulate: (
    request: Simulation.SimulationRequest,
    block?: BlockParameter.BlockParameter
  ) => RunRead<CallOutcome.SimulationOutcome>
}

/** The names of the reads that run a call. Their verdicts are about an outcome, not about a node's answer. */
export type RunName = "call" | "estimateGas" | "createAccessList" | "simulate"

/** An effect whose work is bounded: it runs a call here, or reads a range of blocks. */
export type RunRead<O> = Effect.Effect<Verdict<O>, JsonRpcError | RefutedError | UnprovenError>
