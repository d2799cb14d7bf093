/** Shares: the parts of a slot, each with its variable, member or element. */
import type { Layout } from "../layout/Layout.ts"
import * as StorageType from "../layout/StorageType.ts"
import * as Slot from "../slot/Slot.ts"
import * as Elements from "./elements.ts"
import * as Variables from "./variables.ts"

/** A part of a slot that belongs to one variable, member or element. */
export interface Share {
  /**
   * Leads here with `Location.locate`. It is only the bare name if the layout lacks the syntax tree that would tell
   * variables of one name apart.
   */
  readonly path: string
  /** `length` if the bytes are the length of an array, or of a bounded text of Vyper. */
  readonly part: "value" | "length"
  /** Bytes from the low-order end of the slot. */
  readonly offset: number
  /** The number of bytes in this slot, 1 to 32. */
  readonly bytes: number
  /** The type of the value, even if `part` is `length`. */
  readonly type: StorageType.StorageType
}

/**
 * Returns all variables, members and elements that lie in a slot, from its low-order end on.
 *
 * **Details**
 *
 * Only parts whose slot is not a hash are found: variables, namespaces, and the structs and arrays of fixed size in
 * them. The slot of a mapping is empty, and belongs to the mapping. Bytes without a share belong to no variable.
 *
 * In Vyper every element for which a `DynArray` has room is found, whatever its length.
 *
 * ```ts import.meta.vitest
 * import { Layout, Share } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const layout = Result.getOrThrow(
 *   Layout.fromSolc({
 *     storage: [
 *       { label: "owner", offset: 0, slot: "0", type: "t_address" },
 *       { label: "paused", offset: 20, slot: "0", type: "t_bool" }
 *     ],
 *     types: {
 *       t_address: { encoding: "inplace", label: "address", numberOfBytes: "20" },
 *       t_bool: { encoding: "inplace", label: "bool", numberOfBytes: "1" }
 *     }
 *   })
 * )
 * const shares = Share.inSlot(layout, 0n)
 * shares.map(({ bytes, offset, path }) => [path, offset, bytes]) // => [["owner", 0, 20], ["paused", 20, 1]]
 * ```
 */
export const inSlot = (layout: Layout, slot: Slot.Slot): ReadonlyArray<Share> => {
  const shares: Array<Share> = []
  const add = (path: string, type: StorageType.StorageType, offset: number, bytes: number, part: Share["part"]) =>
    shares.push({ path, part, offset, bytes, type })

  /**
   * Visits the slot that is `distance` slots after the first slot of a value of the type; the value begins at `offset`.
   */
  const visit = (path: string, type: StorageType.StorageType, distance: bigint, offset: number): void => {
    if (StorageType.isValueType(type)) {
      add(path, type, offset, type.size, "value")
      return
    }
    switch (type._tag) {
      case "Mapping":
      case "DynamicBytes":
        add(path, type, 0, 32, "value")
        break
      case "DynamicArray":
        add(`${path}.length`, type, 0, 32, "length")
        break
      case "Struct":
        for (const member of type.members) {
          const inner = layout.types.get(member.type)!
          const within = distance - member.slot
          if (within >= 0n && within < StorageType.slots(inner)) {
            visit(`${path}.${member.name}`, inner, within, member.offset)
          }
        }
        break
      case "FixedArray":
        elements(path, type.base, type.length, distance)
        break
      case "BoundedArray":
        if (distance === 0n) add(`${path}.length`, type, 0, 32, "length")
        else elements(path, type.base, type.limit, distance - 1n)
        break
      case "BoundedBytes": {
        const rest = type.limit - 32n * (distance - 1n)
        if (distance === 0n) add(`${path}.length`, type, 0, 32, "length")
        // bytes fill a word from its high-order end
        else if (rest >= 32n) add(path, type, 0, 32, "value")
        else add(path, type, 32 - Number(rest), Number(rest), "value")
      }
    }
  }

  /** Visits the elements that are `distance` slots after the first one. */
  const elements = (path: string, id: StorageType.TypeId, length: bigint, distance: bigint): void => {
    const base = layout.types.get(id)!
    const { perSlot, slots } = Elements.stride(layout, base)
    const first = (distance / slots) * perSlot
    for (let index = first; index < length && index < first + perSlot; index++) {
      visit(`${path}[${index}]`, base, distance % slots, Elements.place(layout, base, 0n, index).offset)
    }
  }

  for (const variable of layout.variables) {
    const type = layout.types.get(variable.type)!
    const distance = Slot.add(slot, -variable.slot)
    if (distance < StorageType.slots(type)) {
      visit(Variables.locate(layout, variable)?.path ?? variable.name, type, distance, variable.offset)
    }
  }
  // one id may be found several times, and still name one struct
  const namespaces = new Map(layout.namespaces.map((one) => [`${one.type} ${one.id}`, one]))
  for (const { id, slot: start, type: typeId } of namespaces.values()) {
    const type = layout.types.get(typeId)!
    const distance = Slot.add(slot, -start)
    if (distance < StorageType.slots(type)) visit(Variables.pathOfNamespace(id), type, distance, 0)
  }
  return shares.sort((a, b) => a.offset - b.offset)
}
