/**
 * Finds namespaces of ERC-7201. Compilers' layouts omit them, because no variable has the struct of a namespace as its
 * type. So this module computes the places of the members from the syntax tree, by solc's rules for structs.
 *
 * Types get the ids that solc would give them, so a type that the layout already has is reused.
 */
import * as Slot from "../slot/Slot.ts"
import { LayoutError } from "./LayoutError.ts"
import type { Namespace } from "./layoutModel.ts"
import { pack } from "./packing.ts"
import type * as StorageType from "./StorageType.ts"
import * as SyntaxTree from "./syntaxTree.ts"
import { arraySlots } from "./typeCheck.ts"
import { elementary } from "./valueTypes.ts"

type Types = Map<StorageType.TypeId, StorageType.StorageType>

/**
 * Finds the namespaces of a contract: the annotated structs in the contract, its bases, and the libraries that their
 * code uses. By ERC-7201, an annotated struct outside of contracts is a namespace of none.
 */
export const find = (
  ast: SyntaxTree.SyntaxIndex,
  contract: string | undefined,
  types: Types
): ReadonlyArray<Namespace> => {
  const reached = SyntaxTree.reachedFrom(ast, SyntaxTree.contract(ast, contract))
  return ast.members.flatMap(({ node: struct, owner }) => {
    if (struct["nodeType"] !== "StructDefinition" || !reached.has(owner)) return []
    const id = SyntaxTree.namespace(struct)
    return id === undefined ? [] : [{ id, slot: Slot.erc7201(id), type: add(ast, struct, types) }]
  })
}

/**
 * Returns the id of the struct's type. The name is as the compiler writes it, such as `LibDiamond.DiamondStorage`.
 *
 * Throws `LayoutError` `NoStruct` if neither the layout nor the tree has the struct, or if several structs have the
 * name.
 */
export const struct = (ast: SyntaxTree.SyntaxIndex, name: string, types: Types): StorageType.TypeId => {
  const known = [...types].flatMap(([id, type]) =>
    type._tag === "Struct" && type.label === `struct ${name}` ? [id] : []
  )
  const declared = [...ast.nodes.values()].filter(
    (node) => node["nodeType"] === "StructDefinition" && (node["canonicalName"] ?? node["name"]) === name
  )
  const count = declared.length > 0 ? declared.length : known.length
  if (count === 1) return declared[0] === undefined ? known[0]! : add(ast, declared[0], types)
  const detail =
    count === 0 ? `no struct ${name} in the syntax tree or the layout` : `${count} structs are called ${name}`
  throw new LayoutError({ reason: "NoStruct", detail })
}

/** Returns the id of a namespace's struct. The struct is opaque if it needs a source whose tree is missing. */
const add = (ast: SyntaxTree.SyntaxIndex, struct: SyntaxTree.SyntaxNode, types: Types): StorageType.TypeId => {
  const made = new Map(types)
  try {
    const id = new Builder(ast, made).struct(struct)
    for (const [id, type] of made) types.set(id, type)
    return id
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error
    const id = `t_struct(${String(struct["name"])})${String(struct["id"])}_opaque`
    types.set(id, {
      _tag: "Opaque",
      label: `struct ${String(struct["canonicalName"])}`,
      size: 32,
      reason: error.message
    })
    return id
  }
}

const incomplete = (detail: string): LayoutError =>
  new LayoutError({ reason: "WrongAst", detail: `the syntax tree does not tell it all: ${detail}` })

/** Maximum nesting of types in place, which is more than any source has. */
const MAX_NESTING = 64

/** Adds types to those of the layout. */
class Builder {
  readonly #ast: SyntaxTree.SyntaxIndex
  readonly #types: Types
  #depth = 0

  constructor(ast: SyntaxTree.SyntaxIndex, types: Types) {
    this.#ast = ast
    this.#types = types
  }

  struct(node: SyntaxTree.SyntaxNode): StorageType.TypeId {
    const id = `t_struct(${String(node["name"])})${String(node["id"])}_storage`
    if (this.#types.has(id)) return id
    // the struct is added before its members, because a member may be an array of the struct or a mapping to it
    this.#types.set(id, { _tag: "Struct", label: `struct ${String(node["canonicalName"])}`, members: [], slots: 0n })
    const declared = SyntaxTree.list(node["members"]).map((member) => ({
      name: String(member["name"]),
      type: this.#type(SyntaxTree.record(member["typeName"]))
    }))
    this.#types.set(id, {
      _tag: "Struct",
      label: `struct ${String(node["canonicalName"])}`,
      ...pack(declared, this.#types)
    })
    return id
  }

  /** Returns the id of the type that a type's name refers to. */
  #type(typeName: SyntaxTree.SyntaxNode): StorageType.TypeId {
    if (++this.#depth > MAX_NESTING) throw incomplete("types are nested without end")
    const id = this.#resolve(typeName)
    this.#depth--
    return id
  }

  #resolve(typeName: SyntaxTree.SyntaxNode): StorageType.TypeId {
    const label = SyntaxTree.typeString(typeName) ?? ""
    switch (typeName["nodeType"]) {
      case "ElementaryTypeName":
        return this.#elementary(label)
      case "FunctionTypeName": {
        const external = typeName["visibility"] === "external"
        return this.#add(
          `t_function_${external ? "external" : "internal"}(${label})`,
          external ? { _tag: "ExternalFunction", label, size: 24 } : { _tag: "InternalFunction", label, size: 8 }
        )
      }
      case "Mapping": {
        const key = this.#type(SyntaxTree.record(typeName["keyType"]))
        const value = this.#type(SyntaxTree.record(typeName["valueType"]))
        return this.#add(`t_mapping(${key},${value})`, { _tag: "Mapping", label, key, value })
      }
      case "ArrayTypeName":
        return this.#array(label, this.#type(SyntaxTree.record(typeName["baseType"])))
      case "UserDefinedTypeName":
        return this.#defined(this.#ast.nodes.get(Number(typeName["referencedDeclaration"])), label)
      default:
        throw incomplete(`the type ${label} is of no known kind`)
    }
  }

  #elementary(label: string): StorageType.TypeId {
    if (label === "string" || label === "bytes") {
      return this.#add(`t_${label}_storage`, { _tag: "DynamicBytes", label, text: label === "string" })
    }
    const type = elementary(label)
    if (type === undefined) throw incomplete(`the type ${label} is unknown`)
    return this.#add(`t_${label.replace(" ", "_")}`, type)
  }

  /** Reads the length from the type's text, because the source may give it as the name of a constant. */
  #array(label: string, base: StorageType.TypeId): StorageType.TypeId {
    const [, digits] = /\[(\d{0,78})\]$/.exec(label) ?? []
    if (digits === undefined) throw incomplete(`the array ${label} has no brackets`)
    if (digits === "") return this.#add(`t_array(${base})dyn_storage`, { _tag: "DynamicArray", label, base })
    const length = BigInt(digits)
    const slots = arraySlots(this.#types.get(base)!, length)
    return this.#add(`t_array(${base})${digits}_storage`, { _tag: "FixedArray", label, base, length, slots })
  }

  #defined(node: SyntaxTree.SyntaxNode | undefined, label: string): StorageType.TypeId {
    const place = `(${String(node?.["name"])})${String(node?.["id"])}`
    switch (node?.["nodeType"]) {
      case "StructDefinition":
        return this.struct(node)
      case "ContractDefinition":
        return this.#add(`t_contract${place}`, { _tag: "Address", label, size: 20 })
      case "EnumDefinition": {
        const members = SyntaxTree.members(node)
        return this.#add(`t_enum${place}`, { _tag: "Enum", label, size: members.length > 256 ? 2 : 1, members })
      }
      case "UserDefinedValueTypeDefinition": {
        const type = elementary(SyntaxTree.underlying(node) ?? "", label)
        if (type === undefined) throw incomplete(`${label} stands for an unknown type`)
        return this.#add(`t_userDefinedValueType${place}`, type)
      }
      default:
        throw incomplete(`the definition of ${label} is missing`)
    }
  }

  #add(id: StorageType.TypeId, type: StorageType.StorageType): StorageType.TypeId {
    if (!this.#types.has(id)) this.#types.set(id, type)
    return id
  }
}
