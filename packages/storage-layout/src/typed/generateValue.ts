/** Converts our layout to solc's form with the additional fields. The reverse of `solcLayout.ts`. */
import type { Layout, Variable } from "../layout/Layout.ts"
import type { StructMember, StorageType, TypeId, ValueType } from "../layout/StorageType.ts"
import { elementary } from "../layout/valueTypes.ts"
import type { PrintableObject } from "./printer.ts"

/** Returns the layout as an object. Undefined members are left out. */
export const make = (layout: Layout): PrintableObject => {
  const names = new Names(layout)
  const counts = Map.groupBy(layout.variables, ({ name }) => name)
  return compact({
    dialect: layout.dialect === "solidity" ? undefined : layout.dialect,
    area: layout.area === "storage" ? undefined : layout.area,
    contract: layout.contract,
    storage: layout.variables.map((variable) =>
      compact({
        label: variable.name,
        path: counts.get(variable.name)!.length > 1 ? pathOf(variable) : undefined,
        declaredIn: variable.declaredIn,
        ...place(variable, names)
      })
    ),
    namespaces:
      layout.namespaces.length === 0
        ? undefined
        : layout.namespaces.map(({ id, type }) => ({ id, type: names.of(type) })),
    elsewhere: layout.elsewhere.length === 0 ? undefined : layout.elsewhere.map(({ name, where }) => ({ name, where })),
    types: Object.fromEntries(
      [...layout.types]
        .map(([id, type]) => [names.of(id), typeOf(names.of(id), type, names)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1))
    )
  })
}

const place = ({ offset, slot, type }: Pick<StructMember, "offset" | "slot" | "type">, names: Names) => ({
  offset,
  slot: String(slot),
  type: names.of(type)
})

/** Returns the start of a variable's paths, if that differs from its name. */
const pathOf = ({ declaredIn, name }: Variable): string | undefined =>
  declaredIn === undefined ? undefined : `${declaredIn}.${name}`

const typeOf = (id: string, type: StorageType, names: Names): PrintableObject => {
  const { label } = type
  switch (type._tag) {
    case "Mapping":
      return { encoding: "mapping", label, numberOfBytes: "32", key: names.of(type.key), value: names.of(type.value) }
    case "DynamicArray":
      return { encoding: "dynamic_array", label, numberOfBytes: "32", base: names.of(type.base) }
    case "DynamicBytes":
      return { encoding: "bytes", label, numberOfBytes: "32" }
    case "BoundedBytes":
      return { encoding: "bounded_bytes", label, numberOfBytes: bytesOf(type.slots), limit: String(type.limit) }
    case "BoundedArray":
      return {
        encoding: "bounded_array",
        label,
        numberOfBytes: bytesOf(type.slots),
        limit: String(type.limit),
        base: names.of(type.base)
      }
    case "Struct": {
      const members = type.members.map((member) => ({ label: member.name, ...place(member, names) }))
      return { encoding: "inplace", label, numberOfBytes: bytesOf(type.slots), members }
    }
    case "FixedArray":
      return {
        encoding: "inplace",
        label,
        numberOfBytes: bytesOf(type.slots),
        length: String(type.length),
        base: names.of(type.base)
      }
    default:
      return { encoding: "inplace", label, numberOfBytes: String(type.size), ...enriched(id, type) }
  }
}

const bytesOf = (slots: bigint): string => String(slots * 32n)

/** Returns the fields that come from the syntax tree. */
const enriched = (id: string, type: ValueType): PrintableObject => {
  switch (type._tag) {
    case "Enum":
      return type.members === undefined ? {} : { enumMembers: type.members }
    case "Opaque":
      return { opaque: type.reason }
    case "ExternalFunction":
    case "InternalFunction":
      return {}
    default: {
      const underlying = nameOf(type)
      const isKnown = !id.startsWith(USER_DEFINED) && elementary(type.label) !== undefined
      return isKnown || (type._tag === "Address" && id.startsWith("t_contract(")) ? {} : { underlying }
    }
  }
}

const USER_DEFINED = "t_userDefinedValueType("

/** Returns the name of an elementary type, such as `uint96`. */
const nameOf = ({
  _tag,
  size
}: Exclude<ValueType, { readonly _tag: "Enum" | "Opaque" | "ExternalFunction" | "InternalFunction" }>): string => {
  switch (_tag) {
    case "Bool":
      return "bool"
    case "Decimal":
      return "decimal"
    case "Address":
      return "address"
    case "FixedBytes":
      return `bytes${size}`
    default:
      return `${_tag === "Uint" ? "uint" : "int"}${size * 8}`
  }
}

/** Matches type ids such as `t_struct(Point)107_storage`: 107 is the id of the definition in the syntax tree. */
const DEFINED = /t_(enum|struct|contract|userDefinedValueType)\(([^()]*)\)(\d+)/g

/**
 * Renames the ids of types: definitions with the same name are numbered in the order of their first use. Ids of the
 * syntax tree would change with every line that is added to any source.
 */
class Names {
  readonly #numbers = new Map<string, number>()
  readonly #counts = new Map<string, number>()

  constructor({ namespaces, types, variables }: Layout) {
    const seen = new Set<TypeId>()
    const rest = [...variables, ...namespaces].map(({ type }) => type).toReversed()
    while (rest.length > 0) {
      const id = rest.pop()!
      if (seen.has(id)) continue
      seen.add(id)
      this.of(id)
      rest.push(...referred(types.get(id)!).toReversed())
    }
    // unused types come last, sorted
    for (const id of [...types.keys()].filter((id) => !seen.has(id)).sort()) this.of(id)
  }

  of(id: TypeId): string {
    return id.replaceAll(DEFINED, (whole, kind: string, name: string) => {
      const known = this.#numbers.get(whole)
      const definition = `t_${kind}(${name})`
      if (known !== undefined) return `${definition}${known}`
      const number = (this.#counts.get(definition) ?? 0) + 1
      this.#counts.set(definition, number)
      this.#numbers.set(whole, number)
      return `${definition}${number}`
    })
  }
}

const referred = (type: StorageType): ReadonlyArray<TypeId> => {
  switch (type._tag) {
    case "Mapping":
      return [type.key, type.value]
    case "Struct":
      return type.members.map((member) => member.type)
    default:
      return "base" in type ? [type.base] : []
  }
}

const compact = (fields: Readonly<Record<string, PrintableObject[string] | undefined>>): PrintableObject =>
  Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, PrintableObject[string]] => entry[1] !== undefined)
  )
