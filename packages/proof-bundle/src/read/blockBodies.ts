/**
 * Reads the transactions, receipts, uncles and the access list of a bundle's block, if the bundle has them. Each is read
 * once, on first use.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as BlockAccessList from "@plumbline/eth-methods/model/BlockAccessList"
import type * as Receipt from "@plumbline/eth-methods/model/Receipt"
import type * as Transaction from "@plumbline/eth-methods/model/Transaction"
import * as BlockRlp from "@plumbline/eth-methods/rlp/BlockRlp"
import * as Result from "effect/Result"

import * as BundleCodecs from "../bundle/bundleCodecs.ts"
import type { ProofBundle } from "../bundle/ProofBundle.ts"
import * as BundleState from "./bundleState.ts"
import { NotInBundleError } from "./NotInBundleError.ts"

export interface BlockBodies {
  readonly transactions: () => BundleState.BundleRead<ReadonlyArray<Transaction.Transaction>>
  readonly withTransactions: () => BundleState.BundleRead<Block.WithTransactions>
  readonly withHashes: () => BundleState.BundleRead<Block.WithHashes>
  readonly receipts: () => BundleState.BundleRead<ReadonlyArray<Receipt.Receipt>>
  readonly uncles: () => BundleState.BundleRead<ReadonlyArray<Block.Uncle>>
  readonly accessList: () => BundleState.BundleRead<BlockAccessList.BlockAccessList>
}

export const make = (bundle: ProofBundle): BlockBodies => {
  const { header } = bundle

  const encodings = once(() =>
    BundleState.list(bundle, BundleCodecs.TRANSACTION_TRIE, header.transactionsRoot, "the block's transactions")
  )

  const transactions = once(() =>
    Result.flatMap(encodings(), (items) =>
      unreadable(
        Result.all(items.map((bytes, index) => BlockRlp.decodeTransaction(bytes, { place: { header, index } }))),
        "the block's transactions"
      )
    )
  )

  /** Finds the bytes of a whole list by its hash; undefined if the list is empty, because then no bundle holds it. */
  const listOf = (
    codec: number,
    hash: Hash32.Hash32,
    wanted: string
  ): BundleState.BundleRead<Uint8Array | undefined> => {
    if (hash === BundleCodecs.EMPTY_LIST) return Result.succeed(undefined)
    const bytes = bundle.nodes(Hash32.toBytes(hash))
    return bytes === undefined
      ? Result.fail(new NotInBundleError({ wanted, missing: BundleState.nameOf(codec, hash) }))
      : Result.succeed(bytes)
  }

  const uncles = once(() =>
    Result.flatMap(
      listOf(BundleCodecs.UNCLES, header.sha3Uncles, "the block's uncles"),
      (bytes): BundleState.BundleRead<ReadonlyArray<Block.Uncle>> => {
        const items = bytes === undefined ? [] : (Rlp.decodeUnsafe(bytes) as ReadonlyArray<Rlp.Rlp>)
        return unreadable(Result.all(items.map(uncleOf)), "the block's uncles")
      }
    )
  )

  const accessList = once((): BundleState.BundleRead<BlockAccessList.BlockAccessList> => {
    const wanted = "the block's access list"
    const { blockAccessListHash: hash } = header
    if (hash === undefined)
      return Result.fail(new NotInBundleError({ wanted, missing: "blockAccessListHash in its header" }))
    return Result.flatMap(listOf(BundleCodecs.RAW, hash, wanted), (bytes) =>
      bytes === undefined ? Result.succeed([]) : unreadable(BlockRlp.decodeAccessList(bytes), wanted)
    )
  })

  /** Returns the hashes of the uncles, if they are known. */
  const withUncles = (): Pick<Block.WithHashes, "uncles"> => {
    const found = uncles()
    return Result.isSuccess(found) ? { uncles: found.success.map(({ hash }) => hash!) } : {}
  }

  const withTransactions = (): BundleState.BundleRead<Block.WithTransactions> =>
    Result.map(transactions(), (transactions) => ({ ...header, ...withUncles(), transactions }))

  return {
    transactions,
    withTransactions,
    withHashes: () =>
      Result.map(encodings(), (items) => ({
        ...header,
        ...withUncles(),
        transactions: Keccak256.hashMany(items).map(Hash32.fromBytesUnsafe)
      })),
    receipts: once(() =>
      Result.flatMap(
        BundleState.list(bundle, BundleCodecs.RECEIPT_TRIE, header.receiptsRoot, "the block's receipts"),
        (items) =>
          Result.flatMap(withTransactions(), (block) =>
            unreadable(BlockRlp.decodeReceipts(items, block), "the block's receipts")
          )
      )
    ),
    uncles,
    accessList
  }
}

/** Returns an uncle in the form of nodes' answers, which describe it as a block without bodies. */
const uncleOf = (item: Rlp.Rlp): Result.Result<Block.Uncle, { readonly message: string }> =>
  Result.map(BlockRlp.decodeHeader(Rlp.encode(item)), (header) => ({
    ...header,
    size: BigInt(Rlp.encode([item, [], []]).length),
    // An uncle may itself have uncles, but its header contains only the hash of their list.
    ...(header.sha3Uncles === BundleCodecs.EMPTY_LIST ? { uncles: [] } : {})
  }))

/** Fails for data of the chain that this version of the program cannot decode. */
const unreadable = <A>(
  result: Result.Result<A, { readonly message: string }>,
  wanted: string
): BundleState.BundleRead<A> =>
  Result.mapError(
    result,
    ({ message }) => new NotInBundleError({ wanted, missing: `form of them that is known: ${message}` })
  )

const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}
