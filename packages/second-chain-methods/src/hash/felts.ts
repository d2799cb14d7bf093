/** Felts as Starknet hashes them: bigints from 0 to below the field's prime. */
import { PRIME } from "../model/Felt.ts"

/**
 * Throws a `RangeError` for a number that is not a felt. Reduced by the prime, it would have the hash of a felt.
 */
export const checkFelt = (felt: bigint): void => {
  if (felt < 0n || felt >= PRIME) throw new RangeError("a felt is below the field prime")
}

/** Returns the felt of a short ASCII text: its bytes, big-endian. */
export const ascii = (text: string): bigint => {
  let felt = 0n
  for (let at = 0; at < text.length; at++) felt = (felt << 8n) | BigInt(text.charCodeAt(at))
  return felt
}
