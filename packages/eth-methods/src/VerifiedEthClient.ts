/**
 * Reads a chain and proves what it read: each answer is VERIFIED or CLAIMED, with reasons; a REFUTED one is an error.
 */
import * as Hash32 from "@plumbline/codec/Hash32"
import * as Hex from "@plumbline/codec/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/JsonRpcError"
import type { Transport } from "@plumbline/jsonrpc-core/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import type * as BlockParameter from "./BlockParameter.ts"
import * as EthClient from "./EthClient.ts"
import { refute } from "./internal/refute.ts"
import { makeVerified } from "./internal/verified.ts"
import type { Refuted } from "./Refuted.ts"
import * as Transaction from "./Transaction.ts"
import { claim, type Claimed, type Verdict, type Verified } from "./Verified.ts"
import { verifyBlock, type VerifyBlockOptions } from "./verify/verifyBlock.ts"
import { verifyTransaction } from "./verify/verifyTransaction.ts"

/** An effect that reads and checks. */
export type Read<A> = Effect.Effect<A, JsonRpcError | Refuted>

/** How a block is read. */
export interface BlockOptions extends EthClient.BlockOptions, VerifyBlockOptions {}

/** How a block of the main chain is read. */
export interface NumberedBlockOptions extends BlockOptions {
  /** The hash of a block that is known to be on the chain: what the answer must be tied to. */
  readonly trust?: Hash32.Hash32 | undefined
}

/** The client as a value. */
export interface Client {
  /** The block with this hash, proven by it. That there is none is the node's word. */
  readonly getBlockByHash: <const Options extends BlockOptions = {}>(
    hash: Hash32.Hash32,
    options?: Options
  ) => Read<Verdict<EthClient.BlockOf<Options> | null>>
  /**
   * The block with this number or tag. VERIFIED if it is the trusted block; else CLAIMED, and then `proven` says what
   * holds for the block in itself. Refuted if it contradicts itself, the number asked for, or the trusted block.
   */
  readonly getBlockByNumber: <const Options extends NumberedBlockOptions = {}>(
    block: BlockParameter.NumberOrTag,
    options?: Options
  ) => Read<Verdict<EthClient.BlockOf<Options> | null>>
  /** The transaction with this hash, and its place in the block that the node names, proven by that block's hash. */
  readonly getTransactionByHash: (hash: Hash32.Hash32) => Read<Verdict<Transaction.Transaction | null>>
  /** The transaction at this position of the block with this hash, or proof that the block has no such position. */
  readonly getTransactionByBlockHashAndIndex: (
    blockHash: Hash32.Hash32,
    index: bigint
  ) => Read<Verdict<Transaction.Transaction | null>>
}

/** The service. `VerifiedEthClient.layer` needs an `EthClient`. */
export class VerifiedEthClient extends Context.Service<VerifiedEthClient, Client>()(
  "@plumbline/eth-methods/VerifiedEthClient"
) {
  /** Over the `EthClient` there is. */
  static readonly layerNoDeps: Layer.Layer<VerifiedEthClient, never, EthClient.EthClient> = Layer.effect(
    VerifiedEthClient,
    Effect.map(EthClient.EthClient, (client) => make(client))
  )

  /** Over a `Transport`. */
  static readonly layer: Layer.Layer<VerifiedEthClient, never, Transport> = Layer.provide(
    VerifiedEthClient.layerNoDeps,
    EthClient.EthClient.layer
  )
}

/** A verified client over a plain one. */
export const make = (eth: EthClient.Client): Client => {
  const provenBlock = (hash: Hash32.Hash32): Read<Verdict<EthClient.BlockOf<{ full: true }>> | null> =>
    Effect.flatMap(eth.getBlockByHash(hash, { full: true }), (block) =>
      block === null ? Effect.succeed(null) : Effect.fromResult(verifyBlock(block, hash, { senders: false }))
    )

  const getBlockByHash: Client["getBlockByHash"] = <const Options extends BlockOptions>(
    hash: Hash32.Hash32,
    options?: Options
  ) =>
    Effect.flatMap(eth.getBlockByHash(hash, options), (block): Read<Verdict<EthClient.BlockOf<Options> | null>> =>
      block === null
        ? Effect.succeed(claim(null, "the node knows no block with this hash; that there is none cannot be proven"))
        : Effect.fromResult(verifyBlock(block, hash, options))
    )

  const getBlockByNumber: Client["getBlockByNumber"] = Effect.fnUntraced(function* <
    const Options extends NumberedBlockOptions
  >(
    parameter: BlockParameter.NumberOrTag,
    options?: Options
  ): Effect.fn.Return<Verdict<EthClient.BlockOf<Options> | null>, JsonRpcError | Refuted> {
    const block: EthClient.BlockOf<Options> | null = yield* eth.getBlockByNumber(parameter, options)
    if (block === null) return claim(null, "the node knows no such block; that there is none cannot be proven")
    const asked = typeof parameter === "bigint" ? parameter : parameter === "earliest" ? 0n : undefined
    if (asked !== undefined && block.number !== asked) return yield* refute("block.number", asked, block.number)
    if (parameter === "pending" || block.hash === null) {
      return claim(block, "a pending block is not on the chain yet: no hash proves it")
    }
    const verdict = yield* Effect.fromResult(verifyBlock(block, block.hash, options))
    const trust = options?.trust
    if (trust === undefined) {
      return nodesWord(
        verdict,
        `that block ${block.hash} is on the chain is the node's word: no trusted hash was given`
      )
    }
    if (Hex.equals(block.hash, trust)) return verdict
    const trusted = yield* getBlockByHash(trust)
    if (trusted.value === null) {
      return nodesWord(
        verdict,
        `the node does not know the trusted block ${trust}, so nothing ties block ${block.hash} to it`
      )
    }
    if (trusted.value.number === block.number) return yield* refute("trusted block", trust, block.hash)
    return nodesWord(
      verdict,
      `the trusted block ${trust} is number ${trusted.value.number}, not ${block.number}: ask for the block by its hash`
    )
  })

  const getTransactionByHash: Client["getTransactionByHash"] = Effect.fnUntraced(function* (hash) {
    const transaction = yield* eth.getTransactionByHash(hash)
    if (transaction === null) {
      return claim(null, "the node knows no transaction with this hash; that there is none cannot be proven")
    }
    const verdict = yield* Effect.fromResult(verifyTransaction(transaction, hash))
    if (verdict._tag === "CLAIMED") return verdict
    const blockHash = Hash32.isHash32(transaction["blockHash"]) ? transaction["blockHash"] : undefined
    if (blockHash === undefined) return verdict
    const block = yield* provenBlock(blockHash)
    if (block === null) return withReason(verdict, "the node does not know the block that it names")
    if (block._tag === "CLAIMED") return withReason(verdict, "the block's transactions could not be proven")
    return yield* Effect.fromResult(placed(verdict, block))
  })

  const getTransactionByBlockHashAndIndex: Client["getTransactionByBlockHashAndIndex"] = Effect.fnUntraced(
    function* (blockHash, index) {
      const [transaction, block] = yield* Effect.all(
        [eth.getTransactionByBlockHashAndIndex(blockHash, index), provenBlock(blockHash)],
        { concurrency: 2 }
      )
      if (block === null) {
        return transaction === null
          ? claim(null, "the node knows no block with this hash; that there is none cannot be proven")
          : claim(transaction, "the node does not know the block that holds it, so its place cannot be proven")
      }
      if (block._tag === "CLAIMED") return claim(transaction, block.claimed.map((reason) => reason.reason).join("; "))
      const count = BigInt(block.value.transactions.length)
      if (index >= count) {
        if (transaction !== null)
          return yield* refute("transaction", `nothing: the block has ${count}`, transaction.hash)
        return makeVerified({
          value: null,
          anchor: block.anchor,
          proven: [`block ${blockHash} has ${count} transactions, by its transactionsRoot: none at ${index}`],
          claimed: []
        })
      }
      const proven = block.value.transactions[Number(index)]!
      if (transaction === null) return yield* refute("transaction", proven.hash, "null")
      const verdict = yield* Effect.fromResult(verifyTransaction(transaction, proven.hash))
      if (verdict._tag === "CLAIMED") return verdict
      const inPlace = yield* Effect.fromResult(placed(verdict, block))
      // the block is the one that was asked about: it is the anchor, and nothing is left to the node's word
      return makeVerified({
        ...inPlace,
        anchor: block.anchor,
        claimed: inPlace.claimed.filter((claimed) => claimed.field !== "blockHash")
      })
    }
  )

  return { getBlockByHash, getBlockByNumber, getTransactionByHash, getTransactionByBlockHashAndIndex }
}

/** Takes back the trust of a block that nothing but the node's answer named. */
const nodesWord = <A>(verdict: Verdict<A>, reason: string): Claimed<A> => ({
  _tag: "CLAIMED",
  value: verdict.value,
  anchor: null,
  proven: verdict.proven,
  claimed: [{ field: "value", reason }, ...verdict.claimed]
})

const withReason = <A>(verdict: Verified<A>, reason: string): Verified<A> =>
  makeVerified({
    ...verdict,
    claimed: verdict.claimed.map((claimed) => (place.has(claimed.field) ? { ...claimed, reason } : claimed))
  })

/** Fields about a transaction's place and price: its block proves them. */
const placeFields = ["blockHash", "blockNumber", "transactionIndex", "blockTimestamp", "gasPrice"] as const
const place: ReadonlySet<string> = new Set(placeFields)
/** Those that nodes may leave out or null even when the transaction is in a block. */
const later: ReadonlySet<string> = new Set(["blockTimestamp", "gasPrice"])

/** Turns claims about a transaction's place into proofs: the proven block holds it where it says, and says the same. */
const placed = (
  verdict: Verified<Transaction.Transaction>,
  block: Verified<EthClient.BlockOf<{ full: true }>>
): Result.Result<Verified<Transaction.Transaction>, Refuted> => {
  const { value } = verdict
  const hash = block.anchor.hash
  const at = block.value.transactions.findIndex((other) => Hex.equals(other.hash, value.hash))
  if (at < 0) return Result.fail(refute("inclusion", `${value.hash} in block ${hash}`, "a block without it"))
  const shown = block.value.transactions[at]!
  if (!Transaction.isKnown(value) || !Transaction.isKnown(shown)) {
    return Result.fail(refute("inclusion", "a transaction of a known type", Transaction.typeOf(value)))
  }
  // verifyBlock has checked these fields of the block's own copy against the header and the position
  for (const field of placeFields) {
    const said = value[field]
    if (said === undefined || (said === null && later.has(field))) continue
    const proven = field === "blockTimestamp" ? block.value.timestamp : shown[field]
    const same = typeof said === "string" ? said.toLowerCase() === String(proven).toLowerCase() : said === proven
    if (!same) return Result.fail(refute(`transaction.${field}`, proven, said))
  }
  return Result.succeed(
    makeVerified({
      ...verdict,
      proven: [...verdict.proven, `it is number ${at} of block ${hash}, under its transactionsRoot`],
      claimed: [
        ...verdict.claimed.filter((claimed) => !place.has(claimed.field)),
        { field: "blockHash", reason: `that block ${hash} is on the chain is the node's word` }
      ]
    })
  )
}
