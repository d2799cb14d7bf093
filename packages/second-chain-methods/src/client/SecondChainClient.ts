/**
 * Reads the second chain through a `Transport`, with one typed function per method. Answers are decoded, but not
 * verified.
 */
import * as JsonRpcClient from "@plumbline/jsonrpc-core/client/JsonRpcClient"
import * as UrlTransport from "@plumbline/jsonrpc-core/client/UrlTransport"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

import { NAMESPACE } from "../methods/namespace.ts"
import * as SecondChainMethods from "../methods/SecondChainMethods.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockId from "../model/BlockId.ts"
import type * as Broadcast from "../model/Broadcast.ts"
import type * as Felt from "../model/Felt.ts"
import type * as FunctionCall from "../model/FunctionCall.ts"
import type * as Receipt from "../model/Receipt.ts"
import type * as SyncStatus from "../model/SyncStatus.ts"
import type * as Transaction from "../model/Transaction.ts"
import * as PendingTransactions from "./PendingTransactions.ts"

/** An effect that reads from a node. */
export type SecondChainRead<A> = Effect.Effect<A, JsonRpcError>

/** Options of methods that answer with transactions. */
export interface TransactionOptions {
  /**
   * True to request `proof_facts`, which hashes cover. Only nodes since 0.10.1 accept this; older nodes refuse the
   * call.
   */
  readonly proofFacts?: boolean | undefined
}

/**
 * The client as a value.
 *
 * Null is an answer: there is no such block or transaction, as far as the node knows. On the wire this chain sends
 * errors instead of null: 24, 27 and 29 (25 up to 0.3). The call fails if a contract is missing, or if the block at
 * which to read the contract is missing.
 *
 * Optional blocks default to `latest`.
 */
export interface Client {
  /** The pending transactions, on nodes of every version (see `PendingTransactions`). */
  readonly pendingTransactions: SecondChainRead<ReadonlyArray<Transaction.Transaction>>
  /** The id of the chain, as the short string of its name. */
  readonly chainId: SecondChainRead<Felt.Felt>
  /** The version of the JSON-RPC specification that the node follows. */
  readonly specVersion: SecondChainRead<string>
  /** The number of the newest block. */
  readonly blockNumber: SecondChainRead<bigint>
  /** The hash and the number of the newest block. */
  readonly blockHashAndNumber: SecondChainRead<Block.HashAndNumber>
  /** Returns a block with the hashes of its transactions. */
  readonly getBlockWithTxHashes: (block: BlockId.BlockId) => SecondChainRead<Block.AnyWithHashes | null>
  /** Returns a block with whole transactions. */
  readonly getBlockWithTxs: (
    block: BlockId.BlockId,
    options?: TransactionOptions
  ) => SecondChainRead<Block.AnyWithTransactions | null>
  /** Returns a transaction by its hash. */
  readonly getTransactionByHash: (
    hash: Felt.Felt,
    options?: TransactionOptions
  ) => SecondChainRead<Transaction.Transaction | null>
  /** Returns the transaction at an index of a block. */
  readonly getTransactionByBlockIdAndIndex: (
    block: BlockId.BlockId,
    index: bigint,
    options?: TransactionOptions
  ) => SecondChainRead<Transaction.Transaction | null>
  /** Returns the receipt of a transaction. */
  readonly getTransactionReceipt: (hash: Felt.Felt) => SecondChainRead<Receipt.Receipt | null>
  /** Returns the value at a key of a contract's storage. */
  readonly getStorageAt: (contract: Felt.Felt, key: Felt.Felt, block?: BlockId.BlockId) => SecondChainRead<Felt.Felt>
  /** Returns the nonce of a contract. */
  readonly getNonce: (contract: Felt.Felt, block?: BlockId.BlockId) => SecondChainRead<Felt.Felt>
  /** Returns the class hash of a contract. */
  readonly getClassHashAt: (contract: Felt.Felt, block?: BlockId.BlockId) => SecondChainRead<Felt.Felt>
  /** Calls a function of a contract without a transaction, and returns its result. */
  readonly call: (
    request: FunctionCall.FunctionCall,
    block?: BlockId.BlockId
  ) => SecondChainRead<ReadonlyArray<Felt.Felt>>
  /** The progress of the node, or false if it does not sync. */
  readonly syncing: SecondChainRead<SyncStatus.SyncStatus>
  /** Sends a signed transaction. If the answer is lost, the client does not send it again. */
  readonly addInvokeTransaction: (transaction: Broadcast.Invoke) => SecondChainRead<Broadcast.Invoked>
  /** Sends a signed transaction. If the answer is lost, the client does not send it again. */
  readonly addDeployAccountTransaction: (
    transaction: Broadcast.DeployAccount
  ) => SecondChainRead<Broadcast.AccountDeployed>
}

/**
 * The service.
 *
 * ```ts import.meta.vitest
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { SecondChainClient } from "@plumbline/second-chain-methods"
 * import { Effect, Layer } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.succeed("0x534e5f4d41494e"),
 *   callAll: () => Effect.succeed([])
 * })
 * const chainId = SecondChainClient.SecondChainClient.use((chain) => chain.chainId)
 * const layer = SecondChainClient.layer().pipe(Layer.provide(node))
 * Effect.runSync(chainId.pipe(Effect.provide(layer))) // => "0x534e5f4d41494e"
 * ```
 */
export class SecondChainClient extends Context.Service<SecondChainClient, Client>()(
  "@plumbline/second-chain-methods/SecondChainClient"
) {}

/** Options of a client. */
export interface SecondChainClientOptions {
  /** The namespace of the chain's methods. Default: `starknet`. */
  readonly namespace?: string | undefined
}

/** The defaults of the options. */
export const defaults: { readonly namespace: string } = { namespace: NAMESPACE }

/** Provides the client on top of the `Transport` in the context. */
export const layer = (options?: SecondChainClientOptions): Layer.Layer<SecondChainClient, never, Transport> =>
  Layer.effect(
    SecondChainClient,
    Effect.suspend(() => make(options?.namespace))
  )

/**
 * Provides the client for the node at a URL, through the platform's `fetch`. Calls that are made at the same time travel
 * in one packet, unless `batching` is false.
 */
export const layerUrl = (
  url: string | Redacted.Redacted,
  options?: SecondChainClientOptions & UrlTransport.UrlTransportOptions
): Layer.Layer<SecondChainClient> => Layer.provide(layer(options), UrlTransport.layer(url, options))

/** Makes a client as a value, for programs without layers. */
export const make = (namespace: string = defaults.namespace): Effect.Effect<Client, never, Transport> =>
  Effect.map(functions(namespace), (call): Client => ({
    pendingTransactions: call.pendingTransactions(),
    chainId: call.chainId(),
    specVersion: call.specVersion(),
    blockNumber: call.blockNumber(),
    blockHashAndNumber: call.blockHashAndNumber(),
    getBlockWithTxHashes: (block) => orNull(call.getBlockWithTxHashes(block), NO_BLOCK),
    getBlockWithTxs: (block, options) => orNull(call.getBlockWithTxs(block, flags(options)), NO_BLOCK),
    getTransactionByHash: (hash, options) => orNull(call.getTransactionByHash(hash, flags(options)), NO_TRANSACTION),
    getTransactionByBlockIdAndIndex: (block, index, options) =>
      orNull(call.getTransactionByBlockIdAndIndex(block, index, flags(options)), NO_PLACE),
    getTransactionReceipt: (hash) => orNull(call.getTransactionReceipt(hash), NO_TRANSACTION),
    getStorageAt: (contract, key, block = "latest") => call.getStorageAt(contract, key, block),
    getNonce: (contract, block = "latest") => call.getNonce(block, contract),
    getClassHashAt: (contract, block = "latest") => call.getClassHashAt(block, contract),
    call: (request, block = "latest") => call.call(request, block),
    syncing: call.syncing(),
    addInvokeTransaction: call.addInvokeTransaction,
    addDeployAccountTransaction: call.addDeployAccountTransaction
  }))

type Functions = {
  readonly [K in keyof SecondChainMethods.Methods]: (
    ...args: Method.Args<SecondChainMethods.Methods[K]>
  ) => SecondChainRead<Method.Result<SecondChainMethods.Methods[K]>>
}

/** Returns the typed functions, keyed by the short names of their methods. */
const functions = (namespace: string): Effect.Effect<Functions, never, Transport> => {
  const methods = SecondChainMethods.methods(namespace)
  return Effect.flatMap(Transport, (transport) =>
    JsonRpcClient.make(MethodGroup.make(...Object.values(methods))).pipe(
      Effect.provideService(Transport, PendingTransactions.make({ namespace })(transport)),
      Effect.map((byName: Readonly<Record<string, unknown>>) => {
        const byShortName = Object.entries(methods).map(([short, { name }]) => [short, byName[name]])
        // Each function has the short name of its method.
        return Object.fromEntries(byShortName) as Functions
      })
    )
  )
}

const flags = (options: TransactionOptions | undefined): ReadonlyArray<SecondChainMethods.ResponseFlag> | undefined =>
  options?.proofFacts === true ? ["INCLUDE_PROOF_FACTS"] : undefined

/**
 * The error codes for something absent: a block (24), a place in a block (24 or 27), a transaction (29, or 25 up to
 * 0.3).
 */
const NO_BLOCK: ReadonlySet<number> = new Set([24])
const NO_PLACE: ReadonlySet<number> = new Set([24, 27])
const NO_TRANSACTION: ReadonlySet<number> = new Set([25, 29])

const orNull = <A>(read: SecondChainRead<A>, absent: ReadonlySet<number>): SecondChainRead<A | null> =>
  Effect.catchIf(
    read,
    ({ reason }) => reason._tag === "RemoteError" && absent.has(reason.code),
    () => Effect.succeed(null)
  )
