/** Proves the receipts of a block, all together, by the receiptsRoot of the block. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Refuted } from "@plumbline/verdict/Refuted"
import { claim, weaken, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { isUnwilling } from "../client/unwilling.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as Receipt from "../model/Receipt.ts"
import * as EthReason from "../proof/EthReason.ts"
import { verifyReceipt, verifyReceipts } from "../proof/receipts.ts"
import { verifyTransaction } from "../proof/transaction.ts"
import type { Engine } from "../sender/SenderRecovery.ts"
import type { Client, SenderOptions, Read } from "./client.ts"
import type { Chain } from "./locate.ts"
import { type Failure, steady } from "./moved.ts"
import { settle } from "./tie.ts"

type Methods = Pick<Client, "getTransactionReceipt" | "getBlockReceipts">

export const make = (chain: Chain): Methods => {
  const { eth } = chain

  const getBlockReceipts = Effect.fnUntraced(function* (
    parameter: BlockParameter.BlockParameter,
    options?: SenderOptions
  ): Effect.fn.Return<Verdict<ReadonlyArray<Receipt.Receipt> | null>, Failure> {
    const whole = { full: true, senders: options?.senders, recovery: options?.recovery } as const
    const [located, receipts] = yield* chain.about(
      parameter,
      whole,
      (blockHash) => eth.getBlockReceipts({ blockHash }),
      eth.getBlockReceipts(parameter)
    )
    if (located._tag === "Missing") return claim(receipts, located.reason)
    if (receipts === null) return claim(null, EthReason.ReceiptsUnknown({ of: "block" }))
    const block = yield* provable(chain, located.verdict, located.hash)
    if (block === null) return claim(receipts, EthReason.BlockGone({}))
    return settle(located.tie, yield* Effect.fromResult(verifyReceipts(receipts, block)))
  })

  const getTransactionReceipt = Effect.fnUntraced(function* (
    hash: Hash32.Hash32
  ): Effect.fn.Return<Verdict<Receipt.Receipt | null>, Failure> {
    const receipt = yield* eth.getTransactionReceipt(hash)
    if (receipt === null) {
      return claim(null, EthReason.TransactionUnknown({ what: "receipt" }))
    }
    const [found, receipts, early] = yield* Effect.all(
      [
        chain.byHash(receipt.blockHash, { full: true, senders: false }),
        receiptsOf(chain, receipt.blockHash),
        chain.earlyOf(receipt.blockNumber, receipt.blockHash)
      ],
      { concurrency: "unbounded" }
    )
    const block = found === null ? null : yield* provable(chain, found, receipt.blockHash)
    if (block === null) return claim(receipt, EthReason.NamedBlockUnknown({}))
    if (receipts === null) return claim(receipt, EthReason.ReceiptsUnknown({ of: "others" }))
    const verdict = yield* Effect.fromResult(verifyReceipts(receipts, block))
    if (verdict._tag === "CLAIMED") return claim(receipt, EthReason.ItemsUnprovable({ items: "receipts" }))
    const one = yield* Effect.fromResult(verifyReceipt(receipt, hash, verdict))
    // the receipt is proven to be in the block, but not to be the receipt of the requested transaction
    const label = one.claimed.find(({ field }) => field === "transactionHash")
    if (label !== undefined) return weaken(one, EthReason.ReceiptOf({ hash, cause: label.reason }))
    return settle(yield* chain.tie(block, early), yield* Effect.fromResult(withSender(one, block, chain.recovery)))
  })

  return {
    getBlockReceipts: (parameter, options) => steady("eth_getBlockReceipts", getBlockReceipts(parameter, options)),
    getTransactionReceipt: (hash) => steady("eth_getTransactionReceipt", getTransactionReceipt(hash as Hash32.Hash32))
  }
}

/** Reads all receipts of a block; null if the node does not return them, or lacks the method. */
export const receiptsOf = ({ eth }: Chain, hash: Hash32.Hash32): Read<ReadonlyArray<Receipt.Receipt> | null> =>
  Effect.catch(eth.getBlockReceipts({ blockHash: hash }), (error) =>
    isUnwilling(error) ? Effect.succeed(null) : Effect.fail(error)
  )

/**
 * Returns the block as a proven block: with whole transactions, or with only their hashes if some are of an unknown
 * type. Nothing proves these hashes, so statements about a single transaction of such a block stay claims.
 */
export const provable = (
  chain: Chain,
  verdict: Verdict<Block.WithTransactions>,
  hash: Hash32.Hash32
): Read<Verified<Block.Block> | null> =>
  verdict._tag === "VERIFIED"
    ? Effect.succeed(verdict)
    : Effect.map(chain.byHash(hash), (found) => (found?._tag === "VERIFIED" ? found : null))

/**
 * Recovers only the sender that one receipt needs. Recovering all senders of a block takes up to a millisecond each.
 */
const withSender = (
  verdict: Verified<Receipt.Receipt>,
  block: Verified<Block.Block>,
  recovery: Engine
): Result.Result<Verified<Receipt.Receipt>, Refuted> => {
  const hash = verdict.value.transactionHash
  const transaction = block.value.transactions.find(
    (candidate) => typeof candidate !== "string" && Hex.equals(candidate.hash, hash)
  )
  if (transaction === undefined || typeof transaction === "string") return Result.succeed(verdict)
  return Result.map(verifyTransaction(transaction, hash, { recovery }), (proven) =>
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
