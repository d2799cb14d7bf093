/**
 * The signature of an account with one key, where that key is known.
 *
 * What a signature means is for the account's own code to say. The accounts of the common kind hold one public key and
 * take `[r, s]` over the transaction's hash; whether this is one of them is for the caller to know.
 */
import { Signature, verify } from "@scure/starknet"

/**
 * Whether the key signed the hash: ECDSA on the Stark curve, by the rules of Cairo's `check_ecdsa_signature`.
 *
 * `publicKey` is the x coordinate, as accounts keep it; of the two points that have it either will do. `false` also for
 * what is no key and for numbers out of range (`hash`, `r` and the inverse of `s` must be below 2^251).
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
    // the library throws at what is out of range, and at an x that no point has
    return false
  }
}
