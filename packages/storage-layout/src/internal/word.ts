/** Words of 32 bytes as numbers. */
import * as Hex from "@plumbline/codec/Hex"

/** The 32 bytes of the number modulo 2^256, big-endian. */
export const toBytes = (word: bigint): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(32)
  const view = new DataView(bytes.buffer)
  for (let at = 24, rest = word; at >= 0; at -= 8, rest >>= 64n) view.setBigUint64(at, BigInt.asUintN(64, rest))
  return bytes
}

/** The number that the bytes are, big-endian. */
export const fromBytes = (bytes: Uint8Array): bigint => (bytes.length === 0 ? 0n : BigInt(Hex.fromBytes(bytes)))

/** The `size` bytes that end `offset` bytes before the low-order end of the word, as a number. */
export const part = (word: bigint, offset: number, size: number): bigint =>
  BigInt.asUintN(size * 8, word >> BigInt(offset * 8))

/** `size` bytes as `0x` text, of a number that fits into them. */
export const toHex = (value: bigint, size: number): Hex.Hex => `0x${value.toString(16).padStart(size * 2, "0")}`
