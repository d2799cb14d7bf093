/** Proves transactions by their hashes and by the blocks that hold them. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import { fieldOf } from "@plumbline/codec/wire/WireObject"
import * as Proven from "@plumbline/verdict/prove/Proven"
import * as Reason from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { claim, type Claimed, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type * as EthClient from "../client/EthClient.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import * as Transaction from "../model/Transaction.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"
import { completed, difference } from "../proof/provenDifference.ts"
import { verifyTransaction } from "../proof/verifyTransaction.ts"
import { unprovenBy } from "../trust/relations.ts"
import type { BlockLocator } from "./blockLocator.ts"
import { type ReorgFailure, retryOnReorg } from "./reorgRetry.ts"
import { settle } from "./trustLink.ts"
import type { Client, VerdictRead } from "./verdictClient.ts"

type Methods = Pick<
  Client,
  | "getTransactionByHash"
  | "getTransactionByBlockHashAndIndex"
  | "getTransactionByBlockNumberAndIndex"
  | "getBlockTransactionCountByHash"
  | "getBlockTransactionCountByNumber"
>

/** Options for whole transactions. Each sender is recovered only when its transaction is read. */
const whole = { full: true, senders: false } as const

type WholeBlock = EthClient.BlockOf<typeof whole>

export const make = (chain: BlockLocator): Methods => {
  const { eth } = chain
  return {
    getTransactionByHash: (hash) =>
      retryOnReorg("eth_getTransactionByHash", transactionByHash(chain, hash as Hash32.Hash32)),
    getTransactionByBlockHashAndIndex: (hash, index) =>
      retryOnReorg(
        "eth_getTransactionByBlockHashAndIndex",
        transactionAt(chain, hash, index, eth.getTransactionByBlockHashAndIndex(hash, index))
      ),
    getTransactionByBlockNumberAndIndex: (block, index) =>
      retryOnReorg(
        "eth_getTransactionByBlockNumberAndIndex",
        transactionAt(chain, block, index, eth.getTransactionByBlockNumberAndIndex(block, index))
      ),
    getBlockTransactionCountByHash: (hash) =>
      retryOnReorg(
        "eth_getBlockTransactionCountByHash",
        transactionCount(chain, hash, eth.getBlockTransactionCountByHash(hash))
      ),
    getBlockTransactionCountByNumber: (block) =>
      retryOnReorg(
        "eth_getBlockTransactionCountByNumber",
        transactionCount(chain, block, eth.getBlockTransactionCountByNumber(block))
      )
  }
}

/** Proves a transaction by its hash, and its place by the block that it names. */
const transactionByHash = Effect.fnUntraced(function* (
  chain: BlockLocator,
  hash: Hash32.Hash32
): Effect.fn.Return<Verdict<Transaction.Transaction | null>, ReorgFailure> {
  const transaction = yield* chain.eth.getTransactionByHash(hash)
  if (transaction === null) {
    return claim(null, EthReason.TransactionUnknown({ what: "transaction" }))
  }
  const verdict = yield* Effect.fromResult(verifyTransaction(transaction, hash, yield* chain.recovery, chain.forks))
  if (verdict._tag === "CLAIMED") return verdict
  const { blockHash, blockNumber: number } = transaction
  if (blockHash == null) return verdict
  const [block, early] = yield* Effect.all(
    [chain.byHash(blockHash, whole), typeof number === "bigint" ? chain.earlyOf(number, blockHash) : Effect.undefined],
    { concurrency: 2 }
  )
  if (block === null) return withReason(verdict, EthReason.NamedBlockUnknown({}))
  if (block._tag === "CLAIMED") return withReason(verdict, unprovable(block))
  const inPlace = yield* Effect.fromResult(placed(verdict, block))
  const link = yield* chain.link(block, early)
  // the block holds the transaction; but if only nodes say that the block is on the chain, the place is a claim
  const unproven = unprovenBy(link)
  if (unproven !== undefined) return Proven.amend(inPlace, { claimed: withReason(verdict, unproven).claimed })
  return link._tag !== "Vouched" || link.by === undefined
    ? inPlace
    : Proven.amend(inPlace, {
        proven: [
          ...inPlace.proven,
          EthEvidence.OnChain({ by: link.by.by, ancestor: link.by.ancestor, block: blockHash }),
          ...link.proven
        ]
      })
})

/** Proves the transaction at a position of a block, or that the block has none there. */
const transactionAt = Effect.fnUntraced(function* (
  chain: BlockLocator,
  parameter: BlockParameter.BlockParameter,
  index: bigint,
  unlocated: VerdictRead<Transaction.Transaction | null>
): Effect.fn.Return<Verdict<Transaction.Transaction | null>, ReorgFailure> {
  const [located, transaction] = yield* chain.about(
    parameter,
    whole,
    (hash) => chain.eth.getTransactionByBlockHashAndIndex(hash, index),
    unlocated
  )
  if (located._tag === "Missing") return claim(transaction, located.reason)
  const { hash, link, verdict: block } = located
  if (block._tag === "CLAIMED") {
    return claim(transaction, Reason.All({ reasons: block.claimed.map(({ reason }) => reason) }))
  }
  const count = BigInt(block.value.transactions.length)
  if (index >= count) {
    if (transaction !== null) return yield* refute("transaction", `nothing: the block has ${count}`, transaction.hash)
    return settle(
      link,
      Proven.make({
        value: null,
        anchor: block.anchor,
        proven: [EthEvidence.Count({ list: "transactions", count, block: hash, noneAt: index })],
        claimed: []
      })
    )
  }
  const proven = block.value.transactions[Number(index)]!
  if (transaction === null) return yield* refute("transaction", proven.hash, "null")
  const verdict = yield* Effect.fromResult(
    verifyTransaction(transaction, proven.hash, yield* chain.recovery, chain.forks)
  )
  if (verdict._tag === "CLAIMED") return verdict
  return settle(link, yield* Effect.fromResult(placed(verdict, block)))
})

/** Proves the number of transactions of a block. */
const transactionCount = Effect.fnUntraced(function* (
  chain: BlockLocator,
  parameter: BlockParameter.BlockParameter,
  unlocated: VerdictRead<bigint | null>
): Effect.fn.Return<Verdict<bigint | null>, ReorgFailure> {
  const [located, counted] = yield* chain.about(
    parameter,
    whole,
    (hash) => chain.eth.getBlockTransactionCountByHash(hash),
    unlocated
  )
  if (located._tag === "Missing") return claim(counted, located.reason)
  const { link, verdict: block } = located
  if (block._tag === "CLAIMED") return claim(counted, unprovable(block))
  // nodes differ in whether they count a state-sync transaction
  const beside = block.claimed.find(({ reason }) => EthReason.StateSync.is(reason))
  if (beside !== undefined) return claim(counted, beside.reason)
  const proven = BigInt(block.value.transactions.length)
  if (counted !== proven) return yield* refute("transaction count", proven, counted)
  return settle(
    link,
    Proven.make({
      value: counted,
      anchor: block.anchor,
      proven: [EthEvidence.Count({ list: "transactions", count: proven })],
      claimed: []
    })
  )
})

/** Returns the reason why the transactions of a block are not proven. */
const unprovable = ({ claimed }: Claimed<WholeBlock>): Reason.Reason =>
  EthReason.ItemsUnprovable({
    items: "transactions",
    cause: (claimed.find(({ field }) => field === "transactions") ?? claimed[0]!).reason
  })

const withReason = <A>(verdict: Verified<A>, reason: Reason.Reason): Verified<A> =>
  Proven.amend(verdict, {
    claimed: verdict.claimed.map((claimed) => (place.has(claimed.field) ? { ...claimed, reason } : claimed))
  })

/** Fields about a transaction's place and price, which its block proves. */
const placeFields = ["blockHash", "blockNumber", "transactionIndex", "blockTimestamp", "gasPrice"] as const
const place: ReadonlySet<string> = new Set(placeFields)

/**
 * Turns claims about a transaction's place into proofs: checks that the proven block holds the same transaction at that
 * place.
 */
const placed = (
  verdict: Verified<Transaction.Transaction>,
  block: Verified<WholeBlock>
): Result.Result<Verified<Transaction.Transaction>, RefutedError> => {
  const { value } = verdict
  const hash = block.value.hash!
  const at = block.value.transactions.findIndex((other) => Hex.equals(other.hash, value.hash))
  if (at < 0) return Result.fail(refute("inclusion", `${value.hash} in block ${hash}`, "a block without it"))
  const shown = block.value.transactions[at]!
  if (Transaction.isKnown(value) !== Transaction.isKnown(shown)) {
    return Result.fail(refute("transaction.type", Transaction.typeOf(shown), Transaction.typeOf(value)))
  }
  // verifyBlock has checked and completed the block's own copy; what a transaction of a later type pays, it cannot check
  const proven = Transaction.isKnown(shown) ? placeFields : placeFields.filter((field) => field !== "gasPrice")
  const own = Object.fromEntries(proven.map((field) => [field, fieldOf(shown, field)]))
  const wrong = difference(value, own, "transaction", () => {})
  if (wrong !== undefined) return Result.fail(wrong)
  return Result.succeed(
    Proven.amend(verdict, {
      value: completed(value, own, () => false),
      proven: [...verdict.proven, EthEvidence.Included({ index: at, block: hash })],
      claimed: verdict.claimed.filter(({ field }) => !proven.some((name) => name === field))
    })
  )
}
