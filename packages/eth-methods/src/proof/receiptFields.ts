/** The fields of receipts that follow from the proven block: they are checked, and added if a node left them out. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import type * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import * as Result from "effect/Result"

import type * as Block from "../model/Block.ts"
import type * as LaterTransactions from "../model/LaterTransactions.ts"
import type * as Log from "../model/Log.ts"
import * as Receipt from "../model/Receipt.ts"
import * as Transaction from "../model/Transaction.ts"
import { createdAddress } from "../rlp/receiptEncoding.ts"
import { effectiveGasPrice } from "../rlp/transactionEncoding.ts"
import { completed, contradiction, type Derived } from "./provenDifference.ts"

/** The gas of one blob (EIP-4844). */
const GAS_PER_BLOB = 131_072n

/** The place of a receipt in its block, and the sums of the receipts before it. */
interface Place {
  readonly index: bigint
  readonly gasBefore: bigint
  readonly logsBefore: number
}

/**
 * Checks receipts whose root is proven against the block and its transactions, and returns them with all fields that
 * follow. Without whole transactions, only the fields about places are checked. The writer serves as scratch space.
 */
export const settle = (
  receipts: ReadonlyArray<Receipt.Receipt>,
  transactions: ReadonlyArray<Transaction.Transaction> | undefined,
  forms: ReadonlyMap<bigint, LaterTransactions.TransactionType>,
  block: Block.Block,
  writer: RlpWriter.RlpWriter
): Result.Result<ReadonlyArray<Receipt.Receipt>, RefutedError> => {
  let out: Array<Receipt.Receipt> | undefined
  let gasBefore = 0n
  let logsBefore = 0
  for (let i = 0; i < receipts.length; i++) {
    const receipt = receipts[i]!
    const place = { index: BigInt(i), gasBefore, logsBefore }
    const shown = transactions?.[i]
    const transaction = shown !== undefined && Transaction.isKnown(shown) ? shown : undefined
    let whole = receipt
    if (transaction === undefined || !isAsDerived(receipt, transaction, place, block, writer)) {
      const derived =
        transaction === undefined
          ? ofLater(shown, forms, ofPlace(receipt, hashOf(block, i), place, block))
          : derivedOf(receipt, transaction, place, block, writer)
      const wrong = contradiction(receipt, derived)
      if (wrong !== undefined) return Result.fail(refute(`receipts[${i}].${wrong[0]}`, wrong[1], wrong[2]))
      whole = completed(receipt, derived.always, NEVER)
    }
    const logs = settleLogs(receipt, place, block)
    if (!Array.isArray(logs)) return Result.fail(logs as RefutedError)
    if (logs !== receipt.logs) whole = { ...whole, logs }
    if (whole !== receipt) (out ??= [...receipts])[i] = whole
    gasBefore = receipt.cumulativeGasUsed
    logsBefore += logs.length
  }
  return Result.succeed(out ?? receipts)
}

const hashOf = (block: Block.Block, index: number): Hex.Hex => {
  const transaction = block.transactions[index]!
  return typeof transaction === "string" ? transaction : transaction.hash
}

/** Returns the fields that follow from a receipt's place. The type follows from the receipt's encoding. */
const ofPlace = (
  receipt: Receipt.Receipt,
  transactionHash: Hex.Hex,
  { gasBefore, index }: Place,
  block: Block.Block
): Derived => ({
  always: {
    type: Receipt.typeOf(receipt),
    transactionHash,
    transactionIndex: index,
    blockHash: block.hash,
    blockNumber: block.number,
    gasUsed: receipt.cumulativeGasUsed - gasBefore
  },
  ifSent: { blockTimestamp: block.timestamp }
})

/** Adds what a receipt repeats from the fields of a transaction of a type whose form the caller names. */
const ofLater = (
  transaction: Transaction.Transaction | undefined,
  forms: ReadonlyMap<bigint, LaterTransactions.TransactionType>,
  { always, ifSent }: Derived
): Derived => {
  const form = transaction === undefined ? undefined : forms.get(Transaction.typeOf(transaction))
  if (transaction === undefined || form === undefined) return { always, ifSent }
  const repeated = repeatedBy(form)
  return {
    always: {
      ...always,
      ...(repeated.includes("from") ? { from: transaction.from } : {}),
      ...(repeated.includes("to") ? { to: transaction.to ?? null } : {})
    },
    ifSent
  }
}

/** Returns the fields of a transaction of this form that its receipt repeats, whatever the rules of the type are. */
export const repeatedBy = ({ fields }: LaterTransactions.TransactionType): ReadonlyArray<"from" | "to"> =>
  (["from", "to"] as const).filter((name) => fields.some((field) => field.name === name))

/** Returns the fields that follow from a receipt's place and its transaction. */
const derivedOf = (
  receipt: Receipt.Receipt,
  transaction: Transaction.KnownTransaction,
  place: Place,
  block: Block.Block,
  writer: RlpWriter.RlpWriter
): Derived => {
  const { always, ifSent } = ofPlace(receipt, transaction.hash, place, block)
  const { from, to } = transaction
  const blobGasUsed = blobGasOf(transaction)
  return {
    always: {
      ...always,
      from,
      to,
      contractAddress: createdBy(receipt, transaction, writer),
      effectiveGasPrice: effectiveGasPrice(transaction, block.baseFeePerGas),
      blobGasUsed
    },
    // on the OP stack since Jovian it counts the data of a transaction, which no hash covers
    ifSent: isOfOpStack(block) ? ifSent : { ...ifSent, blobGasUsed: blobGasUsed ?? 0n }
  }
}

/**
 * True if the block is of a chain of the OP stack: its first transaction is a deposit, as in each of these blocks since
 * Bedrock except the genesis block. The transactions that Mantle and Scroll have under the same type are of unknown types
 * here. The caller must have proven the transactions.
 */
export const isOfOpStack = ({ transactions }: Pick<Block.Block, "transactions">): boolean => {
  const [first] = transactions
  return first !== undefined && typeof first !== "string" && Transaction.isDeposit(first)
}

/** Returns the gas of the transaction's blobs; undefined for a transaction of a type without blobs. */
const blobGasOf = (transaction: Transaction.KnownTransaction): bigint | undefined =>
  transaction.type === 3n ? GAS_PER_BLOB * BigInt(transaction.blobVersionedHashes.length) : undefined

/**
 * Returns the address of the created contract; null if the transaction has a receiver. The contract has an address even
 * if the creation fails, but some nodes then send null, and null is right too. Undefined if the address does not follow:
 * the nonce of a deposit from before Canyon is in no hash.
 */
const createdBy = (
  receipt: Receipt.Receipt,
  transaction: Transaction.KnownTransaction,
  writer: RlpWriter.RlpWriter
): Hex.Hex | null | undefined => {
  const { contractAddress, status } = receipt
  const { from, to } = transaction
  if (to !== null) return null
  const nonce = nonceOf(receipt, transaction)
  if (nonce === undefined) return undefined
  if (contractAddress === null && status !== 1n) return null
  writer.reset()
  return createdAddress(from, nonce, writer)
}

/** Returns the proven nonce of the transaction: its own, or that in the receipt of a deposit. */
const nonceOf = (receipt: Receipt.Receipt, transaction: Transaction.KnownTransaction): bigint | undefined =>
  Transaction.isDeposit(transaction)
    ? Receipt.hasHashedNonce(receipt)
      ? receipt.depositNonce
      : undefined
    : transaction.nonce

/** True if the contract that a deposit created is only claimed, because no hash covers the deposit's nonce. */
export const hasOpenAddress = (receipt: Receipt.Receipt, transaction: Transaction.KnownTransaction): boolean =>
  transaction.to === null && nonceOf(receipt, transaction) === undefined

/**
 * True if the receipt has every field of `derivedOf` with its right value. Nearly all receipts of a block are as
 * expected. So this comparison by name precedes the one by `contradiction`, which is slower and then decides.
 */
const isAsDerived = (
  receipt: Receipt.Receipt,
  transaction: Transaction.KnownTransaction,
  { gasBefore, index }: Place,
  block: Block.Block,
  writer: RlpWriter.RlpWriter
): boolean =>
  receipt.type !== undefined &&
  receipt.to === transaction.to &&
  receipt.from === transaction.from &&
  receipt.transactionHash === transaction.hash &&
  receipt.transactionIndex === index &&
  receipt.blockHash === block.hash &&
  receipt.blockNumber === block.number &&
  (receipt.blockTimestamp === undefined || receipt.blockTimestamp === block.timestamp) &&
  receipt.gasUsed === receipt.cumulativeGasUsed - gasBefore &&
  receipt.effectiveGasPrice === effectiveGasPrice(transaction, block.baseFeePerGas) &&
  receipt.blobGasUsed === blobGasOf(transaction) &&
  receipt.contractAddress === createdBy(receipt, transaction, writer)

/** Returns the logs of a receipt with all fields that follow from their places, or the contradiction. */
const settleLogs = (
  receipt: Receipt.Receipt,
  { index, logsBefore }: Place,
  block: Block.Block
): ReadonlyArray<Log.Log> | RefutedError => {
  const { logs, transactionHash } = receipt
  let out: Array<Log.Log> | undefined
  for (let j = 0; j < logs.length; j++) {
    const log = logs[j]!
    const logIndex = BigInt(logsBefore + j)
    if (
      log.blockHash === block.hash &&
      log.blockNumber === block.number &&
      (log.blockTimestamp === undefined || log.blockTimestamp === block.timestamp) &&
      log.transactionHash === transactionHash &&
      log.transactionIndex === index &&
      log.logIndex === logIndex &&
      log.removed === false
    ) {
      if (log.blockTimestamp === undefined) (out ??= [...logs])[j] = { ...log, blockTimestamp: block.timestamp }
      continue
    }
    const derived: Derived = {
      always: {
        blockHash: block.hash,
        blockNumber: block.number,
        blockTimestamp: block.timestamp,
        transactionHash,
        transactionIndex: index,
        logIndex,
        removed: false
      }
    }
    const wrong = contradiction(log, derived)
    if (wrong !== undefined) return refute(`receipts[${index}].logs[${j}].${wrong[0]}`, wrong[1], wrong[2])
    ;(out ??= [...logs])[j] = completed(log, derived.always, NEVER)
  }
  return out ?? logs
}

const NEVER = (): boolean => false
