/**
 * A 32-byte word of an account's storage: the result of eth_getStorageAt and eth_getStorageValues.
 *
 * Nodes send 32 bytes; ganache sends `0x` for zero and omits leading zeros. Here a word always has 32 bytes.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"

import * as StorageWords from "./storageWords.ts"

/** A word, 32 bytes. */
export type StorageWord = Hash32.Hash32

/**
 * Wire word of up to 64 hex digits, padded on the left to 32 bytes.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 * import { StorageWord } from "@plumbline/eth-methods"
 * import { Schema } from "effect"
 *
 * Schema.decodeUnknownSync(StorageWord.StorageWord)("0x") // => Hash32.ZERO
 * ```
 */
export const StorageWord = /* @__PURE__ */ StorageWords.installed("StorageWord")
