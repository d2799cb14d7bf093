/** Finds the layouts of contracts and the syntax trees in solc's standard JSON output. */
import * as Schema from "effect/Schema"

import { decoder } from "./compilerJson.ts"
import { LayoutError } from "./LayoutError.ts"
import type { StorageArea } from "./layoutModel.ts"
import * as SyntaxTree from "./syntaxTree.ts"

const Output = Schema.Struct({
  contracts: Schema.Record(
    Schema.String,
    Schema.Record(
      Schema.String,
      Schema.Struct({
        storageLayout: Schema.optionalKey(Schema.Unknown),
        transientStorageLayout: Schema.optionalKey(Schema.Unknown)
      })
    )
  ),
  sources: Schema.optionalKey(Schema.Record(Schema.String, Schema.Struct({ ast: Schema.optionalKey(Schema.Unknown) })))
})

const decode = /* @__PURE__ */ decoder("output", Output)

/** The output, decoded, with its trees indexed once for all of its contracts. */
export interface OpenedOutput {
  /** The contracts, such as `Vault.sol:Vault`, with what the compiler wrote about each. */
  readonly contracts: ReadonlyArray<{
    readonly name: string
    readonly own: string
    readonly layouts: Readonly<Record<StorageArea, unknown>>
  }>
  readonly ast: SyntaxTree.SyntaxIndex
}

export const open = (json: unknown): OpenedOutput => {
  const { contracts, sources } = decode(json)
  const trees = Object.values(sources ?? {}).flatMap(({ ast }) => (ast === undefined ? [] : [ast]))
  return {
    contracts: Object.entries(contracts).flatMap(([source, inside]) =>
      Object.entries(inside).map(([own, { storageLayout, transientStorageLayout }]) => ({
        name: `${source}:${own}`,
        own,
        layouts: { storage: storageLayout, transient: transientStorageLayout }
      }))
    ),
    ast: SyntaxTree.index(trees)
  }
}

/** Returns the layout of the contract, undecoded, and its whole name. */
export const find = (
  { contracts }: OpenedOutput,
  wanted: string,
  area: StorageArea
): { readonly layout: unknown; readonly contract: string } => {
  const found = contracts.filter(({ name, own }) => wanted === own || wanted === name)
  const [first, second] = found
  if (first === undefined) {
    throw new LayoutError({ reason: "NoContract", detail: `no contract ${wanted} in the compiler's output` })
  }
  if (second !== undefined) {
    const names = found.map(({ name }) => name).join(", ")
    throw new LayoutError({ reason: "AmbiguousContract", detail: `${wanted} may be any of ${names}` })
  }
  const layout = first.layouts[area]
  if (layout === undefined) {
    const key = area === "storage" ? "storageLayout" : "transientStorageLayout"
    throw new LayoutError({ reason: "NoContract", detail: `the compiler's output has no ${key} of ${first.name}` })
  }
  return { layout, contract: first.name }
}
