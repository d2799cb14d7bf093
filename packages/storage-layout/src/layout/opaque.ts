/** Types without a meaning, for variables whose own description is missing or flawed. */
import * as StorageType from "./StorageType.ts"

type Types = Map<StorageType.TypeId, StorageType.StorageType>

/**
 * Adds a type of `slots` whole words without a meaning, and returns its id. The reason says why the words cannot be
 * read as values.
 */
export const words = (
  types: Types,
  id: StorageType.TypeId,
  fields: { readonly label: string; readonly reason: string; readonly slots: bigint }
): StorageType.TypeId => {
  const { label, reason, slots } = fields
  const word = `${id}~word`
  types.set(word, { _tag: "Opaque", label, size: 32, reason })
  if (slots <= 1n) return word
  types.set(`${id}~${slots}`, { _tag: "FixedArray", label, base: word, length: slots, slots })
  return `${id}~${slots}`
}

/** Adds a type without a meaning that takes the same bytes as another type, and returns its id. */
export const inPlaceOf = (
  types: Types,
  type: StorageType.StorageType,
  id: StorageType.TypeId,
  reason: string
): StorageType.TypeId => {
  const { label } = type
  if (!StorageType.isValueType(type)) return words(types, id, { label, reason, slots: StorageType.slots(type) })
  types.set(id, { _tag: "Opaque", label, size: type.size, reason })
  return id
}
