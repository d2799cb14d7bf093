/** Converts and hashes words of 32 bytes as numbers. */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"

/**
 * Scratch space for bytes that are written, then hashed or read synchronously. A new buffer for each call would cost
 * more than the hash. This space holds a word and a mapping's key, unless the key is a long text.
 */
const scratch = /* @__PURE__ */ new Uint8Array(32 + 256)
const view = /* @__PURE__ */ new DataView(scratch.buffer)
const first = /* @__PURE__ */ scratch.subarray(0, 32)

/** Writes the number modulo 2^256, big-endian. `setBigUint64` uses only the low 64 bits of its argument. */
const write = (word: bigint, at: number): void => {
  view.setBigUint64(at + 24, word)
  view.setBigUint64(at + 16, word >> 64n)
  view.setBigUint64(at + 8, word >> 128n)
  view.setBigUint64(at, word >> 192n)
}

/** Returns the 32 bytes of the number modulo 2^256, big-endian. */
export const toBytes = (word: bigint): Uint8Array<ArrayBuffer> => {
  write(word, 0)
  return new Uint8Array(first)
}

/** Returns the number that the bytes encode, big-endian. */
export const fromBytes = (bytes: Uint8Array): bigint => {
  if (bytes.length !== 32) return bytes.length === 0 ? 0n : BigInt(Hex.fromBytes(bytes))
  scratch.set(bytes)
  const high = (view.getBigUint64(0) << 192n) | (view.getBigUint64(8) << 128n)
  return high | (view.getBigUint64(16) << 64n) | view.getBigUint64(24)
}

/** Returns the hash of the number's 32 bytes. */
export const hash = (word: bigint): bigint => {
  write(word, 0)
  return fromBytes(Keccak256.hash(first))
}

/** Returns the hash of the bytes followed by the number's 32 bytes. */
export const hashAfter = (bytes: Uint8Array, word: bigint): bigint => {
  const { length } = bytes
  if (length + 32 > scratch.length) return fromBytes(Keccak256.hash(Bytes.concat(bytes, toBytes(word))))
  scratch.set(bytes)
  write(word, length)
  return fromBytes(Keccak256.hash(scratch.subarray(0, length + 32)))
}

/** Returns the hash of the number's 32 bytes followed by the bytes. */
export const hashBefore = (word: bigint, bytes: Uint8Array): bigint => {
  const { length } = bytes
  if (length + 32 > scratch.length) return fromBytes(Keccak256.hash(Bytes.concat(toBytes(word), bytes)))
  write(word, 0)
  scratch.set(bytes, 32)
  return fromBytes(Keccak256.hash(scratch.subarray(0, length + 32)))
}

/**
 * Returns a part of the word as a number. The part has `size` bytes, and begins `offset` bytes from the low-order end.
 */
export const part = (word: bigint, offset: number, size: number): bigint =>
  BigInt.asUintN(size * 8, word >> BigInt(offset * 8))

/** Returns a number as `0x` text of `size` bytes. The number must fit into them. */
export const toHex = (value: bigint, size: number): Hex.Hex => `0x${value.toString(16).padStart(size * 2, "0")}`
