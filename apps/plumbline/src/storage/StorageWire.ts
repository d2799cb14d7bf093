/**
 * Variables of contracts in the form of `--json`.
 */
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import type * as ProvenStorage from "@plumbline/proof-bundle/read/ProvenStorage"
import type { Location } from "@plumbline/storage-layout/location/Location"
import type * as ContractStorage from "@plumbline/storage-layout/read/ContractStorage"
import type { LeftOutVariable } from "@plumbline/storage-layout/read/Readable"
import * as Value from "@plumbline/storage-layout/value/Value"
import type * as ValueDifference from "@plumbline/storage-layout/value/ValueDifference"

/** Returns the old or the new value of a change; null if there is none. */
export const side = (of: ValueDifference.ValueChange["from"]): unknown => (of === undefined ? null : Value.toJson(of))

/**
 * Returns the location: the slot in the form that nodes accept, and the offset in bytes from the slot's low-order end.
 */
export const place = ({ bytes, offset, slot }: Location): unknown => ({
  slot: StorageKey.fromSlot(slot),
  offset,
  // only an array of reserved space is larger than 2^53 bytes
  bytes: bytes <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(bytes) : bytes.toString()
})

/** Returns a word that has no name. `slot` is null if only the slot's hash is known. */
export const unnamed = ({ slot, slotHash, word }: ProvenStorage.Unnamed): unknown => ({
  slot: slot === undefined ? null : StorageKey.fromSlot(slot),
  slotHash,
  word: StorageKey.fromSlot(word)
})

/**
 * Returns the member that says that the address is not a contract's; no member for a contract. The answer itself says
 * `"absent": true` of an account that does not exist.
 */
export const account = (state: ContractStorage.AccountState): Readonly<Record<string, unknown>> =>
  state === "without code" ? { withoutCode: true } : {}

/** Returns the member with the variables that were not read; no member if there are none. */
export const left = (of: ReadonlyArray<LeftOutVariable>): Readonly<Record<string, unknown>> =>
  of.length === 0 ? {} : { left: of }
