/**
 * A table of blocks by their hashes. The first bits of the hash are the key, so that no text has to be made from the
 * hash.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"

/** A block whose bytes have this hash, as its maker has checked. */
export interface HashedBlock {
  readonly codec: number
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
  /** Position at which the block was found. */
  readonly offset: number
}

/** A block in the table; `isPlaced` is true once it has its place in the bundle. */
export interface BlockTableEntry {
  readonly block: HashedBlock
  isPlaced: boolean
  /** Another block whose hash begins with the same bits. */
  readonly next: BlockTableEntry | undefined
}

/** The table. */
export class BlockTable {
  readonly #entries = new Map<number, BlockTableEntry>()

  /** Adds a block. Returns false if a block of this codec and hash is in the table already. */
  add(block: HashedBlock): boolean {
    if (this.find(block.hash, block.codec) !== undefined) return false
    const key = keyOf(block.hash)
    this.#entries.set(key, { block, isPlaced: false, next: this.#entries.get(key) })
    return true
  }

  /** Returns the block of this hash, and of this codec if one is given. */
  find(hash: Uint8Array, codec?: number): BlockTableEntry | undefined {
    let entry = this.#entries.get(keyOf(hash))
    while (entry !== undefined && !isIt(entry.block, hash, codec)) entry = entry.next
    return entry
  }
}

const isIt = (block: HashedBlock, hash: Uint8Array, codec: number | undefined): boolean =>
  (codec === undefined || block.codec === codec) && Bytes.equals(block.hash, hash)

/** Returns thirty bits of the hash: engines store integers of this size without an object. */
const keyOf = (hash: Uint8Array): number =>
  ((hash[0]! << 22) | (hash[1]! << 14) | (hash[2]! << 6) | (hash[3]! >> 2)) & 0x3fffffff
