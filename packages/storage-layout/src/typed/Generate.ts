/**
 * Layouts as TypeScript: the module that a typed accessor needs, since JSON that is imported loses its literal types.
 *
 * The value in it has solc's form, with what solc does not write there: the types that user-defined value types stand for,
 * the names of enums' members, the contracts that declare the variables, the namespaces of ERC-7201. `Accessor.make` and
 * `Layout.fromSolc` both take it.
 */
import type { Layout } from "../layout/Layout.ts"
import * as GenerateValue from "./generateValue.ts"
import * as Printer from "./printer.ts"

/** What the text of a generated module begins with, by which a program knows that it may be written over. */
export const MARK = "/** Where the variables of a contract are. Written by a generator: do not edit. */"

/**
 * The text of a module that exports `layout`, written `as const`.
 *
 * The same layout gives the same text. Numbers of the syntax tree in the ids of types are replaced by numbers that count
 * within the module, so that a change elsewhere in the sources does not change it. It has ASCII characters only, and the
 * form that oxfmt and Prettier give it without semicolons and trailing commas, 120 characters to a line.
 *
 * ```ts import.meta.vitest
 * import { Generate, Layout } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const price = { encoding: "inplace", label: "Price", numberOfBytes: "12", underlying: "uint96" }
 * const layout = Layout.fromSolc({
 *   contract: "Shop.sol:Shop",
 *   storage: [{ label: "price", offset: 0, slot: "0", type: "t_userDefinedValueType(Price)107" }],
 *   types: { "t_userDefinedValueType(Price)107": price }
 * })
 * const [, first, contract, variable] = Generate.typescript(Result.getOrThrow(layout)).split("\n")
 * first // => "export const layout = {"
 * contract // => '  contract: "Shop.sol:Shop",'
 * variable // => '  storage: [{ label: "price", offset: 0, slot: "0", type: "t_userDefinedValueType(Price)1" }],'
 * ```
 */
export const typescript = (layout: Layout): string =>
  `${MARK}\nexport const layout = ${Printer.object(GenerateValue.make(layout))} as const\n`
