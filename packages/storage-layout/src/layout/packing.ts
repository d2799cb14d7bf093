/**
 * Packs variables and members one after the other, as solc does. Source: the Solidity documentation, "Layout of State
 * Variables".
 */
import * as StorageType from "./StorageType.ts"

/** Places the declarations from the first slot on. Returns the places and the number of slots. */
export const pack = (
  declared: ReadonlyArray<{ readonly name: string; readonly type: StorageType.TypeId }>,
  types: ReadonlyMap<StorageType.TypeId, StorageType.StorageType>
): { readonly members: ReadonlyArray<StorageType.StructMember>; readonly slots: bigint } => {
  const members: Array<StorageType.StructMember> = []
  let slot = 0n
  let offset = 0
  for (const { name, type } of declared) {
    const found = types.get(type)!
    const fits = StorageType.isValueType(found) && offset + found.size <= 32
    if (!fits && offset > 0) {
      slot += 1n
      offset = 0
    }
    members.push({ name, slot, offset, type })
    if (StorageType.isValueType(found)) offset += found.size
    else slot += StorageType.slots(found)
  }
  return { members, slots: offset > 0 ? slot + 1n : slot }
}
