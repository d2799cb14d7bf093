/**
 * Blocks by their hashes. A hash is as good a number as any: its first bits are the key, without a text being made of it.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"

/** A block whose bytes have this hash: whoever makes one has seen to that. */
export interface Hashed {
  readonly codec: number
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
  /** Where it was found. */
  readonly offset: number
}

/** A block in the table; `isPlaced` once it has its place in the bundle. */
export interface Entry {
  readonly block: Hashed
  isPlaced: boolean
  /** Another one whose hash begins alike. */
  readonly next: Entry | undefined
}

/** The table. */
export class BlockTable {
  readonly #entries = new Map<number, Entry>()

  /** False if a block of this codec and hash is there already. */
  add(block: Hashed): boolean {
    if (this.find(block.hash, block.codec) !== undefined) return false
    const key = keyOf(block.hash)
    this.#entries.set(key, { block, isPlaced: false, next: this.#entries.get(key) })
    return true
  }

  /** The block of this hash, and of this codec if one is given. */
  find(hash: Uint8Array, codec?: number): Entry | undefined {
    let entry = this.#entries.get(keyOf(hash))
    while (entry !== undefined && !isIt(entry.block, hash, codec)) entry = entry.next
    return entry
  }
}

const isIt = (block: Hashed, hash: Uint8Array, codec: number | undefined): boolean =>
  (codec === undefined || block.codec === codec) && Bytes.equals(block.hash, hash)

/** Thirty bits: numbers of this size are no objects in any engine. */
const keyOf = (hash: Uint8Array): number =>
  ((hash[0]! << 22) | (hash[1]! << 14) | (hash[2]! << 6) | (hash[3]! >> 2)) & 0x3fffffff
