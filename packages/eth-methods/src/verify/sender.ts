/**
 * The sender of a transaction: recovered from its signature, never believed.
 *
 * Source: Yellow Paper appendix F; SEC 1 section 4.1.6. The curve is @noble/curves'.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import * as Address from "@plumbline/codec/Address"
import * as Keccak256 from "@plumbline/codec/Keccak256"
import * as RlpWriter from "@plumbline/codec/RlpWriter"

import * as SignatureScalar from "../SignatureScalar.ts"
import type * as Transaction from "../Transaction.ts"
import { parityOf, writeSigned } from "./transaction.ts"

/**
 * The address whose key signed the transaction; `undefined` when no key can have (`r` or `s` out of range, no such
 * point, a parity other than 0 and 1).
 *
 * High `s` is accepted: Frontier had such transactions, and the transaction's hash covers the signature as it is.
 */
export const recover = (
  transaction: Transaction.Known,
  writer: RlpWriter.RlpWriter = RlpWriter.make()
): Address.Address | undefined => {
  const parity = parityOf(transaction)
  if (parity !== 0n && parity !== 1n) return undefined
  const from = writer.position
  writeSigned(writer, transaction)
  const digest = writer.hash(from)
  try {
    const signature = new secp256k1.Signature(
      SignatureScalar.toBigInt(transaction.r),
      SignatureScalar.toBigInt(transaction.s),
      Number(parity)
    )
    const point = signature.recoverPublicKey(digest).toBytes(false)
    return Address.fromBytesUnsafe(Keccak256.hash(point.subarray(1)).subarray(12))
  } catch {
    // noble throws plain errors for scalars and points that no signature has
    return undefined
  }
}
