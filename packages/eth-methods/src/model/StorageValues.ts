/**
 * Storage words of several accounts: the request and the answer of eth_getStorageValues.
 *
 * Source: execution-apis (eth/state.yaml).
 */
import { keyed } from "./keyed.ts"
import * as StorageKey from "./StorageKey.ts"
import * as StorageWord from "./StorageWord.ts"
import * as Wire from "./wire.ts"

/** Maximum number of slots in one request, over all accounts, as in geth. */
export const MAX_SLOTS = 1024

/** Slots by address. */
export const Request = keyed("StorageRequest", Wire.address, Wire.array(Wire.of(StorageKey.StorageKey)), {
  expected: `at most ${MAX_SLOTS} slots`,
  holds: (slots) => Object.values(slots).reduce((sum: number, keys) => sum + lengthOf(keys), 0) <= MAX_SLOTS
}).schema
/** See the Schema of the same name. */
export type Request = typeof Request.Type

/** Words by address, in the order of the request. */
export const StorageValues = keyed("StorageValues", Wire.address, Wire.array(Wire.of(StorageWord.StorageWord))).schema
/** See the Schema of the same name. */
export type StorageValues = typeof StorageValues.Type

const lengthOf = (keys: unknown): number => (Array.isArray(keys) ? keys.length : 0)
