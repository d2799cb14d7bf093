/** Checks the fields that receipts repeat from their transactions against the proven block. */
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import { type Refuted, refute } from "@plumbline/verdict/Refuted"

import type * as Block from "../model/Block.ts"
import type * as Receipt from "../model/Receipt.ts"
import type * as Transaction from "../model/Transaction.ts"
import { createdAddress } from "../rlp/receipt.ts"
import { effectiveGasPrice } from "../rlp/transaction.ts"
import type { Wrong } from "./wrong.ts"

/** The gas of one blob (EIP-4844). */
const GAS_PER_BLOB = 131_072n

/**
 * Checks receipts against the block's transactions. The root of the receipts must be proven. The writer serves as
 * scratch space.
 */
export const checkAgainst = (
  receipts: ReadonlyArray<Receipt.Receipt>,
  transactions: ReadonlyArray<Transaction.Known>,
  block: Block.Block,
  writer: RlpWriter.RlpWriter
): Refuted | undefined => {
  for (const [i, receipt] of receipts.entries()) {
    const wrong = checkOne(receipt, transactions[i]!, block, writer)
    if (wrong !== undefined) return refute(`receipts[${i}].${wrong[0]}`, wrong[1], wrong[2])
  }
  return undefined
}

const checkOne = (
  receipt: Receipt.Receipt,
  transaction: Transaction.Known,
  block: Block.Block,
  writer: RlpWriter.RlpWriter
): Wrong | undefined => {
  if (!Hex.equals(receipt.transactionHash, transaction.hash)) {
    return ["transactionHash", transaction.hash, receipt.transactionHash]
  }
  if (!Hex.equals(receipt.from, transaction.from)) return ["from", transaction.from, receipt.from]
  const { to } = transaction
  if (to === null || receipt.to === null ? to !== receipt.to : !Hex.equals(to, receipt.to))
    return ["to", to, receipt.to]
  if (receipt.effectiveGasPrice != null) {
    const price = effectiveGasPrice(transaction, block.baseFeePerGas)
    if (receipt.effectiveGasPrice !== price) return ["effectiveGasPrice", price, receipt.effectiveGasPrice]
  }
  if (receipt.blobGasUsed != null) {
    const used = transaction.type === 3n ? GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length) : 0n
    if (receipt.blobGasUsed !== used) return ["blobGasUsed", used, receipt.blobGasUsed]
  }
  return checkCreated(receipt, transaction, writer)
}

/**
 * A transaction without a receiver creates a contract. The contract has an address even if the creation fails, but some
 * nodes then send null.
 */
const checkCreated = (
  { contractAddress, status }: Receipt.Receipt,
  { from, nonce, to }: Transaction.Known,
  writer: RlpWriter.RlpWriter
): Wrong | undefined => {
  if (contractAddress === undefined) return undefined
  if (to !== null) return contractAddress === null ? undefined : ["contractAddress", null, contractAddress]
  if (contractAddress === null && status !== 1n) return undefined
  writer.reset()
  const created = createdAddress(from, nonce, writer)
  return contractAddress !== null && Hex.equals(contractAddress, created)
    ? undefined
    : ["contractAddress", created, contractAddress]
}
