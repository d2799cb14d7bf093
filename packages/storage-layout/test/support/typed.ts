/** Writes paths as a program with a typed accessor writes them, and derives their types from the contract's ABI. */
import { type Layout, Path, type StorageType } from "@plumbline/storage-layout"
import { Result } from "effect"
import type { AbiParameter } from "viem"

/** Returns an expression such as `vault.list.at(3n).owner`; undefined if a typed path has another form. */
export const expression = (layout: Layout.Layout, accessor: string, text: string): string | undefined => {
  const path = Result.getOrThrow(Path.parse(text))
  let { steps } = path
  let type: StorageType.StorageType | undefined
  let code = accessor
  if (path.root._tag === "Namespace") {
    const { id } = path.root
    code += `[${JSON.stringify(`erc7201("${id}")`)}]`
    type = layout.types.get(layout.namespaces.find((namespace) => namespace.id === id)!.type)
  } else {
    const { name } = path.root
    const called = layout.variables.filter((variable) => variable.name === name)
    const [step] = steps
    if (called.length === 1) {
      code += `.${name}`
      type = layout.types.get(called[0]!.type)
    } else if (called.length === 0 && step?._tag === "Member") {
      const found = layout.variables.filter((variable) => variable.name === step.name)
      // a qualified name is needed only if several variables share the name
      if (found.length === 1) return undefined
      code += `["${name}.${step.name}"]`
      type = layout.types.get(found.find(({ declaredIn }) => declaredIn === name)!.type)
      steps = steps.slice(1)
    } else return undefined
  }
  for (const step of steps) {
    if (step._tag === "Member") {
      code += `.${step.name}`
      type =
        type?._tag === "Struct" ? layout.types.get(type.members.find(({ name }) => name === step.name)!.type) : type
      continue
    }
    if (type?._tag === "Mapping") {
      const key = layout.types.get(type.key)!
      if (key._tag === "Enum" && step.key._tag === "Number") return undefined
      code += `.get(${literal(step.key, key)})`
      type = layout.types.get(type.value)
    } else {
      code += `.at(${literal(step.key, undefined)})`
      type = layout.types.get((type as StorageType.DynamicArray).base)
    }
  }
  return code
}

/**
 * Returns expressions for the innermost values of every variable: with one key of each mapping, one index of each
 * array, and every member of each struct.
 */
export const everything = (layout: Layout.Layout, accessor: string): ReadonlyArray<string> => {
  // arrays of mappings have no value
  const holds = (type: StorageType.StorageType): boolean =>
    "base" in type ? holds(layout.types.get(type.base)!) : type._tag !== "Mapping"
  const names = Map.groupBy(layout.variables, ({ name }) => name)
  const follow = (code: string, id: StorageType.TypeId, depth: number): ReadonlyArray<string> => {
    const type = layout.types.get(id)!
    if (depth > 6) return [code]
    if (type._tag === "Mapping") {
      return follow(`${code}.get(${someKey(layout.types.get(type.key)!)})`, type.value, depth + 1)
    }
    if (type._tag === "Struct") {
      return [code, ...type.members.flatMap((member) => follow(`${code}.${member.name}`, member.type, depth + 1))]
    }
    if ("base" in type) return [...(holds(type) ? [code] : []), ...follow(`${code}.at(0)`, type.base, depth + 1)]
    return type._tag === "DynamicBytes" ? [code, `${code}.length`] : [code]
  }
  return [
    ...layout.variables.flatMap(({ declaredIn, name, type }) =>
      follow(names.get(name)!.length > 1 ? `${accessor}["${declaredIn}.${name}"]` : `${accessor}.${name}`, type, 0)
    ),
    ...layout.namespaces.flatMap(({ id, type }) =>
      follow(`${accessor}[${JSON.stringify(`erc7201("${id}")`)}]`, type, 0)
    )
  ]
}

const someKey = (type: StorageType.StorageType): string => {
  switch (type._tag) {
    case "Bool":
      return "true"
    case "Uint":
    case "Int":
      return "1n"
    case "Enum":
      return JSON.stringify(type.members![0])
    case "DynamicBytes":
      return type.text ? `"a"` : `"0x00"`
    default:
      return `"0x00"`
  }
}

const literal = (key: Path.PathKey, type: StorageType.StorageType | undefined): string => {
  switch (key._tag) {
    case "Number":
      return `${key.value}n`
    case "Hex":
      return type?._tag === "Uint" ? `${BigInt(key.digits)}n` : JSON.stringify(key.digits)
    case "Text":
      return JSON.stringify(key.value)
    case "Name":
      return type?._tag === "Bool" ? key.name : JSON.stringify(key.name)
  }
}

/** Returns the TypeScript type that this package gives to the result of a contract's function. */
export const typeOf = (parameter: AbiParameter, members: Readonly<Record<string, ReadonlyArray<string>>>): string => {
  const { internalType = "", type } = parameter
  const array = /^(.*)\[\d*\]$/.exec(type)
  if (array !== null) {
    const inner = { ...parameter, type: array[1]!, internalType: internalType.replace(/\[\d*\]$/, "") }
    return `ReadonlyArray<${typeOf(inner, members)}>`
  }
  const [, name] = /^enum (?:.*\.)?(\w+)$/.exec(internalType) ?? []
  if (name !== undefined) return members[name]!.map((member) => JSON.stringify(member)).join(" | ")
  if (/^u?int/.test(type)) return "bigint"
  if (type === "bool") return "boolean"
  if (type === "string") return "string"
  if (type === "address") return "Address"
  if (type.startsWith("bytes")) return "Hex"
  if ("components" in parameter) {
    const fields = parameter.components.map((inner) => `readonly ${inner.name}: ${typeOf(inner, members)}`)
    return `{ ${fields.join("; ")} }`
  }
  throw new Error(`no type for ${type}`)
}
