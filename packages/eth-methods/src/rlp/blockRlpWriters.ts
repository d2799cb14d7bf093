/** Writes the encodings that `BlockRlp` reads, with the encoders of the verifiers. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import * as Result from "effect/Result"

import type * as Block from "../model/Block.ts"
import * as Receipt from "../model/Receipt.ts"
import * as Transaction from "../model/Transaction.ts"
import * as HeaderEncoding from "./headerEncoding.ts"
import { write as writeReceipt } from "./receiptEncoding.ts"
import { write as writeKnown } from "./transactionEncoding.ts"

/** Appends the bytes that a transaction's hash covers. Returns false for an unknown type without its `raw`. */
export const transaction = (writer: RlpWriter.RlpWriter, transaction: Transaction.Transaction): boolean => {
  if (Transaction.isKnown(transaction)) writeKnown(writer, transaction)
  else {
    // `BlockRlp` puts the encoding of a transaction of an unknown type into `raw`
    const { raw } = transaction
    if (raw === undefined) return false
    writer.raw(Hex.toBytesUnsafe(raw))
  }
  return true
}

export const block = (
  block: Block.WithTransactions,
  uncles: ReadonlyArray<Block.Uncle>
): Result.Result<Uint8Array, RefutedError> => {
  const writer = RlpWriter.make(CAPACITY)
  const scratch = RlpWriter.make()
  const whole = writer.beginList()
  const header = HeaderEncoding.write(writer, block)
  if (Result.isFailure(header)) return Result.fail(header.failure)

  const transactions = writer.beginList()
  for (const [i, one] of block.transactions.entries()) {
    scratch.reset()
    if (!transaction(scratch, one)) {
      return Result.fail(refute(`transactions[${i}].type`, "0 to 4, 0x7e, or `raw` beside it", one.type))
    }
    // a typed transaction is a byte string in the block, a legacy one a list
    if (Transaction.typeOf(one) === 0n) writer.raw(scratch.view(0))
    else writer.bytes(scratch.view(0))
  }
  writer.endList(transactions)

  const headers = writer.beginList()
  for (const uncle of uncles) {
    const written = HeaderEncoding.write(writer, uncle)
    if (Result.isFailure(written)) return Result.fail(written.failure)
  }
  writer.endList(headers)

  if (block.withdrawals !== undefined) {
    const withdrawals = writer.beginList()
    for (const { address, amount, index, validatorIndex } of block.withdrawals) {
      const withdrawal = writer.beginList()
      writer.quantity(index)
      writer.quantity(validatorIndex)
      writer.data(address)
      writer.quantity(amount)
      writer.endList(withdrawal)
    }
    writer.endList(withdrawals)
  }
  writer.endList(whole)
  return Result.succeed(writer.slice(0))
}

export const header = (header: Block.Header): Result.Result<Uint8Array, RefutedError> => {
  const writer = RlpWriter.make()
  return Result.map(HeaderEncoding.write(writer, header), () => writer.slice(0))
}

export const receipt = (receipt: Receipt.Receipt): Uint8Array => {
  const writer = RlpWriter.make()
  const outcome = Receipt.rootOf(receipt) === undefined ? "status" : "root"
  writeReceipt(writer, receipt, Number(Receipt.typeOf(receipt)), outcome, Hex.toBytesUnsafe(receipt.logsBloom))
  return writer.slice(0)
}

/** Initial capacity of the writer in bytes, which is enough for most blocks. */
const CAPACITY = 128 * 1024
