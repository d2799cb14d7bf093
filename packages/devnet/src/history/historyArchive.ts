/**
 * Reads the archive of the history chain, one RLP list with all data that a node has of a finished chain.
 *
 * Opening the archive only decodes the list. Blocks, receipts and the hashes of trie nodes are made on first use, and
 * cached, because the data never changes.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import * as Quantity from "@plumbline/codec/value/Quantity"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as Input from "@plumbline/eth-methods/model/Input"
import type * as Log from "@plumbline/eth-methods/model/Log"
import type * as Receipt from "@plumbline/eth-methods/model/Receipt"
import * as BlockRlp from "@plumbline/eth-methods/rlp/BlockRlp"
import * as NodeStore from "@plumbline/merkle-trie/proof/NodeStore"
import * as Result from "effect/Result"

import * as ArchivedReceipts from "./archivedReceipts.ts"
import * as ArchiveItems from "./archiveItems.ts"
import { lazy } from "./lazy.ts"

export interface HistoryArchive {
  /** The blocks by number. */
  readonly blocks: ReadonlyArray<StoredBlock>
  readonly head: StoredBlock
  readonly byHash: (hash: Input.Hash32) => StoredBlock | undefined
  /** True for the hash of an uncle, a known block that is not on the chain. */
  readonly isUncle: (hash: Input.Hash32) => boolean
  /** Returns the place of a transaction. */
  readonly placeOf: (transaction: Input.Hash32) => TransactionPosition | undefined
  /** The trie nodes of all states. */
  readonly nodes: () => NodeStore.NodeStore
  /** The code of all accounts. */
  readonly codes: () => NodeStore.NodeStore
}

export interface TransactionPosition {
  readonly block: StoredBlock
  readonly index: number
}

/** A block of the chain. */
export interface StoredBlock {
  readonly number: bigint
  readonly hash: Hash32.Hash32
  readonly header: Block.Header
  readonly uncles: ReadonlyArray<Block.Uncle>
  readonly transactionCount: number
  /** The block with the hashes of its transactions. */
  readonly withHashes: () => Block.WithHashes
  /** The block with whole transactions. */
  readonly whole: () => Block.WithTransactions
  readonly receipts: () => ReadonlyArray<Receipt.Receipt>
  /** The logs of all receipts of the block. */
  readonly logs: () => ReadonlyArray<Log.Log>
}

/** Reads an archive that `scripts/make-history.ts` wrote. Throws for any other bytes. */
export const make = (bytes: Uint8Array): HistoryArchive => {
  const parts = ArchiveItems.list(Rlp.decodeUnsafe(bytes)).map(ArchiveItems.list)
  if (parts.length !== 5) throw new Error(`${parts.length} parts instead of 5`)
  const [encoded, receipts, senders, nodes, codes] = parts as [Part, Part, Part, Part, Part]
  const difficulties = lazy(() => totalDifficulties(encoded))
  const blocks = encoded.map((block, number) =>
    store({
      number,
      encoded: ArchiveItems.bytes(block),
      receipts: ArchiveItems.list(receipts[number]),
      senders: ArchiveItems.list(senders[number]),
      difficulties
    })
  )
  const head = blocks.at(-1)
  if (head === undefined) throw new Error("no blocks")

  const byHash = lazy(() => new Map(blocks.map((block) => [block.hash, block])))
  const uncles = lazy(() => new Set(blocks.flatMap((block) => block.uncles.map((uncle) => uncle.hash))))
  const places = lazy(
    () =>
      new Map(
        blocks.flatMap((block) =>
          block
            .withHashes()
            .transactions.map((hash, index): [Hash32.Hash32, TransactionPosition] => [hash, { block, index }])
        )
      )
  )
  return {
    blocks,
    head,
    byHash: (hash) => byHash().get(lower(hash)),
    isUncle: (hash) => uncles().has(lower(hash)),
    placeOf: (hash) => places().get(lower(hash)),
    nodes: lazy(() => NodeStore.make(nodes.map(ArchiveItems.bytes))),
    codes: lazy(() => NodeStore.make(codes.map(ArchiveItems.bytes)))
  }
}

type Part = ReadonlyArray<Rlp.Rlp>

/** Returns total difficulties by number. Reads only the difficulty of each block, the eighth field of its header. */
const totalDifficulties = (encoded: Part): ReadonlyArray<bigint> => {
  let total = 0n
  return encoded.map((block) => {
    const [header] = ArchiveItems.list(Rlp.decodeUnsafe(ArchiveItems.bytes(block)))
    total += Quantity.fromBytesUnsafe(ArchiveItems.bytes(ArchiveItems.list(header)[7]))
    return total
  })
}

interface Kept {
  readonly number: number
  readonly encoded: Uint8Array
  readonly receipts: Part
  readonly senders: Part
  readonly difficulties: () => ReadonlyArray<bigint>
}

const store = ({ difficulties, encoded, number, receipts, senders }: Kept): StoredBlock => {
  const parts = lazy(() => Result.getOrThrow(BlockRlp.split(encoded)))
  const uncles = lazy(() =>
    parts().uncles.map((uncle) => ({
      ...uncle,
      // the uncle's parent is on the chain, so its total difficulty is known
      totalDifficulty: difficulties()[Number(uncle.number) - 1]! + uncle.difficulty!
    }))
  )
  const whole = lazy(() => {
    const { header, transactions } = parts()
    const decoded = transactions.map((transaction, index) => {
      const from = ArchiveItems.address(senders[index])
      return Result.getOrThrow(BlockRlp.decodeTransaction(transaction, { from, place: { header, index } }))
    })
    return { ...BlockRlp.assemble(parts(), decoded), totalDifficulty: difficulties()[number]! }
  })
  const read = lazy(() => ArchivedReceipts.read(receipts, whole()))
  return {
    number: BigInt(number),
    get hash() {
      return parts().header.hash!
    },
    get header() {
      return parts().header
    },
    get transactionCount() {
      return parts().transactions.length
    },
    get uncles() {
      return uncles()
    },
    withHashes: lazy(() => ({
      ...BlockRlp.assemble(parts(), BlockRlp.transactionHashes(parts())),
      totalDifficulty: difficulties()[number]!
    })),
    whole,
    receipts: read,
    logs: lazy(() => read().flatMap((receipt) => receipt.logs))
  }
}

/** Returns the hash in lower case, because callers use either case. */
const lower = (hash: Input.Hash32): Hash32.Hash32 => hash.toLowerCase() as Hash32.Hash32
