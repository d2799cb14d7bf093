/**
 * Reads a chain and proves what it read: each answer is VERIFIED or CLAIMED, with reasons; a REFUTED one is an error.
 *
 * What is asked by a hash is proven by that hash. What is asked by a number or a tag is tied to the `TrustedBlock`: the
 * tag becomes one hash first, and every further call is about that hash.
 *
 * A few calls can name a number only. Where their answers are about another branch of the chain, the read begins again,
 * once, and then fails with `JsonRpcError` and the reason `MovedError`: that is no lie, and may succeed later.
 *
 * The README's table "What each field rests on" says which fields are named in `claimed`, and when.
 */
import type * as Address from "@plumbline/codec/Address"
import type * as Hash32 from "@plumbline/codec/Hash32"
import type * as Hex from "@plumbline/codec/Hex"
import type { Transport } from "@plumbline/jsonrpc-core/Transport"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import type * as AccountProof from "./AccountProof.ts"
import type * as Ancestry from "./Ancestry.ts"
import type * as Block from "./Block.ts"
import type * as BlockParameter from "./BlockParameter.ts"
import * as EthClient from "./EthClient.ts"
import * as Blocks from "./internal/verifiedClient/blocks.ts"
import * as Chain from "./internal/verifiedClient/chain.ts"
import * as Logs from "./internal/verifiedClient/logs.ts"
import * as Receipts from "./internal/verifiedClient/receipts.ts"
import * as State from "./internal/verifiedClient/state.ts"
import * as Transactions from "./internal/verifiedClient/transactions.ts"
import * as Uncles from "./internal/verifiedClient/uncles.ts"
import type * as Log from "./Log.ts"
import type * as LogFilter from "./LogFilter.ts"
import type * as Receipt from "./Receipt.ts"
import type * as StorageKey from "./StorageKey.ts"
import type * as StorageValues from "./StorageValues.ts"
import type * as StorageWord from "./StorageWord.ts"
import type * as Transaction from "./Transaction.ts"
import { TrustedBlock } from "./TrustedBlock.ts"
import type { VerifyBlockOptions } from "./verify/verifyBlock.ts"

/** An effect that reads and checks. */
export type Read<A> = Chain.Read<A>

/** How a block is read. */
export type BlockOptions = Chain.BlockOptions

/** Whether the senders of a block's transactions are recovered, a millisecond each. */
export type SenderOptions = VerifyBlockOptions

/** How far the client goes for a proof. */
export interface Options extends Ancestry.Options {
  /** The most blocks of a range of logs that are proven; a longer one is CLAIMED. Default: 128. */
  readonly maxLogBlocks?: number | undefined
}

export const DEFAULT_MAX_LOG_BLOCKS = 128

/**
 * The client as a value.
 *
 * Null is an answer. That a block or transaction does not exist cannot be proven when it is asked for by its hash; that
 * a proven block has no such transaction or uncle can.
 */
export interface Client {
  /** The block with this hash, proven by it. */
  readonly getBlockByHash: <const Options extends BlockOptions = {}>(
    hash: Hash32.Hash32,
    options?: Options
  ) => Read<Verdict<EthClient.BlockOf<Options> | null>>
  /** The block with this number or tag, proven in itself, and VERIFIED if trust reaches it. */
  readonly getBlockByNumber: <const Options extends BlockOptions = {}>(
    block: BlockParameter.NumberOrTag,
    options?: Options
  ) => Read<Verdict<EthClient.BlockOf<Options> | null>>
  readonly getBlockTransactionCountByHash: (hash: Hash32.Hash32) => Read<Verdict<bigint | null>>
  readonly getBlockTransactionCountByNumber: (block: BlockParameter.NumberOrTag) => Read<Verdict<bigint | null>>
  readonly getUncleByBlockHashAndIndex: (blockHash: Hash32.Hash32, index: bigint) => Read<Verdict<Block.Uncle | null>>
  readonly getUncleByBlockNumberAndIndex: (
    block: BlockParameter.NumberOrTag,
    index: bigint
  ) => Read<Verdict<Block.Uncle | null>>
  readonly getUncleCountByBlockHash: (blockHash: Hash32.Hash32) => Read<Verdict<bigint | null>>
  readonly getUncleCountByBlockNumber: (block: BlockParameter.NumberOrTag) => Read<Verdict<bigint | null>>
  /** The transaction with this hash, and its place in the block that the node names, proven by that block's hash. */
  readonly getTransactionByHash: (hash: Hash32.Hash32) => Read<Verdict<Transaction.Transaction | null>>
  /** The transaction at this position of a block, or proof that the block has no such position. */
  readonly getTransactionByBlockHashAndIndex: (
    blockHash: Hash32.Hash32,
    index: bigint
  ) => Read<Verdict<Transaction.Transaction | null>>
  readonly getTransactionByBlockNumberAndIndex: (
    block: BlockParameter.NumberOrTag,
    index: bigint
  ) => Read<Verdict<Transaction.Transaction | null>>
  /** The receipt of a transaction, proven with all receipts of its block. */
  readonly getTransactionReceipt: (transactionHash: Hash32.Hash32) => Read<Verdict<Receipt.Receipt | null>>
  readonly getBlockReceipts: (
    block: BlockParameter.BlockParameter,
    options?: SenderOptions
  ) => Read<Verdict<ReadonlyArray<Receipt.Receipt> | null>>
  /** Exactly the logs that a filter selects, none missing: proven by receipts, or by blooms that exclude the filter. */
  readonly getLogs: (filter: LogFilter.LogFilter) => Read<Verdict<ReadonlyArray<Log.Log>>>
  readonly getBalance: (address: Address.Address, block?: BlockParameter.BlockParameter) => Read<Verdict<bigint>>
  readonly getCode: (address: Address.Address, block?: BlockParameter.BlockParameter) => Read<Verdict<Hex.Hex>>
  readonly getTransactionCount: (
    address: Address.Address,
    block?: BlockParameter.BlockParameter
  ) => Read<Verdict<bigint>>
  readonly getStorageAt: (
    address: Address.Address,
    position: StorageKey.StorageKey,
    block?: BlockParameter.BlockParameter
  ) => Read<Verdict<StorageWord.StorageWord>>
  readonly getStorageValues: (
    slots: StorageValues.Request,
    block?: BlockParameter.BlockParameter
  ) => Read<Verdict<StorageValues.StorageValues>>
  readonly getProof: (
    address: Address.Address,
    storageKeys: ReadonlyArray<StorageKey.StorageKey>,
    block?: BlockParameter.BlockParameter
  ) => Read<Verdict<AccountProof.AccountProof>>
}

/**
 * The service. `VerifiedEthClient.layer` needs a `Transport` and a `TrustedBlock`.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 * import { TrustedBlock, VerifiedEthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Layer } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.succeed(null),
 *   callAll: () => Effect.succeed([])
 * })
 * const eth = VerifiedEthClient.VerifiedEthClient.layer.pipe(Layer.provide([node, TrustedBlock.layerNone]))
 * const receipt = VerifiedEthClient.VerifiedEthClient.use((eth) => eth.getTransactionReceipt(Hash32.ZERO))
 * const verdict = await Effect.runPromise(Effect.provide(receipt, eth))
 * verdict._tag // => "CLAIMED"
 * ```
 */
export class VerifiedEthClient extends Context.Service<VerifiedEthClient, Client>()(
  "@plumbline/eth-methods/VerifiedEthClient"
) {
  /** Over the `Transport` there is, with the trust there is. */
  static readonly layer: Layer.Layer<VerifiedEthClient, never, Transport | TrustedBlock> = Layer.effect(
    VerifiedEthClient,
    Effect.suspend(() => Effect.map(Effect.all([EthClient.make, TrustedBlock]), ([eth, trust]) => make(eth, trust)))
  )
}

/** A verified client over a plain one. */
export const make = (eth: EthClient.Client, trust: TrustedBlock["Service"], options?: Options): Client => {
  const chain = Chain.make(eth, trust, options)
  return {
    ...Blocks.make(chain),
    ...Uncles.make(chain),
    ...Transactions.make(chain),
    ...Receipts.make(chain),
    ...Logs.make(chain, options?.maxLogBlocks ?? DEFAULT_MAX_LOG_BLOCKS),
    ...State.make(chain)
  }
}
