/**
 * Makes typed paths: an object with the contract's variables, from a layout that is written `as const`.
 *
 * A wrong name, key or member is an error of TypeScript, and each path has the type of its value. Imported JSON loses
 * the literal types that this needs, so the layout must be in a TypeScript module, `as const`; `Generate` writes one.
 *
 * Read values with the layout that `Layout.fromSolc` makes from the same object, without syntax trees. Then the
 * accessor and the reader both take `enumMembers`, `underlying` and `namespaces` from the object.
 */
import * as Result from "effect/Result"

import { FlawedValueError } from "../value/FlawedValueError.ts"
import type { DecodedValue } from "../value/Value.ts"
import type { LayoutLike, AccessorNode, Ref, AccessorRoot, PathStart } from "./accessorTypes.ts"
import { ValueInStorage } from "./accessorTypes.ts"

export type {
  ArrayRef,
  ItemLike,
  LayoutLike,
  LengthRef,
  MappingRef,
  NamespaceLike,
  AccessorNode,
  Ref,
  AccessorRoot,
  PathStart,
  StructRef,
  StructValue,
  TypeLike,
  UnknownKey,
  VariableLike
} from "./accessorTypes.ts"

/**
 * Returns the variables of a layout as properties; structs have their members, mappings have `get`, arrays have `at`
 * and `length`.
 *
 * The name of a property is the start of its path: `Base.shadow` for variables that share a name, and
 * `erc7201("vault.main")` for a namespace.
 *
 * This function reads nothing, and checks only types. `Location.locate` rejects a path that does not exist.
 *
 * ```ts import.meta.vitest
 * import { Accessor } from "@plumbline/storage-layout"
 *
 * const vault = Accessor.make({
 *   storage: [{ label: "owners", offset: 0, slot: "0", type: "t_owners" }],
 *   types: {
 *     t_address: { encoding: "inplace", label: "address", numberOfBytes: "20" },
 *     t_owners: { encoding: "mapping", label: "", numberOfBytes: "32", key: "t_string", value: "t_address" },
 *     t_string: { encoding: "bytes", label: "string", numberOfBytes: "32" }
 *   }
 * } as const)
 * Accessor.path(vault.owners.get("bob")) // => "owners[\"bob\"]"
 * ```
 */
// the return type has no name, because errors would print the name and the whole layout instead of the variables
export const make = <const L extends LayoutLike>(
  layout: L
): { readonly [R in AccessorRoot<L> as PathStart<R>]: AccessorNode<L, R["type"]> } =>
  Object.defineProperties(
    {},
    Object.fromEntries([
      ...layout.storage.map(({ label, path = label, type }) => [path, property(layout, type, path)]),
      ...(layout.namespaces ?? []).map(({ id, type }) => [
        `erc7201("${id}")`,
        property(layout, type, `erc7201(${JSON.stringify(id)})`)
      ])
    ])
  ) as never

/** Makes a property. Its value is made when the property is read, because a struct may contain itself. */
const property = (layout: LayoutLike, type: string, text: string) => ({
  enumerable: true,
  get: () => node(layout.types ?? {}, type, text)
})

/** Returns the path as text, for `Location.locate` and `ContractStorage`. */
export const path = (ref: Ref<unknown>): string => ref[ValueInStorage].path

/**
 * Returns the value that was read at a path, with its type. Fails with `FlawedValueError` if the value has flaws, because
 * flaws have no type.
 *
 * ```ts import.meta.vitest
 * import { Accessor } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const { total } = Accessor.make({
 *   storage: [{ label: "total", offset: 0, slot: "0", type: "t_uint256" }],
 *   types: { t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" } }
 * } as const)
 * const value: Result.Result<bigint, Error> = Accessor.value(total, { value: 7n, flaws: [] })
 * value // => Result.succeed(7n)
 * ```
 */
export const value = <A>(ref: Ref<A>, decoded: DecodedValue): Result.Result<A, FlawedValueError> =>
  decoded.flaws.length === 0
    ? Result.succeed(decoded.value as A)
    : Result.fail(
        new FlawedValueError({
          path: path(ref),
          flaws: decoded.flaws.slice(0, MAX_FLAWS).map(({ path, reason }) => ({ path, reason }))
        })
      )

/** Maximum number of flaws that an error names, because every element of an array may have one. */
const MAX_FLAWS = 8

type Types = NonNullable<LayoutLike["types"]>

const node = (types: Types, id: string, text: string): object => {
  const type = types[id]
  const own = { [ValueInStorage]: { path: text } }
  if (type?.key !== undefined && type.value !== undefined) {
    const { key, value } = type
    return { get: (of: unknown) => node(types, value, `${text}[${keyText(types[key]?.label, of)}]`) }
  }
  if (type?.members !== undefined) {
    const members = type.members.map(({ label, type }) => [
      label,
      { enumerable: true, get: () => node(types, type, `${text}.${label}`) }
    ])
    return Object.defineProperties(own, Object.fromEntries(members))
  }
  const at = type?.base
  const length = { length: { [ValueInStorage]: { path: `${text}.length` } } }
  if (at !== undefined) {
    const elements = { ...own, at: (index: number | bigint) => node(types, at, `${text}[${index}]`) }
    return type?.encoding === "dynamic_array" || type?.encoding === "bounded_array"
      ? { ...elements, ...length }
      : elements
  }
  return type?.encoding === "bytes" || type?.encoding === "bounded_bytes" ? { ...own, ...length } : own
}

/** Returns the text of a key. Text is quoted; numbers, hex, `true` and names of members are unchanged. */
const keyText = (label: string | undefined, key: unknown): string =>
  label === "string" || label === "decimal" || label?.startsWith("String[") ? JSON.stringify(key) : String(key)
