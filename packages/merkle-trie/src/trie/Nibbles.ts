/**
 * Key paths of a Merkle-Patricia trie: nibbles and their hex-prefix ("compact") encoding.
 *
 * Source: Ethereum Yellow Paper, appendix C.
 */

/** A path: one nibble (0 to 15) per byte. */
export type Nibbles = Uint8Array

/** The first item of a leaf or extension, decoded: the rest of the path, and which of the two the node is. */
export interface HexPrefix {
  readonly nibbles: Nibbles
  readonly leaf: boolean
}

/**
 * Splits a key into its nibbles, high nibble first: `n` bytes give `2n` nibbles.
 *
 * ```ts import.meta.vitest
 * import { Nibbles } from "@plumbline/merkle-trie"
 *
 * Nibbles.fromKey(Uint8Array.of(0x3f, 0x01)) // => Uint8Array.of(3, 15, 0, 1)
 * ```
 */
export const fromKey = (key: Uint8Array): Nibbles => {
  const out = new Uint8Array(key.length * 2)
  for (let i = 0; i < key.length; i++) {
    const byte = key[i]!
    out[2 * i] = byte >> 4
    out[2 * i + 1] = byte & 15
  }
  return out
}

/**
 * Encodes the nibbles `from` up to `to` with the hex-prefix: the first nibble is 2 for a leaf, plus 1 for an odd number
 * of nibbles; an even number is padded with a zero nibble.
 *
 * ```ts import.meta.vitest
 * import { Nibbles } from "@plumbline/merkle-trie"
 *
 * Nibbles.encode(Uint8Array.of(1, 2, 3), 0, 3, true) // => Uint8Array.of(0x31, 0x23)
 * Nibbles.encode(Uint8Array.of(1, 2), 0, 2, false) // => Uint8Array.of(0x00, 0x12)
 * ```
 */
export const encode = (nibbles: Nibbles, from: number, to: number, leaf: boolean): Uint8Array => {
  const odd = (to - from) & 1
  const out = new Uint8Array(1 + ((to - from) >> 1))
  out[0] = (leaf ? 0x20 : 0) | (odd === 1 ? 0x10 | nibbles[from]! : 0)
  for (let i = from + odd, at = 1; i < to; i += 2, at++) out[at] = (nibbles[i]! << 4) | nibbles[i + 1]!
  return out
}

/**
 * Reads a hex-prefix. Returns `undefined` if there are no bytes, the flag is above 3, or a padding nibble is not zero.
 *
 * ```ts import.meta.vitest
 * import { Nibbles } from "@plumbline/merkle-trie"
 *
 * Nibbles.decode(Uint8Array.of(0x31, 0x23)) // => { nibbles: Uint8Array.of(1, 2, 3), leaf: true }
 * Nibbles.decode(Uint8Array.of(0x05)) // => undefined
 * ```
 */
export const decode = (bytes: Uint8Array): HexPrefix | undefined => {
  if (bytes.length === 0) return undefined
  const first = bytes[0]!
  if (first > 0x3f) return undefined
  const odd = (first & 0x10) !== 0
  if (!odd && (first & 0x0f) !== 0) return undefined
  return { nibbles: fromKey(bytes).subarray(odd ? 1 : 2), leaf: (first & 0x20) !== 0 }
}
