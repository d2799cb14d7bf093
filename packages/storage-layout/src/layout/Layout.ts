/**
 * Layouts: the variables of a contract, with their places and types.
 *
 * A layout comes from the compiler: solc's `storageLayout` (from 0.5.13 on) with, if possible, the syntax tree of the
 * same run, or Vyper's `layout`. Constants and immutables have no place in it, because they are in the code and not in
 * storage: `elsewhere` has their names.
 */
import * as Result from "effect/Result"

import { LayoutError } from "./LayoutError.ts"
import type { Layout } from "./layoutModel.ts"
import type { SolcOptions } from "./solcLayout.ts"
import * as SolcLayout from "./solcLayout.ts"
import * as Opened from "./solcOutput.ts"
import type { VyperOptions } from "./vyperLayout.ts"
import * as VyperLayout from "./vyperLayout.ts"

export { LayoutError } from "./LayoutError.ts"
export type { StorageArea, VariableElsewhere, Layout, Namespace, Variable } from "./layoutModel.ts"
export type { SolcOptions, StructPlace } from "./solcLayout.ts"
export type { VyperOptions } from "./vyperLayout.ts"

/**
 * Reads solc's `storageLayout` or `transientStorageLayout`.
 *
 * **Details**
 *
 * Fields that solc does not write can replace the syntax tree: `declaredIn` of a variable, `underlying` of a
 * user-defined value type (`"uint96"`), `enumMembers` of an enum, `namespaces` of ERC-7201 with their ids and
 * types, and `elsewhere` with names outside of this area. If the input has both, the tree is used. `Generate` writes layouts in this form, including those of Vyper.
 *
 * A flaw belongs to its variable: variables that share bytes, and user-defined value types of solc 0.8.8, are bytes
 * without a meaning, with the reason.
 *
 * Fails with `LayoutError`: `Malformed`, `Inconsistent`, `NoStruct`, or `WrongAst` if the trees are from another run.
 *
 * ```ts import.meta.vitest
 * import { Layout } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const layout = Layout.fromSolc({
 *   storage: [{ astId: 3, contract: "A.sol:A", label: "total", offset: 0, slot: "0", type: "t_uint96" }],
 *   types: { t_uint96: { encoding: "inplace", label: "uint96", numberOfBytes: "12" } }
 * })
 * const { types, variables } = Result.getOrThrow(layout)
 * variables[0]?.name // => "total"
 * types.get("t_uint96") // => { _tag: "Uint", label: "uint96", size: 12 }
 * Result.isFailure(Layout.fromSolc({ storage: "none" })) // => true
 * ```
 */
export const fromSolc = (json: unknown, options: SolcOptions = {}): Result.Result<Layout, LayoutError> =>
  caught(() => SolcLayout.make(json, options))

/**
 * Finds a contract in the whole output of solc's standard JSON interface, and reads its layout with the syntax trees in
 * that output. Ask solc for `storageLayout` and, with the file `""`, for `ast`.
 *
 * `contract` is `Vault.sol:Vault`, or `Vault` if only one source has a contract of that name.
 *
 * Fails with `LayoutError`: the reasons of `fromSolc`, and also `NoContract` and `AmbiguousContract`.
 *
 * ```ts import.meta.vitest
 * import { Layout } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const output = { contracts: { "A.sol": { A: { storageLayout: { storage: [], types: null } } } } }
 * Result.getOrThrow(Layout.fromSolcOutput(output, "A")).contract // => "A.sol:A"
 * const none = Layout.fromSolcOutput(output, "B")
 * Result.isFailure(none) && none.failure.message // => "no contract B in the compiler's output"
 * ```
 */
export const fromSolcOutput = (
  output: unknown,
  contract: string,
  options: Pick<SolcOptions, "area" | "structs"> = {}
): Result.Result<Layout, LayoutError> =>
  Result.flatMap(openSolcOutput(output), ({ layoutOf }) => layoutOf(contract, options))

/** The whole output of a run of solc, whose contracts share the syntax trees. */
export interface SolcOutput {
  /** The contracts with a `storageLayout`, such as `Vault.sol:Vault`. */
  readonly contracts: ReadonlyArray<string>
  /** Reads the layout of one contract, as `fromSolcOutput`. */
  readonly layoutOf: (
    contract: string,
    options?: Pick<SolcOptions, "area" | "structs">
  ) => Result.Result<Layout, LayoutError>
}

/**
 * Opens the whole output of solc's standard JSON interface, for a caller that reads many of its contracts.
 *
 * **When to use**
 *
 * Each tree is walked once, here. `fromSolcOutput` walks all trees for each contract.
 *
 * Fails with `LayoutError` `Malformed`.
 *
 * ```ts import.meta.vitest
 * import { Layout } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const A = { storageLayout: { storage: [], types: null } }
 * const opened = Layout.openSolcOutput({ contracts: { "A.sol": { A, B: {} } } })
 * const { contracts, layoutOf } = Result.getOrThrow(opened)
 * contracts // => ["A.sol:A"]
 * Result.getOrThrow(layoutOf("A")).contract // => "A.sol:A"
 * ```
 */
export const openSolcOutput = (output: unknown): Result.Result<SolcOutput, LayoutError> =>
  caught(() => {
    const opened = Opened.open(output)
    return {
      contracts: opened.contracts.flatMap(({ layouts, name }) => (layouts.storage == null ? [] : [name])),
      layoutOf: (wanted, options = {}) =>
        caught(() => {
          const { contract, layout } = Opened.find(opened, wanted, options.area ?? "storage")
          return SolcLayout.makeWith(layout, opened.ast, { ...options, contract })
        })
    }
  })

/**
 * Reads the output of `vyper -f layout`.
 *
 * Vyper's layout does not list the members of structs and flags, so their values are bytes without a meaning, word by
 * word. An interface is read as an address if `abi` or `ast` identifies it. Otherwise it cannot be distinguished from a
 * flag.
 *
 * Fails with `LayoutError` `Malformed` or `Inconsistent`.
 *
 * ```ts import.meta.vitest
 * import { Layout } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const printed = { storage_layout: { owner: { type: "address", n_slots: 1, slot: 0 } } }
 * Result.getOrThrow(Layout.fromVyper(printed)).dialect // => "vyper"
 * ```
 */
export const fromVyper = (json: unknown, options: VyperOptions = {}): Result.Result<Layout, LayoutError> =>
  caught(() => VyperLayout.make(json, options))

/** Catches the `LayoutError` that a reader throws, at any depth, and returns it as a failure. */
const caught = <A>(read: () => A): Result.Result<A, LayoutError> =>
  Result.try({
    try: read,
    catch: (error) => {
      if (error instanceof LayoutError) return error
      throw error
    }
  })
