/**
 * Finds the variables of a contract that can be read without keys.
 *
 * Entries of mappings need keys, because storage does not list them. All parts that are left out are listed, with the
 * reason.
 */
import * as Result from "effect/Result"

import type { Layout } from "../layout/Layout.ts"
import type * as StorageType from "../layout/StorageType.ts"
import * as Location from "../location/Location.ts"
import * as VariableLocations from "../location/variableLocations.ts"
import { type DecodedValue, Flaw, type Value } from "../value/Value.ts"
import * as ValueReader from "../value/valueReader.ts"

/**
 * A part that was not read.
 *
 * - `Mapping`: a mapping, or an array of mappings. `list[].votes` is the `votes` of every element of `list`.
 * - `TooLarge`: the part has more words than the options of the reading allow.
 * - `TooDeep`: the part has more levels than the options of the reading allow.
 * - `NoPath`: variables share a name, and the layout was read without the syntax tree that distinguishes them.
 */
export interface LeftOutVariable {
  readonly path: string
  /** The type as the source writes it. */
  readonly type: string
  readonly reason: "Mapping" | "TooLarge" | "TooDeep" | "NoPath"
}

/** The locations that can be read, and the variables that have no value. */
export interface ReadableVariables {
  readonly locations: ReadonlyArray<Location.Location>
  readonly left: ReadonlyArray<LeftOutVariable>
}

/**
 * Locates the variables and namespaces of a layout that have a value, in the layout's order.
 *
 * ```ts import.meta.vitest
 * import { Layout, Readable } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const layout = Layout.fromVyper({
 *   owner: { type: "address", slot: 0 },
 *   balances: { type: "HashMap[address, uint256]", slot: 1 }
 * })
 * const { left, locations } = Readable.locate(Result.getOrThrow(layout))
 * locations.map(({ path }) => path) // => ["owner"]
 * left // => [{ path: "balances", type: "HashMap[address, uint256]", reason: "Mapping" }]
 * ```
 */
export const locate = (layout: Layout): ReadableVariables => {
  const { left, located } = walk(layout)
  const mappings = located.filter(({ type }) => !ValueReader.hasValue(layout, type))
  return {
    locations: located.filter(({ type }) => ValueReader.hasValue(layout, type)),
    left: [
      ...mappings.map(({ path, type }): LeftOutVariable => ({ path, type: type.label, reason: "Mapping" })),
      ...left
    ]
  }
}

/**
 * Locates every variable and namespace that has a path, including mappings, in the layout's order.
 *
 * ```ts import.meta.vitest
 * import { Layout, Readable } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const layout = Layout.fromVyper({ balances: { type: "HashMap[address, uint256]", slot: 1 } })
 * Readable.variables(Result.getOrThrow(layout)).map(({ path }) => path) // => ["balances"]
 * ```
 */
export const variables = (layout: Layout): ReadonlyArray<Location.Location> => walk(layout).located

const walk = (layout: Layout) => {
  const located: Array<Location.Location> = []
  const left: Array<LeftOutVariable> = []
  for (const variable of layout.variables) {
    const location = VariableLocations.locate(layout, variable)
    if (location !== undefined) located.push(location)
    else left.push({ path: variable.name, type: layout.types.get(variable.type)!.label, reason: "NoPath" })
  }
  // an id may be found several times, and still mean the same struct
  for (const id of new Set(layout.namespaces.map(({ id }) => id))) {
    const path = VariableLocations.pathOfNamespace(id)
    const location = Location.locate(layout, path)
    if (Result.isSuccess(location)) located.push(location.success)
    else left.push({ path, type: "struct", reason: "NoPath" })
  }
  return { left, located }
}

/**
 * Returns the parts that are missing in the values at some locations: mappings within the values, and parts beyond the
 * limits of the reading. Each path is returned once.
 *
 * ```ts import.meta.vitest
 * import { Layout, Readable, Value } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const layout = Result.getOrThrow(Layout.fromVyper({ list: { type: "DynArray[uint256, 9]", slot: 0 } }))
 * const { locations } = Readable.locate(layout)
 * const flaw = new Value.Flaw("TooLarge", "list")
 * const left = Readable.leftOut(layout, locations, [{ value: flaw, flaws: [flaw] }])
 * left // => [{ path: "list", type: "DynArray[uint256, 9]", reason: "TooLarge" }]
 * ```
 */
export const leftOut = (
  layout: Layout,
  locations: ReadonlyArray<Location.Location>,
  values: ReadonlyArray<DecodedValue>
): ReadonlyArray<LeftOutVariable> => {
  const left = new Map<string, LeftOutVariable>()
  const add = (path: string, { label }: StorageType.StorageType, reason: LeftOutVariable["reason"]) =>
    left.set(path, { path, type: label, reason })
  const walk = (type: StorageType.StorageType, value: Value, path: string, hasFlaws: boolean): void => {
    if (value instanceof Flaw) {
      if (value.reason === "TooLarge" || value.reason === "TooDeep") add(value.path, type, value.reason)
    } else if (!hasFlaws && !mayHoldMapping(layout, type)) {
      return
    } else if (type._tag === "Struct") {
      for (const member of type.members) {
        const inner = layout.types.get(member.type)!
        const below = `${path}.${member.name}`
        if (!ValueReader.hasValue(layout, inner)) add(below, inner, "Mapping")
        else walk(inner, (value as Record<string, Value>)[member.name]!, below, hasFlaws)
      }
    } else if ("base" in type) {
      const base = layout.types.get(type.base)!
      for (const element of value as ReadonlyArray<Value>) walk(base, element, `${path}[]`, hasFlaws)
    }
  }
  for (const [i, { part, path, type }] of locations.entries()) {
    const { flaws, value } = values[i]!
    if (part === "value") walk(type, value, path, flaws.length > 0)
  }
  return Array.from(left.values())
}

const mayHoldMapping = (layout: Layout, type: StorageType.StorageType): boolean => {
  const seen = new Set<StorageType.StorageType>([type])
  for (const inner of seen) {
    if (inner._tag === "Mapping") return true
    const below = inner._tag === "Struct" ? inner.members.map(({ type }) => type) : "base" in inner ? [inner.base] : []
    for (const id of below) seen.add(layout.types.get(id)!)
  }
  return false
}
