/** Finds the differences between two values of one type. */
import type { Layout } from "../layout/Layout.ts"
import type * as StorageType from "../layout/StorageType.ts"
import type { Location } from "../location/Location.ts"
import { Flaw, type ExternalFunction, type Value } from "./Value.ts"

/** A part of a value that changed. A side is undefined if its array is too short to have the part. */
export interface ValueChange {
  readonly path: string
  readonly from: Value | undefined
  readonly to: Value | undefined
}

/**
 * Returns the smallest parts that changed, in order. The list is empty if the values are equal.
 *
 * Elements that an array gained or lost are returned whole. Elements that both sides have are compared by index.
 *
 * ```ts import.meta.vitest
 * import { ValueDifference, Layout, Location } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const layout = Result.getOrThrow(Layout.fromVyper({ list: { type: "DynArray[uint256, 9]", slot: 0 } }))
 * const list = Result.getOrThrow(Location.locate(layout, "list"))
 * const changes = ValueDifference.between(layout, list, [1n, 2n], [1n, 3n, 4n])
 * changes[0] // => { path: "list[1]", from: 2n, to: 3n }
 * changes[1] // => { path: "list[2]", from: undefined, to: 4n }
 * ```
 */
export const between = (
  layout: Layout,
  { part, path, type }: Location,
  from: Value,
  to: Value
): ReadonlyArray<ValueChange> => {
  const changes: Array<ValueChange> = []
  const walk = (type: StorageType.StorageType, path: string, from: Value | undefined, to: Value | undefined): void => {
    const isWhole = from === undefined || to === undefined || from instanceof Flaw || to instanceof Flaw
    if (!isWhole && type._tag === "Struct") {
      for (const { name, type: id } of type.members) {
        const before = (from as Record<string, Value>)[name]
        const after = (to as Record<string, Value>)[name]
        if (before !== undefined) walk(layout.types.get(id)!, `${path}.${name}`, before, after)
      }
    } else if (!isWhole && "base" in type) {
      const before = from as ReadonlyArray<Value>
      const after = to as ReadonlyArray<Value>
      const base = layout.types.get(type.base)!
      for (let i = 0; i < before.length || i < after.length; i++) walk(base, `${path}[${i}]`, before[i], after[i])
    } else if (!isSame(from, to)) {
      changes.push({ path, from, to })
    }
  }
  if (part === "length") {
    if (!isSame(there(from), there(to))) changes.push({ path, from: there(from), to: there(to) })
  } else walk(type, path, there(from), there(to))
  return changes
}

/** Returns undefined for an index beyond the array's end. */
const there = (value: Value): Value | undefined =>
  value instanceof Flaw && value.reason === "OutOfRange" ? undefined : value

const isSame = (a: Value | undefined, b: Value | undefined): boolean => {
  if (a === b) return true
  if (a instanceof Flaw && b instanceof Flaw) return a.reason === b.reason && a.bytes === b.bytes
  return isFunction(a) && isFunction(b) && a.address === b.address && a.selector === b.selector
}

const isFunction = (value: Value | undefined): value is ExternalFunction =>
  typeof value === "object" && "selector" in value && !(value instanceof Flaw)
