/** Computes the Keccak-256 of each item of a `HexBatch`, and writes it next to the item. */
import type { HexBatch } from "../hex/HexBatch.ts"
import * as BatchHashing from "./batchHashing.ts"

/**
 * Hashes items of the program's batch. The Keccak-256 of the item `i` then lies in the 32 bytes before `starts[i]`.
 *
 * Returns false, and does nothing, if the platform does not run the module that hashes three messages at a time. Throws
 * a `RangeError` for a number that is not an item.
 *
 * ```ts import.meta.vitest
 * import { BatchHash, Hex, HexBatch, Keccak256 } from "@plumbline/codec"
 *
 * const batch = HexBatch.get()!
 * batch.clear()
 * const item = batch.add("0xc0ffee")
 * BatchHash.hash(batch, [item]) // => true
 * const start = batch.starts[item]!
 * batch.memory.slice(start - 32, start) // => Keccak256.hash(Hex.toBytesUnsafe("0xc0ffee"))
 * ```
 */
export const hash = (batch: HexBatch, items: ReadonlyArray<number>): boolean => {
  const hashItems = BatchHashing.get()
  if (hashItems === undefined) return false
  hashItems(batch, items)
  return true
}
