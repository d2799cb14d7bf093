/** Describes a place in storage with the type of its value. `Location` re-exports these types. */
import * as StorageType from "../layout/StorageType.ts"
import type { Slot } from "../slot/Slot.ts"

/** The length of an array on the path. It must exceed the index in the path. */
export interface LengthBound {
  /** Slot of the length. */
  readonly slot: Slot
  readonly index: bigint
  /** Path of the array. */
  readonly path: string
}

/** The place that a path leads to. */
export interface Location {
  /** The path that led here. */
  readonly path: string
  /** `length` if the path ends in `.length` of an array or of bytes. */
  readonly part: "value" | "length"
  readonly slot: Slot
  /** Bytes from the low-order end of the slot. */
  readonly offset: number
  /**
   * Number of bytes in place, from the offset on: whole slots, or a part of a word. Data at a hash is not counted.
   */
  readonly bytes: bigint
  /** The type of the value, even if `part` is `length`. */
  readonly type: StorageType.StorageType
  /** The lengths that only storage shows: one for each index of an array whose length is in storage. */
  readonly bounds: ReadonlyArray<LengthBound>
}

/** Returns the place of a whole value, without a path. */
export const at = (
  type: StorageType.StorageType,
  slot: Slot,
  offset: number,
  bounds: ReadonlyArray<LengthBound>
): Location => {
  const bytes = StorageType.isValueType(type) ? BigInt(type.size) : 32n * StorageType.slots(type)
  return { path: "", part: "value", slot, offset, bytes, type, bounds }
}
