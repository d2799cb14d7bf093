/** The parts of a parameter's type, and its name. */
import type { AbiParameter } from "./AbiType.ts"

/** Returns the type of an array's items and its length, which is undefined if it varies; undefined for other types. */
export const arrayOf = (
  parameter: AbiParameter
): { readonly item: AbiParameter; readonly length: number | undefined } | undefined => {
  const { type } = parameter
  if (!type.endsWith("]")) return undefined
  const open = type.lastIndexOf("[")
  const length = type.slice(open + 1, -1)
  return { item: { ...parameter, type: type.slice(0, open) }, length: length === "" ? undefined : Number(length) }
}

/** Returns the members of a tuple; none for other types. */
export const membersOf = (parameter: AbiParameter): ReadonlyArray<AbiParameter> => parameter.components ?? []

/** True if all have names, and no two the same, so that an object can hold their values. */
export const haveNames = (parameters: ReadonlyArray<AbiParameter>): boolean =>
  parameters.every(({ name }) => name) && new Set(parameters.map(({ name }) => name)).size === parameters.length

/** Returns the name of a type as in a signature, such as `(uint256,bool)[]`. */
export const name = (parameter: AbiParameter): string =>
  parameter.type.replace(/^tuple/u, () => names(membersOf(parameter)))

/** Returns the names of types as in a signature, such as `(address,uint256)`. */
export const names = (parameters: ReadonlyArray<AbiParameter>): string => `(${parameters.map(name).join(",")})`
