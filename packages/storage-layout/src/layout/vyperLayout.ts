/**
 * Converts Vyper's layout to ours.
 *
 * Source: vyper, `-f layout` and `semantics/analysis/data_positions.py` of 0.2.16 to 0.4.3. Since 0.4 the storage is
 * under `storage_layout`, and the variables of a module are under its name; before 0.4 the output has only the
 * variables. Types are text as in the source: `HashMap[address, uint256]`.
 */
import * as Schema from "effect/Schema"

import { decoder } from "./compilerJson.ts"
import { LayoutError } from "./LayoutError.ts"
import type { StorageArea, VariableElsewhere, Layout, Variable } from "./layoutModel.ts"
import * as Opaque from "./opaque.ts"
import * as Overlaps from "./overlaps.ts"
import * as StorageType from "./StorageType.ts"
import * as SyntaxTree from "./syntaxTree.ts"
import { elementary, wordOffset } from "./valueTypes.ts"
import * as VyperInterfaces from "./vyperInterfaces.ts"

/** Options for reading a layout of Vyper. */
export interface VyperOptions {
  readonly area?: StorageArea | undefined
  /** The ABI. The getters of public variables show which types are interfaces. */
  readonly abi?: unknown
  /** The syntax trees of `vyper -f ast`. They show for every type whether it is an interface. */
  readonly ast?: ReadonlyArray<unknown> | undefined
}

const decode = /* @__PURE__ */ decoder("layout", Schema.Record(Schema.String, Schema.Unknown))

const decodeVariable = /* @__PURE__ */ decoder(
  "variable",
  Schema.Struct({
    type: Schema.String,
    slot: Schema.Natural,
    n_slots: Schema.optionalKey(Schema.Natural)
  })
)

/** Maximum nesting of modules, which is more than any source has. */
const MAX_NESTING = 64

export const make = (json: unknown, { abi, area = "storage", ast }: VyperOptions): Layout => {
  const whole = decode(json)
  const part = whole[area === "storage" ? "storage_layout" : "transient_storage_layout"]
  const flat = area === "storage" && !("storage_layout" in whole) && !("transient_storage_layout" in whole)
  const types = new Map<StorageType.TypeId, StorageType.StorageType>()
  const variables: Array<Variable> = []
  const interfaces = VyperInterfaces.find(ast ?? [], abi, flat ? whole : decode(part ?? {}))
  const read = (module: ReadonlyArray<string>, members: Readonly<Record<string, unknown>>): void => {
    if (module.length > MAX_NESTING) throw malformed("modules are nested without end")
    for (const [name, value] of Object.entries(members)) {
      if (typeof SyntaxTree.record(value)["type"] !== "string") {
        read([...module, name], decode(value))
        continue
      }
      const { n_slots: slots, slot, type: text } = decodeVariable(value)
      // the layout has no sizes of structs, so the same name with another number of slots becomes a separate type
      const parsed = new Types(types, interfaces).parse(text, slots === undefined ? undefined : BigInt(slots))
      const room = StorageType.slots(types.get(parsed)!)
      const count = slots === undefined ? room : BigInt(slots)
      const reason = `the layout gives ${name} ${count} slots, and its type ${text} has ${room}`
      const type =
        count === room ? parsed : Opaque.words(types, `${text}~${name}`, { label: text, reason, slots: count })
      variables.push({
        // for example `$.nonreentrant_key` in the storage of the whole contract
        name: name.slice(name.lastIndexOf(".") + 1),
        declaredIn: [...module, ...name.split(".").slice(0, -1)].join(".") || undefined,
        slot: BigInt(slot),
        offset: wordOffset(types.get(type)!),
        type
      })
    }
  }
  read([], flat ? whole : decode(part ?? {}))
  return {
    dialect: "vyper",
    area,
    contract: undefined,
    variables: Overlaps.setApart(variables, types),
    namespaces: [],
    elsewhere: elsewhere(whole, ast ?? [], area),
    types
  }
}

/** The parts of the output that hold variables of the contract itself outside of permanent storage. */
const PARTS = {
  code_layout: "immutable",
  storage_layout: "storage",
  transient_storage_layout: "transient"
} as const satisfies Record<string, VariableElsewhere["where"]>

/** Finds the immutables and the variables of the other area in the output, and the constants in the syntax trees. */
const elsewhere = (
  whole: Readonly<Record<string, unknown>>,
  ast: ReadonlyArray<unknown>,
  area: StorageArea
): ReadonlyArray<VariableElsewhere> => {
  const printed = Object.entries(PARTS).flatMap(([part, where]) =>
    where === area
      ? []
      : Object.entries(SyntaxTree.record(whole[part])).flatMap(([name, value]) =>
          typeof SyntaxTree.record(value)["type"] === "string" ? [{ name, where }] : []
        )
  )
  const constants = ast.flatMap((tree) =>
    SyntaxTree.list(SyntaxTree.record(SyntaxTree.record(tree)["ast"] ?? tree)["body"]).flatMap(
      (node): ReadonlyArray<VariableElsewhere> => {
        const name = SyntaxTree.record(node["target"])["id"]
        return node["is_constant"] === true && typeof name === "string" ? [{ name, where: "constant" }] : []
      }
    )
  )
  return [...printed, ...constants]
}

/** Adds types to those of the layout. */
class Types {
  readonly #types: Map<StorageType.TypeId, StorageType.StorageType>
  /** Names of the types that are interfaces. */
  readonly #interfaces: ReadonlySet<string>

  constructor(types: Map<StorageType.TypeId, StorageType.StorageType>, interfaces: ReadonlySet<string>) {
    this.#types = types
    this.#interfaces = interfaces
  }

  /** Returns the id of a type. `slots` is the number of slots that it takes, if known. */
  parse(text: string, slots: bigint | undefined, depth = 0): StorageType.TypeId {
    if (depth > MAX_NESTING) throw malformed("types are nested without end")
    const value = elementary(text)
    if (value !== undefined) return this.#add(text, value)
    if (this.#interfaces.has(VyperInterfaces.nameOf(text))) {
      // a value of an interface type is a contract's address, in a separate word
      return this.#add(text, { _tag: "Address", label: VyperInterfaces.nameOf(text), size: 20 })
    }
    const [, element, digits] = /^(.+)\[([1-9]\d{0,77})\]$/s.exec(text) ?? []
    if (element === "String" || element === "Bytes") {
      const limit = BigInt(digits!)
      const room = 1n + (limit + 31n) / 32n
      return this.#add(text, { _tag: "BoundedBytes", label: text, text: element === "String", limit, slots: room })
    }
    if (element !== undefined) {
      const length = BigInt(digits!)
      const base = this.parse(element, slots === undefined ? undefined : slots / length, depth + 1)
      const room = length * StorageType.slots(this.#types.get(base)!)
      return this.#add(`${base}~${text}`, { _tag: "FixedArray", label: text, base, length, slots: room })
    }
    const [, kind, inside = ""] = /^(HashMap|DynArray)\[(.+)\]$/s.exec(text) ?? []
    const [first, second] = kind === undefined ? [] : split(inside)
    if (kind === "HashMap" && first !== undefined && second !== undefined) {
      const key = this.parse(first, undefined, depth + 1)
      return this.#add(text, { _tag: "Mapping", label: text, key, value: this.parse(second, undefined, depth + 1) })
    }
    if (kind === "DynArray" && first !== undefined && /^[1-9]\d{0,77}$/.test(second ?? "")) {
      const limit = BigInt(second!)
      const base = this.parse(first, slots === undefined ? undefined : (slots - 1n) / limit, depth + 1)
      const room = 1n + limit * StorageType.slots(this.#types.get(base)!)
      return this.#add(`${base}~${text}`, { _tag: "BoundedArray", label: text, base, limit, slots: room })
    }
    return this.#opaque(text, slots ?? 1n)
  }

  #opaque(label: string, slots: bigint): StorageType.TypeId {
    const reason = `what ${label} is made of is not in the layout: the output with the abi and the ast beside it tells of interfaces`
    return Opaque.words(this.#types, label, { label, reason, slots })
  }

  #add(id: StorageType.TypeId, type: StorageType.StorageType): StorageType.TypeId {
    if (!this.#types.has(id)) this.#types.set(id, type)
    return id
  }
}

/** Splits `HashMap[address, uint256[2]]` into its two parts, at the first comma outside of inner brackets. */
const split = (inside: string): readonly [string, string] | readonly [] => {
  let depth = 0
  for (let at = 0; at < inside.length; at++) {
    const character = inside[at]
    if (character === "[") depth++
    else if (character === "]") depth--
    else if (character === "," && depth === 0) return [inside.slice(0, at).trim(), inside.slice(at + 1).trim()]
  }
  return []
}

const malformed = (detail: string): LayoutError => new LayoutError({ reason: "Malformed", detail })
