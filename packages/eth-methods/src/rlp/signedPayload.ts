/**
 * The bytes that the signature of a transaction covers, and the sender recovered from it.
 *
 * Sources: Yellow Paper section 4.3 and appendix F, EIP-155, EIP-2718, EIP-2930, EIP-1559, EIP-4844, EIP-7702; SEC 1
 * section 4.1.6.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import * as Address from "@plumbline/codec/value/Address"

import * as SignatureScalar from "../model/SignatureScalar.ts"
import * as Transaction from "../model/Transaction.ts"
import type { RecoveryEngine } from "../sender/recoveryEngine.ts"

/**
 * Appends the signed bytes: the encoding without the signature. For a legacy transaction that names its chain
 * (EIP-155), the signed bytes include the chain id.
 */
export const writeSigned = (writer: RlpWriter.RlpWriter, transaction: Transaction.SignedTransaction): void => {
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
 * Returns the address of the key that signed the transaction. `undefined` if no key can have made the signature (`r` or
 * `s` out of range, no such point, a parity other than 0 and 1).
 *
 * High `s` is accepted: Frontier had such transactions, and the transaction's hash covers the signature as it is.
 */
export const recover = (
  transaction: Transaction.SignedTransaction,
  engine: RecoveryEngine,
  writer: RlpWriter.RlpWriter = RlpWriter.make()
): Address.Address | undefined => {
  const parity = parityOf(transaction)
  if (parity !== 0n && parity !== 1n) return undefined
  if (!isScalar(transaction.r) || !isScalar(transaction.s)) return undefined
  const from = writer.position
  writeSigned(writer, transaction)
  const digest = writer.hash(from)
  const signature = Hex.toBytesUnsafe(`0x${padded(transaction.r)}${padded(transaction.s)}`)
  const key = engine.recover(digest, signature, parity === 0n ? 0 : 1)
  return key === undefined ? undefined : Address.fromBytesUnsafe(Keccak256.hash(key).subarray(12))
}

/** The order of the curve's group (SEC 2, section 2.4.1). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** True if the scalar is at least 1 and below the order of the curve, as `r` and `s` of every signature are. */
const isScalar = (scalar: SignatureScalar.SignatureScalar): boolean => {
  const value = SignatureScalar.toBigInt(scalar)
  return value > 0n && value < ORDER
}

/** Returns the 64 digits of a scalar. */
const padded = (scalar: SignatureScalar.SignatureScalar): string => scalar.slice(2).padStart(64, "0")

/**
 * Returns the parity of the signature's point: 0 or 1, or another number if the answer is invalid. If a typed
 * transaction lacks the parity, this function assumes 0, and the transaction's hash shows whether that is right.
 */
export const parityOf = (transaction: Transaction.SignedTransaction): bigint => {
  if (!isLegacy(transaction)) return transaction.yParity ?? transaction.v ?? 0n
  return transaction.v >= 35n ? (transaction.v - 35n) & 1n : transaction.v - 27n
}

/**
 * Returns the chain id inside the `v` of a legacy transaction (EIP-155); `undefined` if `v` is 27 or 28, which names no
 * chain.
 */
export const chainIdInV = (v: bigint): bigint | undefined => (v >= 35n ? legacyChainId(v) : undefined)

const legacyChainId = (v: bigint): bigint => (v - 35n) >> 1n

/**
 * True if no key signed the transaction: type 0 with a signature of zeros. Optimism before Bedrock hashes its deposits
 * in this form; only the node names their sender.
 */
export const isUnsigned = (transaction: Transaction.KnownTransaction): boolean =>
  isLegacy(transaction) &&
  transaction.v === 0n &&
  SignatureScalar.toBigInt(transaction.r) === 0n &&
  SignatureScalar.toBigInt(transaction.s) === 0n

/** True for a transaction of type 0. */
export const isLegacy = (transaction: Transaction.KnownTransaction): transaction is Transaction.Legacy =>
  Transaction.typeOf(transaction) === 0n

/** Appends the type of a typed transaction. */
export const putType = (writer: RlpWriter.RlpWriter, transaction: Transaction.SignedTransaction): void => {
  const type = Number(Transaction.typeOf(transaction))
  if (type !== 0) writer.byte(type)
}

/** Appends the signed fields, without the head of their list. */
export const payload = (writer: RlpWriter.RlpWriter, transaction: Transaction.SignedTransaction): void => {
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
