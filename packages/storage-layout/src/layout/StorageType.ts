/**
 * The types of variables. They come from a compiler's layout, with additions from its syntax tree.
 *
 * Types refer to other types by id, as in solc's output, because they may be recursive: a struct may hold a mapping to
 * itself, or a dynamic array of itself.
 */

/** The id of a type in a layout: solc's (`t_uint256`), or the text of the type in Vyper (`uint256`). */
export type TypeId = string

/** The field that all types have: the type's text in the source, for display. */
interface Labelled {
  readonly label: string
}

/** `bool`: 0 or 1 in one byte. */
export interface Bool extends Labelled {
  readonly _tag: "Bool"
  readonly size: number
}

/** `uintN`. `size` is in bytes. */
export interface Uint extends Labelled {
  readonly _tag: "Uint"
  readonly size: number
}

/** `intN`: two's complement in `size` bytes. */
export interface Int extends Labelled {
  readonly _tag: "Int"
  readonly size: number
}

/** Vyper's `decimal`: a whole number of 10^-10, as two's complement in 21 bytes. */
export interface Decimal extends Labelled {
  readonly _tag: "Decimal"
  readonly size: number
}

/** An address, or a contract or interface. */
export interface Address extends Labelled {
  readonly _tag: "Address"
  readonly size: number
}

/** `bytesN`. */
export interface FixedBytes extends Labelled {
  readonly _tag: "FixedBytes"
  readonly size: number
}

/** An enum. The names of its members are known only with the syntax tree. */
export interface Enum extends Labelled {
  readonly _tag: "Enum"
  readonly size: number
  readonly members: ReadonlyArray<string> | undefined
}

/** A function of a contract: its address and its selector. */
export interface ExternalFunction extends Labelled {
  readonly _tag: "ExternalFunction"
  readonly size: number
}

/** A function inside the contract. The meaning of its bytes depends on the compiler. */
export interface InternalFunction extends Labelled {
  readonly _tag: "InternalFunction"
  readonly size: number
}

/**
 * Bytes whose meaning is missing in the layout, with the reason. They can be read, but cannot be the key of a mapping.
 */
export interface Opaque extends Labelled {
  readonly _tag: "Opaque"
  readonly size: number
  readonly reason: string
}

/** `string` or `bytes`. Up to 31 bytes are in the slot itself; longer content is in separate slots. */
export interface DynamicBytes extends Labelled {
  readonly _tag: "DynamicBytes"
  readonly text: boolean
}

/** Vyper's `String[N]` or `Bytes[N]`: the length, then space for `limit` bytes. Takes `slots` slots in total. */
export interface BoundedBytes extends Labelled {
  readonly _tag: "BoundedBytes"
  readonly text: boolean
  readonly limit: bigint
  readonly slots: bigint
}

/** A member of a struct; `slot` counts from the struct's first slot. */
export interface StructMember {
  readonly name: string
  readonly slot: bigint
  readonly offset: number
  readonly type: TypeId
}

/** A struct of `slots` slots. */
export interface Struct extends Labelled {
  readonly _tag: "Struct"
  readonly members: ReadonlyArray<StructMember>
  readonly slots: bigint
}

/** An array whose length is part of its type. */
export interface FixedArray extends Labelled {
  readonly _tag: "FixedArray"
  readonly base: TypeId
  readonly length: bigint
  readonly slots: bigint
}

/** An array whose length is in its slot and whose elements are elsewhere. */
export interface DynamicArray extends Labelled {
  readonly _tag: "DynamicArray"
  readonly base: TypeId
}

/** Vyper's `DynArray[T, N]`: the length, then space for `limit` elements. Takes `slots` slots in total. */
export interface BoundedArray extends Labelled {
  readonly _tag: "BoundedArray"
  readonly base: TypeId
  readonly limit: bigint
  readonly slots: bigint
}

/** A mapping, which has entries but no value. */
export interface Mapping extends Labelled {
  readonly _tag: "Mapping"
  readonly key: TypeId
  readonly value: TypeId
}

/** A type that is a part of one word. `size` is in bytes, 1 to 32. */
export type ValueType =
  | Bool
  | Uint
  | Int
  | Decimal
  | Address
  | FixedBytes
  | Enum
  | ExternalFunction
  | InternalFunction
  | Opaque

/** Every type of a variable. */
export type StorageType =
  | ValueType
  | DynamicBytes
  | BoundedBytes
  | Struct
  | FixedArray
  | DynamicArray
  | BoundedArray
  | Mapping

/**
 * True if a value of the type is a part of one word.
 *
 * ```ts import.meta.vitest
 * import { StorageType } from "@plumbline/storage-layout"
 *
 * StorageType.isValueType({ _tag: "Bool", label: "bool", size: 1 }) // => true
 * StorageType.isValueType({ _tag: "DynamicBytes", label: "string", text: true }) // => false
 * ```
 */
export const isValueType = (type: StorageType): type is ValueType => "size" in type

/**
 * Returns the number of slots that a value of the type takes in place, not counting content behind a hash.
 *
 * ```ts import.meta.vitest
 * import { StorageType } from "@plumbline/storage-layout"
 *
 * StorageType.slots({ _tag: "DynamicArray", label: "uint256[]", base: "t_uint256" }) // => 1n
 * ```
 */
export const slots = (type: StorageType): bigint => ("slots" in type ? type.slots : 1n)
