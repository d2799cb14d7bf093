/** Transactions, proven by their hashes and by the blocks that hold them. */
import * as Hash32 from "@plumbline/codec/Hash32"
import * as Hex from "@plumbline/codec/Hex"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type * as BlockParameter from "../../BlockParameter.ts"
import type * as EthClient from "../../EthClient.ts"
import type { Refuted } from "../../Refuted.ts"
import * as Transaction from "../../Transaction.ts"
import { claim, type Verdict, type Verified } from "../../Verified.ts"
import type { Client } from "../../VerifiedEthClient.ts"
import { verifyTransaction } from "../../verify/verifyTransaction.ts"
import { refute } from "../refute.ts"
import { makeVerified } from "../verified.ts"
import { type Chain, type Read, settle } from "./chain.ts"
import { type Failure, steady } from "./moved.ts"

type Methods = Pick<
  Client,
  | "getTransactionByHash"
  | "getTransactionByBlockHashAndIndex"
  | "getTransactionByBlockNumberAndIndex"
  | "getBlockTransactionCountByHash"
  | "getBlockTransactionCountByNumber"
>

/** Whole transactions whose senders are recovered one by one, where they are looked at. */
const whole = { full: true, senders: false } as const

type WholeBlock = EthClient.BlockOf<typeof whole>

export const make = (chain: Chain): Methods => {
  const { eth } = chain

  const getTransactionByHash = Effect.fnUntraced(function* (
    hash: Hash32.Hash32
  ): Effect.fn.Return<Verdict<Transaction.Transaction | null>, Failure> {
    const transaction = yield* eth.getTransactionByHash(hash)
    if (transaction === null) {
      return claim(null, "the node knows no transaction with this hash; that there is none cannot be proven")
    }
    const verdict = yield* Effect.fromResult(verifyTransaction(transaction, hash))
    if (verdict._tag === "CLAIMED") return verdict
    const blockHash = Hash32.isHash32(transaction["blockHash"]) ? transaction["blockHash"] : undefined
    if (blockHash === undefined) return verdict
    const block = yield* chain.byHash(blockHash, whole)
    if (block === null) return withReason(verdict, "the node does not know the block that it names")
    if (block._tag === "CLAIMED") return withReason(verdict, "the block's transactions could not be proven")
    const inPlace = yield* Effect.fromResult(placed(verdict, block))
    const tie = yield* chain.tie(block)
    return tie._tag === "Tied"
      ? makeVerified({ ...inPlace, proven: [...inPlace.proven, `block ${blockHash} is on the chain, by ${tie.by}`] })
      : // the block holds it, but only the node says that there is such a block: so its place is the node's word
        makeVerified({ ...inPlace, claimed: withReason(verdict, tie.reason).claimed })
  })

  const inBlock = Effect.fnUntraced(function* (
    parameter: BlockParameter.BlockParameter,
    index: bigint,
    unlocated: Read<Transaction.Transaction | null>
  ): Effect.fn.Return<Verdict<Transaction.Transaction | null>, Failure> {
    const [located, transaction] = yield* chain.about(
      parameter,
      whole,
      (hash) => eth.getTransactionByBlockHashAndIndex(hash, index),
      unlocated
    )
    if (located._tag === "Missing") return claim(transaction, located.reason)
    const { hash, tie, verdict: block } = located
    if (block._tag === "CLAIMED") return claim(transaction, block.claimed.map((reason) => reason.reason).join("; "))
    const count = BigInt(block.value.transactions.length)
    if (index >= count) {
      if (transaction !== null) return yield* refute("transaction", `nothing: the block has ${count}`, transaction.hash)
      return settle(
        tie,
        makeVerified({
          value: null,
          anchor: block.anchor,
          proven: [`block ${hash} has ${count} transactions, by its transactionsRoot: none at ${index}`],
          claimed: []
        })
      )
    }
    const proven = block.value.transactions[Number(index)]!
    if (transaction === null) return yield* refute("transaction", proven.hash, "null")
    const verdict = yield* Effect.fromResult(verifyTransaction(transaction, proven.hash))
    if (verdict._tag === "CLAIMED") return verdict
    return settle(tie, yield* Effect.fromResult(placed(verdict, block)))
  })

  const count = Effect.fnUntraced(function* (
    parameter: BlockParameter.BlockParameter,
    unlocated: Read<bigint | null>
  ): Effect.fn.Return<Verdict<bigint | null>, Failure> {
    const [located, counted] = yield* chain.about(
      parameter,
      whole,
      (hash) => eth.getBlockTransactionCountByHash(hash),
      unlocated
    )
    if (located._tag === "Missing") return claim(counted, located.reason)
    const { tie, verdict: block } = located
    if (block._tag === "CLAIMED") return claim(counted, "the block's transactions could not be proven")
    const proven = BigInt(block.value.transactions.length)
    if (counted !== proven) return yield* refute("transaction count", proven, counted)
    return settle(
      tie,
      makeVerified({
        value: counted,
        anchor: block.anchor,
        proven: [`the block has ${proven} transactions, by the header's transactionsRoot`],
        claimed: []
      })
    )
  })

  return {
    getTransactionByHash: (hash) => steady("eth_getTransactionByHash", getTransactionByHash(hash)),
    getTransactionByBlockHashAndIndex: (hash, index) =>
      steady(
        "eth_getTransactionByBlockHashAndIndex",
        inBlock(hash, index, eth.getTransactionByBlockHashAndIndex(hash, index))
      ),
    getTransactionByBlockNumberAndIndex: (block, index) =>
      steady(
        "eth_getTransactionByBlockNumberAndIndex",
        inBlock(block, index, eth.getTransactionByBlockNumberAndIndex(block, index))
      ),
    getBlockTransactionCountByHash: (hash) =>
      steady("eth_getBlockTransactionCountByHash", count(hash, eth.getBlockTransactionCountByHash(hash))),
    getBlockTransactionCountByNumber: (block) =>
      steady("eth_getBlockTransactionCountByNumber", count(block, eth.getBlockTransactionCountByNumber(block)))
  }
}

const withReason = <A>(verdict: Verified<A>, reason: string): Verified<A> =>
  makeVerified({
    ...verdict,
    claimed: verdict.claimed.map((claimed) => (place.has(claimed.field) ? { ...claimed, reason } : claimed))
  })

/** Fields about a transaction's place and price: its block proves them. */
const placeFields = ["blockHash", "blockNumber", "transactionIndex", "blockTimestamp", "gasPrice"] as const
const place: ReadonlySet<string> = new Set(placeFields)

/** Turns claims about a transaction's place into proofs: the proven block holds it where it says, and says the same. */
const placed = (
  verdict: Verified<Transaction.Transaction>,
  block: Verified<WholeBlock>
): Result.Result<Verified<Transaction.Transaction>, Refuted> => {
  const { value } = verdict
  const { hash } = block.anchor
  const at = block.value.transactions.findIndex((other) => Hex.equals(other.hash, value.hash))
  if (at < 0) return Result.fail(refute("inclusion", `${value.hash} in block ${hash}`, "a block without it"))
  const shown = block.value.transactions[at]!
  if (!Transaction.isKnown(value) || !Transaction.isKnown(shown)) {
    return Result.fail(refute("inclusion", "a transaction of a known type", Transaction.typeOf(value)))
  }
  // verifyBlock has checked these fields of the block's own copy against the header and the position
  for (const field of placeFields) {
    const said = value[field]
    if (said === undefined) continue
    const proven = field === "blockTimestamp" ? block.value.timestamp : shown[field]
    const same = typeof said === "string" ? said.toLowerCase() === String(proven).toLowerCase() : said === proven
    if (!same) return Result.fail(refute(`transaction.${field}`, proven, said))
  }
  return Result.succeed(
    makeVerified({
      ...verdict,
      proven: [...verdict.proven, `it is number ${at} of block ${hash}, under its transactionsRoot`],
      claimed: verdict.claimed.filter((claimed) => !place.has(claimed.field))
    })
  )
}
