/**
 * The place of a 32-byte word in an account's storage.
 *
 * Callers write `0x0` or 32 bytes; nodes disagree on what they take (anvil 1.7 refuses anything but 32 bytes in
 * eth_getProof), so a key is always sent as 32 bytes.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"

import * as Words from "./words.ts"

/** A storage key, 32 bytes: what `fromSlot` gives, and what verifiers take. Clients take shorter ones too: `Input`. */
export type StorageKey = Hash32.Hash32

/** Key of up to 64 hex digits, padded on the left to 32 bytes in both directions; none are slot 0, as in execution-apis. */
export const StorageKey = /* @__PURE__ */ Words.installedKey("StorageKey")

/**
 * The key of a slot number: its 32 bytes, big-endian. Slots wrap at 2^256, as they do in the EVM.
 *
 * ```ts import.meta.vitest
 * import { StorageKey } from "@plumbline/eth-methods"
 *
 * StorageKey.fromSlot(1n) // => "0x0000000000000000000000000000000000000000000000000000000000000001"
 * ```
 */
export const fromSlot = (slot: bigint): StorageKey =>
  Hash32.fromHexUnsafe(`0x${BigInt.asUintN(256, slot).toString(16).padStart(64, "0")}`)
