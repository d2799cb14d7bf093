/**
 * The encoding of transactions: the bytes that their hash is of, and the bytes that were signed.
 *
 * A transaction is written as the answer gives it; whether that is what was signed, only a hash can say.
 *
 * Sources: Yellow Paper section 4.3, EIP-155, EIP-2718, EIP-2930, EIP-1559, EIP-4844 (the form in blocks, without the
 * blobs), EIP-7702.
 */
import type * as RlpWriter from "@plumbline/codec/RlpWriter"

import * as SignatureScalar from "../SignatureScalar.ts"
import * as Transaction from "../Transaction.ts"

/**
 * Appends what the hash is of: the RLP of a legacy transaction, `type || RLP` of the others.
 *
 * `chainId`, where a typed transaction does not say one, is written as 0: the hash then does not fit.
 */
export const write = (writer: RlpWriter.RlpWriter, transaction: Transaction.Known): void => {
  putType(writer, transaction)
  writeBody(writer, transaction)
}

/** Appends the same without the type: the RLP of the signed fields and the signature. */
export const writeBody = (writer: RlpWriter.RlpWriter, transaction: Transaction.Known): void => {
  const list = writer.beginList()
  payload(writer, transaction)
  writer.quantity(isLegacy(transaction) ? transaction.v : parityOf(transaction))
  writer.integer(transaction.r)
  writer.integer(transaction.s)
  writer.endList(list)
}

/** Appends what was signed: the same without the signature; with the chain id for a legacy one that names it (EIP-155). */
export const writeSigned = (writer: RlpWriter.RlpWriter, transaction: Transaction.Known): void => {
  putType(writer, transaction)
  const list = writer.beginList()
  payload(writer, transaction)
  if (isLegacy(transaction) && transaction.v >= 35n) {
    writer.quantity(legacyChainId(transaction.v))
    writer.quantity(0n)
    writer.quantity(0n)
  }
  writer.endList(list)
}

/**
 * 0 or 1: which of the two points with this `r`; other numbers when the answer is nonsense. A typed transaction that does
 * not say it is taken to mean 0: whether that is so, its hash says.
 */
export const parityOf = (transaction: Transaction.Known): bigint => {
  if (!isLegacy(transaction)) return transaction.yParity ?? transaction.v ?? 0n
  return transaction.v >= 35n ? (transaction.v - 35n) & 1n : transaction.v - 27n
}

/** The chain id inside the `v` of a legacy transaction; `undefined` when it is 27 or 28 and names none (EIP-155). */
export const chainIdInV = (v: bigint): bigint | undefined => (v >= 35n ? legacyChainId(v) : undefined)

const legacyChainId = (v: bigint): bigint => (v - 35n) >> 1n

/** What a transaction pays per unit of gas in a block with this base fee, in wei (EIP-1559). */
export const effectiveGasPrice = (transaction: Transaction.Known, baseFee: bigint | undefined): bigint => {
  if (transaction.type !== 2n && transaction.type !== 3n && transaction.type !== 4n) return transaction.gasPrice
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction
  const wanted = (baseFee ?? 0n) + maxPriorityFeePerGas
  return wanted < maxFeePerGas ? wanted : maxFeePerGas
}

/**
 * True if no key signed the transaction: type 0 with a signature of zeros. Optimism before Bedrock hashes its deposits so;
 * only the node names their sender.
 */
export const isUnsigned = (transaction: Transaction.Known): boolean =>
  isLegacy(transaction) &&
  transaction.v === 0n &&
  SignatureScalar.toBigInt(transaction.r) === 0n &&
  SignatureScalar.toBigInt(transaction.s) === 0n

/** Whether this is a transaction of type 0. */
export const isLegacy = (transaction: Transaction.Known): transaction is Transaction.Legacy =>
  Transaction.typeOf(transaction) === 0n

const putType = (writer: RlpWriter.RlpWriter, transaction: Transaction.Known): void => {
  const type = Number(Transaction.typeOf(transaction))
  if (type !== 0) writer.byte(type)
}

const payload = (writer: RlpWriter.RlpWriter, transaction: Transaction.Known): void => {
  if (transaction.type !== undefined && transaction.type !== 0n) {
    writer.quantity(Transaction.chainIdOf(transaction) ?? 0n)
  }
  writer.quantity(transaction.nonce)
  if (transaction.type === 2n || transaction.type === 3n || transaction.type === 4n) {
    writer.quantity(transaction.maxPriorityFeePerGas)
    writer.quantity(transaction.maxFeePerGas)
  } else writer.quantity(transaction.gasPrice)
  writer.quantity(transaction.gas)
  if (transaction.to === null) writer.bytes(NOBODY)
  else writer.data(transaction.to)
  writer.quantity(transaction.value)
  writer.data(transaction.input)
  if (isLegacy(transaction)) return
  const items = writer.beginList()
  for (const item of transaction.accessList) {
    const pair = writer.beginList()
    writer.data(item.address)
    const keys = writer.beginList()
    for (const key of item.storageKeys) writer.data(key)
    writer.endList(keys)
    writer.endList(pair)
  }
  writer.endList(items)
  if (transaction.type === 3n) {
    writer.quantity(transaction.maxFeePerBlobGas)
    const hashes = writer.beginList()
    for (const hash of transaction.blobVersionedHashes) writer.data(hash)
    writer.endList(hashes)
  } else if (transaction.type === 4n) {
    const authorizations = writer.beginList()
    for (const authorization of transaction.authorizationList) {
      const tuple = writer.beginList()
      writer.quantity(authorization.chainId)
      writer.data(authorization.address)
      writer.quantity(authorization.nonce)
      writer.quantity(authorization.yParity)
      writer.integer(authorization.r)
      writer.integer(authorization.s)
      writer.endList(tuple)
    }
    writer.endList(authorizations)
  }
}

const NOBODY = new Uint8Array(0)
