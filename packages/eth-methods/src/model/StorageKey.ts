/**
 * The key of a 32-byte word in an account's storage.
 *
 * Callers write `0x0` or 32 bytes, but not every node accepts both: anvil 1.7 accepts only 32 bytes in eth_getProof. So
 * the client always sends 32 bytes.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"

import * as StorageWords from "./storageWords.ts"

/**
 * A storage key of 32 bytes, as `fromSlot` returns it and as verifiers accept it. Clients accept shorter keys too (see
 * `Input`).
 */
export type StorageKey = Hash32.Hash32

/**
 * Schema of a key of up to 64 hex digits, padded on the left to 32 bytes when decoding and when encoding. `0x` is slot
 * 0, as in execution-apis.
 */
export const StorageKey = /* @__PURE__ */ StorageWords.installedKey("StorageKey")

/**
 * Returns the key of a slot number: its 32 bytes, big-endian. Slots wrap at 2^256, as they do in the EVM.
 *
 * ```ts import.meta.vitest
 * import { StorageKey } from "@plumbline/eth-methods"
 *
 * StorageKey.fromSlot(1n) // => "0x0000000000000000000000000000000000000000000000000000000000000001"
 * ```
 */
export const fromSlot = (slot: bigint): StorageKey =>
  Hash32.fromHexUnsafe(`0x${BigInt.asUintN(256, slot).toString(16).padStart(64, "0")}`)
