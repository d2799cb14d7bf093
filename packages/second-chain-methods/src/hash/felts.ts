/** What the hashes of Starknet are of: bigints from 0 up to, not including, the field's prime. */
import { PRIME } from "../model/Felt.ts"

/** Throws a `RangeError` at what is no felt: reduced, it would hash to what another felt hashes to. */
export const checkFelt = (felt: bigint): void => {
  if (felt < 0n || felt >= PRIME) throw new RangeError("a felt is below the field prime")
}

/** The felt that a short text of ASCII stands for: its bytes, the first one the highest. */
export const ascii = (text: string): bigint => {
  let felt = 0n
  for (let at = 0; at < text.length; at++) felt = (felt << 8n) | BigInt(text.charCodeAt(at))
  return felt
}
