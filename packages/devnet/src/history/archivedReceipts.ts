/** Reads the receipts of the archive, which stores them without their bloom filters. */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import type * as Block from "@plumbline/eth-methods/model/Block"
import * as LogsBloom from "@plumbline/eth-methods/model/LogsBloom"
import type * as Receipt from "@plumbline/eth-methods/model/Receipt"
import * as BlockRlp from "@plumbline/eth-methods/rlp/BlockRlp"
import * as Result from "effect/Result"

import * as ArchiveItems from "./archiveItems.ts"
import * as BlobGas from "./blobGas.ts"

/** Returns the receipts of a block's transactions, from `[type, status or root, gas, logs]` of each (EIP-7642). */
export const read = (items: ReadonlyArray<Rlp.Rlp>, block: Block.WithTransactions): ReadonlyArray<Receipt.Receipt> => {
  const receipts = Result.getOrThrow(BlockRlp.decodeReceipts(encode(items.map(ArchiveItems.list)), block))
  const blobGasPrice = BlobGas.blobBaseFee(block)
  return blobGasPrice === undefined
    ? receipts
    : receipts.map((receipt) => (receipt.type === 3n ? { ...receipt, blobGasPrice } : receipt))
}

/** Encodes receipts as in their trie: with the type in front, and the filter that follows from the logs. */
const encode = (receipts: ReadonlyArray<ReadonlyArray<Rlp.Rlp>>): ReadonlyArray<Uint8Array> => {
  const blooms = LogsBloom.ofEach(receipts.map((receipt) => ArchiveItems.list(receipt[3]).map(logged)))
  return receipts.map(([type, outcome, gas, logs], i) =>
    Bytes.concat(
      ArchiveItems.bytes(type),
      Rlp.encode([ArchiveItems.bytes(outcome), ArchiveItems.bytes(gas), blooms[i]!, ArchiveItems.list(logs)])
    )
  )
}

const logged = (log: Rlp.Rlp): LogsBloom.Logged => {
  const [address, topics] = ArchiveItems.list(log)
  return { address: ArchiveItems.address(address), topics: ArchiveItems.list(topics).map(ArchiveItems.hash) }
}
