/**
 * Words of storage of several accounts: the question and the answer of eth_getStorageValues.
 *
 * Source: execution-apis (eth/state.yaml).
 */
import * as Address from "@plumbline/codec/Address"
import * as Schema from "effect/Schema"

import { keyed } from "./internal/keyed.ts"
import * as StorageKey from "./StorageKey.ts"
import * as StorageWord from "./StorageWord.ts"

/** The most slots of one question, of all accounts together, as in geth. */
export const MAX_SLOTS = 1024

/** Slots by address. */
export const Request = keyed(Address.Address, Schema.Array(StorageKey.StorageKey))
  .check(
    Schema.makeFilter((slots) => Object.values(slots).reduce((sum, keys) => sum + keys.length, 0) <= MAX_SLOTS, {
      expected: `at most ${MAX_SLOTS} slots`
    })
  )
  .annotate({ identifier: "StorageRequest" })
/** See the Schema of the same name. */
export type Request = typeof Request.Type

/** Words by address, in the order of the question. */
export const StorageValues = keyed(Address.Address, Schema.Array(StorageWord.StorageWord)).annotate({
  identifier: "StorageValues"
})
/** See the Schema of the same name. */
export type StorageValues = typeof StorageValues.Type
