/** That the types of a layout fit together, so that whoever follows them need not ask again. */
import { LayoutError } from "../LayoutError.ts"
import * as StorageType from "../StorageType.ts"

export const inconsistent = (detail: string): LayoutError =>
  new LayoutError({ reason: "Inconsistent", detail: `the layout contradicts itself: ${detail}` })

/** Types in place within types: more than any source has. */
const MAX_NESTING = 64

type Types = ReadonlyMap<StorageType.TypeId, StorageType.StorageType>

/** Throws `LayoutError` `Inconsistent` if the type names one that is not there, or does not hold what it says. */
export const checkType = (id: StorageType.TypeId, type: StorageType.StorageType, types: Types): void => {
  for (const other of referred(type)) {
    if (!types.has(other)) throw inconsistent(`${id} names the type ${other}, which is not there`)
  }
  checkNesting(id, id, types, 0)
  checkArrays(id, types)
  if (type._tag === "FixedArray") {
    const base = types.get(type.base)!
    if (type.slots !== arraySlots(base, type.length)) throw inconsistent(`${id} has ${type.slots} slots`)
  }
  if (type._tag === "Struct") {
    // an array of nothing has no end
    if (type.slots === 0n) throw inconsistent(`${id} has no slots`)
    for (const member of type.members) {
      const inner = types.get(member.type)!
      const end = member.offset + (StorageType.isValueType(inner) ? inner.size : 32)
      if (end > 32) throw inconsistent(`${id}.${member.name} crosses a slot`)
      if (member.slot + StorageType.slots(inner) > type.slots) throw inconsistent(`${id}.${member.name} is outside`)
    }
  }
  if (type._tag === "Mapping") {
    const key = types.get(type.key)!
    if (!StorageType.isValueType(key) && key._tag !== "DynamicBytes" && key._tag !== "BoundedBytes") {
      throw inconsistent(`${id} has keys of the type ${type.key}`)
    }
  }
}

/** How many slots the elements of a fixed array take, packed where they are values. */
export const arraySlots = (base: StorageType.StorageType, length: bigint): bigint => {
  if (!StorageType.isValueType(base)) return length * StorageType.slots(base)
  const each = BigInt(Math.floor(32 / base.size))
  return (length + each - 1n) / each
}

const referred = (type: StorageType.StorageType): ReadonlyArray<StorageType.TypeId> =>
  type._tag === "Mapping" ? [type.key, type.value] : type._tag === "DynamicArray" ? [type.base] : inPlace(type)

const inPlace = (type: StorageType.StorageType): ReadonlyArray<StorageType.TypeId> => {
  switch (type._tag) {
    case "Struct":
      return type.members.map((member) => member.type)
    case "FixedArray":
    case "BoundedArray":
      return [type.base]
    default:
      return []
  }
}

/** Arrays of arrays end in something else. A struct may hold a dynamic array of itself: how deep that is, storage tells. */
const checkArrays = (id: StorageType.TypeId, types: Types): void => {
  let type = types.get(id)
  for (let depth = 0; type !== undefined && "base" in type; depth++) {
    if (depth > MAX_NESTING) throw inconsistent(`${id} is nested without end`)
    type = types.get(type.base)
  }
}

/** A type cannot hold itself in place. */
const checkNesting = (root: StorageType.TypeId, id: StorageType.TypeId, types: Types, depth: number): void => {
  if (depth > MAX_NESTING) throw inconsistent(`${root} is nested without end`)
  const type = types.get(id)
  for (const inner of type === undefined ? [] : inPlace(type)) checkNesting(root, inner, types, depth + 1)
}
