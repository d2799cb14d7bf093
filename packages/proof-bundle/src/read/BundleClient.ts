/**
 * Reads a bundle as if it were a node: runs the clients of `@plumbline/eth-methods` and `@plumbline/storage-layout`
 * offline.
 *
 * There is only one block, named by its hash, its number and the tags `latest`, `safe` and `finalized`. Proofs are made
 * from the bundle's trie nodes, and verified like proofs from any node. If the bundle lacks data, the error names the
 * missing part (`NotInBundleError.fromError`); if its trie nodes prove absence, the answer is null or zero.
 *
 * | asked for | needs in the bundle |
 * | --- | --- |
 * | accounts, balances, nonces | the accounts' nodes of the state trie |
 * | words of storage | the account's nodes of the state trie, and of its storage trie |
 * | code | the account, and its code |
 * | blocks, transactions | the transactions |
 * | receipts, logs | the transactions and the receipts |
 * | uncles | the uncles; nothing if the block has none |
 * | block access lists | the list; nothing if the block touched no account |
 * | calls | the accounts, slots, codes and older headers that the code reads; and the option `calls` |
 *
 * Other reads, and calls without an engine, are refused with the error of a node without these methods.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { CallEngine } from "@plumbline/eth-methods/call/CallEngine"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import type * as Input from "@plumbline/eth-methods/model/Input"
import * as LogFilter from "@plumbline/eth-methods/model/LogFilter"
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import type { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import { JsonRpcError, RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"
import * as ContractStorage from "@plumbline/storage-layout/read/ContractStorage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import type { ProofBundle } from "../bundle/ProofBundle.ts"
import * as BlockBodies from "./blockBodies.ts"
import * as BundleState from "./bundleState.ts"
import * as NotInBundleError from "./NotInBundleError.ts"

export { NotInBundleError } from "./NotInBundleError.ts"

/**
 * Provides `VerdictEthClient` and `ContractStorage` for a bundle, with the bundle's block as the trusted block.
 *
 * `ContractStorage` reads at the bundle's block by default, and needs only the header. A `ContractStorage` that you
 * make from this `VerdictEthClient` reads whole blocks, and so needs the transactions in the bundle.
 */
export const layer = (
  bundle: ProofBundle
): Layer.Layer<VerdictEthClient.VerdictEthClient | ContractStorage.ContractStorage> => {
  const storage = ContractStorage.make(stateOf(bundle))
  const { blockHash } = bundle
  const at = (options: ContractStorage.ContractStorageOptions | undefined): ContractStorage.ContractStorageOptions => ({
    ...options,
    block: options?.block ?? blockHash
  })
  return Layer.mergeAll(
    Layer.succeed(VerdictEthClient.VerdictEthClient, makeVerdicts(bundle)),
    Layer.succeed(ContractStorage.ContractStorage, {
      read: (contract, path, options) => storage.read(contract, path, at(options)),
      readMany: (contract, paths, options) => storage.readMany(contract, paths, at(options)),
      readAll: (contract, options) => storage.readAll(contract, at(options)),
      entries: (contract, mapping, candidates, options) => storage.entries(contract, mapping, candidates, at(options)),
      diff: (contract, options) => storage.diff(contract, { ...options, to: options.to ?? blockHash })
    })
  )
}

/**
 * Provides `EthClient` for a bundle, for code without support for proofs. `open` has checked the data that the client
 * reads.
 */
export const layerPlain = (bundle: ProofBundle): Layer.Layer<EthClient.EthClient> =>
  Layer.succeed(EthClient.EthClient, make(bundle))

/** Options of the verified client. */
export interface BundleClientOptions {
  /** The engine that runs calls. Default: none, and calls are unproven. */
  readonly calls?: CallEngine | undefined
}

/** Returns the verified client as a value. */
export const makeVerdicts = (bundle: ProofBundle, options?: BundleClientOptions): VerdictEthClient.Client => {
  const state = stateOf(bundle, options)
  return {
    ...VerdictEthClient.make(make(bundle), trustOf(bundle)),
    call: state.call,
    estimateGas: state.estimateGas,
    createAccessList: state.createAccessList,
    simulate: state.simulate,
    getBalance: state.getBalance,
    getBlockAccessList: state.getBlockAccessList,
    getCode: state.getCode,
    getProof: state.getProof,
    getStorageAt: state.getStorageAt,
    getStorageValues: state.getStorageValues,
    getTransactionCount: state.getTransactionCount,
    getUncleByBlockHashAndIndex: state.getUncleByBlockHashAndIndex,
    getUncleByBlockNumberAndIndex: state.getUncleByBlockNumberAndIndex,
    getUncleCountByBlockHash: state.getUncleCountByBlockHash,
    getUncleCountByBlockNumber: state.getUncleCountByBlockNumber
  }
}

/** Returns a client for facts that the header alone proves, without the block's transactions. */
const stateOf = (bundle: ProofBundle, options?: BundleClientOptions): VerdictEthClient.Client =>
  VerdictEthClient.make({ ...make(bundle), ...headerAlone(bundle) }, trustOf(bundle), { calls: options?.calls })

const trustOf = ({ blockHash }: ProofBundle): TrustedBlock["Service"] => ({
  resolve: () => Effect.succeed({ _tag: "OnChain", hash: blockHash, by: "the hash that the bundle is of" })
})

/** Returns the plain client as a value. Its answers come from the bundle's nodes, whose hashes are checked. */
export const make = (bundle: ProofBundle): EthClient.Client => {
  const bodies = BlockBodies.make(bundle)
  const at = placeOf(bundle)

  /** Reads a value if the call is about the bundle's block. */
  const read = <A>(
    method: string,
    block: BlockParameter.BlockParameter,
    find: () => BundleState.BundleRead<A>
  ): Read<A> => Effect.suspend(() => answer(method, Result.flatMap(at(block), find)))

  const whole = (options: EthClient.BlockOptions | undefined) => (): BundleState.BundleRead<any> =>
    options?.full === true ? bodies.withTransactions() : bodies.withHashes()

  const refused: Omit<
    EthClient.Client,
    Exclude<keyof VerdictEthClient.Client, VerdictEthClient.RunName> | "blockNumber"
  > = EthMethods.reads(({ name, params }) => (params.length === 0 ? refuse(name) : () => refuse(name)))

  return EthClient.checked<EthClient.Client>({
    ...refused,
    getBlockAccessList: (block) => read("eth_getBlockAccessList", block, bodies.accessList),
    getBlockByHash: (hash, options) => read("eth_getBlockByHash", hash, whole(options)),
    getBlockByNumber: (block, options) => read("eth_getBlockByNumber", block, whole(options)),
    getBlockTransactionCountByHash: (hash) =>
      read("eth_getBlockTransactionCountByHash", hash, counted(bodies.transactions)),
    getBlockTransactionCountByNumber: (block) =>
      read("eth_getBlockTransactionCountByNumber", block, counted(bodies.transactions)),
    getUncleByBlockHashAndIndex: (hash, index) =>
      read("eth_getUncleByBlockHashAndIndex", hash, () =>
        Result.map(bodies.uncles(), (found) => ofIndex(found, index))
      ),
    getUncleByBlockNumberAndIndex: (block, index) =>
      read("eth_getUncleByBlockNumberAndIndex", block, () =>
        Result.map(bodies.uncles(), (found) => ofIndex(found, index))
      ),
    getUncleCountByBlockHash: (hash) => read("eth_getUncleCountByBlockHash", hash, counted(bodies.uncles)),
    getUncleCountByBlockNumber: (block) => read("eth_getUncleCountByBlockNumber", block, counted(bodies.uncles)),
    getTransactionByHash: (hash) =>
      Effect.suspend(() =>
        answer(
          "eth_getTransactionByHash",
          byHash(bodies.transactions(), hash, (transaction) => transaction.hash)
        )
      ),
    getTransactionByBlockHashAndIndex: (hash, index) =>
      read("eth_getTransactionByBlockHashAndIndex", hash, () =>
        Result.map(bodies.transactions(), (found) => ofIndex(found, index))
      ),
    getTransactionByBlockNumberAndIndex: (block, index) =>
      read("eth_getTransactionByBlockNumberAndIndex", block, () =>
        Result.map(bodies.transactions(), (found) => ofIndex(found, index))
      ),
    getTransactionReceipt: (hash) =>
      Effect.suspend(() =>
        answer(
          "eth_getTransactionReceipt",
          byHash(bodies.receipts(), hash, (receipt) => receipt.transactionHash)
        )
      ),
    getBlockReceipts: (block) => read("eth_getBlockReceipts", block, bodies.receipts),
    getLogs: (filter) =>
      Effect.suspend(() => {
        const places =
          filter.blockHash === undefined
            ? [at(filter.fromBlock ?? "latest"), at(filter.toBlock ?? "latest")]
            : [at(filter.blockHash)]
        return answer(
          "eth_getLogs",
          Result.flatMap(Result.all(places), () =>
            Result.map(bodies.receipts(), (receipts) =>
              receipts.flatMap(({ logs }) => logs.filter(LogFilter.selector(filter)))
            )
          )
        )
      }),
    getBalance: (address, block = "latest") =>
      read("eth_getBalance", block, () => Result.map(BundleState.account(bundle, address), ({ balance }) => balance)),
    getCode: (address, block = "latest") => read("eth_getCode", block, () => BundleState.code(bundle, address)),
    getTransactionCount: (address, block = "latest") =>
      read("eth_getTransactionCount", block, () =>
        Result.map(BundleState.account(bundle, address), ({ nonce }) => nonce)
      ),
    getStorageAt: (address, position, block = "latest") =>
      read("eth_getStorageAt", block, () => word(bundle, address, position)),
    getStorageValues: (slots, block = "latest") => read("eth_getStorageValues", block, () => words(bundle, slots)),
    getProof: (address, keys, block = "latest") =>
      read("eth_getProof", block, () => BundleState.prove(bundle, address, keys)),
    blockNumber: Effect.succeed(bundle.header.number!)
  })
}

type Read<A> = EthClient.EthRead<A>

const ofIndex = <A>(items: ReadonlyArray<A>, index: bigint): A | null =>
  index < BigInt(items.length) ? items[Number(index)]! : null

const counted = (items: () => BundleState.BundleRead<ReadonlyArray<unknown>>) => () =>
  Result.map(items(), ({ length }): bigint | null => BigInt(length))

const word = (bundle: ProofBundle, address: Input.Address, key: Input.StorageKey) =>
  Result.flatMap(BundleState.account(bundle, address), (account) =>
    Result.map(BundleState.slot(bundle, address, account, key), ({ value }) => StorageKey.fromSlot(value))
  )

const words = (bundle: ProofBundle, slots: Readonly<Record<string, ReadonlyArray<Input.StorageKey>>>) =>
  Result.map(
    Result.all(
      Object.entries(slots).map(([address, keys]) =>
        Result.map(
          Result.all(keys.map((key) => word(bundle, address as Input.Address, key))),
          (found): readonly [string, ReadonlyArray<Hash32.Hash32>] => [address, found]
        )
      )
    ),
    Object.fromEntries
  )

/** Returns the item with a hash. A missing item is `NotInBundleError`, because another block may have it. */
const byHash = <A>(items: BundleState.BundleRead<ReadonlyArray<A>>, hash: Input.Hash32, hashOf: (item: A) => unknown) =>
  Result.flatMap(items, (found): BundleState.BundleRead<A> => {
    const item = found.find((item) => hashOf(item) === hash.toLowerCase())
    return item === undefined
      ? missing(`transaction ${hash}`, "block but one, and it is not in that")
      : Result.succeed(item)
  })

/**
 * Returns blocks for code that reads only their headers: the verifiers of the state, of uncles, of access
 * lists and of older blocks.
 *
 * These verifiers read a block in a node's form, with hashes of transactions. A bundle may lack the transactions, so
 * the root of their trie is used instead of the hashes. The verifiers ignore this root, and do not return the block.
 */
const headerAlone = (bundle: ProofBundle): Pick<EthClient.Client, "getBlockByHash" | "getBlockByNumber"> => {
  const at = placeOf(bundle)
  const block = withoutBody(bundle.header)
  const older = new Map<unknown, Block.Header>()
  for (const header of bundle.ancestors) older.set(header.hash, header).set(header.number, header)
  const read = (method: string) => (parameter: BlockParameter.BlockParameter) => {
    const ancestor = older.get(typeof parameter === "string" ? parameter.toLowerCase() : parameter)
    const found =
      ancestor === undefined ? Result.map(at(parameter), () => block) : Result.succeed(withoutBody(ancestor))
    return answer(
      method,
      Result.map(found, (header) => header as any)
    )
  }
  return { getBlockByHash: read("eth_getBlockByHash"), getBlockByNumber: read("eth_getBlockByNumber") }
}

const withoutBody = (header: Block.Header): Block.WithHashes => ({
  ...header,
  transactions: Hex.equals(header.transactionsRoot, Trie.EMPTY_ROOT) ? [] : [header.transactionsRoot]
})

/**
 * Returns a check of block parameters. The check fails with `NotInBundleError` unless the parameter names the bundle's
 * block.
 */
const placeOf =
  ({ blockHash, header }: ProofBundle) =>
  (block: BlockParameter.BlockParameter): BundleState.BundleRead<void> => {
    const named = typeof block !== "object" ? block : "blockHash" in block ? block.blockHash : block.blockNumber
    const isIts =
      typeof named === "bigint"
        ? named === header.number
        : Hash32.isHash32(named)
          ? Hex.equals(named, blockHash)
          : TAGS.has(named) || (named === "earliest" && header.number === 0n)
    return isIts ? Result.void : missing(`block ${named}`, `block but ${blockHash}, number ${header.number}`)
  }

/** The tags that name the bundle's block, which is the newest one that the bundle knows. */
const TAGS: ReadonlySet<string> = new Set(["latest", "safe", "finalized"])

const missing = (wanted: string, what: string): BundleState.BundleRead<never> =>
  Result.fail(new NotInBundleError.NotInBundleError({ wanted, missing: what }))

const answer = <A>(method: string, found: BundleState.BundleRead<A>): Read<A> =>
  Result.isSuccess(found)
    ? Effect.succeed(found.success)
    : Effect.fail(NotInBundleError.toJsonRpcError(method, found.failure))

const refuse = (method: string): Read<never> => {
  const { code, message } = ErrorObject.methodNotFound(method)
  return Effect.fail(new JsonRpcError({ method, reason: new RemoteError({ code, message }) }))
}
