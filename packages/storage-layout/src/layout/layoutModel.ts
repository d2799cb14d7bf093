/**
 * The types of a layout, shared by `Layout` and the readers of compilers' output. `Layout` re-exports these types.
 */
import type { StorageType, TypeId } from "./StorageType.ts"

/** A state variable. */
export interface Variable {
  readonly name: string
  /** The contract, or in Vyper the module, that declares the variable; undefined if the layout does not name it. */
  readonly declaredIn: string | undefined
  readonly slot: bigint
  /** Distance from the low-order end of the slot, in bytes. */
  readonly offset: number
  readonly type: TypeId
}

/** A struct in a namespace of ERC-7201. */
export interface Namespace {
  readonly id: string
  readonly slot: bigint
  readonly type: TypeId
}

/** A state variable without a place in this area. Its name gives an error that says where its value is instead. */
export interface VariableElsewhere {
  readonly name: string
  /** `constant` and `immutable` values are in the contract's code. The others are in the other area. */
  readonly where: "constant" | "immutable" | StorageArea
}

/** The kind of storage. Transient storage is empty after each transaction, and no node returns its words. */
export type StorageArea = "storage" | "transient"

/** The variables of a contract with their places. */
export interface Layout {
  /** The compiler whose rules apply. */
  readonly dialect: "solidity" | "vyper"
  readonly area: StorageArea
  /** The compiler's name for the contract, such as `Vault.sol:Vault`, if known. */
  readonly contract: string | undefined
  readonly variables: ReadonlyArray<Variable>
  readonly namespaces: ReadonlyArray<Namespace>
  /** The contract's other state variables, as far as the compiler's output names them. */
  readonly elsewhere: ReadonlyArray<VariableElsewhere>
  /** Every type that a variable, a namespace or another type names. */
  readonly types: ReadonlyMap<TypeId, StorageType>
}
