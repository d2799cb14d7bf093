/**
 * Writes a layout as the TypeScript module that a typed accessor needs, because imported JSON loses its literal types.
 *
 * The exported value has solc's form, with additional fields: the types that user-defined value types stand for, the
 * names of enum members, the contracts that declare the variables, and the namespaces of ERC-7201. `Accessor.make` and
 * `Layout.fromSolc` both accept it.
 */
import type { Layout } from "../layout/Layout.ts"
import * as GenerateValue from "./generateValue.ts"
import * as Printer from "./printer.ts"

/** First line of a generated module. A program may overwrite a file that begins with this line. */
export const MARK = "/** Where the variables of a contract are. Written by a generator: do not edit. */"

/**
 * Returns the text of a module that exports `layout`, written `as const`.
 *
 * The same layout always gives the same text. Ids of the syntax tree within ids of types are replaced by numbers that
 * count within the module, so a change elsewhere in the sources does not change the text. The text is only ASCII, in
 * the format of oxfmt and Prettier without semicolons and trailing commas, with 120 characters per line.
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
