/** Reads a chain through a `Transport`, with one typed function per method. Answers are decoded, but not verified. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"
import * as JsonRpcClient from "@plumbline/jsonrpc-core/client/JsonRpcClient"
import * as UrlTransport from "@plumbline/jsonrpc-core/client/UrlTransport"
import { DecodeError, JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

import * as EthMethod from "../methods/EthMethod.ts"
import * as EthMethods from "../methods/EthMethods.ts"
import type * as AccessListResult from "../model/AccessListResult.ts"
import type * as AccountProof from "../model/AccountProof.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockAccessList from "../model/BlockAccessList.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as CallOverrides from "../model/CallOverrides.ts"
import type * as CallRequest from "../model/CallRequest.ts"
import type * as Capabilities from "../model/Capabilities.ts"
import type * as ChainConfig from "../model/ChainConfig.ts"
import type * as FeeHistory from "../model/FeeHistory.ts"
import type * as Input from "../model/Input.ts"
import type * as Log from "../model/Log.ts"
import type * as LogFilter from "../model/LogFilter.ts"
import type * as Receipt from "../model/Receipt.ts"
import type * as Simulation from "../model/Simulation.ts"
import type * as StorageValues from "../model/StorageValues.ts"
import type * as StorageWord from "../model/StorageWord.ts"
import type * as SyncStatus from "../model/SyncStatus.ts"
import type * as Transaction from "../model/Transaction.ts"
import * as ArgumentChecks from "./argumentChecks.ts"

/** Selects the form of a block's transactions: whole, or their hashes (the default). */
export interface BlockOptions {
  readonly full?: boolean | undefined
}

/** The type of a block that is read with these options. */
export type BlockOf<Options extends BlockOptions> = Options extends { readonly full: true }
  ? Block.WithTransactions
  : Options extends { readonly full?: false | undefined }
    ? Block.WithHashes
    : Block.Block

/** An effect that reads from a node. */
export type EthRead<A, E = JsonRpcError> = Effect.Effect<A, E>

/**
 * The client as a value. Null is an answer: there is no such block or transaction, as far as the node knows.
 *
 * If the caller omits an optional block, the client sends `latest`, because not every node has a default. `E` is the
 * error type of the reads: this client fails with `JsonRpcError` only, `ProvenEthClient` with any of its `Failure`.
 */
export interface Client<out E = JsonRpcError> {
  /** The block with this hash, or null. */
  readonly getBlockByHash: <const Options extends BlockOptions = {}>(
    hash: Input.Hash32,
    options?: Options
  ) => EthRead<BlockOf<Options> | null, E>
  /** The block with this number or tag, or null. */
  readonly getBlockByNumber: <const Options extends BlockOptions = {}>(
    block: BlockParameter.NumberOrTag,
    options?: Options
  ) => EthRead<BlockOf<Options> | null, E>
  /** The number of transactions of the block with this hash, or null. */
  readonly getBlockTransactionCountByHash: (hash: Input.Hash32) => EthRead<bigint | null, E>
  /** The number of transactions of the block with this number or tag, or null. */
  readonly getBlockTransactionCountByNumber: (block: BlockParameter.NumberOrTag) => EthRead<bigint | null, E>
  /** The accounts and slots that a block touched, with the values after each change (EIP-7928), or null. */
  readonly getBlockAccessList: (
    block: BlockParameter.BlockParameter
  ) => EthRead<BlockAccessList.BlockAccessList | null, E>
  /** The uncle at this position of the block with this hash, or null. */
  readonly getUncleByBlockHashAndIndex: (blockHash: Input.Hash32, index: bigint) => EthRead<Block.Uncle | null, E>
  /** The uncle at this position of the block with this number or tag, or null. */
  readonly getUncleByBlockNumberAndIndex: (
    block: BlockParameter.NumberOrTag,
    index: bigint
  ) => EthRead<Block.Uncle | null, E>
  /** The number of uncles of the block with this hash, or null. */
  readonly getUncleCountByBlockHash: (blockHash: Input.Hash32) => EthRead<bigint | null, E>
  /** The number of uncles of the block with this number or tag, or null. */
  readonly getUncleCountByBlockNumber: (block: BlockParameter.NumberOrTag) => EthRead<bigint | null, E>
  /** The transaction with this hash, mined or pending, or null. */
  readonly getTransactionByHash: (hash: Input.Hash32) => EthRead<Transaction.Transaction | null, E>
  /** The transaction at this position of the block with this hash, or null. */
  readonly getTransactionByBlockHashAndIndex: (
    blockHash: Input.Hash32,
    index: bigint
  ) => EthRead<Transaction.Transaction | null, E>
  /** The transaction at this position of the block with this number or tag, or null. */
  readonly getTransactionByBlockNumberAndIndex: (
    block: BlockParameter.NumberOrTag,
    index: bigint
  ) => EthRead<Transaction.Transaction | null, E>
  /**
   * Sends a signed transaction. If the answer is lost, the client does not send it again. If you send it again
   * yourself, the error "already known" means that the first one arrived.
   */
  readonly sendRawTransaction: (transaction: Hex.Hex) => EthRead<Hash32.Hash32, E>
  /**
   * Sends a signed transaction, waits until a block includes it, and returns its receipt (EIP-7966). `timeout` is in
   * milliseconds. Few nodes have the method.
   */
  readonly sendRawTransactionSync: (transaction: Hex.Hex, timeout?: number) => EthRead<Receipt.Receipt, E>
  /** The receipt of the transaction with this hash, or null if no block contains it. */
  readonly getTransactionReceipt: (transactionHash: Input.Hash32) => EthRead<Receipt.Receipt | null, E>
  /** The receipts of all transactions of a block, in order, or null. */
  readonly getBlockReceipts: (block: BlockParameter.BlockParameter) => EthRead<ReadonlyArray<Receipt.Receipt> | null, E>
  /** The logs that a filter selects, in the order of the chain. */
  readonly getLogs: (filter: LogFilter.LogFilter) => EthRead<ReadonlyArray<Log.Log>, E>
  /** The balance of an account, in wei. */
  readonly getBalance: (address: Input.Address, block?: BlockParameter.BlockParameter) => EthRead<bigint, E>
  /** The code of an account; empty if it has none. */
  readonly getCode: (address: Input.Address, block?: BlockParameter.BlockParameter) => EthRead<Hex.Hex, E>
  /** The nonce of an account: the number of its sent transactions or created contracts. */
  readonly getTransactionCount: (address: Input.Address, block?: BlockParameter.BlockParameter) => EthRead<bigint, E>
  /** The 32-byte word at this position of an account's storage. */
  readonly getStorageAt: (
    address: Input.Address,
    position: Input.StorageKey,
    block?: BlockParameter.BlockParameter
  ) => EthRead<StorageWord.StorageWord, E>
  /** The words at these positions of the storage of these accounts; at most 1024 in all. */
  readonly getStorageValues: (
    slots: StorageValues.StorageValuesRequest,
    block?: BlockParameter.BlockParameter
  ) => EthRead<StorageValues.StorageValues, E>
  /** An account and these slots of its storage, with their Merkle proofs; at most 1024 slots. */
  readonly getProof: (
    address: Input.Address,
    storageKeys: ReadonlyArray<Input.StorageKey>,
    block?: BlockParameter.BlockParameter
  ) => EthRead<AccountProof.AccountProof, E>
  /** The bytes that a call returns. Nothing is sent to the chain. */
  readonly call: (
    request: CallRequest.CallRequest,
    block?: BlockParameter.BlockParameter,
    stateOverride?: CallOverrides.StateOverride,
    blockOverride?: CallOverrides.BlockOverride
  ) => EthRead<Hex.Hex, E>
  /** The gas that a transaction needs to succeed. */
  readonly estimateGas: (
    request: CallRequest.CallRequest,
    block?: BlockParameter.BlockParameter,
    stateOverride?: CallOverrides.StateOverride,
    blockOverride?: CallOverrides.BlockOverride
  ) => EthRead<bigint, E>
  /** The access list of a call, and the gas that the call uses with it. */
  readonly createAccessList: (
    request: CallRequest.CallRequest,
    block?: BlockParameter.BlockParameter
  ) => EthRead<AccessListResult.AccessListResult, E>
  /** The results of calls that run one after the other, in blocks that follow a block. Nothing is sent to the chain. */
  readonly simulate: (
    request: Simulation.SimulationRequest,
    block?: BlockParameter.BlockParameter
  ) => EthRead<ReadonlyArray<Simulation.SimulatedBlock>, E>
  /** Base fees, gas use and tips of the blocks up to the newest one; nodes may return fewer blocks. */
  readonly feeHistory: (
    blockCount: bigint,
    newestBlock?: BlockParameter.NumberOrTag,
    rewardPercentiles?: ReadonlyArray<number>
  ) => EthRead<FeeHistory.FeeHistory, E>
  /** A price per unit of gas, in wei, as this node would choose it. */
  readonly gasPrice: EthRead<bigint, E>
  /** A tip per unit of gas, in wei, as this node would choose it. */
  readonly maxPriorityFeePerGas: EthRead<bigint, E>
  /** The price per unit of blob gas in the next block, in wei. */
  readonly blobBaseFee: EthRead<bigint, E>
  /** The price per unit of gas in the next block, in wei. */
  readonly baseFee: EthRead<bigint, E>
  /** The number of the newest block. */
  readonly blockNumber: EthRead<bigint, E>
  /** The chain id that signatures are bound to (EIP-155). */
  readonly chainId: EthRead<bigint, E>
  /** The sync progress of the node, or false if it is not syncing. */
  readonly syncing: EthRead<SyncStatus.SyncStatus, E>
  /** The id of the peer-to-peer network, which mostly equals the chain id. */
  readonly networkId: EthRead<bigint, E>
  /** The name and version of the node's software. */
  readonly clientVersion: EthRead<string, E>
  /** The data that the node has: for each kind, the oldest block. */
  readonly capabilities: EthRead<Capabilities.Capabilities, E>
  /** The present and the next fork of the chain, as the node is configured (EIP-7910). */
  readonly config: EthRead<ChainConfig.ChainConfig, E>
  /** The accounts whose keys the node holds. */
  readonly accounts: EthRead<ReadonlyArray<Address.Address>, E>
  /** True if the node accepts connections of peers. */
  readonly isListening: EthRead<boolean, E>
  /** The number of the node's peers. */
  readonly peerCount: EthRead<bigint, E>
  /** The Keccak-256 of the bytes. */
  readonly sha3: (data: Hex.Hex) => EthRead<Hash32.Hash32, E>
}

/** The reads with this trust, such as those that a proving client must prove. */
export type ReadsOf<T extends EthMethod.ReadTrust, E = JsonRpcError> = Pick<Client<E>, EthMethods.ReadName<T>>

/**
 * The service. `EthClient.layer` needs a `Transport`. The service `ProvenEthClient` has the same methods, with proofs.
 *
 * ```ts import.meta.vitest
 * import { EthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Layer } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.succeed("0x10"),
 *   callAll: () => Effect.succeed([])
 * })
 * const number = EthClient.EthClient.use((eth) => eth.blockNumber)
 * Effect.runSync(number.pipe(Effect.provide(EthClient.layer().pipe(Layer.provide(node))))) // => 16n
 * ```
 */
export class EthClient extends Context.Service<EthClient, Client>()("@plumbline/eth-methods/EthClient") {}

/** Provides the client over the `Transport` in the context. */
export const layer = (): Layer.Layer<EthClient, never, Transport> => Layer.effect(EthClient, make)

/**
 * Provides the client over the node at a URL, by the platform's `fetch`. Calls that are made at the same time travel in
 * one packet, unless `batching` is false. For timeouts, retries or other transports, provide a `Transport` to `layer`.
 *
 * ```ts import.meta.vitest
 * import { EthClient } from "@plumbline/eth-methods"
 * import { Effect } from "effect"
 *
 * const number = EthClient.EthClient.use((eth) => eth.blockNumber)
 * const program = Effect.provide(number, EthClient.layerUrl("https://node.example/v3/<API_KEY>"))
 * Effect.isEffect(program) // => true
 * ```
 */
export const layerUrl = (
  url: string | Redacted.Redacted,
  options?: UrlTransport.UrlTransportOptions
): Layer.Layer<EthClient> => Layer.provide(layer(), UrlTransport.layer(url, options))

/**
 * Returns a client that checks the arguments of each read before it makes the call, as `layer` and `make` do. Use it
 * for a client that answers without a `Transport`, such as one that reads a file.
 *
 * Storage keys arrive at the client with 32 bytes.
 *
 * ```ts import.meta.vitest
 * import { EthClient } from "@plumbline/eth-methods"
 * import { Effect } from "effect"
 *
 * const { getCode } = EthClient.checked({
 *   getCode: (address: `0x${string}`): EthClient.EthRead<string> => Effect.succeed(address)
 * })
 * const failed = await Effect.runPromise(Effect.flip(getCode("0x1234")))
 * failed.message // => "eth_getCode: params.address: Expected 0x hex data of 20 bytes"
 * ```
 */
export const checked = ArgumentChecks.checked

/**
 * Makes reads together, in one packet if the transport has packets. It is the same as `JsonRpcClient.all`.
 *
 * ```ts import.meta.vitest
 * import { EthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Layer, Result } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.never,
 *   callAll: (calls) => Effect.succeed(calls.map((_, index) => Result.succeed(`0x${index + 1}`)))
 * })
 * const program = EthClient.EthClient.use((eth) => EthClient.all([eth.chainId, eth.blockNumber]))
 * Effect.runSync(program.pipe(Effect.provide(EthClient.layer().pipe(Layer.provide(node))))) // => [1n, 2n]
 * ```
 */
export const all = JsonRpcClient.all

/** Makes a client as a plain value, for programs that pass it on themselves instead of using the service. */
export const make: Effect.Effect<Client, never, Transport> = Effect.map(
  JsonRpcClient.make(EthMethods.group),
  (call): Client => {
    const calls = call as Readonly<Record<string, (...args: ReadonlyArray<unknown>) => EthRead<unknown>>>
    const reads: Omit<Reads, "getBlockByHash" | "getBlockByNumber"> = EthMethods.reads((method) => {
      const read = calls[method.name]!
      if (method.params.length === 0) return read()
      return method.params.every(({ byDefault }) => byDefault === undefined)
        ? read
        : (...args: ReadonlyArray<unknown>) => read(...EthMethod.withDefaults(method, args))
    })
    return {
      ...reads,
      getBlockByHash: (hash, options) =>
        Effect.flatMap(call.eth_getBlockByHash(hash, options?.full === true), (block) =>
          ofKind("eth_getBlockByHash", block, options)
        ),
      getBlockByNumber: (number, options) =>
        Effect.flatMap(call.eth_getBlockByNumber(number, options?.full === true), (block) =>
          ofKind("eth_getBlockByNumber", block, options)
        )
    }
  }
)

/** The reads by their client names, with the types that follow from the methods. */
type Reads = { readonly [M in EthMethods.Method as M["read"]]: EthMethod.ClientRead<M> }

/** Fails if the node sent hashes instead of whole transactions, or whole transactions instead of hashes. */
const ofKind = <const Options extends BlockOptions>(
  method: string,
  block: Block.Block | null,
  options: Options | undefined
): EthRead<BlockOf<Options> | null> => {
  const first = block?.transactions[0]
  const full = options?.full === true
  if (first !== undefined && (typeof first !== "string") !== full) {
    const detail = full ? "Expected whole transactions" : "Expected hashes of transactions"
    return Effect.fail(new JsonRpcError({ method, reason: new DecodeError({ path: ["transactions"], detail }) }))
  }
  return Effect.succeed(block as BlockOf<Options> | null)
}
