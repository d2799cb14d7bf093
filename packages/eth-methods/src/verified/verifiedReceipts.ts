/** Proves the receipts of a block, all together, by the receiptsRoot of the block. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import { claim, weaken, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { isUnsupported } from "../client/unsupportedReads.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as LaterForks from "../model/LaterForks.ts"
import type * as Receipt from "../model/Receipt.ts"
import * as EthReason from "../proof/EthReason.ts"
import * as StateSync from "../proof/stateSync.ts"
import { provenHeader } from "../proof/verifyBlock.ts"
import { verifyReceipt, verifyReceipts } from "../proof/verifyReceipts.ts"
import { verifyTransaction } from "../proof/verifyTransaction.ts"
import type { RecoveryEngine } from "../sender/recoveryEngine.ts"
import type { BlockLocator } from "./blockLocator.ts"
import { type ReorgFailure, reorgMismatch, retryOnReorg } from "./reorgRetry.ts"
import { settle } from "./trustLink.ts"
import type { Client, SenderOptions, VerdictRead } from "./verdictClient.ts"

type Methods = Pick<Client, "getTransactionReceipt" | "getBlockReceipts">

export const make = (chain: BlockLocator): Methods => {
  const { eth } = chain

  const getBlockReceipts = Effect.fnUntraced(function* (
    parameter: BlockParameter.BlockParameter,
    options?: SenderOptions
  ): Effect.fn.Return<Verdict<ReadonlyArray<Receipt.Receipt> | null>, ReorgFailure> {
    const whole = { full: true, senders: options?.senders, recovery: options?.recovery } as const
    const [located, said] = yield* chain.about<ReceiptsResult, typeof whole>(
      parameter,
      whole,
      (blockHash) => Effect.result(eth.getBlockReceipts({ blockHash })),
      Effect.map(eth.getBlockReceipts(parameter), Result.succeed)
    )
    if (located._tag === "Missing") return claim(yield* Effect.fromResult(said), located.reason)
    const block = yield* provable(chain, located.verdict, located.hash)
    const receipts = yield* Result.isSuccess(said) || block === undefined || !isUnsupported(said.failure)
      ? Effect.fromResult(said)
      : Effect.flatMap(oneByOne(chain, block.value), (some) =>
          some === null ? Effect.fail(said.failure) : Effect.succeed(some)
        )
    if (receipts === null) return claim(null, EthReason.ReceiptsUnknown({ of: "block" }))
    if (block === undefined) return claim(receipts, located.verdict.claimed[0]!.reason)
    return settle(located.link, yield* Effect.fromResult(verifyReceipts(receipts, block, chain)))
  })

  const getTransactionReceipt = Effect.fnUntraced(function* (
    hash: Hash32.Hash32
  ): Effect.fn.Return<Verdict<Receipt.Receipt | null>, ReorgFailure> {
    const receipt = yield* eth.getTransactionReceipt(hash)
    if (receipt === null) {
      return claim(null, EthReason.TransactionUnknown({ what: "receipt" }))
    }
    if (StateSync.isOf(hash, { number: receipt.blockNumber, hash: receipt.blockHash })) {
      return claim(receipt, EthReason.StateSync({}))
    }
    const [found, joined, early] = yield* Effect.all(
      [
        chain.byHash(receipt.blockHash, { full: true, senders: false }),
        receiptsOf(chain, receipt.blockHash),
        chain.earlyOf(receipt.blockNumber, receipt.blockHash)
      ],
      { concurrency: "unbounded" }
    )
    if (found === null) return claim(receipt, EthReason.NamedBlockUnknown({}))
    const block = yield* provable(chain, found, receipt.blockHash)
    if (block === undefined) return claim(receipt, found.claimed[0]!.reason)
    const receipts = joined ?? (yield* oneByOne(chain, block.value, receipt))
    if (receipts === null) return claim(receipt, EthReason.ReceiptsUnknown({ of: "others" }))
    const verdict = yield* Effect.fromResult(verifyReceipts(receipts, block, chain))
    if (verdict._tag === "CLAIMED") {
      const cause = verdict.claimed[0]!.reason
      return claim(receipt, EthReason.ItemsUnprovable({ items: "receipts", cause }))
    }
    const one = yield* Effect.fromResult(verifyReceipt(receipt, hash, verdict))
    // the receipt is proven to be in the block, but not to be the receipt of the requested transaction
    const label = one.claimed.find(({ field }) => field === "transactionHash")
    if (label !== undefined) return weaken(one, EthReason.ReceiptOf({ hash, cause: label.reason }))
    return settle(
      yield* chain.link(block, early),
      yield* Effect.fromResult(withSender(one, block, yield* chain.recovery, chain.forks))
    )
  })

  return {
    getBlockReceipts: (parameter, options) =>
      retryOnReorg("eth_getBlockReceipts", getBlockReceipts(parameter, options)),
    getTransactionReceipt: (hash) =>
      retryOnReorg("eth_getTransactionReceipt", getTransactionReceipt(hash as Hash32.Hash32))
  }
}

type Receipts = ReadonlyArray<Receipt.Receipt>

type ReceiptsResult = Result.Result<Receipts | null, JsonRpcError>

/** Maximum number of transactions of a block whose receipts are read one by one. A usual block has a few hundred. */
const MAX_SINGLE = 1024

/** Number of receipts that are read at the same time. Over a transport with `Batching`, they travel in one packet. */
const AT_A_TIME = 64

/**
 * Reads the receipts of a block one by one, for a node that does not return them together. Returns null if the node
 * lacks one, or if the block has too many transactions. `known` is a receipt that was already read.
 *
 * Fails with `Moved` if a receipt is of another block, because its transaction may be in a block of another branch.
 */
export const oneByOne = Effect.fnUntraced(function* (
  { eth }: BlockLocator,
  { hash, number, transactions }: Block.Block,
  known?: Receipt.Receipt
): Effect.fn.Return<Receipts | null, ReorgFailure> {
  if (transactions.length > MAX_SINGLE) return null
  const read = yield* Effect.result(
    Effect.forEach(
      transactions,
      (transaction) => {
        const own = typeof transaction === "string" ? transaction : transaction.hash
        return known !== undefined && Hex.equals(known.transactionHash, own)
          ? Effect.succeed(known)
          : eth.getTransactionReceipt(own)
      },
      { concurrency: AT_A_TIME }
    )
  )
  if (Result.isFailure(read)) return isUnsupported(read.failure) ? null : yield* read.failure
  const receipts = read.success.filter((receipt) => receipt !== null)
  const other = receipts.find(({ blockHash }) => !Hex.equals(blockHash, hash!))
  if (other !== undefined) {
    return yield* Effect.fail(
      reorgMismatch(`block ${number} is ${hash}, and the receipt of ${other.transactionHash} names ${other.blockHash}`)
    )
  }
  return receipts.length === transactions.length ? receipts : null
})

/** Reads all receipts of a block; null if the node does not return them, or lacks the method. */
export const receiptsOf = (
  { eth }: BlockLocator,
  hash: Hash32.Hash32
): VerdictRead<ReadonlyArray<Receipt.Receipt> | null> =>
  Effect.catch(eth.getBlockReceipts({ blockHash: hash }), (error) =>
    isUnsupported(error) ? Effect.succeed(null) : Effect.fail(error)
  )

/**
 * Returns the block as a proven block: with whole transactions, or with only their hashes if some are of an unknown
 * type. Nothing proves these hashes, so statements about a single transaction of such a block stay claims. Returns
 * undefined if not even the header is proven.
 */
export const provable = (
  chain: BlockLocator,
  verdict: Verdict<Block.WithTransactions>,
  hash: Hash32.Hash32
): VerdictRead<Verified<Block.Block> | undefined> => {
  const header = provenHeader(verdict)
  if (header === undefined || verdict._tag === "VERIFIED") return Effect.succeed(header)
  // the node's list of hashes also names the transactions that it shows in an unknown form
  return Effect.map(chain.byHash(hash), (found) =>
    found?._tag === "VERIFIED" ? Proven.amend(found, { claimed: header.claimed }) : header
  )
}

/**
 * Recovers only the sender that one receipt needs. Recovering all senders of a block takes up to a millisecond each.
 */
const withSender = (
  verdict: Verified<Receipt.Receipt>,
  block: Verified<Block.Block>,
  recovery: RecoveryEngine,
  forks: LaterForks.LaterForks | undefined
): Result.Result<Verified<Receipt.Receipt>, RefutedError> => {
  const hash = verdict.value.transactionHash
  const transaction = block.value.transactions.find(
    (candidate) => typeof candidate !== "string" && Hex.equals(candidate.hash, hash)
  )
  if (transaction === undefined || typeof transaction === "string") return Result.succeed(verdict)
  return Result.map(verifyTransaction(transaction, hash, recovery, forks), (proven) =>
    proven._tag === "CLAIMED"
      ? verdict
      : Proven.amend(verdict, {
          claimed: verdict.claimed.flatMap((claim) => {
            if (!EthReason.SendersNotRecovered.is(claim.reason)) return [claim]
            const unproven = proven.claimed.find(({ field }) => field === "from")
            return unproven === undefined ? [] : [{ ...claim, reason: unproven.reason }]
          })
        })
  )
}
