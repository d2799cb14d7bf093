/**
 * A batch of byte strings that arrive as `0x` text. They are decoded once and read in place.
 *
 * **When to use**: to check many texts of one answer, such as the nodes of a Merkle proof, and to hash them together
 * with `BatchHash`. For a few texts, use `Hex.toBytes` and `Keccak256.hashMany`, which give bytes that belong to the
 * caller.
 */
import * as hexBatchMemory from "./batchMemory.ts"

export type { HexBatch } from "./batchMemory.ts"

/**
 * Returns the batch of this program, or `undefined` if the platform has no WebAssembly with SIMD. Then decode the texts
 * one by one.
 *
 * ```ts import.meta.vitest
 * import { HexBatch } from "@plumbline/codec"
 *
 * const batch = HexBatch.get()!
 * batch.clear()
 * const item = batch.add("0xc0ffee")
 * batch.memory.slice(batch.starts[item], batch.ends[item]) // => new Uint8Array([0xc0, 0xff, 0xee])
 * batch.add("0xc0ffe") // => -1
 * ```
 */
export const get = (): hexBatchMemory.HexBatch | undefined => hexBatchMemory.get()
