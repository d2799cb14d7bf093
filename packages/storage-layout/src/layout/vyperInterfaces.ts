/**
 * Finds the types of a Vyper layout that are interfaces. The layout only has their names, as for structs and flags.
 *
 * Sources: the syntax tree (`-f ast`), where a type has a `typeclass`; and the ABI, in which the getter of a public
 * variable returns an `address`. In the layout a value of such a type is an address in a separate word
 * (`semantics/types/module.py`).
 */
import type { SyntaxNode } from "./syntaxTree.ts"
import * as SyntaxTree from "./syntaxTree.ts"
import { elementary } from "./valueTypes.ts"

/**
 * Returns the interface's name, such as `ERC20`, from `interface ERC20` (versions before 0.4) or
 * `ERC20 declaration object`.
 */
export const nameOf = (type: string): string => type.replace(/^interface /, "").replace(/ declaration object$/, "")

/** Returns the names of the types that are interfaces according to the trees or the ABI. */
export const find = (trees: ReadonlyArray<unknown>, abi: unknown, variables: SyntaxNode): ReadonlySet<string> => {
  const classes = new Map<string, Set<unknown>>()
  const add = (name: string, kind: unknown) => {
    const kinds = classes.get(name) ?? new Set()
    classes.set(name, kinds.add(kind))
  }
  const rest: Array<unknown> = [...trees]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value !== "object" || value === null) continue
    const { ast_type: node, name, typeclass } = value as SyntaxNode
    if (typeof name === "string") {
      if (typeof typeclass === "string") add(name, typeclass)
      if (node === "InterfaceDef") add(name, "interface")
      if (node === "StructDef" || node === "FlagDef" || node === "EnumDef") add(name, "other")
    }
    for (const child of Object.values(value)) if (typeof child === "object") rest.push(child)
  }
  for (const [variable, item] of Object.entries(variables)) {
    const type = SyntaxTree.record(item)["type"]
    const value = typeof type === "string" ? valueOf(type) : undefined
    if (value !== undefined && getterGives(abi, variable) === "address") add(nameOf(value), "interface")
  }
  // two modules may give one name to different kinds of types; a name with several kinds is left out
  return new Set(
    Array.from(classes).flatMap(([name, kinds]) => (kinds.size === 1 && kinds.has("interface") ? [name] : []))
  )
}

/**
 * Returns the innermost type of mappings and arrays if the contract's source defines it. Returns undefined for the
 * types of the language.
 */
const valueOf = (type: string): string | undefined => {
  const inner =
    /^HashMap\[[^,[\]]+(?:\[\d+\])?, (.+)\]$/s.exec(type)?.[1] ??
    /^DynArray\[(.+), \d+\]$/s.exec(type)?.[1] ??
    /^(.+)\[\d+\]$/s.exec(type)?.[1]
  if (inner !== undefined && inner !== "String" && inner !== "Bytes") return valueOf(inner)
  return inner === undefined && elementary(type) === undefined ? type : undefined
}

/** Returns the type of the only value that the getter with this name returns. */
const getterGives = (abi: unknown, name: string): unknown => {
  const found = SyntaxTree.list(abi).filter((item) => item["type"] === "function" && item["name"] === name)
  const outputs = SyntaxTree.list(found[0]?.["outputs"])
  return found.length === 1 && outputs.length === 1 ? outputs[0]!["type"] : undefined
}
