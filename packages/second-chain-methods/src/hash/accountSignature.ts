/**
 * Checks the signature of an account with one known key.
 *
 * Only the account's own code defines what a signature means. Common accounts hold one public key and accept `[r, s]`
 * over the transaction's hash. The caller must know that the account is such an account.
 */
import { Signature, verify } from "@scure/starknet"

/**
 * True if the key signed the hash by ECDSA on the Stark curve, with the rules of Cairo's `check_ecdsa_signature`.
 *
 * `publicKey` is the x coordinate, as accounts store it; either of the two points with this x is accepted. Also false
 * for an invalid key and for numbers out of range (`hash`, `r` and the inverse of `s` must be below 2^251).
 */
export const isSigned = (hash: bigint, signature: ReadonlyArray<bigint>, publicKey: bigint): boolean => {
  const [r, s] = signature
  if (r === undefined || s === undefined || signature.length !== 2) return false
  const x = publicKey.toString(16).padStart(64, "0")
  const message = hash.toString(16)
  try {
    const pair = new Signature(r, s)
    return verify(pair, message, `02${x}`) || verify(pair, message, `03${x}`)
  } catch {
    // the library throws for numbers out of range, and for an x without a point
    return false
  }
}
