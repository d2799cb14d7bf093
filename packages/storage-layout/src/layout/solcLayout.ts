/**
 * Converts solc's layout to ours.
 *
 * Source: the Solidity documentation, "JSON Output" of "Layout of State Variables in Storage". Slots and sizes are
 * decimal text there; the length of a fixed array is only in the id of its type.
 *
 * `Generate` writes the same form with additional fields, also for Vyper's layouts.
 */
import * as Schema from "effect/Schema"

import * as Slot from "../slot/Slot.ts"
import { decoder } from "./compilerJson.ts"
import type { StorageArea, VariableElsewhere, Layout, Namespace, Variable } from "./layoutModel.ts"
import * as Namespaces from "./namespaces.ts"
import * as Overlaps from "./overlaps.ts"
import * as StorageType from "./StorageType.ts"
import * as SyntaxTree from "./syntaxTree.ts"
import { checkTypes, inconsistent } from "./typeCheck.ts"
import { elementary } from "./valueTypes.ts"

/** Options for reading a layout of solc. */
export interface SolcOptions {
  /**
   * The syntax trees of the sources (`sources[*].ast`), from the compiler run that wrote the layout.
   *
   * Without the trees, user-defined value types are bytes without a meaning, enum members have no names, variables with
   * the same name cannot be distinguished, and namespaces are unknown.
   */
  readonly ast?: ReadonlyArray<unknown> | undefined
  /**
   * The contract, such as `Vault.sol:Vault`. Needed only for an empty layout, because any other layout names its
   * contract.
   */
  readonly contract?: string | undefined
  readonly area?: StorageArea | undefined
  /**
   * Structs at slots that the contract's code chooses, such as the storage of a diamond (EIP-2535). Each becomes a
   * variable. Neither the layout nor the tree shows these slots: the reader must know them from the source.
   */
  readonly structs?: ReadonlyArray<StructPlace> | undefined
}

/** A struct at a slot that the contract's code chooses. */
export interface StructPlace {
  /** The variable's name in paths. */
  readonly name: string
  /** The struct as the compiler writes its name, such as `LibDiamond.DiamondStorage`. */
  readonly struct: string
  readonly slot: Slot.Slot
}

/** A number below 2^256 as decimal text. */
const Decimal = Schema.String.check(
  Schema.makeFilter((text: string) => /^(?:0|[1-9]\d{0,77})$/.test(text) && BigInt(text) < 1n << 256n, {
    expected: "decimal digits below 2^256"
  })
)

const Item = Schema.Struct({
  astId: Schema.optionalKey(Schema.Int),
  contract: Schema.optionalKey(Schema.String),
  label: Schema.String,
  offset: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 31 })),
  slot: Decimal,
  type: Schema.String,
  declaredIn: Schema.optionalKey(Schema.String)
})
type Item = typeof Item.Type

const Type = Schema.Struct({
  encoding: Schema.Literals(["inplace", "mapping", "dynamic_array", "bytes", "bounded_array", "bounded_bytes"]),
  label: Schema.String,
  numberOfBytes: Decimal,
  key: Schema.optionalKey(Schema.String),
  value: Schema.optionalKey(Schema.String),
  base: Schema.optionalKey(Schema.String),
  members: Schema.optionalKey(Schema.Array(Item)),
  underlying: Schema.optionalKey(Schema.String),
  enumMembers: Schema.optionalKey(Schema.Array(Schema.String)),
  opaque: Schema.optionalKey(Schema.String),
  length: Schema.optionalKey(Decimal),
  limit: Schema.optionalKey(Decimal)
})
type Type = typeof Type.Type

const decode = /* @__PURE__ */ decoder(
  "layout",
  Schema.Struct({
    dialect: Schema.optionalKey(Schema.Literals(["solidity", "vyper"])),
    area: Schema.optionalKey(Schema.Literals(["storage", "transient"])),
    contract: Schema.optionalKey(Schema.String),
    storage: Schema.Array(Item),
    namespaces: Schema.optionalKey(Schema.Array(Schema.Struct({ id: Schema.String, type: Schema.String }))),
    elsewhere: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          name: Schema.String,
          where: Schema.Literals(["constant", "immutable", "storage", "transient"])
        })
      )
    ),
    types: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Type)))
  })
)

export const make = (json: unknown, options: SolcOptions): Layout =>
  makeWith(json, SyntaxTree.index(options.ast ?? []), options)

/** Makes the layout with trees that are indexed already, because the contracts of one run share them. */
export const makeWith = (json: unknown, ast: SyntaxTree.SyntaxIndex, options: Omit<SolcOptions, "ast">): Layout => {
  const decoded = decode(json)
  const { dialect = "solidity" } = decoded
  const contract = options.contract ?? decoded.contract ?? decoded.storage[0]?.contract
  const types = new Map(Object.entries(decoded.types ?? {}).map(([id, type]) => [id, typeOf(id, type, ast)]))
  const placed = (options.structs ?? []).map(({ name, slot, struct }): Variable => {
    const type = Namespaces.struct(ast, struct, types)
    return { name, declaredIn: undefined, slot, offset: 0, type }
  })
  const variables = [...decoded.storage.map((item) => variableOf(item, ast)), ...placed]
  const area = options.area ?? decoded.area ?? "storage"
  // namespaces are in permanent storage only
  const found = area === "storage" ? Namespaces.find(ast, contract, types) : []
  const namespaces = found.length > 0 ? found : (decoded.namespaces ?? []).map(namespaceOf)
  checkTypes(types, dialect)
  for (const { id, type } of namespaces) {
    if (!types.has(type)) throw inconsistent(`the namespace ${id} is of the type ${type}, which is not there`)
  }
  for (const { name, offset, type } of variables) {
    const found = types.get(type)
    if (found === undefined) throw inconsistent(`${name} is of the type ${type}, which is not there`)
    if (offset + (StorageType.isValueType(found) ? found.size : 32) > 32) throw inconsistent(`${name} crosses a slot`)
  }
  return {
    dialect,
    area,
    contract,
    variables: Overlaps.setApart(variables, types),
    namespaces,
    elsewhere: ast.nodes.size > 0 ? elsewhere(ast, contract, area) : (decoded.elsewhere ?? []),
    types
  }
}

/** Finds the state variables of the contract and its bases that are not in this area. */
const elsewhere = (
  ast: SyntaxTree.SyntaxIndex,
  contract: string | undefined,
  area: StorageArea
): ReadonlyArray<VariableElsewhere> => {
  const bases = new Set(SyntaxTree.basesOf(SyntaxTree.contract(ast, contract)))
  return ast.members.flatMap(({ node, owner }): ReadonlyArray<VariableElsewhere> => {
    if (node["nodeType"] !== "VariableDeclaration" || !bases.has(owner)) return []
    const where = whereOf(node)
    return where === area ? [] : [{ name: String(node["name"]), where }]
  })
}

const whereOf = (variable: SyntaxTree.SyntaxNode): VariableElsewhere["where"] => {
  const { constant, mutability, storageLocation } = variable
  // solc before 0.6.5 has only the field `constant`
  if (constant === true || mutability === "constant") return "constant"
  if (mutability === "immutable") return "immutable"
  return storageLocation === "transient" ? "transient" : "storage"
}

const namespaceOf = ({ id, type }: Omit<Namespace, "slot">): Namespace => ({ id, slot: Slot.erc7201(id), type })

const variableOf = (item: Item, ast: SyntaxTree.SyntaxIndex): Variable => {
  const id = item.astId
  // throws if the tree has another definition with this id
  if (id !== undefined) SyntaxTree.definition(ast, id, "VariableDeclaration", item.label)
  return {
    name: item.label,
    declaredIn: (id === undefined ? undefined : ast.declaredIn.get(id)) ?? item.declaredIn,
    slot: BigInt(item.slot),
    offset: item.offset,
    type: item.type
  }
}

const typeOf = (id: string, type: Type, ast: SyntaxTree.SyntaxIndex): StorageType.StorageType => {
  const { base, label, limit } = type
  const bytes = BigInt(type.numberOfBytes)
  const slots = (bytes + 31n) / 32n
  switch (type.encoding) {
    case "mapping":
      if (type.key === undefined || type.value === undefined) throw inconsistent(`${id} has no key or no value`)
      return { _tag: "Mapping", label, key: type.key, value: type.value }
    case "dynamic_array":
      if (base === undefined) throw inconsistent(`${id} has no base`)
      return { _tag: "DynamicArray", label, base }
    case "bytes":
      return { _tag: "DynamicBytes", label, text: label === "string" }
    case "bounded_array":
      if (base === undefined || limit === undefined) throw inconsistent(`${id} has no base or no limit`)
      return { _tag: "BoundedArray", label, base, limit: BigInt(limit), slots }
    case "bounded_bytes":
      if (limit === undefined) throw inconsistent(`${id} has no limit`)
      return { _tag: "BoundedBytes", label, text: label.startsWith("String["), limit: BigInt(limit), slots }
    case "inplace":
      break
  }
  if (type.members !== undefined) {
    const members = type.members.map((item) => ({
      name: item.label,
      slot: BigInt(item.slot),
      offset: item.offset,
      type: item.type
    }))
    return { _tag: "Struct", label, members, slots }
  }
  if (base !== undefined) {
    const length = type.length ?? (/\)(\d{1,78})_storage$/.exec(id) ?? /\[(\d{1,78})\]$/.exec(label) ?? [])[1]
    if (length === undefined) throw inconsistent(`${id} has no length`)
    return { _tag: "FixedArray", label, base, length: BigInt(length), slots }
  }
  if (bytes < 1n || bytes > 32n) throw inconsistent(`${id} has ${bytes} bytes`)
  return valueType(id, type, Number(bytes), ast)
}

/**
 * Matches the id of a type with a definition, such as `t_enum(Color)11`: the kind, the name and the id of the
 * definition.
 */
const DEFINED = /^t_(enum|userDefinedValueType|contract)\((.*)\)(\d+)$/

const valueType = (id: string, written: Type, size: number, ast: SyntaxTree.SyntaxIndex): StorageType.ValueType => {
  const { label } = written
  const [, kind, name = "", number] = DEFINED.exec(id) ?? []
  switch (kind) {
    case "contract":
      return sized(id, size, { _tag: "Address", label, size: 20 })
    case "enum": {
      const node = SyntaxTree.definition(ast, Number(number), "EnumDefinition", name)
      const members = node === undefined ? written.enumMembers : SyntaxTree.members(node)
      if (new Set(members).size !== (members?.length ?? 0)) throw inconsistent(`${label} has two members of one name`)
      return { _tag: "Enum", label, size, members }
    }
    case "userDefinedValueType": {
      const node = SyntaxTree.definition(ast, Number(number), "UserDefinedValueTypeDefinition", name)
      const type = elementary((node === undefined ? written.underlying : SyntaxTree.underlying(node)) ?? "", label)
      if (type === undefined) {
        const reason = written.opaque ?? `what ${label} stands for is only in the syntax tree`
        return { _tag: "Opaque", label, size, reason }
      }
      // solc 0.8.8 gave each of these types 32 bytes (bug SOL-2021-4, repaired in 0.8.9)
      if (size === 32 && type.size < 32) {
        return {
          _tag: "Opaque",
          label,
          size,
          reason: `solc 0.8.8 keeps ${label} in 32 bytes, which is its bug SOL-2021-4`
        }
      }
      if (type.size !== size)
        throw SyntaxTree.mismatch(`${label} has ${size} bytes in one and ${type.size} in the other`)
      return type
    }
    default:
      break
  }
  if (id.startsWith("t_function_external")) return sized(id, size, { _tag: "ExternalFunction", label, size: 24 })
  if (id.startsWith("t_function_internal")) return { _tag: "InternalFunction", label, size }
  const type = written.opaque === undefined ? elementary(written.underlying ?? label, label) : undefined
  return type === undefined
    ? { _tag: "Opaque", label, size, reason: written.opaque ?? `the type ${label} is unknown` }
    : sized(id, size, type)
}

const sized = (id: string, size: number, type: StorageType.ValueType): StorageType.ValueType => {
  if (type.size !== size) throw inconsistent(`${id} has ${size} bytes, not ${type.size}`)
  return type
}
