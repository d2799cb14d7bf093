/** Finds the shares of a slot: its parts, each with its variable, member or element. */
import * as Result from "effect/Result"

import type { Layout } from "../layout/Layout.ts"
import * as StorageType from "../layout/StorageType.ts"
import * as Path from "../path/Path.ts"
import type { PathError } from "../path/PathError.ts"
import * as Slot from "../slot/Slot.ts"
import * as ArrayElements from "./arrayElements.ts"
import * as FollowPath from "./followPath.ts"
import * as VariableLocations from "./variableLocations.ts"

/** A part of a slot that belongs to one variable, member or element. */
export interface SlotShare {
  /**
   * The path of this part, for `Location.locate`. If variables share a name and the layout lacks the syntax tree, the
   * path is only the bare name.
   */
  readonly path: string
  /** `length` if the bytes are the length of an array, or of a bounded text of Vyper. */
  readonly part: "value" | "length"
  /** Distance from the low-order end of the slot, in bytes. */
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
 * This function finds only parts whose slot is not a hash: variables, namespaces, and the structs and arrays of fixed
 * size inside them. The slot of a mapping is empty, and belongs to the mapping. Bytes without a share belong to no
 * variable.
 *
 * In Vyper all elements up to the limit of a `DynArray` are found, regardless of its length. {@link ofPath} finds the
 * parts of slots that are hashes.
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
export const inSlot = (layout: Layout, slot: Slot.Slot): ReadonlyArray<SlotShare> => {
  const { shares, visit } = collector(layout)
  for (const variable of layout.variables) {
    const type = layout.types.get(variable.type)!
    const distance = Slot.add(slot, -variable.slot)
    if (distance < StorageType.slots(type)) {
      visit(VariableLocations.locate(layout, variable)?.path ?? variable.name, type, distance, variable.offset)
    }
  }
  // the layout can list the same namespace several times, so equal types and ids are kept once
  const namespaces = new Map(layout.namespaces.map((one) => [`${one.type} ${one.id}`, one]))
  for (const { id, slot: start, type: typeId } of namespaces.values()) {
    const type = layout.types.get(typeId)!
    const distance = Slot.add(slot, -start)
    if (distance < StorageType.slots(type)) visit(VariableLocations.pathOfNamespace(id), type, distance, 0)
  }
  return inOrder(shares)
}

/**
 * Returns all variables, members and elements that share a slot with the value that a path names, from the low-order
 * end of the slot on. Default of `slot`: the first slot of the value.
 *
 * **Details**
 *
 * This function also finds the parts of slots that are hashes: the members of a mapping's entry, and the neighbours of
 * an array's element. Only slots of the innermost entry or element on the path are searched; for any other slot, the
 * result is empty.
 *
 * The lengths of arrays are in storage, so all elements that fit into the slot are found.
 *
 * Fails with `PathError` as `Location.locate` does.
 *
 * ```ts import.meta.vitest
 * import { Layout, Share } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const layout = Result.getOrThrow(
 *   Layout.fromSolc({
 *     storage: [{ label: "votes", offset: 0, slot: "0", type: "t_votes" }],
 *     types: {
 *       t_uint128: { encoding: "inplace", label: "uint128", numberOfBytes: "16" },
 *       t_votes: { encoding: "dynamic_array", label: "uint128[]", numberOfBytes: "32", base: "t_uint128" }
 *     }
 *   })
 * )
 * const shares = Result.getOrThrow(Share.ofPath(layout, "votes[3]"))
 * shares.map(({ offset, path }) => [path, offset]) // => [["votes[2]", 0], ["votes[3]", 16]]
 * ```
 */
export const ofPath = (
  layout: Layout,
  path: string | Path.ParsedPath,
  slot?: Slot.Slot
): Result.Result<ReadonlyArray<SlotShare>, PathError> =>
  Result.flatMap(typeof path === "string" ? Path.parse(path) : Result.succeed(path), (path) => {
    const trail: Array<FollowPath.PassedPlace> = []
    return Result.map(FollowPath.walk(layout, path, trail), (location) => {
      const wanted = slot ?? location.slot
      const at = trail.findLastIndex(({ to }, i) => i > 0 && to.part === "value" && isHashed(trail[i - 1]!.to.type))
      if (at < 0) return inSlot(layout, wanted)
      const { elements, shares, visit } = collector(layout)
      const [from, to] = [trail[at - 1]!.to, trail[at]!.to]
      const distance = Slot.add(wanted, -to.slot)
      if (distance >= StorageType.slots(to.type)) return []
      const used = trail.slice(0, at + 1).reduce((sum, { steps }) => sum + steps.length, 0)
      if (from.type._tag === "DynamicArray") {
        // elements may share a slot, so they are counted from the first element
        elements(textUntil(path, used - 1), from.type.base, Slot.COUNT, Slot.add(wanted, -Slot.data(from.slot)))
      } else visit(textUntil(path, used), to.type, distance, to.offset)
      return inOrder(shares)
    })
  })

/** True if the parts of a value of the type are at slots that are computed by hashing. */
const isHashed = ({ _tag }: StorageType.StorageType): boolean => _tag === "Mapping" || _tag === "DynamicArray"

/** Returns the first `steps` steps of a path. A step begins after its `.` or `[`. */
const textUntil = ({ steps, text }: Path.ParsedPath, count: number): string => {
  const next = steps[count]
  return next === undefined ? text : text.slice(0, next.at - 1)
}

const inOrder = (shares: Array<SlotShare>): ReadonlyArray<SlotShare> => shares.sort((a, b) => a.offset - b.offset)

/** Makes a list of shares, with functions that add the parts of values to it. */
const collector = (layout: Layout) => {
  const shares: Array<SlotShare> = []
  const add = (path: string, type: StorageType.StorageType, offset: number, bytes: number, part: SlotShare["part"]) =>
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
    const { perSlot, slots } = ArrayElements.stride(layout, base)
    const first = (distance / slots) * perSlot
    for (let index = first; index < length && index < first + perSlot; index++) {
      visit(`${path}[${index}]`, base, distance % slots, ArrayElements.place(layout, base, 0n, index).offset)
    }
  }

  return { shares, visit, elements }
}
