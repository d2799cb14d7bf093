/** Checks that the types of a layout fit together, so that code that uses them need not check again. */
import { LayoutError } from "./LayoutError.ts"
import type { Layout } from "./layoutModel.ts"
import * as StorageType from "./StorageType.ts"

export const inconsistent = (detail: string): LayoutError =>
  new LayoutError({ reason: "Inconsistent", detail: `the layout contradicts itself: ${detail}` })

/** Maximum nesting of types in place, which is more than any source has. */
const MAX_NESTING = 64

type Types = ReadonlyMap<StorageType.TypeId, StorageType.StorageType>

/**
 * Throws `LayoutError` `Inconsistent` if a type refers to a missing type, or if the contents of a type do not match its
 * size.
 */
export const checkTypes = (types: Types, dialect: Layout["dialect"]): void => {
  const depths: Depths = new Map()
  for (const [id, type] of types) {
    checkType(id, type, types, dialect)
    nesting(id, id, types, depths, 0)
  }
}

const checkType = (
  id: StorageType.TypeId,
  type: StorageType.StorageType,
  types: Types,
  dialect: Layout["dialect"]
): void => {
  for (const other of referred(type)) {
    if (!types.has(other)) throw inconsistent(`${id} names the type ${other}, which is not there`)
  }
  checkArrays(id, types)
  if (type._tag === "FixedArray") {
    // elements of an empty array would repeat endlessly; neither compiler accepts a length of zero
    if (type.length === 0n) throw inconsistent(`${id} has no elements`)
    const base = types.get(type.base)!
    const slots = dialect === "solidity" ? arraySlots(base, type.length) : type.length * StorageType.slots(base)
    if (type.slots !== slots) throw inconsistent(`${id} has ${type.slots} slots`)
  }
  if (type._tag === "BoundedArray" && type.slots !== 1n + type.limit * StorageType.slots(types.get(type.base)!)) {
    throw inconsistent(`${id} has ${type.slots} slots`)
  }
  if (type._tag === "BoundedBytes" && type.slots !== 1n + (type.limit + 31n) / 32n) {
    throw inconsistent(`${id} has ${type.slots} slots`)
  }
  if (type._tag === "Struct") {
    // elements without slots would repeat endlessly
    if (type.slots === 0n) throw inconsistent(`${id} has no slots`)
    // each byte belongs to at most one member, so a struct has at most as many values as bytes
    let free = 0n
    for (const member of type.members) {
      const inner = types.get(member.type)!
      const end = member.offset + (StorageType.isValueType(inner) ? inner.size : 32)
      if (end > 32) throw inconsistent(`${id}.${member.name} crosses a slot`)
      if (member.slot + StorageType.slots(inner) > type.slots) throw inconsistent(`${id}.${member.name} is outside`)
      const at = 32n * member.slot + BigInt(member.offset)
      if (at < free) throw inconsistent(`${id}.${member.name} is where another member is`)
      free = at + (StorageType.isValueType(inner) ? BigInt(inner.size) : 32n * StorageType.slots(inner))
    }
  }
  if (type._tag === "Mapping") {
    const key = types.get(type.key)!
    if (!StorageType.isValueType(key) && key._tag !== "DynamicBytes" && key._tag !== "BoundedBytes") {
      throw inconsistent(`${id} has keys of the type ${type.key}`)
    }
  }
}

/** Returns the number of slots that the elements of a fixed array take. Value types are packed. */
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

/**
 * Checks that arrays of arrays end in another type. A struct may hold a dynamic array of itself; only storage shows how
 * deeply such arrays nest.
 */
const checkArrays = (id: StorageType.TypeId, types: Types): void => {
  let type = types.get(id)
  for (let depth = 0; type !== undefined && "base" in type; depth++) {
    if (depth > MAX_NESTING) throw inconsistent(`${id} is nested without end`)
    type = types.get(type.base)
  }
}

/** Nesting depth of the types seen so far; `undefined` while a type is being visited. */
type Depths = Map<StorageType.TypeId, number | undefined>

/**
 * Throws if a type holds itself in place. Visits each type once, because structs may hold each other in very many ways.
 */
const nesting = (
  root: StorageType.TypeId,
  id: StorageType.TypeId,
  types: Types,
  depths: Depths,
  above: number
): number => {
  const known = depths.get(id)
  const isOpen = known === undefined && depths.has(id)
  if (isOpen || above + (known ?? 0) > MAX_NESTING) throw inconsistent(`${root} is nested without end`)
  if (known !== undefined) return known
  depths.set(id, undefined)
  const type = types.get(id)
  let depth = 0
  for (const inner of type === undefined ? [] : inPlace(type)) {
    depth = Math.max(depth, 1 + nesting(root, inner, types, depths, above + 1))
  }
  depths.set(id, depth)
  return depth
}
