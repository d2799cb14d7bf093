/**
 * The methods of a node on the history chain. Its errors have geth's messages, so that clients recognize them.
 *
 * The head is latest, safe and finalized, because the chain is finished. There is no pending block, and the pending
 * state is that of the head.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import * as BaseFee from "@plumbline/eth-methods/model/BaseFee"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import type * as Input from "@plumbline/eth-methods/model/Input"
import type * as LogFilter from "@plumbline/eth-methods/model/LogFilter"
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as EventLoopScheduler from "../node/eventLoopScheduler.ts"
import * as ArchivedState from "./archivedState.ts"
import * as BlobGas from "./blobGas.ts"
import * as GasPriceOracle from "./gasPriceOracle.ts"
import type { HistoryArchive, StoredBlock } from "./historyArchive.ts"
import { lazy } from "./lazy.ts"
import * as LogSelection from "./logSelection.ts"

export type HistoryHandlers = JsonRpcServer.Handlers<typeof EthMethods.group, never>

export const make = (
  archive: HistoryArchive,
  chainId: number,
  turns: EventLoopScheduler.EventLoopScheduler = EventLoopScheduler.make()
): HistoryHandlers => {
  const { head } = archive
  /** Computed once, because the fees of a finished chain never change. */
  const advice = lazy(() => ({ tip: GasPriceOracle.tip(archive), blobBaseFee: BlobGas.blobBaseFee(head.header)! }))

  const capabilities = capabilitiesOf(archive)
  const byNumber = (block: BlockParameter.NumberOrTag) => blockAt(archive, block)
  const stateBlock = (block?: BlockParameter.BlockParameter) => blockOfState(archive, block)

  /** Answers calls about the state of an account after a block. */
  const ofAccount = <A>(
    address: Input.Address,
    block: BlockParameter.BlockParameter | undefined,
    answer: (account: ArchivedState.ArchivedAccount) => A
  ): Answer<A> => answerOr(stateBlock(block), (found) => answer(ArchivedState.account(archive, found, address)))

  return EventLoopScheduler.inTurns<HistoryHandlers>(turns, WEIGHTS, {
    eth_getBlockByHash: (hash, details) => Effect.succeed(body(archive.byHash(hash), details)),
    eth_getBlockByNumber: (block, details) => Effect.succeed(body(byNumber(block), details)),
    eth_getBlockTransactionCountByHash: (hash) => Effect.succeed(count(archive.byHash(hash)?.transactionCount)),
    eth_getBlockTransactionCountByNumber: (block) => Effect.succeed(count(byNumber(block)?.transactionCount)),
    eth_getUncleByBlockHashAndIndex: (hash, index) => Effect.succeed(at(archive.byHash(hash)?.uncles, index)),
    eth_getUncleByBlockNumberAndIndex: (block, index) => Effect.succeed(at(byNumber(block)?.uncles, index)),
    eth_getUncleCountByBlockHash: (hash) => Effect.succeed(count(archive.byHash(hash)?.uncles.length)),
    eth_getUncleCountByBlockNumber: (block) => Effect.succeed(count(byNumber(block)?.uncles.length)),

    eth_getTransactionByHash: (hash) => {
      const place = archive.placeOf(hash)
      return Effect.succeed(place === undefined ? null : place.block.whole().transactions[place.index]!)
    },
    eth_getTransactionByBlockHashAndIndex: (hash, index) =>
      Effect.succeed(at(archive.byHash(hash)?.whole().transactions, index)),
    eth_getTransactionByBlockNumberAndIndex: (block, index) =>
      Effect.succeed(at(byNumber(block)?.whole().transactions, index)),
    eth_getTransactionReceipt: (hash) => {
      const place = archive.placeOf(hash)
      return Effect.succeed(place === undefined ? null : place.block.receipts()[place.index]!)
    },
    eth_getBlockReceipts: (block) => {
      const found = block === "pending" ? undefined : Result.getOrUndefined(stateBlock(block))
      return Effect.succeed(found === undefined ? null : found.receipts())
    },
    // no block of the chain has an access list, because all are older than Amsterdam
    eth_getBlockAccessList: (block) => {
      const found = block === "pending" ? undefined : Result.getOrUndefined(stateBlock(block))
      return found === undefined ? Effect.succeed(null) : Effect.fail(NO_ACCESS_LIST)
    },
    eth_getLogs: (filter) => answerOr(blocksOfLogs(archive, filter), (blocks) => LogSelection.select(blocks, filter)),

    eth_getBalance: (address, block) => ofAccount(address, block, (account) => account.balance),
    eth_getTransactionCount: (address, block) => ofAccount(address, block, (account) => account.nonce),
    eth_getCode: (address, block) =>
      ofAccount(address, block, (account) => Hex.fromBytes(ArchivedState.code(archive, account))),
    eth_getStorageAt: (address, position, block) =>
      ofAccount(address, block, (account) => word(ArchivedState.slot(archive, account, position))),
    eth_getStorageValues: (slots, block) =>
      Effect.flatMap(Effect.fromResult(stateBlock(block)), (found) => {
        const out: Record<string, Array<Hash32.Hash32>> = {}
        const wanted = Object.entries(slots).flatMap(([address, positions]) => {
          out[address] = []
          const account = lazy(() => ArchivedState.account(archive, found, address as Input.Address))
          return positions.map((position) => ({ address, account, position }))
        })
        const read = turns.map(wanted, PROVEN_IN_A_TURN, ({ account, address, position }) => {
          out[address]!.push(word(ArchivedState.slot(archive, account(), position)))
        })
        return Effect.as(read, out)
      }),
    eth_getProof: (address, keys, block) =>
      Effect.flatMap(Effect.fromResult(stateBlock(block)), (found) => {
        const account = ArchivedState.account(archive, found, address)
        const slots = turns.map(keys, PROVEN_IN_A_TURN, (key) => ArchivedState.proveSlot(archive, account, key))
        return Effect.map(slots, (storageProof) => ArchivedState.prove(address, account, storageProof))
      }),

    eth_feeHistory: (blockCount, newest, percentiles = []) => feeHistory(archive, blockCount, newest, percentiles),
    eth_maxPriorityFeePerGas: () => Effect.succeed(advice().tip),
    eth_gasPrice: () => Effect.succeed(advice().tip + head.header.baseFeePerGas!),
    eth_baseFee: () => Effect.succeed(BaseFee.next(head.header)!),
    eth_blobBaseFee: () => Effect.succeed(advice().blobBaseFee),

    eth_blockNumber: () => Effect.succeed(head.number),
    eth_chainId: () => Effect.succeed(BigInt(chainId)),
    net_version: () => Effect.succeed(BigInt(chainId)),
    eth_capabilities: () => Effect.succeed(capabilities),
    ...fixed
  })
}

/**
 * Weights of calls with large answers, and of calls that read many blocks. A turn has a weight of 16. Any other call
 * weighs 1.
 */
const WEIGHTS: Partial<Readonly<Record<keyof HistoryHandlers, number>>> = {
  eth_getBlockByHash: 8,
  eth_getBlockByNumber: 8,
  eth_getBlockReceipts: 8,
  eth_getLogs: 4,
  eth_getStorageValues: EventLoopScheduler.TURN,
  eth_getProof: EventLoopScheduler.TURN,
  eth_feeHistory: 8
}

type Found = Result.Result<StoredBlock, ErrorObject.ErrorObject>
type Answer<A> = Effect.Effect<A, ErrorObject.ErrorObject>

const HEADER_NOT_FOUND = ErrorObject.make(ErrorCode.INVALID_INPUT, "header not found")
/** The error for an unknown hash, with the code of EIP-1898. */
const HASH_NOT_FOUND = ErrorObject.make(ErrorCode.RESOURCE_NOT_FOUND, "header for hash not found")
const NOT_CANONICAL = ErrorObject.make(ErrorCode.INVALID_INPUT, "hash is not currently canonical")
const FINISHED = ErrorObject.make(
  ErrorCode.METHOD_NOT_SUPPORTED,
  "not supported: the history chain is finished, and its node has no EVM"
)

/** The error of a node for a block that is older than Amsterdam (EIP-7928). */
const NO_ACCESS_LIST = ErrorObject.make(ErrorCode.RESOURCE_NOT_FOUND, "Resource not found")

/** Number of words that are looked up in the tries in one turn, at about 30 us each. */
const PROVEN_IN_A_TURN = 128

/** Maximum number of blocks of one eth_feeHistory, as in geth. */
const MAX_FEE_HISTORY = 1024n

const finished = (): Answer<never> => Effect.fail(FINISHED)

/** The archive has everything, of all blocks. */
const whole = { disabled: false, oldestBlock: 0n }

const capabilitiesOf = ({ head }: HistoryArchive) => ({
  head: { number: head.number, hash: head.hash },
  state: whole,
  tx: whole,
  logs: whole,
  receipts: whole,
  blocks: whole,
  stateproofs: whole
})

/** The methods whose answers do not depend on the chain, and those that need an EVM. */
const fixed = {
  eth_syncing: () => Effect.succeed(false),
  web3_clientVersion: () => Effect.succeed("plumbline-history"),
  web3_sha3: (data) => Effect.succeed(Keccak256.hashHex(Hex.toBytesUnsafe(data))),
  net_listening: () => Effect.succeed(false),
  net_peerCount: () => Effect.succeed(0n),
  eth_accounts: () => Effect.succeed([]),
  eth_config: finished,

  eth_call: finished,
  eth_estimateGas: finished,
  eth_createAccessList: finished,
  eth_simulateV1: finished,
  eth_sendRawTransaction: finished,
  eth_sendRawTransactionSync: finished
} satisfies Partial<HistoryHandlers>

/** Finds a block by its number or tag. The pending block does not exist. */
const blockAt = ({ blocks, head }: HistoryArchive, block: BlockParameter.NumberOrTag): StoredBlock | undefined => {
  if (typeof block === "bigint") return block <= head.number ? blocks[Number(block)] : undefined
  return block === "pending" ? undefined : block === "earliest" ? blocks[0] : head
}

/** Finds the block after which the state is read. */
const blockOfState = (archive: HistoryArchive, block: BlockParameter.BlockParameter = "latest"): Found => {
  if (block === "pending") return Result.succeed(archive.head)
  if (typeof block === "object") {
    return "blockHash" in block
      ? canonical(archive, block.blockHash, block.requireCanonical === true)
      : or(blockAt(archive, block.blockNumber), HEADER_NOT_FOUND)
  }
  return isHash(block) ? canonical(archive, block, false) : or(blockAt(archive, block), HEADER_NOT_FOUND)
}

const canonical = (archive: HistoryArchive, hash: Input.Hash32, required: boolean): Found =>
  or(archive.byHash(hash), required && archive.isUncle(hash) ? NOT_CANONICAL : HASH_NOT_FOUND)

/** Finds the blocks that a filter of logs names. */
const blocksOfLogs = (
  archive: HistoryArchive,
  filter: LogFilter.LogFilter
): Result.Result<ReadonlyArray<StoredBlock>, ErrorObject.ErrorObject> => {
  if (filter.blockHash !== undefined) {
    return Result.map(or(archive.byHash(filter.blockHash), ErrorObject.make(-32000, "unknown block")), (block) => [
      block
    ])
  }
  const { head } = archive
  const { fromBlock = "latest", toBlock = "latest" } = filter
  if (fromBlock === "pending" || toBlock === "pending") {
    return Result.fail(ErrorObject.make(-32000, "pending logs are not supported"))
  }
  const [from, to] = [fromBlock, toBlock].map((end) =>
    typeof end === "bigint" ? end : end === "earliest" ? 0n : head.number
  ) as [bigint, bigint]
  if (from > to) return Result.fail(ErrorObject.make(-32000, "invalid block range params"))
  // a range may reach beyond the head, where there are no logs
  return Result.succeed(from > head.number ? [] : archive.blocks.slice(Number(from), Number(min(to, head.number)) + 1))
}

/** Returns the fees of the blocks up to one, as geth does. */
const feeHistory = (
  archive: HistoryArchive,
  blockCount: bigint,
  newest: BlockParameter.NumberOrTag,
  percentiles: ReadonlyArray<number>
) => {
  if (percentiles.some((one, i) => i > 0 && one <= percentiles[i - 1]!)) {
    return Effect.fail(ErrorObject.make(-32000, "invalid reward percentile"))
  }
  const last = newest === "pending" ? archive.head : blockAt(archive, newest)
  if (last === undefined) {
    return Effect.fail(
      ErrorObject.make(-32000, `request beyond head block: requested ${String(newest)}, head ${archive.head.number}`)
    )
  }
  return Effect.succeed(GasPriceOracle.history(archive, Number(min(blockCount, MAX_FEE_HISTORY)), last, percentiles))
}

const answerOr = <A, B>(found: Result.Result<A, ErrorObject.ErrorObject>, answer: (found: A) => B): Answer<B> =>
  Result.isSuccess(found) ? Effect.succeed(answer(found.success)) : Effect.fail(found.failure)

const or = (block: StoredBlock | undefined, error: ErrorObject.ErrorObject): Found =>
  block === undefined ? Result.fail(error) : Result.succeed(block)

const body = (block: StoredBlock | undefined, details: boolean) =>
  block === undefined ? null : details ? block.whole() : block.withHashes()

const count = (total: number | undefined): bigint | null => (total === undefined ? null : BigInt(total))

const at = <A>(items: ReadonlyArray<A> | undefined, index: bigint): A | null =>
  items === undefined || index >= BigInt(items.length) ? null : items[Number(index)]!

const word = ({ value }: ArchivedState.ArchivedSlot): Hash32.Hash32 => StorageKey.fromSlot(value)

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** True for a hash, which is `0x` text; false for a tag, which is a word. */
const isHash = (block: BlockParameter.Tag | Input.Hash32 | bigint): block is Input.Hash32 =>
  typeof block === "string" && block.startsWith("0x")
