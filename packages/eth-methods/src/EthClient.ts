/**
 * Reads a chain through a `Transport`: one typed function per method, answers decoded, nothing verified.
 */
import type * as Address from "@plumbline/codec/Address"
import type * as Hash32 from "@plumbline/codec/Hash32"
import type * as Hex from "@plumbline/codec/Hex"
import * as JsonRpcClient from "@plumbline/jsonrpc-core/JsonRpcClient"
import { DecodeError, JsonRpcError } from "@plumbline/jsonrpc-core/JsonRpcError"
import type { Transport } from "@plumbline/jsonrpc-core/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import type * as AccountProof from "./AccountProof.ts"
import type * as Block from "./Block.ts"
import type * as BlockParameter from "./BlockParameter.ts"
import * as EthMethods from "./EthMethods.ts"
import type * as StorageKey from "./StorageKey.ts"
import type * as Transaction from "./Transaction.ts"

/** Whether a block comes with whole transactions or, by default, with their hashes. */
export interface BlockOptions {
  readonly full?: boolean | undefined
}

/** The block that options ask for. */
export type BlockOf<Options extends BlockOptions> = Options extends { readonly full: true }
  ? Block.WithTransactions
  : Options extends { readonly full?: false | undefined }
    ? Block.WithHashes
    : Block.Block

/** An effect that reads: its result, or the one error of all clients. */
export type Read<A> = Effect.Effect<A, JsonRpcError>

/** The client as a value. Null is an answer: there is no such block or transaction, as far as the node knows. */
export interface Client {
  readonly getBlockByHash: <const Options extends BlockOptions = {}>(
    hash: Hash32.Hash32,
    options?: Options
  ) => Read<BlockOf<Options> | null>
  readonly getBlockByNumber: <const Options extends BlockOptions = {}>(
    block: BlockParameter.NumberOrTag,
    options?: Options
  ) => Read<BlockOf<Options> | null>
  readonly getTransactionByHash: (hash: Hash32.Hash32) => Read<Transaction.Transaction | null>
  readonly getTransactionByBlockHashAndIndex: (
    blockHash: Hash32.Hash32,
    index: bigint
  ) => Read<Transaction.Transaction | null>
  readonly getUncleByBlockNumberAndIndex: (block: BlockParameter.NumberOrTag, index: bigint) => Read<Block.Uncle | null>
  readonly getStorageAt: (
    address: Address.Address,
    position: StorageKey.StorageKey,
    block: BlockParameter.BlockParameter
  ) => Read<Hex.Hex>
  readonly getProof: (
    address: Address.Address,
    storageKeys: ReadonlyArray<StorageKey.StorageKey>,
    block: BlockParameter.BlockParameter
  ) => Read<AccountProof.AccountProof>
  readonly blockNumber: Read<bigint>
  readonly chainId: Read<bigint>
}

/**
 * The service. `EthClient.layer` needs a `Transport`.
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
 * Effect.runSync(number.pipe(Effect.provide(EthClient.EthClient.layer.pipe(Layer.provide(node))))) // => 16n
 * ```
 */
export class EthClient extends Context.Service<EthClient, Client>()("@plumbline/eth-methods/EthClient") {
  /** The client over whatever `Transport` there is. */
  static readonly layer: Layer.Layer<EthClient, never, Transport> = Layer.effect(
    EthClient,
    Effect.suspend(() => make)
  )
}

/** A client as a value, for those who keep it themselves. */
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
    getTransactionByHash: call.eth_getTransactionByHash,
    getTransactionByBlockHashAndIndex: call.eth_getTransactionByBlockHashAndIndex,
    getUncleByBlockNumberAndIndex: call.eth_getUncleByBlockNumberAndIndex,
    getStorageAt: call.eth_getStorageAt,
    getProof: call.eth_getProof,
    blockNumber: call.eth_blockNumber(),
    chainId: call.eth_chainId()
  })
)

/** A node may send hashes where whole transactions were asked for, or the other way round. */
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
