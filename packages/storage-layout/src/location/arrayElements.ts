/** Computes the places of array elements. */
import type { Layout } from "../layout/Layout.ts"
import * as StorageType from "../layout/StorageType.ts"
import { arraySlots } from "../layout/typeCheck.ts"
import { wordOffset } from "../layout/valueTypes.ts"
import * as Slot from "../slot/Slot.ts"

/** Returns the place of element `index`. Solidity packs values; Vyper uses one word for each value. */
export const place = (
  layout: Layout,
  base: StorageType.StorageType,
  start: Slot.Slot,
  index: bigint
): Slot.SlotPlace => {
  if (!StorageType.isValueType(base)) {
    return { slot: Slot.element(start, index, StorageType.slots(base)), offset: 0 }
  }
  return layout.dialect === "solidity"
    ? Slot.packedElement(start, index, base.size)
    : { slot: Slot.element(start, index, 1n), offset: wordOffset(base) }
}

/** Returns the number of slots that `length` elements take. */
export const span = (layout: Layout, base: StorageType.StorageType, length: bigint): bigint =>
  layout.dialect === "solidity" ? arraySlots(base, length) : length * StorageType.slots(base)

/** The distance from one element of an array to the next, as two numbers. At least one of them is 1. */
export interface ElementStride {
  /** Number of elements in one slot. */
  readonly perSlot: bigint
  /** Number of slots that one element takes. */
  readonly slots: bigint
}

export const stride = (layout: Layout, base: StorageType.StorageType): ElementStride =>
  layout.dialect === "solidity" && StorageType.isValueType(base)
    ? { perSlot: BigInt(Math.floor(32 / base.size)), slots: 1n }
    : { perSlot: 1n, slots: StorageType.slots(base) }
