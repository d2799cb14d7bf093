/** Reads a chain through a `Transport`, with one typed function per method. Answers are decoded, but not verified. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"
import * as JsonRpcClient from "@plumbline/jsonrpc-core/client/JsonRpcClient"
import { DecodeError, JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import * as EthMethods from "../methods/EthMethods.ts"
import type * as AccessListResult from "../model/AccessListResult.ts"
import type * as AccountProof from "../model/AccountProof.ts"
import type * as Block from "../model/Block.ts"
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
import type * as StorageValues from "../model/StorageValues.ts"
import type * as StorageWord from "../model/StorageWord.ts"
import type * as SyncStatus from "../model/SyncStatus.ts"
import type * as Transaction from "../model/Transaction.ts"
import * as Checked from "./checked.ts"

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
export type Read<A, E = JsonRpcError> = Effect.Effect<A, E>

/**
 * The client as a value. Null is an answer: there is no such block or transaction, as far as the node knows.
 *
 * If the caller omits an optional block, the client sends `latest`, because not every node has a default. `E` is the
 * error type of the reads: this client fails with `JsonRpcError` only, `ProvenEthClient` with any of its `Failure`.
 */
export interface Client<out E = JsonRpcError> {
  readonly getBlockByHash: <const Options extends BlockOptions = {}>(
    hash: Input.Hash32,
    options?: Options
  ) => Read<BlockOf<Options> | null, E>
  readonly getBlockByNumber: <const Options extends BlockOptions = {}>(
    block: BlockParameter.NumberOrTag,
    options?: Options
  ) => Read<BlockOf<Options> | null, E>
  readonly getBlockTransactionCountByHash: (hash: Input.Hash32) => Read<bigint | null, E>
  readonly getBlockTransactionCountByNumber: (block: BlockParameter.NumberOrTag) => Read<bigint | null, E>
  readonly getUncleByBlockHashAndIndex: (blockHash: Input.Hash32, index: bigint) => Read<Block.Uncle | null, E>
  readonly getUncleByBlockNumberAndIndex: (
    block: BlockParameter.NumberOrTag,
    index: bigint
  ) => Read<Block.Uncle | null, E>
  readonly getUncleCountByBlockHash: (blockHash: Input.Hash32) => Read<bigint | null, E>
  readonly getUncleCountByBlockNumber: (block: BlockParameter.NumberOrTag) => Read<bigint | null, E>
  readonly getTransactionByHash: (hash: Input.Hash32) => Read<Transaction.Transaction | null, E>
  readonly getTransactionByBlockHashAndIndex: (
    blockHash: Input.Hash32,
    index: bigint
  ) => Read<Transaction.Transaction | null, E>
  readonly getTransactionByBlockNumberAndIndex: (
    block: BlockParameter.NumberOrTag,
    index: bigint
  ) => Read<Transaction.Transaction | null, E>
  /**
   * Sends a signed transaction. If the answer is lost, the client does not send it again. If you send it again
   * yourself, the error "already known" means that the first one arrived.
   */
  readonly sendRawTransaction: (transaction: Hex.Hex) => Read<Hash32.Hash32, E>
  /**
   * Sends a signed transaction, waits until a block includes it, and returns its receipt (EIP-7966). `timeout` is in
   * milliseconds. Few nodes have the method.
   */
  readonly sendRawTransactionSync: (transaction: Hex.Hex, timeout?: number) => Read<Receipt.Receipt, E>
  readonly getTransactionReceipt: (transactionHash: Input.Hash32) => Read<Receipt.Receipt | null, E>
  readonly getBlockReceipts: (block: BlockParameter.BlockParameter) => Read<ReadonlyArray<Receipt.Receipt> | null, E>
  readonly getLogs: (filter: LogFilter.LogFilter) => Read<ReadonlyArray<Log.Log>, E>
  readonly getBalance: (address: Input.Address, block?: BlockParameter.BlockParameter) => Read<bigint, E>
  readonly getCode: (address: Input.Address, block?: BlockParameter.BlockParameter) => Read<Hex.Hex, E>
  readonly getTransactionCount: (address: Input.Address, block?: BlockParameter.BlockParameter) => Read<bigint, E>
  readonly getStorageAt: (
    address: Input.Address,
    position: Input.StorageKey,
    block?: BlockParameter.BlockParameter
  ) => Read<StorageWord.StorageWord, E>
  readonly getStorageValues: (
    slots: StorageValues.Request,
    block?: BlockParameter.BlockParameter
  ) => Read<StorageValues.StorageValues, E>
  readonly getProof: (
    address: Input.Address,
    storageKeys: ReadonlyArray<Input.StorageKey>,
    block?: BlockParameter.BlockParameter
  ) => Read<AccountProof.AccountProof, E>
  readonly call: (
    request: CallRequest.CallRequest,
    block?: BlockParameter.BlockParameter,
    stateOverride?: CallOverrides.State,
    blockOverride?: CallOverrides.Block
  ) => Read<Hex.Hex, E>
  readonly estimateGas: (
    request: CallRequest.CallRequest,
    block?: BlockParameter.BlockParameter,
    stateOverride?: CallOverrides.State,
    blockOverride?: CallOverrides.Block
  ) => Read<bigint, E>
  readonly createAccessList: (
    request: CallRequest.CallRequest,
    block?: BlockParameter.BlockParameter
  ) => Read<AccessListResult.AccessListResult, E>
  readonly feeHistory: (
    blockCount: bigint,
    newestBlock?: BlockParameter.NumberOrTag,
    rewardPercentiles?: ReadonlyArray<number>
  ) => Read<FeeHistory.FeeHistory, E>
  readonly gasPrice: Read<bigint, E>
  readonly maxPriorityFeePerGas: Read<bigint, E>
  readonly blobBaseFee: Read<bigint, E>
  readonly baseFee: Read<bigint, E>
  readonly blockNumber: Read<bigint, E>
  readonly chainId: Read<bigint, E>
  readonly syncing: Read<SyncStatus.SyncStatus, E>
  readonly networkId: Read<bigint, E>
  readonly clientVersion: Read<string, E>
  readonly capabilities: Read<Capabilities.Capabilities, E>
  readonly config: Read<ChainConfig.ChainConfig, E>
  readonly accounts: Read<ReadonlyArray<Address.Address>, E>
  readonly isListening: Read<boolean, E>
  readonly peerCount: Read<bigint, E>
  readonly sha3: (data: Hex.Hex) => Read<Hash32.Hash32, E>
}

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
 * Provides the client over the node at a URL, by the platform's `fetch`. For timeouts, retries or other transports,
 * provide a `Transport` to `layer`.
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
export const layerUrl = (url: string): Layer.Layer<EthClient> => Layer.provide(layer(), HttpTransport.layer({ url }))

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
 *   getCode: (address: `0x${string}`): EthClient.Read<string> => Effect.succeed(address)
 * })
 * const failed = await Effect.runPromise(Effect.flip(getCode("0x1234")))
 * failed.message // => "eth_getCode: EncodeError: params.address: Expected 0x hex data of 20 bytes"
 * ```
 */
export const checked = Checked.checked

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
  (call): Client => ({
    getBlockByHash: (hash, options) =>
      Effect.flatMap(call.eth_getBlockByHash(hash, options?.full === true), (block) =>
        ofKind("eth_getBlockByHash", block, options)
      ),
    getBlockByNumber: (number, options) =>
      Effect.flatMap(call.eth_getBlockByNumber(number, options?.full === true), (block) =>
        ofKind("eth_getBlockByNumber", block, options)
      ),
    getBlockTransactionCountByHash: call.eth_getBlockTransactionCountByHash,
    getBlockTransactionCountByNumber: call.eth_getBlockTransactionCountByNumber,
    getUncleByBlockHashAndIndex: call.eth_getUncleByBlockHashAndIndex,
    getUncleByBlockNumberAndIndex: call.eth_getUncleByBlockNumberAndIndex,
    getUncleCountByBlockHash: call.eth_getUncleCountByBlockHash,
    getUncleCountByBlockNumber: call.eth_getUncleCountByBlockNumber,
    getTransactionByHash: call.eth_getTransactionByHash,
    getTransactionByBlockHashAndIndex: call.eth_getTransactionByBlockHashAndIndex,
    getTransactionByBlockNumberAndIndex: call.eth_getTransactionByBlockNumberAndIndex,
    sendRawTransaction: call.eth_sendRawTransaction,
    sendRawTransactionSync: call.eth_sendRawTransactionSync,
    getTransactionReceipt: call.eth_getTransactionReceipt,
    getBlockReceipts: call.eth_getBlockReceipts,
    getLogs: call.eth_getLogs,
    getBalance: (address, block = "latest") => call.eth_getBalance(address, block),
    getCode: (address, block = "latest") => call.eth_getCode(address, block),
    getTransactionCount: (address, block = "latest") => call.eth_getTransactionCount(address, block),
    getStorageAt: (address, position, block = "latest") => call.eth_getStorageAt(address, position, block),
    getStorageValues: (slots, block = "latest") => call.eth_getStorageValues(slots, block),
    getProof: (address, storageKeys, block = "latest") => call.eth_getProof(address, storageKeys, block),
    call: (request, block = "latest", state, blockOverride) => call.eth_call(request, block, state, blockOverride),
    estimateGas: (request, block = "latest", state, blockOverride) =>
      call.eth_estimateGas(request, block, state, blockOverride),
    createAccessList: (request, block = "latest") => call.eth_createAccessList(request, block),
    feeHistory: (blockCount, newestBlock = "latest", rewardPercentiles = []) =>
      call.eth_feeHistory(blockCount, newestBlock, rewardPercentiles),
    gasPrice: call.eth_gasPrice(),
    maxPriorityFeePerGas: call.eth_maxPriorityFeePerGas(),
    blobBaseFee: call.eth_blobBaseFee(),
    baseFee: call.eth_baseFee(),
    blockNumber: call.eth_blockNumber(),
    chainId: call.eth_chainId(),
    syncing: call.eth_syncing(),
    networkId: call.net_version(),
    clientVersion: call.web3_clientVersion(),
    capabilities: call.eth_capabilities(),
    config: call.eth_config(),
    accounts: call.eth_accounts(),
    isListening: call.net_listening(),
    peerCount: call.net_peerCount(),
    sha3: call.web3_sha3
  })
)

/** Fails if the node sent hashes instead of whole transactions, or whole transactions instead of hashes. */
const ofKind = <const Options extends BlockOptions>(
  method: string,
  block: Block.Block | null,
  options: Options | undefined
): Read<BlockOf<Options> | null> => {
  const first = block?.transactions[0]
  const full = options?.full === true
  if (first !== undefined && (typeof first !== "string") !== full) {
    const detail = full ? "Expected whole transactions" : "Expected hashes of transactions"
    return Effect.fail(new JsonRpcError({ method, reason: new DecodeError({ path: ["transactions"], detail }) }))
  }
  return Effect.succeed(block as BlockOf<Options> | null)
}
