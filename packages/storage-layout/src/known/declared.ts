/** Makes layouts of well-known contracts from declarations that are written as in the contracts' sources. */
import type { Layout } from "../layout/Layout.ts"
import { pack } from "../layout/packing.ts"
import type * as StorageType from "../layout/StorageType.ts"
import { elementary } from "../layout/valueTypes.ts"
import * as Slot from "../slot/Slot.ts"

/** A declaration `type name`, such as `mapping(address => uint256) _balances`. */
export type Declaration = string

/**
 * The declarations of a layout. A type may be elementary, `string`, `bytes`, a mapping, a dynamic array, or one of
 * `structs`.
 */
export interface Declared {
  readonly structs?: Readonly<Record<string, ReadonlyArray<Declaration>>>
  /** Slot of the first variable. Default: 0. */
  readonly first?: bigint
  readonly variables?: ReadonlyArray<Declaration>
  /** Members of each namespace's struct, by the namespace's id. */
  readonly namespaces?: Readonly<Record<string, ReadonlyArray<Declaration>>>
}

export const layout = ({ first = 0n, namespaces = {}, structs = {}, variables = [] }: Declared): Layout => {
  const types = new Map<StorageType.TypeId, StorageType.StorageType>()
  /** Adds a type, and returns its id, which is its text in the source. */
  const add = (label: string): StorageType.TypeId => {
    if (!types.has(label)) types.set(label, typeOf(label))
    return label
  }
  const typeOf = (label: string): StorageType.StorageType => {
    const [, key, value] = /^mapping\((\w+) => (.+)\)$/.exec(label) ?? []
    if (key !== undefined && value !== undefined) return { _tag: "Mapping", label, key: add(key), value: add(value) }
    if (label.endsWith("[]")) return { _tag: "DynamicArray", label, base: add(label.slice(0, -2)) }
    if (label === "string" || label === "bytes") return { _tag: "DynamicBytes", label, text: label === "string" }
    return elementary(label) ?? structOf(`struct ${label}`, structs[label]!)
  }
  const structOf = (label: string, members: ReadonlyArray<Declaration>): StorageType.Struct => ({
    _tag: "Struct",
    label,
    ...placed(members)
  })
  const placed = (declarations: ReadonlyArray<Declaration>) => {
    const declared = declarations.map((text) => {
      const space = text.lastIndexOf(" ")
      return { name: text.slice(space + 1), type: add(text.slice(0, space)) }
    })
    return pack(declared, types)
  }
  return {
    dialect: "solidity",
    area: "storage",
    contract: undefined,
    variables: placed(variables).members.map((member) => ({
      ...member,
      declaredIn: undefined,
      slot: first + member.slot
    })),
    namespaces: Object.entries(namespaces).map(([id, members]) => {
      const type = `erc7201:${id}`
      types.set(type, structOf(type, members))
      return { id, slot: Slot.erc7201(id), type }
    }),
    elsewhere: [],
    types
  }
}
