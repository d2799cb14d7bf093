/**
 * Storage words of several accounts: the request and the answer of eth_getStorageValues.
 *
 * Source: execution-apis (eth/state.yaml).
 */
import * as EthWire from "./ethWire.ts"
import { keyed } from "./keyedObjects.ts"
import * as StorageKey from "./StorageKey.ts"
import * as StorageWord from "./StorageWord.ts"

/** Maximum number of slots in one request, over all accounts, as in geth. */
export const MAX_SLOTS = 1024

/** Slots by address. */
export const StorageValuesRequest = keyed(
  "StorageRequest",
  EthWire.address,
  EthWire.array(EthWire.of(StorageKey.StorageKey)),
  {
    expected: `at most ${MAX_SLOTS} slots`,
    holds: (slots) => Object.values(slots).reduce((sum: number, keys) => sum + lengthOf(keys), 0) <= MAX_SLOTS
  }
).schema
/** See the Schema of the same name. */
export type StorageValuesRequest = typeof StorageValuesRequest.Type

/** Words by address, in the order of the request. */
export const StorageValues = keyed(
  "StorageValues",
  EthWire.address,
  EthWire.array(EthWire.of(StorageWord.StorageWord))
).schema
/** See the Schema of the same name. */
export type StorageValues = typeof StorageValues.Type

const lengthOf = (keys: unknown): number => (Array.isArray(keys) ? keys.length : 0)
