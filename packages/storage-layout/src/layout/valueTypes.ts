/** Elementary types by their names in the source. */
import type { StorageType, ValueType } from "./StorageType.ts"

/**
 * Returns the type of an elementary name such as `uint96`, `bytes4`, `address payable` or Vyper's `decimal`; undefined
 * for any other name.
 */
export const elementary = (name: string, label: string = name): ValueType | undefined => {
  if (name === "bool") return { _tag: "Bool", label, size: 1 }
  if (name === "address" || name === "address payable") return { _tag: "Address", label, size: 20 }
  if (name === "decimal") return { _tag: "Decimal", label, size: 21 }
  const [, kind, digits] = /^(uint|int|bytes)([1-9]\d{0,2})$/.exec(name) ?? []
  if (kind === undefined) return undefined
  const size = kind === "bytes" ? Number(digits) : Number(digits) / 8
  if (!Number.isInteger(size) || size > 32) return undefined
  return { _tag: kind === "uint" ? "Uint" : kind === "int" ? "Int" : "FixedBytes", label, size }
}

/**
 * Returns the offset of a value within its word in Vyper: `bytesN` are at the high-order end, all other values at the
 * low-order end.
 */
export const wordOffset = (type: StorageType): number => (type._tag === "FixedBytes" ? 32 - type.size : 0)
