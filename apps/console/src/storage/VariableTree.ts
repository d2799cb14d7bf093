/** The variables of a contract as the rows of a tree. */
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import type * as StorageType from "@plumbline/storage-layout/layout/StorageType"
import * as Formula from "@plumbline/storage-layout/location/Formula"
import * as Location from "@plumbline/storage-layout/location/Location"
import * as Readable from "@plumbline/storage-layout/read/Readable"
import { type DecodedValue, Flaw, type Value } from "@plumbline/storage-layout/value/Value"
import * as ValueDifference from "@plumbline/storage-layout/value/ValueDifference"
import * as Result from "effect/Result"

import type { TypedEntry } from "../variables/ChosenLayouts.ts"

/** A row. */
export interface TreeRow {
  readonly path: string
  /** The last part of the path: a name, an index or a key. */
  readonly name: string
  readonly type: StorageType.StorageType
  readonly depth: number
  /** `Group` has parts, and `Mapping` has entries by key. */
  readonly kind: "Value" | "Group" | "Mapping"
  /** Undefined for a mapping, and for a value that could not be read. */
  readonly value: Value | undefined
  readonly isOpen: boolean
  /** True for an entry whose key the reader typed. */
  readonly isEntry: boolean
}

/** Maximum number of parts of one value that are listed. */
export const MAX_PARTS = 64

/** The values by path, and the entries that the reader named. */
export interface KnownValues {
  readonly values: ReadonlyMap<string, DecodedValue>
  readonly entries: ReadonlyArray<TypedEntry>
}

/** Returns the rows. `isOpen` says which groups show their parts. `isShown` says which rows are listed. */
export const rows = (
  layout: Layout,
  { entries, values }: KnownValues,
  isOpen: (path: string) => boolean,
  isShown: (path: string) => boolean = () => true
): ReadonlyArray<TreeRow> => {
  const all: Array<TreeRow> = []
  const visit = (
    path: string,
    name: string,
    type: StorageType.StorageType,
    value: Value | undefined,
    depth: number,
    isEntry = false
  ): void => {
    if (!isShown(path)) return
    const kind = type._tag === "Mapping" ? "Mapping" : isGroup(type, value) ? "Group" : "Value"
    const open = kind === "Mapping" || (kind === "Group" && isOpen(path))
    all.push({ path, name, type, depth, kind, value, isOpen: open, isEntry })
    if (!open) return
    const own = entries.filter(({ of }) => of === path)
    for (const entry of own) {
      const location = Result.getOrUndefined(Location.locate(layout, entry.path))
      if (location === undefined) continue
      visit(entry.path, entry.path.slice(path.length), location.type, values.get(entry.path)?.value, depth + 1, true)
    }
    if (type._tag === "Struct") {
      for (const member of type.members) {
        const inner = value === undefined ? undefined : (value as Readonly<Record<string, Value>>)[member.name]
        visit(`${path}.${member.name}`, member.name, layout.types.get(member.type)!, inner, depth + 1)
      }
    } else if ("base" in type && Array.isArray(value)) {
      const base = layout.types.get(type.base)!
      for (const [i, element] of (value as ReadonlyArray<Value>).slice(0, MAX_PARTS).entries()) {
        visit(`${path}[${i}]`, `[${i}]`, base, element, depth + 1)
      }
    }
  }
  for (const { path, type } of Readable.variables(layout)) visit(path, path, type, values.get(path)?.value, 0)
  // paths that the reader typed, and entries of mappings that are currently not listed
  const listed = new Set(all.map(({ path }) => path))
  for (const { path } of entries) {
    const location = listed.has(path) ? undefined : Result.getOrUndefined(Location.locate(layout, path))
    if (location !== undefined) visit(path, path, location.type, values.get(path)?.value, 0, true)
  }
  return all
}

/**
 * Returns what a path needs besides the variables that are always read: the entries of mappings on its way, and itself
 * if it names an element beyond those that are listed.
 */
export const entriesOf = (layout: Layout, path: string): ReadonlyArray<TypedEntry> => {
  const steps = Result.getOrUndefined(Formula.make(layout, path))?.steps ?? []
  const entries = steps.flatMap((step, i) =>
    step._tag === "Entry" ? [{ of: steps[i - 1]!.path, path: step.path }] : []
  )
  const isFar = steps.some((step) => step._tag === "Element" && step.index >= BigInt(MAX_PARTS))
  const last = steps.at(-1)
  return isFar && last !== undefined && last._tag !== "Entry" ? [...entries, { of: "", path: last.path }] : entries
}

/** Returns the paths on the way to a path, without itself. */
export const ancestorsOf = (layout: Layout, path: string): ReadonlyArray<string> =>
  (Result.getOrUndefined(Formula.make(layout, path))?.steps ?? []).slice(0, -1).map((step) => step.path)

const isGroup = (type: StorageType.StorageType, value: Value | undefined): boolean => {
  if (value instanceof Flaw) return false
  if (type._tag === "Struct") return true
  return "base" in type && Array.isArray(value) && value.length > 0
}

/** A part of a value that differs between two blocks. */
export type VariableChange = ValueDifference.ValueChange

/** Returns the parts that differ between two readings, in the order of the variables. */
export const changes = (layout: Layout, before: KnownValues, after: KnownValues): ReadonlyArray<VariableChange> =>
  [...after.values].flatMap(([path, { value }]) => {
    const location = Result.getOrUndefined(Location.locate(layout, path))
    const old = before.values.get(path)
    return location === undefined || old === undefined
      ? []
      : ValueDifference.between(layout, location, old.value, value)
  })

/** True if `path` is `whole`, or a part of it. */
export const isWithin = (path: string, whole: string): boolean =>
  path === whole || path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`)

/** Returns the value at a path, which names a variable, an entry, or a part of either, such as the length of an array. */
export const valueAt = ({ values }: KnownValues, path: string): Value | undefined => {
  const root = [...values.keys()].filter((one) => isWithin(path, one)).toSorted((a, b) => b.length - a.length)[0]
  if (root === undefined) return undefined
  let value: Value | undefined = values.get(root)!.value
  for (const [, name, index] of path.slice(root.length).matchAll(/\.([^.[\]]+)|\[(\d+)\]/gu)) {
    if (value instanceof Flaw || typeof value !== "object") return undefined
    const part = name ?? index!
    if (!Object.hasOwn(value, part)) return undefined
    // a part of an array is an element, or its length, which JavaScript has as a number
    value =
      name === "length" && Array.isArray(value)
        ? BigInt(value.length)
        : (value as Readonly<Record<string, Value>>)[part]
  }
  return value
}

/** True unless the path names an element beyond the end of its array. */
export const isThere = (known: KnownValues, path: string): boolean => {
  const [, array = "", index] = /^(.*)\[(\d+)\]$/u.exec(path) ?? []
  const value = index === undefined ? undefined : valueAt(known, array)
  return !Array.isArray(value) || Number(index) < value.length
}
